#include "emit/text/text_columns.h"

#include "base/utf8.h"

enum {
    TIME_WIDTH = 16,
    MACHINE_MIN = 7,
    MACHINE_MAX = 24,
    PLACE_MIN = 24,
    PLACE_MAX = 64,
    NAME_MIN = 8 /* columns left of a name when the other one needs the room */
};

void tm_text_columns_init(struct tm_text_columns *c, const struct tm_emit_context *context,
                          const struct tm_task_names *names)
{
    *c = (struct tm_text_columns){.context = context, .names = names};
    c->is_relative = !context->options->absolute && context->stream->header.stage == TRACEMERGE__STAGE__PLACED;
}

static struct tm_text text_from(const struct tm_out *out, size_t from)
{
    return (struct tm_text){out->buf.data + from, out->buf.len - from};
}

static size_t width_from(const struct tm_out *out, size_t from)
{
    return tm_out_width(text_from(out, from));
}

void tm_text_columns_cut(struct tm_out *out, size_t from, size_t max)
{
    size_t end = from, width = 0;
    if (out->failed || width_from(out, from) <= max)
        return;
    while (end < out->buf.len) {
        const struct tm_text rest = text_from(out, end);
        const size_t n = tm_utf8_length(rest.data, rest.len), columns = tm_utf8_columns(rest.data, n);
        if (width + columns > max - 3)
            break;
        end += n;
        width += columns;
    }
    for (size_t back = 1; back <= 3 && end - back >= from && end >= back; back++) /* not within \xNN */
        if (out->buf.data[end - back] == '\\') {
            end -= back;
            break;
        }
    out->buf.len = end;
    tm_out_str(out, "...");
}

static void put_machine(const struct tm_text_columns *c, struct tm_out *out, uint32_t machine)
{
    const struct tm_catalog_machine *m = tm_catalog_machine(c->context->catalog, machine);
    bool placed = c->context->stream->header.stage == TRACEMERGE__STAGE__PLACED;
    size_t from = out->buf.len;
    if (placed && m && m->name.len)
        tm_out_escaped(out, m->name);
    else if (placed && m && m->raw_id == 0)
        tm_out_str(out, "host");
    else
        tm_out_i64(out, placed && m ? m->raw_id : (int64_t)machine);
    tm_text_columns_cut(out, from, MACHINE_MAX);
}

/* Puts NAME:ID with at most MAX columns of the name. */
static void put_task(struct tm_out *out, struct tm_text name, int64_t id, size_t max)
{
    size_t from = out->buf.len;
    tm_out_escaped(out, name);
    tm_text_columns_cut(out, from, max);
    if (name.len)
        tm_out_char(out, ':');
    tm_out_i64(out, id);
}

void tm_text_columns_task(struct tm_out *out, struct tm_text name, int64_t id)
{
    put_task(out, name, id, SIZE_MAX);
}

/* Puts PROCESS:PID/THREAD:TID with at most these numbers of columns of the names. */
static void put_thread(struct tm_out *out, const struct tm_event_task *place, size_t process_max, size_t thread_max)
{
    put_task(out, place->process, place->pid, process_max);
    tm_out_char(out, '/');
    put_task(out, place->thread, place->tid, thread_max);
}

/* Puts the thread within WIDTH. The longer of the two names is cut first. */
static void fit_thread(struct tm_out *out, const struct tm_event_task *place, size_t width)
{
    size_t from = out->buf.len, process, thread, most, over;
    put_thread(out, place, SIZE_MAX, SIZE_MAX);
    if (out->failed || width_from(out, from) <= width)
        return;
    over = width_from(out, from) - width;
    out->buf.len = from;
    tm_out_escaped(out, place->process);
    process = width_from(out, from);
    out->buf.len = from;
    tm_out_escaped(out, place->thread);
    thread = width_from(out, from);
    out->buf.len = from;
    most = process + thread > over + 2 * NAME_MIN ? process + thread - over : 2 * NAME_MIN;
    if (thread < most / 2)
        put_thread(out, place, most - thread, SIZE_MAX);
    else if (process < most / 2)
        put_thread(out, place, SIZE_MAX, most - process);
    else
        put_thread(out, place, most - most / 2, most / 2);
}

/* Puts the CPU, thread, process or track of E. A main thread, a process, and a thread of an unknown process are one
 * part, other threads two. */
static void put_place(struct tm_out *out, const struct tm_event *e, const struct tm_event_task *place, size_t width)
{
    bool main_thread = place->has_pid && place->has_tid && place->pid == place->tid;
    size_t from = out->buf.len, name_max = width > NAME_MIN + 12 ? width - 12 : NAME_MIN;
    if (tm_event_scope(e->flags) == TM_SCOPE_CPU ||
        (!place->has_pid && !place->has_tid && e->flags & TM_EVENT_HAS_CPU)) {
        tm_out_str(out, "cpu");
        tm_out_u64(out, e->cpu);
    } else if (place->has_pid && place->has_tid && !main_thread) {
        fit_thread(out, place, width);
    } else if (place->has_pid) {
        put_task(out, place->process.len || !main_thread ? place->process : place->thread, place->pid, name_max);
    } else if (place->has_tid) {
        put_task(out, place->thread, place->tid, name_max);
    } else if (place->track.len == 0) {
        tm_out_char(out, '-');
    } else {
        tm_out_escaped(out, place->track);
        tm_text_columns_cut(out, from, width);
    }
}

static size_t between(size_t v, size_t least, size_t most)
{
    return v < least ? least : v > most ? most : v;
}

void tm_text_columns_word(struct tm_out *out, const char *word, size_t width, bool right)
{
    size_t from = out->buf.len;
    tm_out_str(out, word);
    tm_out_pad(out, from, width, right);
    tm_out_char(out, ' ');
}

void tm_text_columns_begin(struct tm_text_columns *c, struct tm_out *out, int64_t first_ns)
{
    c->is_ready = true;
    c->origin_ns = first_ns;
    c->place_width = between(tm_task_names_width(c->names), PLACE_MIN, PLACE_MAX);
    c->machine_width = MACHINE_MIN;
    for (uint32_t i = 0; i < c->context->catalog->machine_count; i++) {
        size_t from = out->buf.len;
        put_machine(c, out, i);
        c->machine_width = between(width_from(out, from), c->machine_width, MACHINE_MAX);
        out->buf.len = from;
    }
    tm_text_columns_word(out, "TIME", TIME_WIDTH, true);
    tm_text_columns_word(out, "MACHINE", c->machine_width, false);
    tm_text_columns_word(out, "PROCESS/THREAD", c->place_width, false);
    tm_text_columns_word(out, "KIND", TM_TEXT_KIND_WIDTH, false);
    tm_text_columns_word(out, "DURATION", TM_TEXT_DURATION_WIDTH, true);
}

static void put_time(const struct tm_text_columns *c, struct tm_out *out, int64_t ns)
{
    size_t from = out->buf.len;
    if (c->is_relative && !(c->origin_ns < 0 && ns > INT64_MAX + c->origin_ns) &&
        !(c->origin_ns > 0 && ns < INT64_MIN + c->origin_ns))
        ns -= c->origin_ns;
    tm_out_seconds(out, ns);
    tm_out_pad(out, from, TIME_WIDTH, true);
    tm_out_char(out, ' ');
}

void tm_text_columns_put(const struct tm_text_columns *c, struct tm_out *out, const struct tm_event *e,
                         const struct tm_event_task *place)
{
    put_time(c, out, e->time_ns);
    size_t from = out->buf.len;
    put_machine(c, out, e->machine);
    tm_out_pad(out, from, c->machine_width, false);
    tm_out_char(out, ' ');
    from = out->buf.len;
    put_place(out, e, place, c->place_width);
    tm_out_pad(out, from, c->place_width, false);
    tm_out_char(out, ' ');
}

bool tm_text_columns_special(const struct tm_text_columns *c, struct tm_out *out, const struct tm_event *e)
{
    struct tm_text name = tm_catalog_string(c->context->catalog, e->name, e);
    struct tm_text category = tm_catalog_string(c->context->catalog, e->category, e);
    switch (e->kind) {
    case TM_KIND_SCHED_SWITCH:
        tm_text_columns_task(out, e->category ? category : tm_task_names_thread(c->names, e->machine, e->tid), e->tid);
        tm_out_str(out, " => ");
        if (e->flags & TM_EVENT_HAS_PID)
            tm_text_columns_task(out, e->name ? name : tm_task_names_thread(c->names, e->machine, e->pid), e->pid);
        else
            tm_out_str(out, "idle");
        return true;
    case TM_KIND_SCHED_WAKING:
        tm_text_columns_task(out, e->name ? name : tm_task_names_thread(c->names, e->machine, e->tid), e->tid);
        if (e->flags & TM_EVENT_HAS_PID) {
            tm_out_str(out, " by ");
            tm_text_columns_task(out, tm_task_names_thread(c->names, e->machine, e->pid), e->pid);
        }
        return true;
    case TM_KIND_LOG:
        if (e->category) {
            tm_out_escaped(out, category);
            tm_out_str(out, ": ");
        }
        tm_out_escaped(out, name);
        return true;
    case TM_KIND_TASK_NEW:
        tm_text_columns_task(out, name, e->tid);
        return true;
    default:
        return false;
    }
}

void tm_text_columns_value(struct tm_out *out, const struct tm_event *e)
{
    if (!(e->flags & TM_EVENT_HAS_VALUE))
        return;
    tm_out_str(out, " = ");
    if (e->flags & TM_EVENT_VALUE_DOUBLE)
        tm_out_double(out, e->value);
    else
        tm_out_i64(out, (int64_t)e->value);
}

void tm_text_columns_end(struct tm_out *out)
{
    while (!out->failed && out->buf.len > 0 && out->buf.data[out->buf.len - 1] == ' ')
        out->buf.len--;
    tm_out_char(out, '\n');
}

/* text: a line an event in aligned columns, for people. Definitions are not shown; they tell the
 * names of what is. */
#include "emit/names.h"
#include "emit/out.h"
#include "emit/outputs.h"
#include "emit/task_names.h"

#include <stdlib.h>

enum {
    TEXT_TIME_WIDTH = 16,
    TEXT_MACHINE_MIN = 7,
    TEXT_MACHINE_MAX = 16,
    TEXT_PLACE_MIN = 24,
    TEXT_PLACE_MAX = 48,
    TEXT_KIND_WIDTH = 12,
    TEXT_DURATION_WIDTH = 12
};

struct text {
    struct tm_out out;
    struct tm_task_names names;
    const struct tm_emit_context *context;
    bool relative, has_origin;
    int64_t origin_ns;
    size_t machine_width, place_width;
};

static enum tm_status open_text(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    struct text *t = calloc(1, sizeof *t);
    if (t == NULL)
        return tm_error_nomem(err);
    *state = t;
    tm_out_init(&t->out, context->fd, context->options->out_path);
    t->context = context;
    t->relative = !context->options->absolute && context->stream->stage == TRACEMERGE__STAGE__PLACED;
    tm_task_names_init(&t->names, context->catalog);
    return TM_OK;
}

static void put_machine(struct text *t, uint32_t machine)
{
    const struct tm_catalog_machine *m = tm_catalog_machine(t->context->catalog, machine);
    bool placed = t->context->stream->stage == TRACEMERGE__STAGE__PLACED;
    if (placed && m && m->name.len)
        tm_out_escaped(&t->out, m->name);
    else if (placed && m && m->raw_id == 0)
        tm_out_str(&t->out, "host");
    else
        tm_out_i64(&t->out, placed && m ? m->raw_id : (int64_t)machine);
}

/* NAME:ID, or whichever of them there is. */
static void put_task(struct tm_out *out, struct tm_text name, int64_t id)
{
    tm_out_escaped(out, name);
    if (name.len)
        tm_out_char(out, ':');
    tm_out_i64(out, id);
}

/* PROCESS:PID/THREAD:TID; one part for a main thread, a whole process or a thread of an unknown one. */
static void put_place(struct tm_out *out, const struct tm_event *e, const struct tm_event_task *place)
{
    bool main_thread = place->has_pid && place->has_tid && place->pid == place->tid;
    if (tm_event_scope(e->flags) == TM_SCOPE_CPU ||
        (!place->has_pid && !place->has_tid && e->flags & TM_EVENT_HAS_CPU)) {
        tm_out_str(out, "cpu");
        tm_out_u64(out, e->cpu);
        return;
    }
    if (place->has_pid)
        put_task(out, place->process.len || !main_thread ? place->process : place->thread, place->pid);
    if (place->has_tid && !main_thread) {
        tm_out_str(out, place->has_pid ? "/" : "");
        put_task(out, place->thread, place->tid);
    }
    if (!place->has_pid && !place->has_tid) {
        if (place->track.len == 0)
            tm_out_char(out, '-');
        else
            tm_out_escaped(out, place->track);
    }
}

static void put_kind(struct tm_out *out, const struct tm_event *e)
{
    static const char *const short_names[] = {
        [TM_KIND_SLICE_BEGIN] = "begin", [TM_KIND_SLICE_END] = "end",       [TM_KIND_SLICE_COMPLETE] = "slice",
        [TM_KIND_SCHED_SWITCH] = "switch", [TM_KIND_SCHED_WAKING] = "waking", [TM_KIND_SLICE_ARGS] = "args",
    };
    const char *name = tm_name_of_kind(e->kind);
    if (e->kind < sizeof short_names / sizeof *short_names && short_names[e->kind])
        name = short_names[e->kind];
    if (e->flags & TM_EVENT_ASYNC && (e->kind == TM_KIND_SLICE_BEGIN || e->kind == TM_KIND_SLICE_END))
        tm_out_str(out, "async_");
    if (name)
        tm_out_str(out, name);
    else
        tm_out_u64(out, e->kind);
}

static void put_value(struct tm_out *out, const struct tm_event *e)
{
    if (!(e->flags & TM_EVENT_HAS_VALUE))
        return;
    tm_out_str(out, " = ");
    if (e->flags & TM_EVENT_VALUE_DOUBLE)
        tm_out_double(out, e->value);
    else
        tm_out_i64(out, (int64_t)e->value);
}

/* What the last columns, name and value, say. */
static void put_story(struct text *t, const struct tm_event *e, const struct tm_event_task *place)
{
    struct tm_out *out = &t->out;
    struct tm_text name = tm_catalog_string(t->context->catalog, e->name, e);
    struct tm_text category = tm_catalog_string(t->context->catalog, e->category, e);
    switch (e->kind) {
    case TM_KIND_SCHED_SWITCH:
        put_task(out, e->category ? category : tm_task_names_thread(&t->names, e->machine, e->tid), e->tid);
        tm_out_str(out, " => ");
        if (e->flags & TM_EVENT_HAS_PID)
            put_task(out, e->name ? name : tm_task_names_thread(&t->names, e->machine, e->pid), e->pid);
        else
            tm_out_str(out, "idle");
        return;
    case TM_KIND_SCHED_WAKING:
        put_task(out, e->name ? name : tm_task_names_thread(&t->names, e->machine, e->tid), e->tid);
        if (e->flags & TM_EVENT_HAS_PID) {
            tm_out_str(out, " by ");
            put_task(out, tm_task_names_thread(&t->names, e->machine, e->pid), e->pid);
        }
        return;
    case TM_KIND_LOG:
        if (e->category) {
            tm_out_escaped(out, category);
            tm_out_str(out, ": ");
        }
        tm_out_escaped(out, name);
        return;
    case TM_KIND_TASK_NEW:
        put_task(out, name, e->tid);
        return;
    default:
        tm_out_escaped(out, name.len || e->kind != TM_KIND_COUNTER ? name : place->track);
        put_value(out, e);
    }
}

static void put_time(struct text *t, const struct tm_event *e)
{
    size_t from = t->out.buf.len;
    int64_t ns = e->time_ns;
    if (t->relative && !t->has_origin) {
        t->has_origin = true;
        t->origin_ns = t->context->has_origin ? t->context->origin_ns : ns;
    }
    if (t->relative && !(t->origin_ns < 0 && ns > INT64_MAX + t->origin_ns) &&
        !(t->origin_ns > 0 && ns < INT64_MIN + t->origin_ns))
        ns -= t->origin_ns;
    tm_out_seconds(&t->out, ns);
    tm_out_pad(&t->out, from, TEXT_TIME_WIDTH, true);
    tm_out_char(&t->out, ' ');
}

static enum tm_status put_event(struct text *t, const struct tm_event *e, struct tm_error *err)
{
    struct tm_out *out = &t->out;
    struct tm_event_task place;
    tm_task_names_find(&t->names, e, &place);
    put_time(t, e);
    size_t from = out->buf.len;
    put_machine(t, e->machine);
    tm_out_pad(out, from, t->machine_width, false);
    tm_out_char(out, ' ');
    from = out->buf.len;
    put_place(out, e, &place);
    tm_out_pad(out, from, t->place_width, false);
    tm_out_char(out, ' ');
    from = out->buf.len;
    put_kind(out, e);
    tm_out_pad(out, from, TEXT_KIND_WIDTH, false);
    tm_out_char(out, ' ');
    from = out->buf.len;
    if (e->kind == TM_KIND_SLICE_COMPLETE) {
        if (e->flags & TM_EVENT_OPEN_ENDED)
            tm_out_str(out, "open");
        else
            tm_out_duration(out, e->dur_ns);
    }
    tm_out_pad(out, from, TEXT_DURATION_WIDTH, true);
    tm_out_char(out, ' ');
    put_story(t, e, &place);
    while (!out->failed && out->buf.len > 0 && out->buf.data[out->buf.len - 1] == ' ')
        out->buf.len--;
    tm_out_char(out, '\n');
    return tm_out_end_row(out, err);
}

static void put_header(struct text *t)
{
    static const char *const titles[] = {"TIME", "MACHINE", "PROCESS/THREAD", "KIND", "DURATION"};
    const size_t widths[] = {TEXT_TIME_WIDTH, t->machine_width, t->place_width, TEXT_KIND_WIDTH,
                             TEXT_DURATION_WIDTH};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        size_t from = t->out.buf.len;
        tm_out_str(&t->out, titles[i]);
        tm_out_pad(&t->out, from, widths[i], i == 0 || i == 4);
        tm_out_char(&t->out, ' ');
    }
    tm_out_str(&t->out, "NAME = VALUE\n");
}

static size_t between(size_t v, size_t least, size_t most)
{
    return v < least ? least : v > most ? most : v;
}

/* Columns are as wide as the longest of what is known when the first line comes. */
static void set_widths(struct text *t)
{
    t->place_width = between(tm_task_names_width(&t->names), TEXT_PLACE_MIN, TEXT_PLACE_MAX);
    t->machine_width = TEXT_MACHINE_MIN;
    for (uint32_t i = 0; i < t->context->catalog->machine_count; i++) {
        size_t from = t->out.buf.len, len;
        put_machine(t, i);
        len = t->out.buf.len - from;
        t->out.buf.len = from;
        t->machine_width = between(len, t->machine_width, TEXT_MACHINE_MAX);
    }
}

/* Definitions are not, nor rows that only tell more of the row before, or the name of its task. */
static bool is_shown(const struct tm_event *e)
{
    if (e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_CONTEXT))
        return false;
    return !(e->flags & TM_EVENT_DERIVED) ||
           (e->kind != TM_KIND_PROCESS && e->kind != TM_KIND_THREAD && e->kind != TM_KIND_SLICE_ARGS &&
            e->kind != TM_KIND_BLOCKED_REASON && e->kind != TM_KIND_THREAD_STATE);
}

static enum tm_status show_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct text *t = state;
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    while (batch && st == TM_OK && tm_batch_next(&walk, &e)) {
        if ((st = tm_task_names_learn(&t->names, &e, err)) < 0)
            return tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset);
        if (!is_shown(&e))
            continue;
        if (t->machine_width == 0) {
            set_widths(t);
            put_header(t);
        }
        st = put_event(t, &e, err);
    }
    return st;
}

static enum tm_status finish_text(void *state, struct tm_error *err)
{
    struct text *t = state;
    return tm_out_flush(&t->out, err);
}

static void close_text(void *state)
{
    struct text *t = state;
    if (t) {
        tm_task_names_release(&t->names);
        tm_out_release(&t->out);
    }
    free(t);
}

static const char *const text_suffixes[] = {".txt", ".text", NULL};

const struct tm_emit tm_emit_text = {
    .name = "text",
    .suffixes = text_suffixes,
    .open = open_text,
    .frame = show_frame,
    .finish = finish_text,
    .close = close_text,
};

#include "format/text/perf_script.h"

#include "base/table.h"
#include "base/decimal.h"
#include "base/map.h"
#include "base/pb.h"
#include "format/ftrace/args.h"
#include "format/ftrace/ftrace_text.h"
#include "format/text/perf_line.h"
#include "format/text_lines.h"
#include "stream/clock_id.h"
#include "stream/detail_fields.h"
#include "stream/task_description.h"

#include <stdlib.h>
#include <string.h>

/* A line after the head: a frame, or the source position of the frame before it. */
struct stack_line {
    size_t start; /* in raw */
    bool is_source;
};

struct perf {
    struct tm_text_reader text;
    struct tm_ftrace_text ftrace;
    struct tm_buf raw;    /* the sample's lines */
    struct tm_buf detail;
    struct stack_line *lines; /* of its stack; innermost first */
    uint32_t line_count, line_cap;
    struct tm_map process_names; /* string of the latest name of each process, by pid */
    struct tm_table thread_names; /* string of the latest name of each thread and its stretch, by tid and pid */
    /* The number of the current stretch of samples. Names are written again in each. A stretch begins where time goes
     * back, and after an event that can rename threads. */
    uint32_t stretch;
    int64_t last_ns;
    int64_t lost; /* events that perf reports as lost */
};

/* Samples of the main threads of further processes name no process, and are counted. Further threads are named again
 * by each sample. */
enum { PROCESSES_MAX = 1 << 18, THREADS_MAX = 1 << 18 };

static enum tm_status perf_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct perf *p = calloc(1, sizeof *p);
    if (p == NULL)
        return tm_error_nomem(err);
    p->text = (struct tm_text_reader){.context = *context, .max = TM_PERF_LINE_MAX, .clock = TM_CLOCK_MONOTONIC};
    p->ftrace.sink = context->sink;
    *state = p;
    return TM_OK;
}

/* Writes the frame LINE with its source position SOURCE (NULL: unknown). */
static bool put_frame(struct tm_buf *out, struct tm_text line, const struct tm_text *source)
{
    struct tm_perf_frame f;
    struct tm_text file;
    int64_t number;
    size_t mark;
    if (!tm_perf_frame_parse(tm_text_chars(line), line.len, &f))
        return true;
    if (tm_pb_begin(out, TM_DETAIL_FRAMES, &mark) != TM_OK ||
        tm_pb_put_bytes(out, TM_STACK_FRAME_FUNCTION, f.symbol.data, f.symbol.len) != TM_OK ||
        tm_pb_put_bytes(out, TM_STACK_FRAME_MAPPING, f.mapping.data, f.mapping.len) != TM_OK ||
        tm_pb_put_varint(out, TM_STACK_FRAME_REL_PC, f.pc) != TM_OK)
        return false;
    if (source && tm_perf_source_parse(tm_text_chars(*source), source->len, &file, &number) &&
        (tm_pb_put_bytes(out, TM_STACK_FRAME_FILE, file.data, file.len) != TM_OK ||
         tm_pb_put_varint(out, TM_STACK_FRAME_LINE, (uint64_t)number) != TM_OK))
        return false;
    return tm_pb_end(out, mark) == TM_OK;
}

/* Writes the frames outermost first, so it reads the lines backwards. */
static bool put_frames(struct perf *p, const struct tm_perf_head *h)
{
    struct tm_text source, line;
    bool has_source = false;
    size_t end = p->raw.len;
    for (uint32_t i = p->line_count; i > 0; i--) {
        size_t start = p->lines[i - 1].start;
        line = tm_text_at(p->raw.data + start, end - start);
        if (p->lines[i - 1].is_source)
            source = line;
        else if (!put_frame(&p->detail, line, has_source ? &source : NULL))
            return false;
        has_source = p->lines[i - 1].is_source;
        end = start - 1;
    }
    if (p->line_count > 0)
        return true;
    const char *rest_end = h->rest + h->rest_len, *frame = tm_perf_branch_skip(h->rest, rest_end);
    return put_frame(&p->detail, tm_text_at(frame, (size_t)(rest_end - frame)), NULL);
}

/* Defines the process of a main thread under the thread's name, which ROW has, unless it has that name already. */
static enum tm_status name_process(struct perf *p, const struct tm_perf_head *h, const struct tm_event *row,
                                   struct tm_error *err)
{
    uint32_t last;
    bool is_known = tm_map_find(&p->process_names, (uint64_t)row->pid, &last);
    if (!is_known && p->process_names.count >= PROCESSES_MAX) {
        p->text.context.sink->left_out++;
        return TM_OK;
    }
    if (is_known && last == row->name)
        return TM_OK;
    if (tm_map_set(&p->process_names, (uint64_t)row->pid, row->name) != TM_OK)
        return tm_error_nomem(err);
    struct tm_event process = {.kind = TM_KIND_PROCESS, .clock = row->clock, .time_ns = row->time_ns, .pid = row->pid,
                               .flags = TM_EVENT_UNTIMED | TM_EVENT_DEFINITION | TM_EVENT_HAS_PID};
    tm_buf_clear(&p->detail);
    if (tm_task_description_put(&p->detail, &process, tm_text_given(h->comm, h->comm_len)) != TM_OK)
        return tm_error_nomem(err);
    process.detail = p->detail.data;
    process.detail_bytes = (uint32_t)p->detail.len;
    return tm_event_sink_add(p->text.context.sink, &process, err);
}

/* Sets *IS_KNOWN to whether the name of ROW's thread was written in this stretch. Remembers the name, within the
 * limit. */
static enum tm_status check_name(struct perf *p, const struct tm_event *row, bool *is_known, struct tm_error *err)
{
    const struct tm_key key = {(uint64_t)row->tid, row->flags & TM_EVENT_HAS_PID ? (uint64_t)row->pid : UINT64_MAX, 0};
    int64_t value = (int64_t)p->stretch << 31 | row->name, last = tm_table_find(&p->thread_names, &key);
    *is_known = last == value;
    if (*is_known || row->name & TM_STRING_INLINE || (last == TM_TABLE_NONE && p->thread_names.count >= THREADS_MAX))
        return TM_OK;
    return tm_table_set(&p->thread_names, &key, value, err);
}

/* Adds the name of the thread as a row, unless it is known. */
static enum tm_status add_name(struct perf *p, const struct tm_perf_head *h, const struct tm_event *e,
                               struct tm_error *err)
{
    tm_buf_clear(&p->detail);
    struct tm_event name = {.kind = TM_KIND_TASK_RENAME,
                            .clock = e->clock,
                            .time_ns = e->time_ns,
                            .tid = e->tid,
                            .pid = e->pid,
                            .flags = (e->flags & (TM_EVENT_HAS_TID | TM_EVENT_HAS_PID)) | TM_EVENT_DERIVED};
    bool is_known = false;
    enum tm_status st =
        tm_event_sink_string(p->text.context.sink, tm_text_at(h->comm, h->comm_len), &p->detail, &name.name, err);
    name.detail = p->detail.data;
    name.detail_bytes = (uint32_t)p->detail.len;
    if (st == TM_OK)
        st = check_name(p, &name, &is_known, err);
    if (st == TM_OK && !is_known)
        st = tm_event_sink_add(p->text.context.sink, &name, err);
    return st < 0 || !h->has_pid || h->pid != h->tid ? st : name_process(p, h, &name, err);
}

/* Adds the sample, or, if DERIVED, the stack of the row before it. */
static enum tm_status add_sample(struct perf *p, const struct tm_perf_head *h, bool derived, struct tm_error *err)
{
    struct tm_event e = {.kind = TM_KIND_SAMPLE, .clock = TM_CLOCK_MONOTONIC, .time_ns = h->time_ns, .tid = h->tid,
                         .pid = h->pid, .cpu = h->cpu, .value = h->period};
    e.flags = tm_event_scope_flags(TM_SCOPE_THREAD) | TM_EVENT_HAS_TID |
              (derived ? (unsigned)TM_EVENT_DERIVED : tm_event_raw_flags(TM_RAW_LINE)) |
              (h->has_pid ? TM_EVENT_HAS_PID : 0u) | (h->has_cpu ? TM_EVENT_HAS_CPU : 0u) |
              (h->has_period ? TM_EVENT_HAS_VALUE : 0u);
    tm_buf_clear(&p->detail);
    enum tm_status st =
        tm_event_sink_string(p->text.context.sink, tm_text_at(h->event, h->event_len), &p->detail, &e.name, err);
    if (st < 0)
        return st;
    if (!put_frames(p, h))
        return tm_error_nomem(err);
    if (!derived) {
        e.raw = p->raw.data;
        e.raw_bytes = (uint32_t)p->raw.len;
    }
    e.detail = p->detail.data;
    e.detail_bytes = (uint32_t)p->detail.len;
    st = tm_event_sink_add(p->text.context.sink, &e, err);
    return st < 0 || derived || h->comm_len == 0 ? st : add_name(p, h, &e, err);
}

/* True for letters after the event's colon that state how it is counted ("cycles:u", "cpu-clock:pppH"). */
static bool are_modifiers(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (strchr("ukhpPGHSDWebI", s[i]) == NULL)
            return false;
    return true;
}

/* The name that ftrace writes for a task whose name it does not know. */
static const char unknown[] = "<...>";

/* Sets *LINE if the event is an ftrace event, such as "sched:sched_switch". False: it is not. */
static bool as_tracepoint(const struct tm_perf_head *h, struct tm_systrace_line *line)
{
    const char *colon = memchr(h->event, ':', h->event_len);
    size_t name_len = colon ? h->event_len - (size_t)(colon + 1 - h->event) : 0;
    if (name_len == 0 || h->has_period || are_modifiers(colon + 1, name_len))
        return false;
    const struct tm_text task = h->comm_len ? tm_text_at(h->comm, h->comm_len) : tm_text_str(unknown);
    *line = (struct tm_systrace_line){.task = tm_text_chars(task), .task_len = task.len, .event = colon + 1,
                                      .event_len = name_len, .args = h->rest, .args_len = h->rest_len,
                                      .time_ns = h->time_ns, .pid = (uint32_t)h->tid, .tgid = (uint32_t)h->pid,
                                      .has_tgid = h->has_pid, .cpu = h->cpu};
    return h->tid <= UINT32_MAX && h->pid <= UINT32_MAX;
}

/* Finds the thread of the tracepoint H if it has ended: its last switch states it. */
static void find_ended(struct tm_perf_head *h)
{
    static const char event[] = "sched:sched_switch";
    int64_t tid;
    if (h->tid != TM_PERF_ENDED || h->event_len != sizeof event - 1 || memcmp(h->event, event, sizeof event - 1) != 0 ||
        !tm_ftrace_arg_int(tm_text_at(h->rest, h->rest_len), "prev_pid", 0, UINT32_MAX, &tid))
        return;
    h->tid = tid;
    h->has_pid = false;
    h->comm = unknown;
    h->comm_len = sizeof unknown - 1;
}

static enum tm_status add_line(struct perf *p, const char *line, size_t len, struct tm_error *err)
{
    if (p->raw.len && tm_buf_add_byte(&p->raw, '\n') != TM_OK)
        return tm_error_nomem(err);
    return tm_buf_add(&p->raw, line, len) == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status add_stack_line(struct perf *p, bool is_source, struct tm_error *err)
{
    if (p->line_count == TM_PERF_FRAMES_MAX)
        return tm_error_at(err, p->text.context.input->offset, "a stack has more than %d lines", TM_PERF_FRAMES_MAX);
    if (tm_array_grow(&p->lines, &p->line_cap, p->line_count, sizeof *p->lines, err) < 0)
        return TM_E_SYSTEM;
    p->lines[p->line_count++] = (struct stack_line){p->raw.len + 1, is_source};
    return add_line(p, p->text.line, p->text.len, err);
}

/* True if the current line belongs to a stack. Heads may be indented too. */
static bool is_stack_line(const struct perf *p, bool *is_source)
{
    const struct tm_text_reader *r = &p->text;
    struct tm_perf_head head;
    struct tm_perf_frame frame;
    if (r->len == 0 || (r->line[0] != '\t' && r->line[0] != ' '))
        return false;
    if (r->line[0] == ' ' && tm_perf_head_parse(r->line, r->len, &head) != TM_E_INPUT)
        return false;
    *is_source = !tm_perf_frame_parse(r->line, r->len, &frame);
    return !*is_source || p->line_count > 0;
}

/* Adds the event whose head and stack have been read. */
static enum tm_status add_event(struct perf *p, size_t head_len, struct tm_error *err)
{
    struct tm_perf_head head;
    struct tm_systrace_line trace;
    const char *raw = (const char *)p->raw.data;
    if (tm_perf_head_parse(raw, head_len, &head) != TM_OK)
        return tm_error_set(err, TM_E_SYSTEM, "a sample's head changed while it was read");
    p->text.has_events = true;
    find_ended(&head);
    p->stretch += p->stretch < UINT32_MAX && head.time_ns < p->last_ns;
    p->last_ns = head.time_ns;
    if (!as_tracepoint(&head, &trace))
        return add_sample(p, &head, false, err);
    p->stretch += p->stretch < UINT32_MAX;
    enum tm_status st = tm_ftrace_text_add(&p->ftrace, &trace, raw, p->raw.len, err);
    return st < 0 || p->line_count == 0 ? st : add_sample(p, &head, true, err);
}

/* Reads one sample: its head, then its stack up to an empty line or the next head. */
static enum tm_status read_sample(struct perf *p, struct tm_error *err)
{
    struct tm_text_reader *r = &p->text;
    bool is_source;
    tm_buf_clear(&p->raw);
    p->line_count = 0;
    enum tm_status st = add_line(p, r->line, r->len, err);
    size_t head_len = p->raw.len;
    tm_text_reader_pass(r);
    while (st == TM_OK && (st = tm_text_reader_peek(r, err)) == TM_OK) {
        if (!is_stack_line(p, &is_source))
            break;
        st = add_stack_line(p, is_source, err);
        tm_text_reader_pass(r);
    }
    return st < 0 ? st : add_event(p, head_len, err);
}

/* Handles a record of perf itself. Counts lost events; other records, such as mappings of programs, are not shown. */
static void take_record(struct perf *p, const struct tm_perf_head *h)
{
    const char *end = h->rest + h->rest_len, *digits = h->rest;
    int64_t lost;
    while (digits < end && !tm_text_is_digit(*digits))
        digits++;
    size_t len = (size_t)(tm_text_skip_digits(digits, end) - digits);
    if (tm_text_begins(tm_text_at(h->event, h->event_len), "PERF_RECORD_LOST") &&
        tm_decimal_int(digits, len, &lost) == TM_OK)
        p->lost = lost > INT64_MAX - p->lost ? INT64_MAX : p->lost + lost;
    else
        tm_text_reader_not_shown(&p->text);
}

static enum tm_status perf_end(struct perf *p, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (p->lost)
        st = tm_event_sink_stat(p->text.context.sink, "perf_script_lost_events", TRACEMERGE__SEVERITY__DATA_LOSS,
                                p->lost, err);
    return st < 0 ? st : TM_END;
}

static enum tm_status perf_read(void *state, struct tm_error *err)
{
    struct perf *p = state;
    struct tm_text_reader *r = &p->text;
    struct tm_input *in = r->context.input;
    struct tm_perf_head head;
    enum tm_status st = tm_text_reader_next(r, "sample", err);
    if (st != TM_OK)
        return st == TM_END ? perf_end(p, err) : st;
    bool is_text = r->len > 0 && r->line[0] != '#';
    enum tm_status parsed = is_text ? tm_perf_head_parse(r->line, r->len, &head) : TM_OK;
    if (is_text && parsed == TM_OK)
        return read_sample(p, err);
    if (parsed < 0 && r->context.options->on_damage == TM_DAMAGE_HALT && in->ended && in->len == r->size) {
        tm_error_at(err, in->offset, "the last sample is cut short");
        return tm_error_recoverable(err);
    }
    if (parsed == TM_END)
        take_record(p, &head);
    else if (parsed < 0)
        tm_text_reader_damaged(r);
    tm_text_reader_pass(r);
    return TM_OK;
}

static void perf_close(void *state)
{
    struct perf *p = state;
    if (p == NULL)
        return;
    tm_ftrace_text_release(&p->ftrace);
    tm_buf_release(&p->raw);
    tm_buf_release(&p->detail);
    free(p->lines);
    tm_map_release(&p->process_names);
    tm_table_release(&p->thread_names);
    free(p);
}

/* Accepts a text whose first line other than comments is a head, or a record of perf itself (--show-mmap-events). The
 * comments of perf script --header and of simpleperf's report_sample.py --header may be longer than HEAD. */
static bool perf_sniff(const uint8_t *head, size_t len)
{
    struct tm_perf_head parsed;
    const struct tm_text text = {head, len};
    const char *p = tm_text_chars(text), *end = p + len;
    if (tm_text_begins(text, "# ========\n# captured on") || tm_text_begins(text, "# ========\n# cmdline : "))
        return true;
    while (p < end && (*p == '#' || *p == '\n' || *p == '\r')) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (eol == NULL)
            return false;
        p = eol + 1;
    }
    const char *eol = memchr(p, '\n', (size_t)(end - p));
    return eol && tm_perf_head_parse(p, (size_t)(eol - p), &parsed) >= TM_OK;
}

const struct tm_format tm_format_perf_script = {
    .type = TM_INPUT_PERF_SCRIPT,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK,
    .sniff = perf_sniff,
    .open = perf_open,
    .read = perf_read,
    .close = perf_close,
    .is_text = true,
};

#include "format/perf_script.h"

#include "base/decimal.h"
#include "base/pb.h"
#include "format/ftrace_text.h"
#include "format/text_lines.h"

#include <stdlib.h>

enum { CLOCK_MONOTONIC_ID = 3, DETAIL_FRAMES = 10, FRAME_FUNCTION = 1, FRAME_MAPPING = 2, FRAME_PC = 3 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && is_digit(*p))
        p++;
    return p;
}

static const char *skip_spaces(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

static bool number(const char *p, const char *end, int64_t *value)
{
    return end > p && tm_decimal_int(p, (size_t)(end - p), value) == TM_OK;
}

/* "[cpu]" and "seconds.fraction:" from P on; the byte behind the colon, or NULL. */
static const char *parse_time(const char *p, const char *end, struct tm_perf_head *h)
{
    int64_t cpu;
    p = skip_spaces(p, end);
    if (p < end && *p == '[') {
        const char *q = skip_digits(p + 1, end);
        if (q == end || *q != ']' || !number(p + 1, q, &cpu) || cpu > UINT32_MAX)
            return NULL;
        h->has_cpu = true;
        h->cpu = (uint32_t)cpu;
        p = skip_spaces(q + 1, end);
    }
    const char *q = skip_digits(p, end);
    if (q == p || q == end || *q != '.')
        return NULL;
    const char *r = skip_digits(q + 1, end);
    if (r == q + 1 || r == end || *r != ':' || tm_decimal_scale(p, (size_t)(r - p), 9, &h->time_ns) != TM_OK)
        return NULL;
    return r + 1;
}

/* "pid" or "pid/tid" at P, then the time. */
static const char *parse_ids(const char *p, const char *end, struct tm_perf_head *h)
{
    const char *q = skip_digits(p, end);
    if (!number(p, q, &h->tid))
        return NULL;
    if (q < end && *q == '/') {
        const char *r = skip_digits(q + 1, end);
        h->pid = h->tid;
        h->has_pid = true;
        if (!number(q + 1, r, &h->tid))
            return NULL;
        q = r;
    }
    return q < end && (*q == ' ' || *q == '\t') ? parse_time(q, end, h) : NULL;
}

enum tm_status tm_perf_head_parse(const char *line, size_t len, struct tm_perf_head *h)
{
    const char *end = line + len, *start = skip_spaces(line, end), *p, *behind = NULL;
    const char *id = start;
    for (p = start; p < end && behind == NULL; p++) {
        if (!is_digit(*p) || p == start || p[-1] != ' ')
            continue;
        *h = (struct tm_perf_head){0};
        id = p;
        behind = parse_ids(p, end, h);
    }
    if (behind == NULL)
        return TM_E_INPUT;
    h->comm = start;
    h->comm_len = (size_t)(id - start);
    while (h->comm_len > 0 && h->comm[h->comm_len - 1] == ' ')
        h->comm_len--;
    p = skip_spaces(behind, end);
    const char *q = skip_digits(p, end);
    if (q > p && q < end && *q == ' ' && number(p, q, &h->period)) {
        h->has_period = true;
        p = skip_spaces(q, end);
    }
    for (q = p; q < end && *q != ' '; q++)
        ;
    if (q == p || q[-1] != ':')
        return TM_E_INPUT;
    h->event = p;
    h->event_len = (size_t)(q - 1 - p);
    h->rest = skip_spaces(q, end);
    h->rest_len = (size_t)(end - h->rest);
    return TM_OK;
}

/* A frame "address symbol+offset (mapping)", its parts in the line. */
struct frame {
    uint64_t pc;
    const char *symbol;
    size_t symbol_len;
    const char *mapping;
    size_t mapping_len;
};

static bool parse_frame(const char *line, size_t len, struct frame *f)
{
    const char *end = line + len, *p = skip_spaces(line, end);
    uint64_t pc = 0;
    const char *start = p;
    for (; p < end && p - start < 16; p++) {
        int d = is_digit(*p) ? *p - '0' : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : -1;
        if (d < 0)
            break;
        pc = pc << 4 | (uint64_t)d;
    }
    if (p == start || p == end || *p != ' ')
        return false;
    f->pc = pc;
    f->symbol = p = skip_spaces(p, end);
    f->mapping = end;
    f->mapping_len = 0;
    if (end > p && end[-1] == ')') {
        for (const char *open = end - 1; open > p; open--) {
            if (*open == '(' && open[-1] == ' ') {
                f->mapping = open + 1;
                f->mapping_len = (size_t)(end - 1 - f->mapping);
                end = open - 1;
                break;
            }
        }
    }
    for (const char *plus = end; plus > p; plus--) {
        if (end - plus > 2 && plus[0] == '+' && plus[1] == '0' && plus[2] == 'x') {
            end = plus;
            break;
        }
    }
    f->symbol_len = (size_t)(end - p);
    return true;
}

struct perf {
    struct tm_format_context context;
    struct tm_ftrace_text ftrace;
    struct tm_buf raw;    /* the sample's lines */
    struct tm_buf detail;
    size_t *frame_starts; /* of its stack lines in raw; innermost first */
    uint32_t frame_count, frame_cap;
    bool has_samples;
};

static enum tm_status perf_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct perf *p = calloc(1, sizeof *p);
    if (p == NULL)
        return tm_error_nomem(err);
    p->context = *context;
    p->ftrace.sink = context->sink;
    *state = p;
    return TM_OK;
}

static bool put_frame(struct tm_buf *out, const char *line, size_t len)
{
    struct frame f;
    size_t mark;
    if (!parse_frame(line, len, &f))
        return true;
    return tm_pb_begin(out, DETAIL_FRAMES, &mark) == TM_OK &&
           tm_pb_put_bytes(out, FRAME_FUNCTION, f.symbol, f.symbol_len) == TM_OK &&
           tm_pb_put_bytes(out, FRAME_MAPPING, f.mapping, f.mapping_len) == TM_OK &&
           tm_pb_put_varint(out, FRAME_PC, f.pc) == TM_OK && tm_pb_end(out, mark) == TM_OK;
}

/* Outermost first, so the lines backwards. */
static bool put_frames(struct perf *p, const struct tm_perf_head *h)
{
    const char *text = (const char *)p->raw.data;
    size_t end = p->raw.len;
    for (uint32_t i = p->frame_count; i > 0; i--) {
        size_t start = p->frame_starts[i - 1];
        if (!put_frame(&p->detail, text + start, end - start))
            return false;
        end = start - 1;
    }
    return p->frame_count > 0 || put_frame(&p->detail, h->rest, h->rest_len);
}

static enum tm_status add_sample(struct perf *p, const struct tm_perf_head *h, struct tm_error *err)
{
    struct tm_event e = {.kind = TM_KIND_SAMPLE, .clock = CLOCK_MONOTONIC_ID, .time_ns = h->time_ns, .tid = h->tid,
                         .pid = h->pid, .cpu = h->cpu, .value = (uint64_t)h->period};
    e.flags = TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD) | tm_event_raw_flags(TM_RAW_LINE) |
              (h->has_pid ? TM_EVENT_HAS_PID : 0u) | (h->has_cpu ? TM_EVENT_HAS_CPU : 0u) |
              (h->has_period ? TM_EVENT_HAS_VALUE : 0u);
    tm_buf_clear(&p->detail);
    enum tm_status st = tm_event_sink_string(p->context.sink, h->event, h->event_len, &p->detail, &e.name, err);
    if (st < 0)
        return st;
    if (!put_frames(p, h))
        return tm_error_nomem(err);
    e.raw = p->raw.data;
    e.raw_bytes = (uint32_t)p->raw.len;
    e.detail = p->detail.data;
    e.detail_bytes = (uint32_t)p->detail.len;
    st = tm_event_sink_add(p->context.sink, &e, err);
    if (st < 0)
        return st;
    tm_buf_clear(&p->detail);
    struct tm_event name = {.kind = TM_KIND_TASK_RENAME, .clock = e.clock, .time_ns = e.time_ns, .tid = e.tid,
                            .pid = e.pid, .flags = (e.flags & (TM_EVENT_HAS_TID | TM_EVENT_HAS_PID)) | TM_EVENT_DERIVED};
    st = tm_event_sink_string(p->context.sink, h->comm, h->comm_len, &p->detail, &name.name, err);
    name.detail = p->detail.data;
    name.detail_bytes = (uint32_t)p->detail.len;
    return st < 0 ? st : tm_event_sink_add(p->context.sink, &name, err);
}

/* "sched:sched_switch" and the like are ftrace events; others with a colon (cycles:u) are not. */
static bool as_tracepoint(const struct tm_perf_head *h, struct tm_systrace_line *line)
{
    const char *colon = memchr(h->event, ':', h->event_len);
    size_t name_len = colon ? h->event_len - (size_t)(colon + 1 - h->event) : 0;
    if (name_len < 3 || memchr(h->rest, '=', h->rest_len) == NULL)
        return false;
    *line = (struct tm_systrace_line){.task = h->comm, .task_len = h->comm_len, .event = colon + 1,
                                      .event_len = name_len, .args = h->rest, .args_len = h->rest_len,
                                      .time_ns = h->time_ns, .pid = (uint32_t)h->tid, .tgid = (uint32_t)h->pid,
                                      .has_tgid = h->has_pid, .cpu = h->cpu};
    return h->tid <= UINT32_MAX && h->pid <= UINT32_MAX;
}

static enum tm_status add_line(struct perf *p, const char *line, size_t len, struct tm_error *err)
{
    if (p->raw.len && tm_buf_add_byte(&p->raw, '\n') != TM_OK)
        return tm_error_nomem(err);
    return tm_buf_add(&p->raw, line, len) == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status add_stack_line(struct perf *p, const char *line, size_t len, struct tm_error *err)
{
    if (p->frame_count == TM_PERF_FRAMES_MAX)
        return tm_error_set(err, TM_E_INPUT, "byte %llu: a stack has more than %d frames",
                            (unsigned long long)p->context.input->offset, TM_PERF_FRAMES_MAX);
    if (p->frame_count == p->frame_cap) {
        uint32_t cap = p->frame_cap ? p->frame_cap * 2 : 64;
        size_t *starts = realloc(p->frame_starts, cap * sizeof *starts);
        if (starts == NULL)
            return tm_error_nomem(err);
        p->frame_starts = starts;
        p->frame_cap = cap;
    }
    p->frame_starts[p->frame_count++] = p->raw.len + 1;
    return add_line(p, line, len, err);
}

/* The lines of one sample: its head, then its stack up to an empty line or the next head. */
static enum tm_status read_sample(struct perf *p, struct tm_error *err)
{
    struct tm_input *in = p->context.input;
    struct tm_perf_head head;
    struct tm_systrace_line trace;
    const char *line;
    size_t len, size, head_len = p->raw.len;
    enum tm_status st;
    p->frame_count = 0;
    while ((st = tm_text_line(in, TM_PERF_LINE_MAX, &line, &len, &size, err)) == TM_OK) {
        struct frame f;
        if (len == 0 || (line[0] != '\t' && line[0] != ' ') || !parse_frame(line, len, &f))
            break;
        if ((st = add_stack_line(p, line, len, err)) < 0)
            return st;
        tm_input_skip(in, size);
    }
    if (st < 0)
        return st;
    if (tm_perf_head_parse((const char *)p->raw.data, head_len, &head) != TM_OK)
        return tm_error_set(err, TM_E_SYSTEM, "a sample's head changed while it was read");
    p->has_samples = true;
    if (p->frame_count == 0 && as_tracepoint(&head, &trace))
        return tm_ftrace_text_add(&p->ftrace, &trace, (const char *)p->raw.data, p->raw.len, err);
    return add_sample(p, &head, err);
}

static enum tm_status perf_read(void *state, struct tm_error *err)
{
    struct perf *p = state;
    struct tm_input *in = p->context.input;
    struct tm_perf_head head;
    const char *line;
    size_t len, size;
    enum tm_status st = tm_text_line(in, TM_PERF_LINE_MAX, &line, &len, &size, err);
    if (st == TM_END && !p->has_samples)
        return tm_error_set(err, TM_E_INPUT, "byte %llu: no sample in the perf script text",
                            (unsigned long long)in->offset);
    if (st != TM_OK)
        return st;
    if (len == 0 || line[0] == '#') {
        tm_input_skip(in, size);
        return TM_OK;
    }
    if (tm_perf_head_parse(line, len, &head) != TM_OK) {
        if (p->context.options->on_damage == TM_DAMAGE_HALT && in->ended && in->len == size)
            return tm_error_set(err, TM_E_INPUT, "byte %llu: the last sample is cut short",
                                (unsigned long long)in->offset);
        st = tm_event_sink_account(p->context.sink, "damaged", CLOCK_MONOTONIC_ID, 1, in->offset, err);
        tm_input_skip(in, size);
        return st;
    }
    tm_buf_clear(&p->raw);
    st = add_line(p, line, len, err);
    if (st < 0)
        return st;
    tm_input_skip(in, size);
    return read_sample(p, err);
}

static void perf_close(void *state)
{
    struct perf *p = state;
    if (p == NULL)
        return;
    tm_ftrace_text_release(&p->ftrace);
    tm_buf_release(&p->raw);
    tm_buf_release(&p->detail);
    free(p->frame_starts);
    free(p);
}

/* The first line that is no comment is a head. */
static bool perf_sniff(const uint8_t *head, size_t len)
{
    struct tm_perf_head parsed;
    const char *p = (const char *)head, *end = p + len;
    while (p < end && (*p == '#' || *p == '\n' || *p == '\r')) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (eol == NULL)
            return false;
        p = eol + 1;
    }
    const char *eol = memchr(p, '\n', (size_t)(end - p));
    return eol && tm_perf_head_parse(p, (size_t)(eol - p), &parsed) == TM_OK;
}

const struct tm_format tm_format_perf_script = {
    .name = "perf_script",
    .priority = 2,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK,
    .sniff = perf_sniff,
    .open = perf_open,
    .read = perf_read,
    .close = perf_close,
};

#include "format/ftrace/systrace.h"

#include "base/text.h"
#include "format/ftrace/ftrace_text.h"
#include "format/ftrace/process_dump.h"

#include <stdlib.h>

enum section {
    AT_START,
    HTML,      /* outside of any trace data */
    HTML_DATA, /* trace data whose kind is not known yet */
    TRACE,
    PROCESS_DUMP,
    CGROUP_DUMP,
    DONE,      /* after the trace of an HTML file */
    UNREAD     /* trace data after the trace */
};

enum { FILE_NAME_MAX = 255 }; /* bytes of the name of a file, or of an instance of ftrace, which is a folder */

struct systrace {
    struct tm_format_context context;
    struct tm_ftrace_text text;
    struct tm_process_dump dump;
    enum section section;
    size_t scanned;   /* bytes of the window that contain no line end */
    bool skipping;    /* inside a line that was too long */
    uint64_t events;
    uint64_t damaged; /* lines */
    uint64_t first_damaged;
    uint64_t skipped_bytes; /* of trace data in HTML that is not read, such as Chrome JSON */
    uint64_t first_skipped;
    uint64_t skipped_before; /* skipped_bytes at the start of the current trace data */
    int64_t lost;     /* lost events, as the kernel states them */
    char prefix[FILE_NAME_MAX + 2]; /* "name:", if trace-cmd report puts the file's name before each line */
    bool report;      /* a "cpus=" line was met: the text is from trace-cmd report */
    bool has_prefix;
    bool has_data;    /* the HTML file has trace data of some kind */
};

static bool has(struct tm_text s, const char *text)
{
    return tm_text_find(s, text) != NULL;
}

static bool starts_nocase(struct tm_text s, const char *text)
{
    size_t n = strlen(text);
    if (s.len < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = s.data[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != text[i])
            return false;
    }
    return true;
}

static bool sniff(const uint8_t *head, size_t len)
{
    struct tm_text s = {head, len < TM_SNIFF_BYTES ? len : TM_SNIFF_BYTES};
    return has(s, "# tracer") || has(s, "TRACE:\n") || starts_nocase(s, "<!doctype html>") ||
           starts_nocase(s, "<html>") || tm_text_begins(s, "cpus=") || tm_text_begins(s, " ") ||
           (tm_text_begins(s, "version = ") && has(s, "\ncpus=")); /* older versions of trace-cmd report */
}

static enum tm_status open_systrace(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct systrace *f = calloc(1, sizeof *f);
    if (f == NULL)
        return tm_error_nomem(err);
    f->context = *context;
    f->text.sink = context->sink;
    f->text.hints = context->options && context->options->hints;
    *state = f;
    return TM_OK;
}

/* trace-cmd report writes "name:" and blanks before the task if it reads several files. Either all lines of a report
 * have this prefix or none has. */
static struct tm_text cut_prefix(struct systrace *f, struct tm_text line)
{
    size_t n = 0;
    if (!f->report)
        return line;
    if (!f->has_prefix && f->events == 0) {
        while (n < line.len && line.data[n] != ' ' && line.data[n] != ':')
            n++;
        if (n == 0 || n + 2 >= line.len || n > FILE_NAME_MAX || line.data[n] != ':' || line.data[n + 1] != ' ')
            return line;
        memcpy(f->prefix, line.data, n + 1);
        f->has_prefix = true;
    }
    if (!f->has_prefix || !tm_text_begins(line, f->prefix))
        return line;
    n = strlen(f->prefix);
    return tm_text_after(line, n);
}

/* "CPU:1 [LOST 3 EVENTS]"; trace-cmd writes "CPU:1 [3 EVENTS DROPPED]". The number may be missing. */
static bool take_lost(struct systrace *f, struct tm_text line)
{
    struct tm_text rest = line, count, head;
    int64_t n = 1;
    if (!tm_text_begins(line, "CPU:") || (!has(line, "[LOST ") && !has(line, "EVENTS DROPPED]")))
        return false;
    if (!tm_text_cut(&rest, "[LOST ", &head))
        (void)tm_text_cut(&rest, "[", &head);
    if (tm_text_cut(&rest, " EVENTS", &count) && (!tm_text_int(count, &n) || n <= 0))
        n = 1;
    f->lost = f->lost <= INT64_MAX - n ? f->lost + n : INT64_MAX;
    return true;
}

/* True for a line of the stack trace that follows an event. */
static bool is_stack_line(struct tm_text line)
{
    while (line.len && line.data[0] == ' ') {
        line.data++;
        line.len--;
    }
    return tm_text_begins(line, "=> ");
}

/* True for a line that a trace contains by design and that is not an event. */
static bool is_remark(struct systrace *f, struct tm_text line)
{
    if (line.len == 0 || line.data[0] == '#' || is_stack_line(line) || take_lost(f, line))
        return true;
    if (tm_text_begins(line, "cpus=")) {
        f->report = true;
        return true;
    }
    return tm_text_begins(line, "version = ") || (tm_text_begins(line, "CPU ") && has(line, " is empty"));
}

static const char data_tag[] = "<script class=\"trace-data\" type=\"application/text\">";
static const char end_tag[] = "</script>";

/* Counts the bytes of a line of trace data that is not read, up to the end tag. Comments and blank lines are not
 * counted, because they contain no data. */
static void skip_line(struct systrace *f, struct tm_text line, uint64_t byte)
{
    const uint8_t *end = tm_text_find(line, end_tag);
    size_t i = 0, len = end ? (size_t)(end - line.data) : line.len;
    while (i < len && (line.data[i] == ' ' || line.data[i] == '\t'))
        i++;
    if (i == len || line.data[i] == '#')
        return;
    if (f->skipped_bytes == 0)
        f->first_skipped = byte;
    f->skipped_bytes += len;
}

/* If LINE has the tag that begins trace data, enters section INTO, or section OUTSIDE if the data also ends on LINE.
 * Data on the line of the tag is counted and not read. */
static void find_data(struct systrace *f, struct tm_text line, uint64_t byte, enum section into, enum section outside)
{
    const uint8_t *tag = tm_text_find(line, data_tag);
    if (tag == NULL)
        return;
    const uint8_t *data = tag + strlen(data_tag);
    const struct tm_text rest = {data, (size_t)(line.data + line.len - data)};
    f->skipped_before = f->skipped_bytes;
    skip_line(f, rest, byte + (uint64_t)(data - line.data));
    f->section = has(rest, end_tag) ? outside : into;
    f->has_data = true;
}

/* If the trace data ends on LINE, enters section OUTSIDE and looks for other data on the rest of the line. Returns
 * whether it ends. */
static bool leave_data(struct systrace *f, struct tm_text line, uint64_t byte, enum section into, enum section outside)
{
    const uint8_t *end = tm_text_find(line, end_tag);
    if (end == NULL)
        return false;
    const struct tm_text rest = {end, (size_t)(line.data + line.len - end)};
    f->section = outside;
    find_data(f, rest, byte + (uint64_t)(end - line.data), into, outside);
    return true;
}

/* True if LINE begins with the end tag, after blanks. An event's text may contain the tag too. */
static bool begins_with_end(struct tm_text line)
{
    while (line.len && (line.data[0] == ' ' || line.data[0] == '\t'))
        line = tm_text_after(line, 1);
    return tm_text_begins(line, end_tag);
}

static enum tm_status trace_line(struct systrace *f, struct tm_text raw, uint64_t byte, struct tm_error *err)
{
    struct tm_systrace_line line;
    if (f->section == TRACE && begins_with_end(raw) && leave_data(f, raw, byte, UNREAD, DONE))
        return TM_OK;
    if (is_remark(f, raw))
        return TM_OK;
    struct tm_text text = cut_prefix(f, raw);
    if (tm_systrace_line_parse(tm_text_chars(text), text.len, &line) == TM_OK) {
        f->events++;
        return tm_ftrace_text_add(&f->text, &line, tm_text_chars(raw), raw.len, err);
    }
    size_t i = 0;
    while (i < raw.len && (raw.data[i] == ' ' || raw.data[i] == '\t'))
        i++;
    if (i < raw.len && f->damaged++ == 0)
        f->first_damaged = byte;
    return TM_OK;
}

/* True for the first line of a trace in HTML: a comment of its header, or an event if there is no header. */
static bool begins_trace(struct tm_text line)
{
    struct tm_systrace_line event;
    if (tm_text_begins(line, "#"))
        return has(line, "TASK-PID") || tm_text_begins(line, "# tracer:");
    return tm_systrace_line_parse(tm_text_chars(line), line.len, &event) == TM_OK;
}

/* Handles LINE as its section requires. BYTE is its offset in the input. */
static enum tm_status take_line(struct systrace *f, struct tm_text line, uint64_t byte, struct tm_error *err)
{
    if (line.len && line.data[line.len - 1] == '\r')
        line.len--;
    switch (f->section) {
    case HTML:
        find_data(f, line, byte, HTML_DATA, HTML);
        return TM_OK;
    case HTML_DATA:
        if (begins_trace(line))
            f->section = TRACE;
        else if (tm_text_begins(line, "PROCESS DUMP"))
            f->section = PROCESS_DUMP;
        else if (tm_text_begins(line, "CGROUP DUMP"))
            f->section = CGROUP_DUMP;
        if (f->section == HTML_DATA) {
            skip_line(f, line, byte);
            (void)leave_data(f, line, byte, HTML_DATA, HTML);
            return TM_OK;
        }
        f->skipped_bytes = f->skipped_before; /* the lines before it are its preface and contain no data */
        return f->section == TRACE ? trace_line(f, line, byte, err) : TM_OK;
    case PROCESS_DUMP:
    case CGROUP_DUMP:
        if (!leave_data(f, line, byte, HTML_DATA, HTML) && f->section == PROCESS_DUMP)
            return tm_process_dump_line(&f->dump, f->context.sink, line, err);
        return TM_OK;
    case TRACE:
        return trace_line(f, line, byte, err);
    case DONE:
        find_data(f, line, byte, UNREAD, DONE);
        return TM_OK;
    case UNREAD:
        skip_line(f, line, byte);
        (void)leave_data(f, line, byte, UNREAD, DONE);
        return TM_OK;
    default:
        return TM_OK;
    }
}

/* Skips what precedes "TRACE:" and sets the first section. */
static enum tm_status start(struct systrace *f, struct tm_error *err)
{
    struct tm_input *in = f->context.input;
    enum tm_status st = tm_input_fill(in, TM_SNIFF_BYTES, err);
    if (st < 0)
        return st;
    struct tm_text head = {in->data, in->len < TM_SNIFF_BYTES ? in->len : TM_SNIFF_BYTES};
    const uint8_t *marker = tm_text_find(head, "TRACE:\n");
    if (marker)
        tm_input_skip(in, (size_t)(marker - head.data) + 7);
    f->section = in->len && in->data[0] == '<' ? HTML : TRACE;
    return TM_OK;
}

static enum tm_status finish(struct systrace *f, struct tm_error *err)
{
    struct tm_event_sink *sink = f->context.sink;
    enum tm_status st = TM_OK;
    bool halts = !f->context.options || f->context.options->on_damage == TM_DAMAGE_HALT;
    bool is_empty_page = f->section == HTML && !f->has_data;
    if (is_empty_page && halts) {
        tm_error_at(err, 0, "HTML without trace data");
        return tm_error_other_type(err);
    }
    f->damaged += is_empty_page;
    uint64_t failures = f->damaged + f->text.malformed_count;
    if (f->events == 0 && f->damaged && halts) {
        tm_error_at(err, f->first_damaged, "no line is an event of ftrace text");
        return tm_error_other_type(err);
    }
    if (failures)
        st = tm_event_sink_stat(sink, "systrace_parse_failure", TRACEMERGE__SEVERITY__ERROR, (int64_t)failures, err);
    if (st >= 0 && f->lost)
        st = tm_event_sink_stat(sink, "ftrace_text_lost_events", TRACEMERGE__SEVERITY__DATA_LOSS, f->lost, err);
    if (st >= 0 && f->damaged)
        st = tm_event_sink_account(sink, (struct tm_loss){TM_DROP_DAMAGED, 0, f->damaged, f->first_damaged}, err);
    if (st >= 0 && f->skipped_bytes)
        st = tm_event_sink_account(sink, (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, f->skipped_bytes, f->first_skipped},
                                   err);
    return st < 0 ? st : TM_END;
}

static void note_long_line(struct systrace *f)
{
    const struct tm_input *in = f->context.input;
    if (f->section == HTML_DATA || f->section == UNREAD) {
        if (f->skipped_bytes == 0)
            f->first_skipped = in->offset;
        f->skipped_bytes += in->len;
    }
    if (!f->skipping && f->section == TRACE && f->damaged++ == 0)
        f->first_damaged = f->context.input->offset;
    f->skipping = true;
}

/* Handles all complete lines of the window. */
static enum tm_status take_window(struct systrace *f, struct tm_error *err)
{
    struct tm_input *in = f->context.input;
    enum tm_status st = TM_OK;
    while (st >= 0 && (in->len > f->scanned || (in->ended && in->len))) {
        const uint8_t *end = memchr(in->data + f->scanned, '\n', in->len - f->scanned);
        if (end == NULL && !in->ended) {
            f->scanned = in->len;
            break;
        }
        size_t len = end ? (size_t)(end - in->data) : in->len;
        if (!f->skipping && len <= TM_SYSTRACE_LINE_MAX)
            st = take_line(f, tm_text_at(in->data, len), in->offset, err);
        else
            note_long_line(f);
        f->skipping = false;
        f->scanned = 0;
        tm_input_skip(in, len + (end != NULL));
    }
    return st;
}

static enum tm_status read_systrace(void *state, struct tm_error *err)
{
    struct systrace *f = state;
    struct tm_input *in = f->context.input;
    enum tm_status st = TM_OK;
    if (f->section == AT_START && (st = start(f, err)) < 0)
        return st;
    if ((st = take_window(f, err)) < 0)
        return st;
    if (in->ended)
        return finish(f, err);
    if (in->len > TM_SYSTRACE_LINE_MAX) {
        note_long_line(f);
        tm_input_skip(in, in->len);
        f->scanned = 0;
    }
    st = tm_input_fill(in, in->len + 1, err);
    return st < 0 ? st : TM_OK;
}

static void close_systrace(void *state)
{
    struct systrace *f = state;
    if (f == NULL)
        return;
    tm_ftrace_text_release(&f->text);
    tm_process_dump_release(&f->dump);
    free(f);
}

const struct tm_format tm_format_systrace = {
    .type = TM_INPUT_SYSTRACE,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK,
    .sniff = sniff,
    .open = open_systrace,
    .read = read_systrace,
    .close = close_systrace,
    .is_text = true,
};

#include "format/chrome_json/chrome_json.h"

#include "format/chrome_json/document.h"
#include "json/repair.h"

#include <stdlib.h>

enum { FIRST_FILL = 256 << 10, ZEROS_MAX = 16 << 20 /* more zero bytes are damage */ };

static const char expected_event[] = "expected an event, which begins with '{'";

static bool sniff(const uint8_t *head, size_t len)
{
    uint8_t start[3];
    size_t n = 0;
    for (size_t i = 0; i < len && n < 3; i++)
        if (head[i] != ' ' && !(head[i] >= '\t' && head[i] <= '\r'))
            start[n++] = head[i];
    return (n >= 2 && memcmp(start, "{\"", 2) == 0) || (n == 3 && memcmp(start, "[{\"", 3) == 0);
}

static enum tm_status open_json(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct tm_json_document *doc = malloc(sizeof *doc);
    if (doc == NULL)
        return tm_error_nomem(err);
    memset(doc, 0, offsetof(struct tm_json_document, rows));
    tm_json_rows_init(&doc->rows, context->sink);
    tm_json_event_init(&doc->event);
    doc->context = *context;
    doc->on_damage = context->options ? context->options->on_damage : TM_DAMAGE_HALT;
    doc->hints = context->options && context->options->hints;
    doc->system.sink = context->sink;
    doc->system.hints = doc->hints;
    doc->rows.has_source = context->has_source;
    doc->rows.counts_text = context->source_is_temporary;
    doc->rows.text_end = context->source_at + context->input->offset;
    doc->rows.text_file = context->text_file;
    *state = doc;
    return TM_OK;
}

static void close_json(void *state)
{
    struct tm_json_document *doc = state;
    if (doc == NULL)
        return;
    tm_json_rows_release(&doc->rows);
    tm_ftrace_text_release(&doc->system);
    tm_buf_release(&doc->text);
    tm_buf_release(&doc->repair);
    free(doc);
}

static enum tm_status put_account(struct tm_json_document *doc, enum tm_drop_reason reason, uint64_t count,
                                  uint64_t byte, struct tm_error *err)
{
    return count ? tm_event_sink_account(doc->context.sink, (struct tm_loss){reason, 0, count, byte}, err) : TM_OK;
}

/* Ends the document: writes the counts. */
static enum tm_status finish(struct tm_json_document *doc, struct tm_error *err)
{
    struct tm_event_sink *sink = doc->context.sink;
    uint64_t failures = doc->damaged + doc->no_time + doc->rows.bad_profiles;
    uint64_t markers = doc->system_failures + doc->system.malformed_count;
    enum tm_status st = tm_json_rows_finish(&doc->rows, err);
    if (st >= 0 && failures)
        st = tm_event_sink_stat(sink, "json_tokenizer_failure", TRACEMERGE__SEVERITY__ERROR, (int64_t)failures, err);
    if (st >= 0 && markers)
        st = tm_event_sink_stat(sink, "systrace_parse_failure", TRACEMERGE__SEVERITY__ERROR, (int64_t)markers, err);
    if (st >= 0 && doc->repaired)
        st = tm_event_sink_stat(sink, "json_control_characters", TRACEMERGE__SEVERITY__ERROR, (int64_t)doc->repaired,
                                err);
    if (st >= 0 && doc->display_time_unit)
        st = tm_event_sink_stat(sink, "json_display_time_unit", TRACEMERGE__SEVERITY__INFO, 1, err);
    if (st >= 0 && doc->has_members && !doc->has_events && !doc->damaged)
        st = tm_event_sink_stat(sink, "tm_json_without_events", TRACEMERGE__SEVERITY__ERROR, 1, err);
    if (st >= 0)
        st = put_account(doc, TM_DROP_DAMAGED, doc->damaged, doc->first_damaged, err);
    if (st >= 0)
        st = put_account(doc, TM_DROP_NO_TIME, doc->no_time, doc->first_no_time, err);
    if (st >= 0)
        st = put_account(doc, TM_DROP_TOO_LARGE, doc->too_large, doc->first_too_large, err);
    if (st >= 0)
        st = put_account(doc, TM_DROP_NOT_SHOWN, doc->samples, doc->first_samples, err);
    if (st >= 0)
        st = put_account(doc, TM_DROP_SKIPPED_BYTES, doc->skipped_bytes, doc->first_skipped, err);
    return st < 0 ? st : TM_END;
}

static void take_to(struct tm_json_document *doc, const uint8_t *p)
{
    tm_input_skip(doc->context.input, (size_t)(p - doc->context.input->data));
}

/* True if the object at SCAN is itself an event: it has a "ph" that is a string, and no "traceEvents" before it. Looks
 * only at the window. */
static bool is_at_event(struct tm_json_scan scan)
{
    struct tm_json_value key, value;
    scan.p++;
    while (tm_json_key(&scan, &key) == TM_JSON_OK && !tm_json_is(&key, "traceEvents")) {
        if (tm_json_is(&key, "ph"))
            return scan.p < scan.end && *scan.p == '"';
        if (tm_json_value(&scan, &value) != TM_JSON_OK || tm_json_comma(&scan, '}') != TM_JSON_OK)
            return false;
    }
    return false;
}

/* Finds the form of the document from its first byte and sets the place. */
static enum tm_json_status start_step(struct tm_json_document *doc, struct tm_json_scan *scan)
{
    bool more = tm_json_space(scan);
    take_to(doc, scan->p);
    if (!more)
        return TM_JSON_MORE;
    if (*scan->p != '{' && *scan->p != '[')
        return tm_json_bad(scan, scan->p, "'{' or '[' is expected");
    doc->bare_array = *scan->p == '[';
    doc->is_lines = !doc->bare_array && is_at_event(*scan);
    if (doc->is_lines) {
        doc->place = TM_JSON_IN_EVENTS;
        return TM_JSON_OK;
    }
    doc->place = doc->bare_array ? TM_JSON_IN_EVENTS : TM_JSON_IN_KEYS;
    take_to(doc, scan->p + 1);
    return TM_JSON_OK;
}

/* Adds the rows of doc->event, which begins at the front of the input and ends at SCAN's p, and removes it from the
 * input. */
static enum tm_json_status take_event(struct tm_json_document *doc, struct tm_json_scan *scan, struct tm_error *err)
{
    enum tm_json_fault fault;
    uint64_t byte = doc->context.input->offset;
    doc->rows.text_at = doc->context.source_at + byte;
    enum tm_status st = tm_json_rows_add(&doc->rows, &doc->event, &fault, err);
    doc->has_events |= st == TM_OK;
    if (st == TM_END && fault == TM_JSON_NO_TIME)
        tm_json_count(&doc->no_time, &doc->first_no_time, 1, byte);
    else if (st == TM_END)
        tm_json_count(&doc->damaged, &doc->first_damaged, 1, byte);
    if (st >= 0 && doc->hints)
        st = tm_json_event_hint(doc, err);
    take_to(doc, scan->p);
    return st < 0 ? TM_JSON_CLOSE : TM_JSON_OK;
}

/* Adds the event at START, whose strings contain raw control characters. Parses a repaired copy of its text. */
static enum tm_json_status take_repaired(struct tm_json_document *doc, struct tm_json_scan *scan, const uint8_t *start,
                                         struct tm_error *err)
{
    const uint8_t *after;
    struct tm_json_rows *rows = &doc->rows;
    const bool has_source = rows->has_source;
    tm_buf_clear(&doc->repair);
    enum tm_json_status st = tm_json_repair(start, scan->end, &doc->repair, &after);
    if (st == TM_JSON_BAD) {
        (void)tm_error_nomem(err);
        return TM_JSON_CLOSE;
    }
    if (st != TM_JSON_OK)
        return st;
    struct tm_json_scan copy = tm_json_scan_bytes(doc->repair.data, doc->repair.data + doc->repair.len, true);
    st = tm_json_event_parse(&copy, &doc->event, doc->context.sink->want_json_detail ? &rows->args : NULL);
    if (st != TM_JSON_OK)
        return tm_json_bad(scan, scan->p, copy.cause ? copy.cause : scan->cause);
    doc->repaired++;
    scan->p = after;
    rows->has_source = false; /* the text differs from the one in the file */
    st = take_event(doc, scan, err);
    rows->has_source = has_source;
    return st;
}

/* True if the window has all of the object at SCAN, or a larger window would not help. */
static bool has_whole_object(const struct tm_json_scan *scan)
{
    struct tm_json_scan look_ahead = *scan;
    struct tm_json_value value;
    return scan->ended || scan->end - scan->p > TM_JSON_EVENT_BYTES_MAX ||
           tm_json_value(&look_ahead, &value) != TM_JSON_MORE;
}

/* Ends the document where an event should begin if there are zero bytes up to the end of the file: after a crash a file
 * may have them in place of what was not written. */
static enum tm_json_status end_in_zeros(struct tm_json_document *doc, struct tm_json_scan *scan)
{
    const ptrdiff_t left = scan->end - scan->p;
    ptrdiff_t zeros = 0;
    while (zeros < left && scan->p[zeros] == '\0')
        zeros++;
    if (zeros == left && !scan->ended && left <= ZEROS_MAX)
        return TM_JSON_MORE;
    if (zeros < left || !scan->ended)
        return tm_json_bad(scan, scan->p, expected_event);
    doc->place = TM_JSON_DONE;
    return TM_JSON_OK;
}

/* Reads events up to the end of the array or of the window. */
static enum tm_json_status events_step(struct tm_json_document *doc, struct tm_json_scan *scan, struct tm_error *err)
{
    enum tm_json_status st;
    for (;;) {
        bool more = tm_json_space(scan);
        while (more && *scan->p == ',') {
            scan->p++;
            more = tm_json_space(scan);
        }
        take_to(doc, scan->p);
        if (!more)
            break;
        if (*scan->p == ']') {
            take_to(doc, scan->p + 1);
            doc->place = doc->bare_array ? TM_JSON_DONE : TM_JSON_IN_KEYS;
            return TM_JSON_OK;
        }
        if (doc->is_lines && (*scan->p != '{' || !is_at_event(*scan))) {
            if (*scan->p == '{' && !has_whole_object(scan))
                return TM_JSON_MORE;
            doc->place = TM_JSON_DONE; /* what follows is another document */
            return TM_JSON_OK;
        }
        if (*scan->p == '\0' && doc->bare_array)
            return end_in_zeros(doc, scan);
        if (*scan->p != '{')
            return tm_json_bad(scan, scan->p, expected_event);
        const uint8_t *end = scan->end;
        const uint8_t *start = scan->p;
        bool far = end - scan->p > TM_JSON_EVENT_BYTES_MAX;
        if (far)
            scan->end = scan->p + TM_JSON_EVENT_BYTES_MAX;
        st = tm_json_event_parse(scan, &doc->event, doc->context.sink->want_json_detail ? &doc->rows.args : NULL);
        if (st == TM_JSON_BAD && scan->is_repairable) {
            st = take_repaired(doc, scan, start, err);
            scan->end = end;
            if (st == TM_JSON_OK)
                continue;
        }
        scan->end = end;
        if (st == TM_JSON_MORE && far) {
            scan->p = doc->context.input->data;
            return tm_json_bad(scan, scan->p, "an event is larger than the limit");
        }
        if (st != TM_JSON_OK || (st = take_event(doc, scan, err)) != TM_JSON_OK)
            return st;
    }
    if (!scan->ended || !(doc->bare_array || doc->is_lines))
        return TM_JSON_MORE;
    doc->place = TM_JSON_DONE;
    return TM_JSON_OK;
}

static enum tm_json_status step(struct tm_json_document *doc, struct tm_json_scan *scan, struct tm_error *err)
{
    switch (doc->place) {
    case TM_JSON_AT_START:
        return start_step(doc, scan);
    case TM_JSON_IN_KEYS:
        return tm_json_top_step(doc, scan, err);
    case TM_JSON_IN_EVENTS:
        return events_step(doc, scan, err);
    case TM_JSON_IN_SYSTEM:
        return tm_json_system_step(doc, scan, err);
    case TM_JSON_IN_LARGE:
        return tm_json_large_step(doc, scan);
    case TM_JSON_IN_SALVAGE:
        return tm_json_salvage_step(doc, scan);
    default:
        return tm_json_rest_step(doc);
    }
}

/* Doubles the window. So a large event is parsed only a few times. */
static enum tm_status widen(struct tm_json_document *doc, struct tm_error *err)
{
    struct tm_input *in = doc->context.input;
    size_t need = in->len < FIRST_FILL / 2 ? FIRST_FILL : in->len * 2;
    enum tm_status st = tm_input_fill(in, need, err);
    return st < 0 ? st : TM_OK;
}

static enum tm_status read_json(void *state, struct tm_error *err)
{
    struct tm_json_document *doc = state;
    struct tm_input *in = doc->context.input;
    struct tm_json_scan scan = tm_json_scan_bytes(in->data, in->data + in->len, in->ended);
    if (doc->place == TM_JSON_DONE)
        return finish(doc, err);
    switch (step(doc, &scan, err)) {
    case TM_JSON_OK:
        return TM_OK;
    case TM_JSON_CLOSE:
        return err->status;
    case TM_JSON_BAD:
        return tm_json_damage(doc, in->offset + (uint64_t)(scan.p - in->data), scan.cause, err);
    default:
        if (!in->ended)
            return widen(doc, err);
        return tm_json_damage(doc, in->offset + in->len, "the document is cut short", err);
    }
}

const struct tm_format tm_format_chrome_json = {
    .type = TM_INPUT_JSON,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PRIVATE,
    .sniff = sniff,
    .open = open_json,
    .read = read_json,
    .close = close_json,
    .refers = true,
    .is_text = true,
};

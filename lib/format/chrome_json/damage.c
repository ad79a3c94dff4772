#include "format/chrome_json/document.h"

/* Limits of the search for the next event. SALVAGE_EVENT_MAX is the size in bytes of the largest event that it finds.
 * WORK_FACTOR bounds the bytes that are parsed without success, as a multiple of the bytes skipped. Beyond it, the
 * search skips what it has parsed. */
enum { SALVAGE_EVENT_MAX = 1 << 20, WORK_FACTOR = 16 };

/* True if what was read shows a trace, and not some other JSON. */
static bool is_trace(const struct tm_json_document *doc)
{
    return doc->has_events || doc->display_time_unit;
}

enum tm_status tm_json_damage(struct tm_json_document *doc, uint64_t at, const char *cause, struct tm_error *err)
{
    struct tm_input *in = doc->context.input;
    if (doc->on_damage == TM_DAMAGE_HALT) {
        tm_error_at(err, at, "%s", cause);
        if (!is_trace(doc))
            (void)tm_error_other_type(err);
        return tm_error_recoverable(err);
    }
    tm_json_count(&doc->damaged, &doc->first_damaged, 1, at);
    doc->place = doc->on_damage == TM_DAMAGE_SALVAGE ? TM_JSON_IN_SALVAGE : TM_JSON_IN_REST;
    doc->searched_bytes = 0;
    tm_buf_clear(&doc->text);
    /* The '{' of the broken event must not be tried again. */
    if (doc->place == TM_JSON_IN_SALVAGE && in->len) {
        tm_json_count(&doc->skipped_bytes, &doc->first_skipped, 1, in->offset);
        tm_input_skip(in, 1);
    }
    return TM_OK;
}

static void pass(struct tm_json_document *doc, size_t n)
{
    struct tm_input *in = doc->context.input;
    if (n)
        tm_json_count(&doc->skipped_bytes, &doc->first_skipped, n, in->offset);
    tm_input_skip(in, n);
}

/* An object with a phase is an event. */
static bool is_event(const struct tm_json_event *event)
{
    return tm_json_event_of(event, TM_JF_PH, TM_JSON_STRING) != NULL;
}

enum tm_json_status tm_json_salvage_step(struct tm_json_document *doc, struct tm_json_scan *scan)
{
    struct tm_input *in = doc->context.input;
    while (in->len) {
        const uint8_t *brace = memchr(in->data, '{', in->len);
        pass(doc, brace ? (size_t)(brace - in->data) : in->len);
        if (brace == NULL)
            break;
        bool far = in->len > SALVAGE_EVENT_MAX; /* the result must not depend on the window's size */
        *scan = tm_json_scan_bytes(in->data, in->data + (far ? SALVAGE_EVENT_MAX : in->len), in->ended && !far);
        enum tm_json_status st = tm_json_event_parse(scan, &doc->event, NULL);
        if (st == TM_JSON_OK && is_event(&doc->event)) {
            doc->place = TM_JSON_IN_EVENTS;
            return TM_JSON_OK;
        }
        if (st == TM_JSON_MORE && !in->ended && in->len < SALVAGE_EVENT_MAX)
            return TM_JSON_MORE;
        size_t looked = st == TM_JSON_MORE ? (size_t)(scan->end - in->data) : (size_t)(scan->p - in->data);
        doc->searched_bytes += looked;
        size_t step = doc->searched_bytes > WORK_FACTOR * (doc->skipped_bytes + SALVAGE_EVENT_MAX) ? looked : 1;
        pass(doc, step ? step : 1);
    }
    if (!in->ended)
        return TM_JSON_MORE;
    doc->place = TM_JSON_DONE;
    return TM_JSON_OK;
}

enum tm_json_status tm_json_rest_step(struct tm_json_document *doc)
{
    pass(doc, doc->context.input->len);
    if (!doc->context.input->ended)
        return TM_JSON_MORE;
    doc->place = TM_JSON_DONE;
    return TM_JSON_OK;
}

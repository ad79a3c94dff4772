/* T with a duration: the state of a thread from ts on. The event's name is the state ("Running", "S"). The arguments
 * are cpu, io_wait and blocked_function. Source: json_trace_parser.cc of perfetto. */
#include "format/chrome_json/internal.h"
#include "json/number.h"

static bool whole_number(const struct tm_json_value *v, uint64_t *value)
{
    bool is_double;
    return v->type == TM_JSON_NUMBER && tm_json_number(v->data, v->len, &is_double, value) && !is_double;
}

/* Sets cpu, io_wait and blocked_function of the row from ARGS. */
static enum tm_status read_args(struct tm_json_row_builder *w, const struct tm_json_value *args)
{
    struct tm_json_scan scan = tm_json_scan_of(args);
    struct tm_json_value key, value;
    struct tm_event *e = &w->event;
    enum tm_status st = TM_OK;
    uint64_t number;
    scan.p++;
    while (st >= 0 && tm_json_member(&scan, &key, &value) == TM_JSON_OK) {
        if (tm_json_is(&key, "cpu") && whole_number(&value, &number) && number <= UINT32_MAX) {
            e->cpu = (uint32_t)number;
            e->flags |= TM_EVENT_HAS_CPU;
        } else if (tm_json_is(&key, "io_wait") && whole_number(&value, &number)) {
            e->value = number;
            e->flags |= TM_EVENT_HAS_VALUE;
        } else if (tm_json_is(&key, "blocked_function") && value.type == TM_JSON_STRING) {
            const uint8_t *text;
            size_t len;
            if (!tm_json_text(&value, &w->rows->name, &text, &len))
                return tm_error_nomem(w->err);
            st = tm_json_row_builder_intern(w, text, len, &e->category);
        }
    }
    return st;
}

enum tm_status tm_json_thread_state(struct tm_json_row_builder *w)
{
    const struct tm_json_value *args = tm_json_event_of(w->json, TM_JF_ARGS, TM_JSON_OBJECT);
    const struct tm_event read = w->event;
    tm_json_row_builder_default(w);
    enum tm_status st = tm_json_row_builder_add(w);
    if (st < 0)
        return st;
    tm_buf_clear(&w->rows->detail); /* it refers to the object's text, which belongs to the first row */
    w->event = read;
    w->event.kind = TM_KIND_THREAD_STATE;
    w->event.flags &= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    w->event.flags |= TM_EVENT_DERIVED | tm_event_scope_flags(TM_SCOPE_THREAD);
    w->event.raw_bytes = 0;
    st = tm_json_row_builder_string(w, TM_JF_NAME, &w->event.name);
    if (st >= 0 && args)
        st = read_args(w, args);
    return st < 0 ? st : tm_json_row_builder_add(w);
}

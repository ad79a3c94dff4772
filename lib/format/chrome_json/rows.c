#include "format/chrome_json/internal.h"

#include "base/decimal.h"
#include "base/pb.h"
#include "base/utf8.h"
#include "json/number.h"
#include "stream/detail_fields.h"

#include <stddef.h>

enum { NAMED_MAX = 1 << 16, NAMED_BYTES_MAX = 4 << 20 };

static const char no_name[] = "[No name]";

void tm_json_rows_init(struct tm_json_rows *rows, struct tm_event_sink *sink)
{
    memset(rows, 0, offsetof(struct tm_json_rows, args_places));
    tm_json_arg_places_init(&rows->args_places);
    tm_json_arg_shapes_init(&rows->args_shapes, &rows->args_places, sink);
    rows->sink = sink;
    rows->args.wanted = sink->json_args;
    rows->args.places = &rows->args_places;
    rows->args.shapes = &rows->args_shapes;
    tm_intern_init(&rows->named, NAMED_MAX, NAMED_BYTES_MAX);
}

/* Reads a pid or tid: the integer part of a number, or a text, which is given a number. If it is missing or of another
 * type, HAS_PID or HAS_TID stays clear. */
static enum tm_status read_pid(struct tm_json_row_builder *w, enum tm_json_field field, uint32_t flag, int64_t *pid,
                               bool *is_text)
{
    const struct tm_json_value *v = tm_json_event_get(w->json, field);
    *is_text = false;
    if (v == NULL)
        return TM_OK;
    bool is_double;
    uint64_t bits;
    *is_text = v->type == TM_JSON_STRING;
    if (tm_json_event_converted(w->json, field, &bits)) {
        *pid = (int64_t)bits;
        w->event.flags |= flag;
        return TM_OK;
    }
    if (*is_text) {
        w->event.flags |= flag;
        enum tm_status st = tm_json_text_pid(w, v, pid);
        if (st >= 0)
            tm_json_event_keep(w->json, field, (uint64_t)*pid);
        return st;
    }
    if (v->type == TM_JSON_NUMBER && tm_json_number(v->data, v->len, &is_double, &bits) && !is_double) {
        *pid = (int64_t)bits;
    } else if (v->type == TM_JSON_NUMBER) {
        const uint8_t *point = memchr(v->data, '.', v->len);
        bool exponent = memchr(v->data, 'e', v->len) || memchr(v->data, 'E', v->len);
        size_t len = point && !exponent ? (size_t)(point - v->data) : v->len;
        if (tm_decimal_scale((const char *)v->data, len, 0, pid) != TM_OK)
            *pid = 0;
    }
    if (v->type == TM_JSON_NUMBER) {
        tm_json_event_keep(w->json, field, (uint64_t)*pid);
        w->event.flags |= flag;
    }
    return TM_OK;
}

static enum tm_status read_pids(struct tm_json_row_builder *w)
{
    enum tm_status st = read_pid(w, TM_JF_PID, TM_EVENT_HAS_PID, &w->event.pid, &w->pid_is_text);
    if (st >= 0)
        st = read_pid(w, TM_JF_TID, TM_EVENT_HAS_TID, &w->event.tid, &w->tid_is_text);
    w->has_tid = w->event.flags & TM_EVENT_HAS_TID; /* not taken from the pid below */
    if (st >= 0 && w->event.tid == 0 && w->event.pid != 0 && !w->tid_is_text) {
        w->event.tid = w->event.pid;
        w->event.flags |= TM_EVENT_HAS_TID;
    }
    if (st >= 0 && (w->pid_is_text || w->tid_is_text))
        st = tm_json_define_texts(w);
    return st;
}

/* Adds a thread time if the event has one. */
static enum tm_status put_thread_time(struct tm_json_row_builder *w, enum tm_json_field field, uint32_t detail)
{
    int64_t ns;
    if (!tm_json_event_has(w->json, field) || tm_json_event_time(w->json, field, &ns) != TM_OK)
        return TM_OK;
    return tm_pb_put_varint(&w->rows->detail, detail, tm_zigzag(ns)) == TM_OK ? TM_OK : tm_error_nomem(w->err);
}

/* Sets the names and arguments of slices and instants. */
static enum tm_status fill_slice(struct tm_json_row_builder *w, bool named)
{
    const struct tm_json_value *args = tm_json_event_of(w->json, TM_JF_ARGS, TM_JSON_OBJECT);
    enum tm_status st = tm_json_row_builder_string(w, TM_JF_CAT, &w->event.category);
    if (st >= 0)
        st = tm_json_row_builder_string(w, TM_JF_NAME, &w->event.name);
    if (st >= 0 && w->event.name == 0 && named)
        st = tm_json_row_builder_intern(w, no_name, sizeof no_name - 1, &w->event.name);
    if (st < 0 || !w->rows->sink->want_json_detail)
        return st;
    if ((st = put_thread_time(w, TM_JF_TTS, TM_DETAIL_THREAD_TIME)) < 0 ||
        (st = put_thread_time(w, TM_JF_TDUR, TM_DETAIL_THREAD_DUR)) < 0 || args == NULL)
        return st;
    w->rows->args_cut += w->rows->args.cut;
    if (w->rows->args.no_memory ||
        tm_buf_add(&w->rows->detail, w->rows->args.detail.data, w->rows->args.detail.len) != TM_OK)
        return tm_error_nomem(w->err);
    return tm_json_args_keys(&w->rows->args, &w->rows->detail, &w->event.arg_keys, w->err);
}

/* Adds an event that breaks the rules of its phase. It becomes a PACKET, which only JSON outputs show. */
static enum tm_status do_broken(struct tm_json_row_builder *w)
{
    w->rows->parser_failures++;
    tm_json_row_builder_default(w);
    return tm_json_row_builder_add(w);
}

static enum tm_status do_slice(struct tm_json_row_builder *w)
{
    if (w->phase == 'X' && !tm_json_event_has(w->json, TM_JF_DUR))
        return do_broken(w);
    w->event.kind = w->phase == 'B'   ? TM_KIND_SLICE_BEGIN
                    : w->phase == 'E' ? TM_KIND_SLICE_END
                                      : TM_KIND_SLICE_COMPLETE;
    w->event.flags |= tm_event_scope_flags(TM_SCOPE_THREAD) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    enum tm_status st = fill_slice(w, w->phase != 'E');
    if (st >= 0 && w->phase != 'E' && tm_json_event_has(w->json, TM_JF_BIND_ID))
        st = tm_json_bind(w);
    return st < 0 ? st : tm_json_row_builder_add(w);
}

static enum tm_status do_instant(struct tm_json_row_builder *w)
{
    const struct tm_json_value *s = tm_json_event_of(w->json, TM_JF_S, TM_JSON_STRING);
    enum tm_scope scope = TM_SCOPE_THREAD;
    if (s && tm_json_is(s, "g"))
        scope = TM_SCOPE_GLOBAL;
    else if (s && tm_json_is(s, "p"))
        scope = TM_SCOPE_PROCESS;
    if ((scope == TM_SCOPE_THREAD && !w->has_tid) ||
        (scope == TM_SCOPE_PROCESS && !(w->event.flags & TM_EVENT_HAS_PID)))
        return do_broken(w);
    w->event.kind = TM_KIND_INSTANT;
    w->event.flags |= tm_event_scope_flags(scope) | (w->has_tid ? TM_EVENT_HAS_PID : 0u);
    enum tm_status st = fill_slice(w, scope == TM_SCOPE_THREAD);
    return st < 0 ? st : tm_json_row_builder_add(w);
}

/* Adds the row of an async event. */
static enum tm_status do_async(struct tm_json_row_builder *w)
{
    bool nestable = strchr("ben", w->phase) != NULL;
    enum tm_status st = nestable ? tm_json_async(w) : tm_json_legacy_async(w);
    if (st == TM_END)
        return do_broken(w);
    if (st >= 0)
        st = fill_slice(w, w->phase == 'b' || w->phase == 'S');
    if (st >= 0 && w->phase != 'e' && tm_json_event_has(w->json, TM_JF_BIND_ID))
        st = tm_json_bind(w);
    return st < 0 ? st : tm_json_row_builder_add(w);
}

static enum tm_status do_flow(struct tm_json_row_builder *w)
{
    enum tm_status st = tm_json_flow(w);
    if (st == TM_END) {
        w->rows->flow_invalid_ids++;
        tm_json_row_builder_default(w);
    } else if (st >= 0 && (st = tm_json_row_builder_string(w, TM_JF_CAT, &w->event.category)) >= 0) {
        st = tm_json_row_builder_string(w, TM_JF_NAME, &w->event.name);
    }
    return st < 0 ? st : tm_json_row_builder_add(w);
}

static enum tm_status add_by_phase(struct tm_json_row_builder *w)
{
    switch (w->phase) {
    case 'B':
    case 'E':
    case 'X':
        return do_slice(w);
    case 'I':
    case 'i':
    case 'R':
        return do_instant(w);
    case 'T':
        return tm_json_event_has(w->json, TM_JF_DUR) ? tm_json_thread_state(w) : do_async(w);
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F':
    case 'p':
        return do_async(w);
    case 's':
    case 't':
    case 'f':
        return do_flow(w);
    case 'C':
        return tm_json_counter(w);
    case 'M':
        return tm_json_metadata_event(w);
    case 'P':
        return tm_json_sample(w);
    default:
        tm_json_row_builder_default(w);
        return tm_json_row_builder_add(w);
    }
}

/* Reads the time and the duration of the event. Returns a fault if the event cannot be placed. */
static enum tm_json_fault read_times(struct tm_json_row_builder *w)
{
    bool has_ts = tm_json_event_has(w->json, TM_JF_TS);
    bool has_dur = tm_json_event_has(w->json, TM_JF_DUR);
    w->has_time = has_ts && tm_json_event_time(w->json, TM_JF_TS, &w->event.time_ns) == TM_OK;
    if (w->phase == 'M')
        return TM_JSON_NO_FAULT;
    if (!w->has_time)
        return has_ts ? TM_JSON_DAMAGED : TM_JSON_NO_TIME;
    if ((w->phase == 'X' || w->phase == 'T') && has_dur &&
        tm_json_event_time(w->json, TM_JF_DUR, &w->event.dur_ns) != TM_OK)
        return TM_JSON_DAMAGED;
    return TM_JSON_NO_FAULT;
}

static void count_utf8(struct tm_json_row_builder *w)
{
    for (int f = 0; f < TM_JF_COUNT; f++) {
        const struct tm_json_value *v = tm_json_event_of(w->json, (enum tm_json_field)f, TM_JSON_STRING);
        if (v && v->non_ascii && !tm_utf8_valid(v->data, v->len))
            w->rows->invalid_utf8++;
    }
}

/* Makes E an event without anything. For a struct of this size compilers use an instruction that clears memory byte by
 * byte (rep stos), which takes longer than these stores. */
static inline void clear_event(struct tm_event *e)
{
    _Static_assert(sizeof(void *) != 8 || sizeof *e == 128, "clear_event sets all members");
    e->time_ns = e->dur_ns = 0;
    e->position = 0;
    e->kind = e->flags = e->file = e->machine = e->clock = 0;
    e->sequence = e->generation = e->name = e->category = 0;
    e->pid = e->tid = 0;
    e->track = e->value = 0;
    e->raw = e->detail = NULL;
    e->raw_bytes = e->detail_bytes = e->cpu = e->arg_keys = 0;
}

enum tm_status tm_json_rows_add(struct tm_json_rows *rows, const struct tm_json_event *json, enum tm_json_fault *fault,
                                struct tm_error *err)
{
    struct tm_json_row_builder work;
    const struct tm_json_value *ph = tm_json_event_of(json, TM_JF_PH, TM_JSON_STRING);
    *fault = TM_JSON_NO_FAULT;
    if (json->empty)
        return TM_OK;
    if (ph == NULL || ph->len == 0) {
        *fault = TM_JSON_DAMAGED;
        return TM_END;
    }
    work.rows = rows;
    work.json = json;
    clear_event(&work.event);
    work.phase = (char)ph->data[0];
    work.has_time = work.pid_is_text = work.tid_is_text = work.has_tid = false;
    work.err = err;
    if ((*fault = read_times(&work)) != TM_JSON_NO_FAULT)
        return TM_END;
    if (json->non_ascii)
        count_utf8(&work);
    tm_buf_clear(&rows->detail);
    enum tm_status st = read_pids(&work);
    work.event.raw = json->raw;
    work.event.raw_bytes = (uint32_t)json->raw_len;
    work.event.flags |= tm_event_raw_flags(TM_RAW_JSON);
    tm_buf_clear(&rows->detail);
    return st < 0 ? st : add_by_phase(&work);
}

static enum tm_status put_stat(struct tm_json_rows *rows, const char *name, uint64_t count, struct tm_error *err)
{
    return count ? tm_event_sink_stat(rows->sink, name, TRACEMERGE__SEVERITY__ERROR, (int64_t)count, err) : TM_OK;
}

enum tm_status tm_json_rows_finish(struct tm_json_rows *rows, struct tm_error *err)
{
    enum tm_status st = put_stat(rows, "json_parser_failure", rows->parser_failures, err);
    if (st >= 0)
        st = put_stat(rows, "legacy_v8_cpu_profile_invalid_callsite", rows->bad_profile_nodes, err);
    if (st >= 0)
        st = put_stat(rows, "legacy_v8_cpu_profile_invalid_sample", rows->bad_profile_samples, err);
    if (st >= 0)
        st = put_stat(rows, "flow_invalid_id", rows->flow_invalid_ids, err);
    if (st >= 0)
        st = put_stat(rows, "flow_without_direction", rows->flows_without_direction, err);
    if (st >= 0)
        st = put_stat(rows, "json_invalid_utf8", rows->invalid_utf8, err);
    if (st >= 0 && rows->args_cut)
        st = tm_event_sink_stat(rows->sink, "json_args_cut", TRACEMERGE__SEVERITY__DATA_LOSS, (int64_t)rows->args_cut,
                                err);
    return st;
}

void tm_json_rows_release(struct tm_json_rows *rows)
{
    tm_v8_profile_free(rows->profile);
    tm_json_args_release(&rows->args);
    tm_json_arg_shapes_release(&rows->args_shapes);
    tm_buf_release(&rows->detail);
    tm_buf_release(&rows->name);
    tm_buf_release(&rows->category);
    tm_buf_release(&rows->id);
    tm_buf_release(&rows->scratch);
    tm_buf_release(&rows->message);
    tm_intern_release(&rows->named);
}

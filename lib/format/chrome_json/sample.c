#include "format/chrome_json/internal.h"

#include "base/hash.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

/* Finds the profile data of the event. False: there is none. */
static bool read_chunk(struct tm_json_row_builder *w, struct tm_v8_chunk *c)
{
    const struct tm_json_value *args = tm_json_event_get(w->json, TM_JF_ARGS);
    struct tm_json_value data;
    return args && tm_json_find(args, "data", &data) && data.type == TM_JSON_OBJECT && tm_v8_chunk_read(&data, c);
}

/* Adds the sample of TIME_NS, whose frames are in the detail. It is a row of its own, since its time differs from the
 * event's. */
static enum tm_status add_sample(struct tm_json_row_builder *w, int64_t time_ns)
{
    struct tm_json_row_builder sample = *w;
    sample.event.kind = TM_KIND_SAMPLE;
    sample.event.time_ns = time_ns;
    sample.event.flags = w->event.flags & (TM_EVENT_HAS_PID | TM_EVENT_HAS_TID);
    sample.event.flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    sample.event.raw_bytes = 0;
    return tm_json_row_builder_add(&sample);
}

static enum tm_status add_samples(struct tm_json_row_builder *w, struct tm_v8_samples *samples)
{
    enum tm_status st;
    tm_buf_clear(&w->rows->detail);
    while ((st = tm_v8_samples_next(samples, &w->rows->detail)) == TM_OK) {
        w->rows->args_cut += samples->is_cut;
        if ((st = add_sample(w, samples->time_ns)) < 0)
            return st;
        tm_buf_clear(&w->rows->detail);
    }
    w->rows->bad_profiles += st == TM_E_INPUT;
    w->rows->bad_profile_samples += samples->bad_samples;
    return st == TM_E_SYSTEM ? tm_error_nomem(w->err) : TM_OK;
}

/* Adds the event itself, then its samples. */
static enum tm_status add_chunk(struct tm_json_row_builder *w, const struct tm_v8_chunk *c)
{
    struct tm_json_id id;
    struct tm_json_rows *rows = w->rows;
    struct tm_v8_samples samples;
    tm_json_row_builder_default(w);
    enum tm_status st = tm_json_row_builder_add(w);
    if (st < 0 || !tm_json_id_of(tm_json_event_get(w->json, TM_JF_ID), &rows->id, &id))
        return st;
    const uint64_t numbers[2] = {tm_json_id_flow(&id), (uint64_t)w->event.pid};
    uint64_t key = tm_hash64_numbers(numbers, 2, 0);
    if ((st = tm_v8_profile_take(&rows->profile, key, c, &samples)) < 0)
        return tm_error_nomem(w->err);
    rows->bad_profile_nodes += samples.bad_nodes;
    rows->bad_profiles += st == TM_END;
    return st == TM_OK ? add_samples(w, &samples) : TM_OK;
}

/* Adds the frames of the member "stack", which lists their names, outermost first. */
static enum tm_status put_stack(struct tm_json_row_builder *w)
{
    const struct tm_json_value *stack = tm_json_event_of(w->json, TM_JF_STACK, TM_JSON_ARRAY);
    struct tm_json_value v;
    const uint8_t *s;
    size_t len, mark;
    if (stack == NULL)
        return TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(stack);
    scan.p++;
    while (tm_json_element(&scan, &v) == TM_JSON_OK) {
        if (v.type != TM_JSON_STRING)
            continue;
        if (!tm_json_text(&v, &w->rows->scratch, &s, &len) ||
            tm_pb_begin(&w->rows->detail, TM_DETAIL_FRAMES, &mark) != TM_OK ||
            tm_pb_put_bytes(&w->rows->detail, TM_STACK_FRAME_FUNCTION, s, len) != TM_OK ||
            tm_pb_end(&w->rows->detail, mark) != TM_OK)
            return tm_error_nomem(w->err);
    }
    return TM_OK;
}

enum tm_status tm_json_sample(struct tm_json_row_builder *w)
{
    struct tm_v8_chunk chunk;
    if (read_chunk(w, &chunk))
        return add_chunk(w, &chunk);
    w->event.kind = TM_KIND_SAMPLE;
    w->event.flags |= tm_event_scope_flags(TM_SCOPE_THREAD) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    enum tm_status st = tm_json_row_builder_string(w, TM_JF_NAME, &w->event.name);
    if (st >= 0)
        st = tm_json_row_builder_string(w, TM_JF_CAT, &w->event.category);
    if (st >= 0)
        st = put_stack(w);
    return st < 0 ? st : tm_json_row_builder_add(w);
}

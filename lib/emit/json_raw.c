#include "emit/json_work.h"

#include "base/json_scan.h"
#include "stream/json_ref.h"

/* Which of an object's members change, and how. */
enum change { CHANGE_NONE, CHANGE_TIME, CHANGE_PID, CHANGE_TID, CHANGE_ID, CHANGE_ID2 };

static enum change change_of(const struct tm_json_value *key)
{
    static const struct {
        const char *name;
        size_t len;
        enum change change;
    } members[] = {{"ts", 2, CHANGE_TIME}, {"pid", 3, CHANGE_PID}, {"tid", 3, CHANGE_TID}, {"id", 2, CHANGE_ID}, {"id2", 3, CHANGE_ID2},
                   {"bind_id", 7, CHANGE_ID}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (tm_json_is(key, members[i].name, members[i].len))
            return members[i].change;
    return CHANGE_NONE;
}

/* An id of a file that is not the only one: the file's order in front, as a string. */
static void put_id(struct tm_json_out *j, const struct tm_event *e, const struct tm_json_value *id)
{
    tm_out_char(&j->out, '"');
    tm_out_u64(&j->out, j->context->catalog->files[e->file].processing_order);
    tm_out_char(&j->out, ':');
    tm_out_bytes(&j->out, id->data, id->len);
    tm_out_char(&j->out, '"');
}

static bool is_scalar(const struct tm_json_value *v)
{
    return v->type == TM_JSON_NUMBER || v->type == TM_JSON_STRING;
}

/* {"local": …} and {"global": …}. */
static void put_id2(struct tm_json_out *j, const struct tm_event *e, const struct tm_json_value *id2)
{
    struct tm_json_scan scan = tm_json_scan_of(id2);
    struct tm_json_value key, value;
    const uint8_t *from = id2->data;
    scan.p++;
    while (tm_json_member(&scan, &key, &value) == TM_JSON_OK) {
        if (!is_scalar(&value))
            continue;
        size_t quote = value.type == TM_JSON_STRING;
        tm_out_bytes(&j->out, from, (size_t)(value.data - quote - from));
        put_id(j, e, &value);
        from = value.data + value.len + quote;
    }
    tm_out_bytes(&j->out, from, (size_t)(id2->data + id2->len - from));
}

static void put_value(struct tm_json_out *j, const struct tm_event *e, enum change change,
                      const struct tm_json_value *value, const struct tm_json_where *where)
{
    switch (change) {
    case CHANGE_TIME:
        tm_json_out_time(j, e->time_ns);
        break;
    case CHANGE_PID:
        if (value->type == TM_JSON_STRING && where->pid == e->pid) {
            tm_out_char(&j->out, '"');
            tm_out_bytes(&j->out, value->data, value->len);
            tm_out_char(&j->out, '"');
        } else {
            tm_out_i64(&j->out, where->pid);
        }
        break;
    case CHANGE_TID:
        tm_out_i64(&j->out, where->tid);
        break;
    case CHANGE_ID:
        put_id(j, e, value);
        break;
    default:
        put_id2(j, e, value);
        break;
    }
}

/* True when this member, of this value, must be written anew. */
static bool must_change(const struct tm_json_out *j, const struct tm_event *e, enum change change,
                        const struct tm_json_value *value, const struct tm_json_where *where)
{
    switch (change) {
    case CHANGE_NONE:
        return false;
    case CHANGE_TIME:
        return tm_event_is_timed(e->flags);
    case CHANGE_PID:
        return e->flags & TM_EVENT_HAS_PID && is_scalar(value);
    case CHANGE_TID:
        return where->has_tid && is_scalar(value);
    case CHANGE_ID:
        return j->json_files > 1 && is_scalar(value);
    default:
        return j->json_files > 1 && value->type == TM_JSON_OBJECT;
    }
}

/* The next member. Nested values were read when they were unpacked. */
static enum tm_json_status next_member(struct tm_json_scan *scan, enum change *change, struct tm_json_value *value)
{
    struct tm_json_value key;
    enum tm_json_status st = tm_json_key(scan, &key);
    if (st != TM_JSON_OK)
        return st;
    *change = change_of(&key);
    st = *scan->p == '{' || *scan->p == '[' ? tm_json_pass(scan, value) : tm_json_value(scan, value);
    return st != TM_JSON_OK ? st : tm_json_comma(scan, '}');
}

static enum tm_status no_object(const struct tm_event *e, struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "event %llu: raw bytes are no JSON object", (unsigned long long)e->position);
}

/* A value that changes: all since *FROM, and the value anew. */
static inline void change_value(struct tm_json_out *j, const struct tm_event *e, const uint8_t **from, enum change change,
                                const struct tm_json_value *value, const struct tm_json_where *where)
{
    size_t quote = value->type == TM_JSON_STRING;
    tm_out_bytes(&j->out, *from, (size_t)(value->data - quote - *from));
    put_value(j, e, change, value, where);
    *from = value->data + value->len + quote;
}

/* The object of E, read for what must change. */
static enum tm_status put_read(struct tm_json_out *j, const struct tm_event *e, const struct tm_json_where *where,
                               struct tm_error *err)
{
    struct tm_json_scan scan = {e->raw, e->raw + e->raw_bytes, true, NULL};
    struct tm_json_value value;
    const uint8_t *from = e->raw;
    enum change change;
    enum tm_json_status json;
    bool has_tid = false;
    scan.p++;
    while ((json = next_member(&scan, &change, &value)) == TM_JSON_OK) {
        if (!must_change(j, e, change, &value, where))
            continue;
        change_value(j, e, &from, change, &value, where);
        has_tid |= change == CHANGE_TID;
    }
    if (json != TM_JSON_CLOSE)
        return no_object(e, err);
    if (where->has_tid && !has_tid) { /* it had none; the object ends with its brace */
        const uint8_t *brace = e->raw + e->raw_bytes - 1;
        tm_out_bytes(&j->out, from, (size_t)(brace - from));
        tm_out_str(&j->out, ",\"tid\":");
        tm_out_i64(&j->out, where->tid);
        from = brace;
    }
    tm_out_bytes(&j->out, from, (size_t)(e->raw + e->raw_bytes - from));
    return TM_OK;
}

/* The same where tm-unpack has noted what may. */
static enum tm_status put_noted(struct tm_json_out *j, const struct tm_event *e, const struct tm_json_ref *ref,
                                const struct tm_json_where *where, struct tm_error *err)
{
    static const enum change changes[] = {[TM_JSON_SPOT_TS] = CHANGE_TIME, [TM_JSON_SPOT_PID] = CHANGE_PID,
                                          [TM_JSON_SPOT_ID] = CHANGE_ID, [TM_JSON_SPOT_ID2] = CHANGE_ID2};
    const uint8_t *from = e->raw;
    if (ref->spots_end > e->raw_bytes)
        return no_object(e, err);
    for (uint32_t i = 0; i < ref->spot_count; i++) {
        const struct tm_json_spot *s = &ref->spots[i];
        struct tm_json_value value = {.data = e->raw + s->at + s->is_string, .len = s->len - 2u * s->is_string,
                                      .type = s->is_string ? TM_JSON_STRING
                                              : s->of == TM_JSON_SPOT_ID2 ? TM_JSON_OBJECT : TM_JSON_NUMBER};
        if (must_change(j, e, changes[s->of], &value, where))
            change_value(j, e, &from, changes[s->of], &value, where);
    }
    tm_out_bytes(&j->out, from, (size_t)(e->raw + e->raw_bytes - from));
    return TM_OK;
}

enum tm_status tm_json_out_object(struct tm_json_out *j, const struct tm_event *e, const struct tm_json_ref *ref,
                                  struct tm_error *err)
{
    struct tm_json_where where;
    enum tm_status st = tm_json_out_where(j, e, &where, err);
    if (st < 0)
        return st;
    tm_json_out_next(j);
    st = ref->has_spots && !where.has_tid ? put_noted(j, e, ref, &where, err) : put_read(j, e, &where, err);
    return st < 0 ? st : tm_out_end_row(&j->out, err);
}

enum tm_status tm_json_out_raw(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    struct tm_json_ref ref = {0};
    enum tm_status st = tm_json_ref_find(e->detail, e->detail_bytes, &ref);
    return st < 0 ? no_object(e, err) : tm_json_out_object(j, e, &ref, err);
}

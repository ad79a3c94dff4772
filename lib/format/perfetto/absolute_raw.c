#include "format/perfetto/absolute_raw.h"

enum { EVENT_TAG = TM_PACKET_TRACK_EVENT << 3 | TM_PB_LEN };

/* Fields by which the values, or rows beside them, depend on more than the sequence's defaults. */
#define UNSUITED_FIELDS                                                                                                \
    (TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_EXTRA_TRACKS) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_EXTRA_DOUBLE_TRACKS) |        \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_THREAD_DELTA_US) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_THREAD_ABSOLUTE_US) |      \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_INSTRUCTIONS_DELTA) |                                                           \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_INSTRUCTIONS_ABSOLUTE) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_LEGACY))

bool tm_proto_absolute_raw_suits(const struct tm_proto_track_context *c)
{
    return c->event->has_extra && !c->rows->sink->want_value_rows && !(c->event->fields & UNSUITED_FIELDS);
}

/* The values of the pending rows: those of integer fields, then those of double fields. */
struct values {
    const struct tm_buf *rows;
    size_t next_int, next_double, ints;
};

static struct tm_event row_at(const struct values *v, size_t i)
{
    struct tm_event row;
    memcpy(&row, v->rows->data + i * sizeof row, sizeof row);
    return row;
}

/* Returns how many values the event's integer fields have. */
static size_t count_ints(struct tm_pb body)
{
    struct tm_pb_field f;
    size_t n = 0;
    while (tm_pb_next(&body, &f) == TM_OK)
        n += f.id == TM_TRACK_EVENT_EXTRA_VALUES ? tm_extra_values_in(&f) : 0;
    return n;
}

static uint8_t *copy(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
    memcpy(to, from, (size_t)(end - from));
    return to + (end - from);
}

/* Writes the values of F, each as a field of its own. If there are fewer pending ones, F is copied. */
static uint8_t *put_values(uint8_t *to, struct values *v, const struct tm_pb_field *f)
{
    bool is_double = tm_extra_values_are_double(f);
    size_t *next = is_double ? &v->next_double : &v->next_int;
    size_t end = is_double ? v->rows->len / sizeof(struct tm_event) : v->ints;
    size_t n = tm_extra_values_in(f);
    if (n > end - *next)
        return copy(to, f->start, f->end);
    for (; n > 0; n--) {
        const struct tm_event row = row_at(v, (*next)++);
        const struct tm_packet_value value = {row.value, (row.flags & TM_EVENT_VALUE_DOUBLE) != 0};
        uint64_t bits = tm_extra_value_for(&value, f);
        to = tm_varint_put(to, (uint64_t)f->id << 3 | (is_double ? TM_PB_I64 : TM_PB_VARINT));
        if (is_double)
            tm_put_le64(to, bits);
        to = is_double ? to + 8 : tm_varint_put(to, bits);
    }
    return to;
}

/* Writes BODY with the values. */
static uint8_t *put_body(uint8_t *to, struct tm_pb body, struct values *v)
{
    const uint8_t *from = body.p;
    struct tm_pb_field f;
    while (tm_pb_next(&body, &f) == TM_OK) {
        if (!tm_extra_values_are_in(&f))
            continue;
        to = copy(to, from, f.start);
        to = put_values(to, v, &f);
        from = f.end;
    }
    return copy(to, from, body.end);
}

enum tm_status tm_proto_absolute_raw(const struct tm_proto_track_context *c, struct tm_event *row,
                                     struct tm_error *err)
{
    const struct tm_text recorded = c->recorded;
    const struct tm_pb body = c->event->body;
    struct tm_buf *out = &c->rows->raw;
    struct values values = {.rows = &c->rows->pending};
    size_t count = values.rows->len / sizeof(struct tm_event), head = c->head_bytes;
    values.ints = c->event->fields & TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES) ? count_ints(body) : count;
    values.ints = values.ints < count ? values.ints : count;
    values.next_double = values.ints;
    tm_buf_clear(out);
    if (tm_buf_reserve(out, recorded.len + 1 + TM_VARINT_MAX + count * TM_PB_FIELD_MAX) != TM_OK)
        return tm_error_nomem(err);
    uint8_t *at = copy(out->data, recorded.data, body.p - head), *event = at + head;
    uint8_t *end = put_body(event, body, &values);
    size_t len = (size_t)(end - event), new_head = 1 + tm_varint_size(len);
    if (new_head != head)
        memmove(at + new_head, event, len);
    *at = EVENT_TAG;
    end = copy(tm_varint_put(at + 1, len) + len, body.end, recorded.data + recorded.len);
    row->raw = out->data;
    row->raw_bytes = (uint32_t)(end - out->data);
    return TM_OK;
}

#include "format/perfetto/absolute_raw.h"

enum { EVENT_TAG = TM_PACKET_TRACK_EVENT << 3 | TM_PB_LEN };

/* Fields by which the values, or rows beside them, depend on more than the sequence's defaults. */
#define UNSUITED_FIELDS                                                                                                \
    (TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_EXTRA_TRACKS) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_EXTRA_DOUBLE_TRACKS) |        \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_THREAD_DELTA_US) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_THREAD_ABSOLUTE_US) |      \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_INSTRUCTIONS_DELTA) |                                                           \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_INSTRUCTIONS_ABSOLUTE) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_LEGACY))

/* True if EVENT becomes a row of its kind, if it is not refused. */
static bool has_kind(const struct tm_proto_track_event *event)
{
    return event->type >= TM_TYPE_SLICE_BEGIN && event->type <= TM_TYPE_COUNTER;
}

bool tm_proto_absolute_raw_is_needed(const struct tm_proto_track_context *c, const struct tm_event *row)
{
    const struct tm_proto_track_event *event = c->event;
    return c->is_whole && (event->has_thread_delta || event->has_instructions_delta ||
                           (event->has_extra && row->kind == TM_KIND_PACKET));
}

bool tm_proto_absolute_raw_suits(const struct tm_proto_track_context *c)
{
    return c->event->has_extra && !c->rows->sink->want_value_rows && has_kind(c->event) &&
           !(c->event->fields & UNSUITED_FIELDS);
}

static struct tm_event row_at(const struct tm_buf *rows, uint32_t i)
{
    struct tm_event row;
    memcpy(&row, rows->data + i * sizeof row, sizeof row);
    return row;
}

static struct tm_packet_value value_of(const struct tm_event *row)
{
    return (struct tm_packet_value){row->value, (row->flags & TM_EVENT_VALUE_DOUBLE) != 0};
}

bool tm_proto_absolute_raw_widen(struct tm_proto_track_context *c, struct tm_event *row)
{
    const struct tm_buf *rows = &c->rows->pending;
    const uint32_t count = (uint32_t)(rows->len / sizeof *row);
    bool has_wide = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct tm_event of = row_at(rows, i);
        const struct tm_packet_value value = value_of(&of);
        has_wide |= !tm_extra_value_is_int(&value) && i < tm_extra_cursor_begin(c->event->body, count).ints;
    }
    c->is_wide = has_wide && c->is_whole;
    if (!c->is_wide)
        return false;
    c->is_absolute = false;
    tm_proto_take_packet(c->packet, row);
    c->recorded = tm_text_at(row->raw, row->raw_bytes);
    return true;
}

static uint8_t *copy(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
    memcpy(to, from, (size_t)(end - from));
    return to + (end - from);
}

/* Writes the values of F, which are in ROWS, each as a field of its own. If there are fewer rows, F is copied. */
static uint8_t *put_values(uint8_t *to, struct tm_extra_cursor *cursor, const struct tm_buf *rows,
                           const struct tm_pb_field *f)
{
    bool is_double = tm_extra_values_are_double(f);
    uint32_t i, n;
    if (!tm_extra_cursor_take(cursor, f, &i, &n))
        return copy(to, f->start, f->end);
    for (; n > 0; n--, i++) {
        const struct tm_event row = row_at(rows, i);
        const struct tm_packet_value value = value_of(&row);
        uint64_t bits = tm_extra_value_for(&value, f);
        to = tm_varint_put(to, (uint64_t)f->id << 3 | (is_double ? TM_PB_I64 : TM_PB_VARINT));
        if (is_double)
            tm_put_le64(to, bits);
        to = is_double ? to + 8 : tm_varint_put(to, bits);
    }
    return to;
}

/* A difference to the value of the event before, in a field of the wire, and the field that states the value. */
struct thread_value {
    bool is_stated, is_written;
    uint32_t delta, absolute;
    int64_t value;
};

enum { THREAD_VALUES = 2 };

/* Returns the one of VALUES that F states; NULL: it states none. */
static struct thread_value *thread_value_of(struct thread_value values[THREAD_VALUES], const struct tm_pb_field *f)
{
    for (size_t i = 0; i < THREAD_VALUES; i++)
        if (values[i].is_stated && values[i].delta == f->id)
            return &values[i];
    return NULL;
}

/* Writes VALUE, once. */
static uint8_t *put_thread_value(uint8_t *to, struct thread_value *value)
{
    if (value->is_written)
        return to;
    value->is_written = true;
    return tm_varint_put(tm_varint_put(to, (uint64_t)value->absolute << 3 | TM_PB_VARINT), (uint64_t)value->value);
}

/* Writes the COUNT values in ROWS as doubles, with their tracks. */
static uint8_t *put_doubles(uint8_t *to, const struct tm_buf *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct tm_event row = row_at(rows, i);
        const uint64_t bits = row.flags & TM_EVENT_VALUE_DOUBLE ? row.value : tm_pb_bits((double)(int64_t)row.value);
        to = tm_varint_put(to, TM_TRACK_EVENT_EXTRA_DOUBLE_TRACKS << 3 | TM_PB_VARINT);
        to = tm_varint_put(tm_varint_put(to, row.track), TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES << 3 | TM_PB_I64);
        tm_put_le64(to, bits);
        to += 8;
    }
    return to;
}

/* True if F, of a track event, has extra counter values or names their tracks. */
static bool is_of_extras(const struct tm_pb_field *f)
{
    return tm_extra_values_are_in(f) || f->id == TM_TRACK_EVENT_EXTRA_TRACKS ||
           f->id == TM_TRACK_EVENT_EXTRA_DOUBLE_TRACKS;
}

/* Writes the body of C's event with the values of the pending rows, of which there are COUNT, and without
 * differences. */
static uint8_t *put_body(uint8_t *to, const struct tm_proto_track_context *c, uint32_t count)
{
    const struct tm_proto_track_event *event = c->event;
    const struct tm_buf *rows = &c->rows->pending;
    struct thread_value values[THREAD_VALUES] = {
        {event->has_thread_delta, false, TM_TRACK_EVENT_THREAD_DELTA_US, TM_TRACK_EVENT_THREAD_ABSOLUTE_US,
         event->thread_us / 1000}, /* it is in nanoseconds by now */
        {event->has_instructions_delta, false, TM_TRACK_EVENT_INSTRUCTIONS_DELTA,
         TM_TRACK_EVENT_INSTRUCTIONS_ABSOLUTE, event->instructions}};
    struct tm_pb body = event->body;
    struct tm_extra_cursor cursor = tm_extra_cursor_begin(body, count);
    const uint8_t *from = body.p;
    struct tm_pb_field f;
    while (tm_pb_next(&body, &f) == TM_OK) {
        struct thread_value *value = thread_value_of(values, &f);
        if (value == NULL && !(c->is_wide ? is_of_extras(&f) : tm_extra_values_are_in(&f)))
            continue;
        to = copy(to, from, f.start);
        if (value)
            to = put_thread_value(to, value);
        else if (!c->is_wide)
            to = put_values(to, &cursor, rows, &f);
        from = f.end;
    }
    to = copy(to, from, body.end);
    return c->is_wide ? put_doubles(to, rows, count) : to;
}

enum tm_status tm_proto_absolute_raw(const struct tm_proto_track_context *c, struct tm_event *row,
                                     struct tm_error *err)
{
    const struct tm_text recorded = c->recorded;
    const struct tm_pb body = c->event->body;
    struct tm_buf *out = &c->rows->raw;
    size_t count = c->rows->pending.len / sizeof(struct tm_event), head = c->head_bytes;
    tm_buf_clear(out);
    if (tm_buf_reserve(out, recorded.len + 1 + TM_VARINT_MAX + (2 * count + THREAD_VALUES) * TM_PB_FIELD_MAX) != TM_OK)
        return tm_error_nomem(err);
    uint8_t *at = copy(out->data, recorded.data, body.p - head), *event = at + head;
    uint8_t *end = put_body(event, c, (uint32_t)count);
    size_t len = (size_t)(end - event), new_head = 1 + tm_varint_size(len);
    if (new_head != head)
        memmove(at + new_head, event, len);
    *at = EVENT_TAG;
    end = copy(tm_varint_put(at + 1, len) + len, body.end, recorded.data + recorded.len);
    row->raw = out->data;
    row->raw_bytes = (uint32_t)(end - out->data);
    return TM_OK;
}

#include "emit/perfetto/rewrite.h"

#include "perfetto/track_event_fields.h"

void tm_rewrite_copy(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    tm_rewrite_check(r, tm_buf_add(r->out, f->start, (size_t)(f->end - f->start)));
}

static void put_id(struct tm_rewrite *r, uint32_t field, bool is_fixed, uint64_t id)
{
    tm_rewrite_check(r, is_fixed ? tm_pb_put_i64(r->out, field, id) : tm_pb_put_varint(r->out, field, id));
}

/* Returns the output's id for an id of a file. */
typedef uint64_t mixer(uint64_t mix, uint64_t id);

/* Rewrites an id field, single or packed, as varint or fixed64, by MIXED with MIX. Damaged elements stay unchanged. */
static void put_ids(struct tm_rewrite *r, const struct tm_pb_field *f, bool is_fixed, mixer *mixed, uint64_t mix)
{
    const uint8_t *p = f->data, *end = f->data + f->len, *next;
    uint64_t v = f->value;
    if (f->type != TM_PB_LEN) {
        put_id(r, f->id, is_fixed, mixed(mix, v));
        return;
    }
    for (; p < end; p = next) {
        next = !is_fixed ? tm_varint_get(p, end, &v) : end - p < 8 ? NULL : p + 8;
        if (next == NULL) {
            tm_rewrite_check(r, tm_pb_put_bytes(r->out, f->id, p, (size_t)(end - p)));
            return;
        }
        put_id(r, f->id, is_fixed, mixed(mix, is_fixed ? tm_get_le64(p) : v));
    }
}

void tm_rewrite_ids(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    put_ids(r, f, false, tm_id_mixed_recorded, r->draft->mix.ids);
}

/* Writes the message at F, each of its fields by EACH, after the field ID with VALUE unless VALUE is 0. */
static void put_message(struct tm_rewrite *r, const struct tm_pb_field *f, tm_rewrite_field *each, uint32_t id,
                        uint64_t value)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g;
    enum tm_status st;
    const uint8_t *good = f->data;
    size_t mark = 0;
    if (f->type != TM_PB_LEN) {
        tm_rewrite_copy(r, f);
        return;
    }
    tm_rewrite_check(r, tm_pb_begin(r->out, f->id, &mark));
    if (value)
        tm_rewrite_check(r, tm_pb_put_varint(r->out, id, value));
    while (!r->failed && (st = tm_pb_next(&pb, &g)) == TM_OK) {
        each(r, &g);
        good = g.end;
    }
    if (r->failed)
        return;
    if (st < 0)
        tm_rewrite_check(r, tm_buf_add(r->out, good, (size_t)(f->data + f->len - good)));
    tm_rewrite_check(r, tm_pb_end(r->out, mark));
}

void tm_rewrite_message(struct tm_rewrite *r, const struct tm_pb_field *f, tm_rewrite_field *each)
{
    put_message(r, f, each, 0, 0);
}

static void legacy_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    const struct tm_id_mix *mix = &r->draft->mix;
    bool is_flow = f->id == TM_LEGACY_EVENT_BIND_ID || r->draft->is_flow;
    if (f->id == TM_LEGACY_EVENT_UNSCOPED_ID || f->id == TM_LEGACY_EVENT_BIND_ID || f->id == TM_LEGACY_EVENT_LOCAL_ID ||
        f->id == TM_LEGACY_EVENT_GLOBAL_ID)
        put_ids(r, f, false, tm_id_mixed, is_flow ? mix->flows : mix->ids);
    else
        tm_rewrite_copy(r, f);
}

static void put_value(struct tm_rewrite *r, uint32_t int_field, uint32_t double_field,
                      const struct tm_packet_value *value)
{
    tm_rewrite_check(r, value->is_double ? tm_pb_put_i64(r->out, double_field, value->value)
                                         : tm_pb_put_varint(r->out, int_field, value->value));
}

/* Replaces as many values as F holds by those of the derived rows. */
static void put_extra_values(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    const struct tm_recorded_draft *d = r->draft;
    uint32_t i, n;
    if (!d->has_extras || !tm_extra_cursor_take(&r->extras, f, &i, &n)) {
        tm_rewrite_copy(r, f);
        return;
    }
    for (; n > 0; n--, i++) {
        const struct tm_packet_value value = {tm_extra_value_for(&d->extras[i], f),
                                              tm_extra_values_are_double(f)};
        put_value(r, TM_TRACK_EVENT_EXTRA_VALUES, TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES, &value);
    }
}

void tm_rewrite_event_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    const struct tm_recorded_draft *d = r->draft;
    switch (tm_event_change_of(f->id)) {
    case TM_EVENT_CHANGE_NONE:
        break;
    case TM_EVENT_CHANGE_TIME:
        return;
    case TM_EVENT_CHANGE_ID:
        if (d->own_track && f->id == TM_TRACK_EVENT_TRACK_UUID)
            return;
        put_ids(r, f, false, tm_id_mixed_recorded, d->mix.ids);
        return;
    case TM_EVENT_CHANGE_FLOW:
        put_ids(r, f, false, tm_id_mixed, d->mix.flows);
        return;
    case TM_EVENT_CHANGE_FIXED_FLOW:
        put_ids(r, f, true, tm_id_mixed, d->mix.flows);
        return;
    case TM_EVENT_CHANGE_COUNTER:
        if (d->has_value) {
            const struct tm_packet_value value = {d->value, d->value_is_double};
            put_value(r, TM_TRACK_EVENT_COUNTER, TM_TRACK_EVENT_DOUBLE_COUNTER, &value);
            return;
        }
        break;
    case TM_EVENT_CHANGE_EXTRA_VALUES:
        put_extra_values(r, f);
        return;
    case TM_EVENT_CHANGE_LEGACY:
        if (d->mix.ids == 0 && d->mix.flows == 0)
            break;
        tm_rewrite_message(r, f, legacy_field);
        return;
    }
    tm_rewrite_copy(r, f);
}

void tm_rewrite_event(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    put_message(r, f, tm_rewrite_event_field, TM_TRACK_EVENT_TRACK_UUID, r->draft->own_track);
}

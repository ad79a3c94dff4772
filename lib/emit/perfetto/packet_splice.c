#include "emit/perfetto/packet_splice.h"

#include "emit/perfetto/packet_changes.h"
#include "perfetto/track_event_fields.h"

enum {
    PIECES_MAX = 16,
    NEW_BYTES = 128,       /* all new fields of one packet */
    FIELD_BYTES_MAX = 20,  /* one new field: tag and value */
};

/* A range of bytes to be written. */
struct piece {
    const uint8_t *data;
    size_t len;
};

struct splice {
    const struct tm_recorded_draft *draft;
    struct tm_extra_cursor extras;
    struct piece pieces[PIECES_MAX];
    uint32_t count;
    size_t bytes; /* of all pieces */
    uint64_t sequence_flags; /* as recorded */
    size_t new_fields_bytes;
    uint8_t new_fields[NEW_BYTES];
};

/* Adds a range; joins it with the last one if they touch. */
static inline bool add_range(struct splice *s, const uint8_t *data, size_t len)
{
    struct piece *last = s->count ? &s->pieces[s->count - 1] : NULL;
    s->bytes += len;
    if (last && last->data + last->len == data) {
        last->len += len;
        return true;
    }
    if (s->count == PIECES_MAX)
        return false;
    s->pieces[s->count++] = (struct piece){data, len};
    return true;
}

/* Adds a field that is not in the input. */
static bool put_new(struct splice *s, uint32_t id, enum tm_pb_type type, uint64_t value)
{
    uint8_t *from = s->new_fields + s->new_fields_bytes, *p;
    if (NEW_BYTES - s->new_fields_bytes < FIELD_BYTES_MAX)
        return false;
    p = tm_varint_put(from, (uint64_t)id << 3 | type);
    if (type == TM_PB_I64) {
        tm_put_le64(p, value);
        p += 8;
    } else {
        p = tm_varint_put(p, value);
    }
    s->new_fields_bytes += (size_t)(p - from);
    return add_range(s, from, (size_t)(p - from));
}

static inline bool copy(struct splice *s, const struct tm_pb_field *f)
{
    return add_range(s, f->start, (size_t)(f->end - f->start));
}

/* Replaces as many extra counter values as F holds by those of the derived rows. If there are fewer, F is copied. */
static bool put_extras(struct splice *s, const struct tm_pb_field *f)
{
    enum tm_pb_type type = tm_extra_values_are_double(f) ? TM_PB_I64 : TM_PB_VARINT;
    uint32_t i, n;
    if (!s->draft->has_extras || !tm_extra_cursor_take(&s->extras, f, &i, &n))
        return copy(s, f);
    for (; n > 0; n--, i++)
        if (!put_new(s, f->id, type, tm_extra_value_for(&s->draft->extras[i], f)))
            return false;
    return true;
}

/* Adds the field F of a track event. False: it has no fast path; ids and values have one if they are alone in their
 * field. */
static bool put_changed(struct splice *s, const struct tm_pb_field *f, enum tm_event_change change)
{
    const struct tm_recorded_draft *d = s->draft;
    switch (change) {
    case TM_EVENT_CHANGE_NONE:
        return copy(s, f);
    case TM_EVENT_CHANGE_TIME:
        return true;
    case TM_EVENT_CHANGE_ID:
        if (d->own_track && f->id == TM_TRACK_EVENT_TRACK_UUID)
            return true;
        return f->type == TM_PB_VARINT && put_new(s, f->id, f->type, tm_id_mixed_recorded(d->mix.ids, f->value));
    case TM_EVENT_CHANGE_FLOW:
        return f->type == TM_PB_VARINT && put_new(s, f->id, f->type, tm_id_mixed(d->mix.flows, f->value));
    case TM_EVENT_CHANGE_FIXED_FLOW:
        return f->type == TM_PB_I64 && put_new(s, f->id, f->type, tm_id_mixed(d->mix.flows, f->value));
    case TM_EVENT_CHANGE_COUNTER:
        if (!d->has_value)
            return copy(s, f);
        if (d->value_is_double)
            return put_new(s, TM_TRACK_EVENT_DOUBLE_COUNTER, TM_PB_I64, d->value);
        return put_new(s, TM_TRACK_EVENT_COUNTER, TM_PB_VARINT, d->value);
    case TM_EVENT_CHANGE_EXTRA_VALUES:
        return put_extras(s, f);
    case TM_EVENT_CHANGE_LEGACY:
        return d->mix.ids == 0 && d->mix.flows == 0 && copy(s, f);
    }
    return false;
}

/* Writes the track event F, some of whose fields change or that gets a track: the first field that may change is G, the
 * others are in PB. */
static bool put_changed_event(struct splice *s, const struct tm_pb_field *f, struct tm_pb *pb, struct tm_pb_field *g)
{
    uint8_t *head = s->new_fields + s->new_fields_bytes, *p;
    uint32_t place = s->count;
    enum tm_status st = TM_OK;
    if (NEW_BYTES - s->new_fields_bytes < FIELD_BYTES_MAX || s->count == PIECES_MAX)
        return false;
    s->count++;
    s->new_fields_bytes += FIELD_BYTES_MAX;
    s->pieces[place] = (struct piece){NULL, 0}; /* the next range must not join it */
    size_t before = s->bytes;
    uint64_t own_track = s->draft->own_track;
    bool good = own_track == 0 || put_new(s, TM_TRACK_EVENT_TRACK_UUID, TM_PB_VARINT, own_track);
    if (g->start > f->data)
        good = good && add_range(s, f->data, (size_t)(g->start - f->data));
    while (good && st == TM_OK) {
        good = put_changed(s, g, tm_event_change_of(g->id));
        st = tm_pb_next(pb, g);
    }
    p = tm_varint_put(head, (uint64_t)f->id << 3 | TM_PB_LEN);
    p = tm_varint_put(p, s->bytes - before);
    s->pieces[place] = (struct piece){head, (size_t)(p - head)};
    s->bytes += (size_t)(p - head);
    return good && st == TM_END;
}

static bool put_event(struct splice *s, const struct tm_pb_field *f)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g;
    enum tm_status st;
    /* A tag or length in a longer form would be copied; tm_packet_rewrite shortens it. */
    if (f->type != TM_PB_LEN || (size_t)(f->data - f->start) != 1 + tm_varint_size(f->len))
        return false;
    if (s->draft->own_track)
        return tm_pb_next(&pb, &g) == TM_OK && put_changed_event(s, f, &pb, &g);
    if (s->draft->is_body) /* nothing in it changes */
        return add_range(s, f->start, (size_t)(f->end - f->start));
    while ((st = tm_pb_next(&pb, &g)) == TM_OK)
        if (tm_event_change_of(g.id) != TM_EVENT_CHANGE_NONE)
            return put_changed_event(s, f, &pb, &g);
    return st == TM_END && add_range(s, f->start, (size_t)(f->end - f->start));
}

/* Finds the ranges to copy and makes the new fields. False: the packet needs other changes or is damaged. */
static bool find_pieces(struct splice *s)
{
    struct tm_pb pb = tm_pb_of(s->draft->raw.data, s->draft->raw.len);
    struct tm_pb_field f;
    enum tm_status st;
    bool good = true;
    while (good && (st = tm_pb_next(&pb, &f)) == TM_OK) {
        switch (tm_packet_change_of(f.id)) {
        case TM_PACKET_CHANGE_NONE:
            good = copy(s, &f);
            break;
        case TM_PACKET_CHANGE_OF_RECORD:
            if (f.id == TM_PACKET_SEQUENCE_FLAGS && f.type == TM_PB_VARINT)
                s->sequence_flags = f.value;
            break;
        case TM_PACKET_CHANGE_EVENT:
            good = put_event(s, &f);
            break;
        default:
            return false;
        }
    }
    return good && st == TM_END;
}

static inline void begin(struct splice *s, const struct tm_recorded_draft *draft)
{
    s->draft = draft;
    s->extras = draft->extras_from;
    s->count = 0;
    s->bytes = s->new_fields_bytes = 0;
    s->sequence_flags = 0;
}

/* Writes the packet: its head and the pieces. */
static enum tm_status write_pieces(const struct splice *s, struct tm_buf *out)
{
    struct tm_draft_head first = s->draft->head;
    first.flags |= s->sequence_flags & ~(uint64_t)TM_SEQUENCE_CLEARED;
    if (tm_buf_reserve_ahead(out, 1 + TM_VARINT_MAX + TM_DRAFT_HEAD_MAX + s->bytes, s->bytes) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *at = out->data + out->len, *head = at + 2; /* a length of one byte */
    uint8_t *p = tm_draft_head_put(head, &first);
    size_t head_bytes = (size_t)(p - head), len = head_bytes + s->bytes;
    at[0] = TM_TRACE_PACKET << 3 | TM_PB_LEN;
    at[1] = (uint8_t)len;
    if (len >= 0x80) {
        memmove(at + 1 + tm_varint_size(len), head, head_bytes);
        p = tm_varint_put(at + 1, len) + head_bytes;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        memcpy(p, s->pieces[i].data, s->pieces[i].len);
        p += s->pieces[i].len;
    }
    out->len = (size_t)(p - out->data);
    return TM_OK;
}

enum tm_status tm_packet_splice(const struct tm_recorded_draft *draft, struct tm_buf *out)
{
    struct splice s; /* `new_fields' is not initialised; it is written before it is read */
    begin(&s, draft);
    return find_pieces(&s) ? write_pieces(&s, out) : TM_END;
}

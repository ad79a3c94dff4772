#include "emit/perfetto/packet_splice.h"

#include "emit/perfetto/packet_changes.h"
#include "perfetto/track_event_fields.h"

enum {
    PIECES_MAX = 16,
    NEW_BYTES = 128,       /* all new fields of one packet */
    FIELD_BYTES_MAX = 20,  /* one new field: tag and value */
    HEAD_BYTES_MAX = 64,   /* the packet's first fields, with its tag and length */
    SHORT_BYTES_MAX = 96,  /* up to this size a length takes one byte, whatever precedes it */
    COPY_BYTES = 16,       /* most packets are shorter */
    TRUSTED_UID = 3        /* field of TracePacket */
};

/* A range of bytes to be written. */
struct piece {
    const uint8_t *data;
    size_t len;
};

struct splice {
    struct tm_packet_writer *writer;
    const struct tm_event *event;
    const struct tm_extra_values *extras; /* NULL: none */
    uint32_t extras_used;
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

/* Replaces as many extra counter values as F holds by those of the derived rows. */
static bool put_extras(struct splice *s, const struct tm_pb_field *f)
{
    enum tm_pb_type type = tm_extra_values_are_double(f) ? TM_PB_I64 : TM_PB_VARINT;
    uint32_t n = tm_extra_values_in(f);
    if (s->extras == NULL || n > s->extras->count - s->extras_used)
        return false;
    for (; n > 0; n--)
        if (!put_new(s, f->id, type, tm_extra_value_for(&s->extras->values[s->extras_used++], f)))
            return false;
    return true;
}

static inline bool copy(struct splice *s, const struct tm_pb_field *f)
{
    return add_range(s, f->start, (size_t)(f->end - f->start));
}

/* Adds the field F of a track event. False: it has no fast path; ids and values have one if they are alone in their
 * field. */
static bool put_changed(struct splice *s, const struct tm_pb_field *f, enum tm_event_change change)
{
    const struct tm_event *e = s->event;
    switch (change) {
    case TM_EVENT_CHANGE_NONE:
        return copy(s, f);
    case TM_EVENT_CHANGE_TIME:
        return true;
    case TM_EVENT_CHANGE_ID:
        return f->type == TM_PB_VARINT && put_new(s, f->id, f->type, tm_packet_id(s->writer, e->file, f->value));
    case TM_EVENT_CHANGE_FLOW:
        return f->type == TM_PB_VARINT && put_new(s, f->id, f->type, tm_packet_flow(s->writer, e->file, f->value));
    case TM_EVENT_CHANGE_FIXED_FLOW:
        return f->type == TM_PB_I64 && put_new(s, f->id, f->type, tm_packet_flow(s->writer, e->file, f->value));
    case TM_EVENT_CHANGE_COUNTER:
        if (e->kind != TM_KIND_COUNTER || !(e->flags & TM_EVENT_HAS_VALUE))
            return copy(s, f);
        if (e->flags & TM_EVENT_VALUE_DOUBLE)
            return put_new(s, TM_TRACK_EVENT_DOUBLE_COUNTER, TM_PB_I64, e->value);
        return put_new(s, TM_TRACK_EVENT_COUNTER, TM_PB_VARINT, e->value);
    case TM_EVENT_CHANGE_EXTRA_VALUES:
        return put_extras(s, f);
    case TM_EVENT_CHANGE_LEGACY:
        return !tm_packet_mixes_ids(s->writer, e->file) && copy(s, f);
    }
    return false;
}

/* Writes the track event F, some of whose fields change: the first of these is G, the others are in PB. */
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
    bool good = g->start == f->data || add_range(s, f->data, (size_t)(g->start - f->data));
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
    if (s->event->flags & TM_EVENT_RAW_BODY) /* nothing in it changes */
        return add_range(s, f->start, (size_t)(f->end - f->start));
    while ((st = tm_pb_next(&pb, &g)) == TM_OK)
        if (tm_event_change_of(g.id) != TM_EVENT_CHANGE_NONE)
            return put_changed_event(s, f, &pb, &g);
    return st == TM_END && add_range(s, f->start, (size_t)(f->end - f->start));
}

/* Finds the ranges to copy and makes the new fields. False: the packet needs other changes or is damaged. */
static bool find_pieces(struct splice *s)
{
    struct tm_pb pb = tm_pb_of(s->event->raw, s->event->raw_bytes);
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

static inline void begin(struct splice *s, struct tm_packet_writer *w, const struct tm_event *e,
                         const struct tm_extra_values *extras)
{
    s->extras = extras;
    s->extras_used = 0;
    s->writer = w;
    s->event = e;
    s->count = 0;
    s->bytes = s->new_fields_bytes = 0;
    s->sequence_flags = 0;
}

/* Writes the fields at the front of every packet of the output to P, which has room for them. */
static inline uint8_t *put_head(const struct tm_packet_writer *w, const struct tm_event *e, uint8_t *p,
                                uint32_t sequence, uint64_t flags)
{
    p = tm_packet_put_machine(p, tm_packet_machine(w, e->machine));
    if (tm_event_is_timed(e->flags))
        p = tm_packet_put_time(p, (uint64_t)e->time_ns);
    p = tm_packet_put_sequence(p, sequence);
    if (flags) {
        *p++ = TM_PACKET_SEQUENCE_FLAGS << 3 | TM_PB_VARINT;
        p = tm_varint_put(p, flags);
    }
    return p;
}

/* Writes the packet: its head and the pieces. */
static enum tm_status write_pieces(struct tm_packet_writer *w, const struct splice *s, struct tm_error *err)
{
    const struct tm_event *e = s->event;
    uint32_t sequence;
    bool is_new;
    enum tm_status st = tm_packet_sequence(w, e, &sequence, &is_new, err);
    if (st < 0)
        return st;
    uint64_t flags = s->sequence_flags & ~(uint64_t)TM_SEQUENCE_CLEARED;
    if (is_new && e->generation)
        flags |= TM_SEQUENCE_CLEARED;
    if (tm_buf_reserve(&w->out, 1 + TM_VARINT_MAX + HEAD_BYTES_MAX + s->bytes) != TM_OK)
        return tm_error_nomem(err);
    uint8_t *at = w->out.data + w->out.len, *head = at + 2; /* a length of one byte */
    uint8_t *p = put_head(w, e, head, sequence, flags);
    size_t head_bytes = (size_t)(p - head), len = head_bytes + s->bytes;
    at[0] = 1 << 3 | TM_PB_LEN;
    at[1] = (uint8_t)len;
    if (len >= 0x80) {
        memmove(at + 1 + tm_varint_size(len), head, head_bytes);
        p = tm_varint_put(at + 1, len) + head_bytes;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        memcpy(p, s->pieces[i].data, s->pieces[i].len);
        p += s->pieces[i].len;
    }
    w->out.len = (size_t)(p - w->out.data);
    return tm_packet_flush_full(w, err);
}

enum tm_status tm_packet_splice(struct tm_packet_writer *w, const struct tm_event *e,
                                const struct tm_extra_values *extras, struct tm_error *err)
{
    struct splice s; /* `new_fields' is not initialised; it is written before it is read */
    begin(&s, w, e, extras);
    return e->flags & TM_EVENT_INNER_TIMES || !find_pieces(&s) ? TM_END : write_pieces(w, &s, err);
}

/* True if the bytes from P to END begin with sequence flags that state only that the packet needs state. */
static inline bool is_flags(const uint8_t *p, const uint8_t *end)
{
    return end - p >= 2 && p[0] == (TM_PACKET_SEQUENCE_FLAGS << 3 | TM_PB_VARINT) && p[1] == TM_SEQUENCE_NEEDS_STATE;
}

/* Writes BODY, of E's packet, with FLAGS. False, with nothing written, if E is the first of its sequence or BODY is
 * long. READABLE bytes can be read from the start of BODY on. Its length is unpredictable, so a fixed size is copied,
 * which avoids a mispredicted branch. */
static inline bool write_short(struct tm_packet_writer *w, const struct tm_event *e, struct tm_text body,
                               uint64_t flags, size_t readable)
{
    uint32_t sequence = e->generation < w->sequence_count ? w->sequences[e->generation] : 0;
    if (e->generation == 0 || sequence == 0 || body.len > SHORT_BYTES_MAX ||
        tm_buf_reserve(&w->out, 2 + HEAD_BYTES_MAX + SHORT_BYTES_MAX) != TM_OK)
        return false;
    uint8_t *at = w->out.data + w->out.len, *p = put_head(w, e, at + 2, sequence, flags);
    if (body.len <= COPY_BYTES && readable >= COPY_BYTES)
        memcpy(p, body.data, COPY_BYTES);
    else
        memcpy(p, body.data, body.len);
    p += body.len;
    at[0] = 1 << 3 | TM_PB_LEN;
    at[1] = (uint8_t)(p - at - 2);
    w->out.len = (size_t)(p - w->out.data);
    return true;
}

enum tm_status tm_packet_splice_body(struct tm_packet_writer *w, const struct tm_event *e, size_t readable,
                                     struct tm_error *err)
{
    const uint8_t *p = e->raw, *end = e->raw + e->raw_bytes, *from, *event;
    uint64_t len, flags = 0;
    if (is_flags(p, end)) {
        flags = TM_SEQUENCE_NEEDS_STATE;
        p += 2;
    }
    from = p;
    if (p == end || *p != (TM_PACKET_TRACK_EVENT << 3 | TM_PB_LEN) ||
        (event = tm_varint_get(p + 1, end, &len)) == NULL || len > (uint64_t)(end - event))
        return TM_END;
    p = event + len;
    if (end - p == 2 && is_flags(p, end)) {
        flags = TM_SEQUENCE_NEEDS_STATE;
        end = p;
    } else if (p < end && (*p != (TRUSTED_UID << 3 | TM_PB_VARINT) || tm_varint_get(p + 1, end, &len) != end)) {
        return TM_END;
    }
    if (write_short(w, e, tm_text_at(from, (size_t)(end - from)), flags, readable - (size_t)(from - e->raw)))
        return tm_packet_flush_full(w, err);
    struct splice s;
    begin(&s, w, e, NULL);
    s.sequence_flags = flags;
    add_range(&s, from, (size_t)(end - from));
    return write_pieces(w, &s, err);
}

#include "emit/perfetto/splice_body.h"

enum {
    UID_TAG = TM_PACKET_TRUSTED_UID << 3 | TM_PB_VARINT,
    SHORT_BYTES_MAX = 96, /* up to this size a length takes one byte, whatever precedes it */
    COPY_BYTES = 16       /* most packets are shorter */
};

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
        tm_buf_reserve_ahead(&w->out, 2 + TM_DRAFT_HEAD_MAX + SHORT_BYTES_MAX, body.len) != TM_OK)
        return false;
    const struct tm_draft_head head = {.time_ns = (uint64_t)e->time_ns,
                                       .flags = flags,
                                       .machine_id = tm_packet_machine(w, e->machine),
                                       .sequence = sequence,
                                       .is_timed = tm_event_is_timed(e->flags)};
    uint8_t *at = w->out.data + w->out.len, *p = tm_draft_head_put(at + 2, &head);
    if (body.len <= COPY_BYTES && readable >= COPY_BYTES)
        memcpy(p, body.data, COPY_BYTES);
    else
        memcpy(p, body.data, body.len);
    p += body.len;
    at[0] = TM_TRACE_PACKET << 3 | TM_PB_LEN;
    at[1] = (uint8_t)(p - at - 2);
    w->out.len = (size_t)(p - w->out.data);
    return true;
}

/* Writes E's packet as other recorded packets are written. */
static enum tm_status write_long(struct tm_packet_writer *w, const struct tm_event *e, struct tm_error *err)
{
    struct tm_recorded_draft draft = {.is_body = true, .raw = tm_text_at(e->raw, e->raw_bytes)};
    enum tm_status st = tm_packet_draft_head(w, e, &draft.head, err);
    return st < 0 ? st : tm_packet_put_recorded(w, &draft, err);
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
    } else if (p < end && (*p != UID_TAG || tm_varint_get(p + 1, end, &len) != end)) {
        return TM_END;
    }
    if (write_short(w, e, tm_text_at(from, (size_t)(end - from)), flags, readable - (size_t)(from - e->raw)))
        return tm_packet_flush_full(w, err);
    return write_long(w, e, err);
}

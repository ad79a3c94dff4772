#include "perfetto/extra_counters.h"

#include "perfetto/packet_fields.h"

bool tm_extra_event_find(struct tm_text packet, struct tm_pb *body)
{
    struct tm_pb pb = tm_pb_of(packet.data, packet.len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_PACKET_TRACK_EVENT && f.type == TM_PB_LEN) {
            *body = tm_pb_of(f.data, f.len);
            return true;
        }
    return false;
}

struct tm_extra_cursor tm_extra_cursor_begin(struct tm_pb body, uint32_t count)
{
    struct tm_pb_field f;
    uint32_t ints = 0;
    while (count > 0 && tm_pb_next(&body, &f) == TM_OK)
        ints += f.id == TM_TRACK_EVENT_EXTRA_VALUES ? tm_extra_values_in(&f) : 0;
    ints = ints < count ? ints : count;
    return (struct tm_extra_cursor){.ints = ints, .next_double = ints, .count = count};
}

bool tm_extra_cursor_take(struct tm_extra_cursor *c, const struct tm_pb_field *f, uint32_t *first, uint32_t *n)
{
    bool is_double = tm_extra_values_are_double(f);
    uint32_t *next = is_double ? &c->next_double : &c->next_int;
    *first = *next;
    *n = tm_extra_values_in(f);
    if (*n > (is_double ? c->count : c->ints) - *next)
        return false;
    *next += *n;
    return true;
}

static enum tm_status add_uuid(struct tm_buf *uuids, uint64_t uuid)
{
    return tm_buf_add(uuids, &uuid, sizeof uuid);
}

/* Numbers of a repeated field may be packed. */
enum tm_status tm_extra_tracks_add(struct tm_extra_tracks *tracks, const struct tm_pb_field *f)
{
    struct tm_buf *uuids = f->id == TM_TRACK_EVENT_EXTRA_TRACKS          ? &tracks->ints
                           : f->id == TM_TRACK_EVENT_EXTRA_DOUBLE_TRACKS ? &tracks->doubles
                                                                         : NULL;
    enum tm_status st = TM_OK;
    uint64_t uuid;
    if (uuids && f->type == TM_PB_VARINT)
        return add_uuid(uuids, f->value);
    if (uuids && f->type == TM_PB_LEN)
        for (const uint8_t *at = f->data; st == TM_OK && at < f->data + f->len;)
            st = (at = tm_varint_get(at, f->data + f->len, &uuid)) ? add_uuid(uuids, uuid) : TM_E_INPUT;
    return st;
}

void tm_extra_tracks_clear(struct tm_extra_tracks *tracks)
{
    tm_buf_clear(&tracks->ints);
    tm_buf_clear(&tracks->doubles);
}

void tm_extra_tracks_release(struct tm_extra_tracks *tracks)
{
    tm_buf_release(&tracks->ints);
    tm_buf_release(&tracks->doubles);
}

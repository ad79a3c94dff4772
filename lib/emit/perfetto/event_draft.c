#include "emit/perfetto/event_draft.h"

#include "perfetto/track_event_fields.h"
#include "stream/detail_fields.h"

/* LegacyEvent.FlowDirection */
enum { FLOW_IN = 1, FLOW_OUT = 2, FLOW_INOUT = 3 };

enum { FIXED_BYTES = 128 }; /* all fields of an event without bytes, except those of its detail */

static uint8_t *put_legacy_scope(uint8_t *p, uint64_t scope)
{
    uint8_t legacy[2 * TM_PB_FIELD_MAX], *q = tm_pb_varint_at(legacy, TM_LEGACY_EVENT_PHASE, 'I');
    q = tm_pb_varint_at(q, TM_LEGACY_EVENT_INSTANT_SCOPE, scope);
    return tm_pb_bytes_at(p, TM_TRACK_EVENT_LEGACY, legacy, (size_t)(q - legacy));
}

static uint8_t *put_counter(uint8_t *p, const struct tm_event_draft *d)
{
    if (!d->value_is_double)
        return tm_pb_varint_at(p, TM_TRACK_EVENT_COUNTER, d->value);
    p = tm_pb_tag_put(p, TM_TRACK_EVENT_DOUBLE_COUNTER, TM_PB_I64);
    tm_put_le64(p, d->value);
    return p + 8;
}

/* Puts type, track, category and name. */
static uint8_t *put_fixed(uint8_t *p, const struct tm_event_draft *d)
{
    if (d->legacy_scope)
        p = put_legacy_scope(p, d->legacy_scope);
    else if (d->type != TM_TRACK_NONE)
        p = tm_pb_varint_at(p, TM_TRACK_EVENT_TYPE, d->type);
    p = tm_pb_varint_at(p, TM_TRACK_EVENT_TRACK_UUID, d->track_uuid);
    if (d->type == TM_TRACK_COUNTER)
        return put_counter(p, d);
    if (d->category_id)
        p = tm_pb_varint_at(p, TM_TRACK_EVENT_CATEGORY_IIDS, d->category_id);
    else if (d->category.data)
        p = tm_pb_bytes_at(p, TM_TRACK_EVENT_CATEGORIES, d->category.data, d->category.len);
    if (d->name_id)
        p = tm_pb_varint_at(p, TM_TRACK_EVENT_NAME_IID, d->name_id);
    else if (d->name.data)
        p = tm_pb_bytes_at(p, TM_TRACK_EVENT_NAME, d->name.data, d->name.len);
    return p;
}

static bool put_bind(struct tm_buf *body, uint64_t id, uint64_t direction)
{
    size_t mark;
    return tm_pb_begin(body, TM_TRACK_EVENT_LEGACY, &mark) == TM_OK &&
           tm_pb_put_varint(body, TM_LEGACY_EVENT_BIND_ID, id) == TM_OK &&
           tm_pb_put_varint(body, TM_LEGACY_EVENT_FLOW_DIRECTION, direction) == TM_OK &&
           tm_pb_end(body, mark) == TM_OK;
}

/* Puts F, a field of the detail that is no argument. */
static bool put_detail_field(const struct tm_event_draft *d, const struct tm_pb_field *f, struct tm_buf *body)
{
    const uint64_t flow = tm_event_draft_flow(d->flow_mix, f->value);
    switch (f->id) {
    case TM_DETAIL_FLOW_IDS: return tm_pb_put_i64(body, TM_TRACK_EVENT_FLOWS, flow) == TM_OK;
    case TM_DETAIL_TERMINATING_FLOW_IDS: return tm_pb_put_i64(body, TM_TRACK_EVENT_ENDING_FLOWS, flow) == TM_OK;
    case TM_DETAIL_BIND_OUT: return put_bind(body, flow, FLOW_OUT);
    case TM_DETAIL_BIND_STEP: return put_bind(body, flow, FLOW_INOUT);
    case TM_DETAIL_BIND_IN: return put_bind(body, flow, FLOW_IN);
    case TM_DETAIL_THREAD_TIME:
        return d->thread_time_uuid == 0 ||
               (tm_pb_put_varint(body, TM_TRACK_EVENT_EXTRA_TRACKS, d->thread_time_uuid) == TM_OK &&
                tm_pb_put_varint(body, TM_TRACK_EVENT_EXTRA_VALUES, (uint64_t)tm_unzigzag(f->value)) == TM_OK);
    default: return true;
    }
}

/* Puts flows and thread time, then the arguments. */
static bool put_detail(const struct tm_event_draft *d, struct tm_event_scratch *scratch)
{
    struct tm_pb pb = tm_pb_of(d->detail.data, d->detail.len);
    struct tm_pb_field f;
    bool good = true;
    while (good && tm_pb_next(&pb, &f) == TM_OK)
        good = f.id == TM_DETAIL_ARGS && f.type == TM_PB_LEN ? tm_annotations_add(&scratch->annotations, &f) == TM_OK
                                                             : put_detail_field(d, &f, &scratch->body);
    return good && tm_annotations_write(&scratch->annotations, TM_TRACK_EVENT_ANNOTATIONS, &scratch->body) == TM_OK;
}

static bool put_flow(const struct tm_event_draft *d, struct tm_buf *body)
{
    size_t mark;
    return tm_pb_begin(body, TM_TRACK_EVENT_LEGACY, &mark) == TM_OK &&
           tm_pb_put_varint(body, TM_LEGACY_EVENT_PHASE, d->flow_phase) == TM_OK &&
           tm_pb_put_varint(body, TM_LEGACY_EVENT_UNSCOPED_ID, d->value) == TM_OK &&
           tm_pb_put_varint(body, TM_LEGACY_EVENT_BIND_TO_ENCLOSING, d->binds_enclosing) == TM_OK &&
           tm_pb_end(body, mark) == TM_OK;
}

/* Sets the body of SCRATCH to the TrackEvent. */
static bool put_event(const struct tm_event_draft *d, struct tm_event_scratch *scratch)
{
    struct tm_buf *body = &scratch->body;
    tm_buf_clear(body);
    if (tm_buf_reserve(body, FIXED_BYTES + d->category.len + d->name.len) != TM_OK)
        return false;
    body->len = (size_t)(put_fixed(body->data, d) - body->data);
    return (d->detail.len == 0 || put_detail(d, scratch)) && (d->flow_phase == 0 || put_flow(d, body));
}

enum tm_status tm_event_draft_encode(const struct tm_event_draft *d, struct tm_event_scratch *scratch,
                                     struct tm_buf *out)
{
    const struct tm_buf *body = &scratch->body;
    uint8_t head[TM_DRAFT_HEAD_MAX];
    if (!put_event(d, scratch) ||
        tm_buf_reserve(out, TM_DRAFT_HEAD_MAX + 3 * TM_PB_FIELD_MAX + d->entries.len + body->len) != TM_OK)
        return TM_E_SYSTEM;
    size_t head_bytes = (size_t)(tm_draft_head_put(head, &d->head) - head), len = head_bytes;
    if (d->entries.len)
        len += 1 + tm_varint_size(d->entries.len) + d->entries.len;
    len += 1 + tm_varint_size(body->len) + body->len;
    uint8_t *p = tm_varint_put_over(tm_pb_tag_put(out->data + out->len, TM_TRACE_PACKET, TM_PB_LEN), len);
    memcpy(p, head, sizeof head);
    p += head_bytes;
    if (d->entries.len)
        p = tm_pb_bytes_at(p, TM_PACKET_INTERNED_DATA, d->entries.data, d->entries.len);
    out->len = (size_t)(tm_pb_bytes_at(p, TM_PACKET_TRACK_EVENT, body->data, body->len) - out->data);
    return TM_OK;
}

void tm_event_scratch_release(struct tm_event_scratch *scratch)
{
    tm_annotations_release(&scratch->annotations);
    tm_buf_release(&scratch->body);
}

#include "emit/perfetto/event_draft.h"

#include "base/cpu.h"
#include "perfetto/track_event_fields.h"
#include "stream/detail_fields.h"

/* LegacyEvent.FlowDirection */
enum { FLOW_IN = 1, FLOW_OUT = 2, FLOW_INOUT = 3 };

/* All fields of an event without bytes, except those of its detail. With the first fields of the packet they stay below
 * 128 bytes, so their lengths take one byte. */
enum { FIXED_BYTES = 128 };

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

static uint8_t *put_thread_time(uint8_t *p, const struct tm_event_draft *d, uint64_t time_ns)
{
    p = tm_pb_varint_at(p, TM_TRACK_EVENT_EXTRA_TRACKS, d->thread_time_uuid);
    return tm_pb_varint_at(p, TM_TRACK_EVENT_EXTRA_VALUES, time_ns);
}

/* Puts category and name, by id or as texts. */
static uint8_t *put_names(uint8_t *p, const struct tm_event_draft *d)
{
    const struct tm_event_texts *texts = d->texts;
    if (d->category_id)
        p = tm_pb_varint_at(p, TM_TRACK_EVENT_CATEGORY_IIDS, d->category_id);
    else if (texts && texts->category.data)
        p = tm_pb_bytes_at(p, TM_TRACK_EVENT_CATEGORIES, texts->category.data, texts->category.len);
    if (d->name_id)
        p = tm_pb_varint_at(p, TM_TRACK_EVENT_NAME_IID, d->name_id);
    else if (texts && texts->name.data)
        p = tm_pb_bytes_at(p, TM_TRACK_EVENT_NAME, texts->name.data, texts->name.len);
    return p;
}

/* Puts everything that precedes the detail. */
static uint8_t *put_fixed(uint8_t *p, const struct tm_event_draft *d)
{
    if (d->legacy_scope)
        p = put_legacy_scope(p, d->legacy_scope);
    else if (d->type != TM_TRACK_NONE)
        p = tm_pb_varint_at(p, TM_TRACK_EVENT_TYPE, d->type);
    p = tm_pb_varint_at(p, TM_TRACK_EVENT_TRACK_UUID, d->track_uuid);
    if (d->type == TM_TRACK_COUNTER)
        return put_counter(p, d);
    p = put_names(p, d);
    return d->value_is_thread_time ? put_thread_time(p, d, d->value) : p;
}

/* Puts the phase and id of a flow, which follow the detail. */
static uint8_t *put_flow(uint8_t *p, const struct tm_event_draft *d)
{
    uint8_t legacy[3 * TM_PB_FIELD_MAX], *q = tm_pb_varint_at(legacy, TM_LEGACY_EVENT_PHASE, d->flow_phase);
    q = tm_pb_varint_at(q, TM_LEGACY_EVENT_UNSCOPED_ID, d->value);
    q = tm_pb_varint_at(q, TM_LEGACY_EVENT_BIND_TO_ENCLOSING, d->binds_enclosing);
    return tm_pb_bytes_at(p, TM_TRACK_EVENT_LEGACY, legacy, (size_t)(q - legacy));
}

static uint8_t *put_bind(uint8_t *p, uint64_t id, uint64_t direction)
{
    uint8_t legacy[2 * TM_PB_FIELD_MAX], *q = tm_pb_varint_at(legacy, TM_LEGACY_EVENT_BIND_ID, id);
    q = tm_pb_varint_at(q, TM_LEGACY_EVENT_FLOW_DIRECTION, direction);
    return tm_pb_bytes_at(p, TM_TRACK_EVENT_LEGACY, legacy, (size_t)(q - legacy));
}

static uint8_t *put_fixed_flow(uint8_t *p, uint32_t field, uint64_t id)
{
    p = tm_pb_tag_put(p, field, TM_PB_I64);
    tm_put_le64(p, id);
    return p + 8;
}

/* Puts F, a field of the detail that is no argument, at P, which has room for FIXED_BYTES. */
static uint8_t *put_detail_field(uint8_t *p, const struct tm_event_draft *d, const struct tm_pb_field *f)
{
    const uint64_t flow = tm_id_mixed(d->flow_mix, f->value);
    switch (f->id) {
    case TM_DETAIL_FLOW_IDS: return put_fixed_flow(p, TM_TRACK_EVENT_FLOWS, flow);
    case TM_DETAIL_TERMINATING_FLOW_IDS: return put_fixed_flow(p, TM_TRACK_EVENT_ENDING_FLOWS, flow);
    case TM_DETAIL_BIND_OUT: return put_bind(p, flow, FLOW_OUT);
    case TM_DETAIL_BIND_STEP: return put_bind(p, flow, FLOW_INOUT);
    case TM_DETAIL_BIND_IN: return put_bind(p, flow, FLOW_IN);
    case TM_DETAIL_THREAD_TIME:
        return d->thread_time_uuid ? put_thread_time(p, d, (uint64_t)tm_unzigzag(f->value)) : p;
    default: return p;
    }
}

/* Reads the detail: puts flows and thread time into the body of SCRATCH, and sets *ARGS to the annotations. */
static bool put_detail(const struct tm_event_draft *d, struct tm_event_scratch *scratch, struct tm_text *args)
{
    struct tm_pb pb = tm_pb_of(d->detail.data, d->detail.len);
    struct tm_buf *body = &scratch->body;
    struct tm_pb_field f;
    tm_annotations_begin(&scratch->annotations, TM_TRACK_EVENT_ANNOTATIONS, d->name_id, d->arg_keys);
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_DETAIL_ARGS && f.type == TM_PB_LEN) {
            if (tm_annotations_add(&scratch->annotations, f.data, f.len) != TM_OK)
                return false;
        } else {
            if (tm_buf_reserve(body, FIXED_BYTES) != TM_OK)
                return false;
            body->len = (size_t)(put_detail_field(body->data + body->len, d, &f) - body->data);
        }
    }
    return tm_annotations_end(&scratch->annotations, args) == TM_OK;
}

/* Puts the fields of the TrackEvent before the annotations into the body of SCRATCH, and sets *ARGS to these. */
static bool put_body(const struct tm_event_draft *d, struct tm_event_scratch *scratch, struct tm_text *args)
{
    struct tm_buf *body = &scratch->body;
    const size_t text_bytes = d->texts ? d->texts->category.len + d->texts->name.len : 0;
    tm_buf_clear(body);
    if (tm_buf_reserve(body, FIXED_BYTES + text_bytes) != TM_OK)
        return false;
    body->len = (size_t)(put_fixed(body->data, d) - body->data);
    return put_detail(d, scratch, args);
}

/* Encodes a short draft in its place. */
static enum tm_status encode_short(const struct tm_event_draft *d, struct tm_buf *out)
{
    if (tm_buf_reserve_ahead(out, TM_DRAFT_HEAD_MAX + FIXED_BYTES, TM_CPU_CACHE_LINE) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *packet = out->data + out->len, *event = tm_draft_head_put(packet + 2, &d->head);
    uint8_t *p = put_fixed(event + 2, d);
    if (d->flow_phase)
        p = put_flow(p, d);
    event[0] = TM_PACKET_TRACK_EVENT << 3 | TM_PB_LEN;
    event[1] = (uint8_t)(p - event - 2);
    packet[0] = TM_TRACE_PACKET << 3 | TM_PB_LEN;
    packet[1] = (uint8_t)(p - packet - 2);
    out->len = (size_t)(p - out->data);
    return TM_OK;
}

static uint8_t *put_bytes(uint8_t *p, struct tm_text text)
{
    if (text.len)
        memcpy(p, text.data, text.len);
    return p + text.len;
}

enum tm_status tm_event_draft_encode(const struct tm_event_draft *d, struct tm_event_scratch *scratch,
                                     struct tm_buf *out)
{
    if (tm_event_draft_is_short(d))
        return encode_short(d, out);
    const struct tm_buf *body = &scratch->body;
    const struct tm_text entries = d->texts ? d->texts->entries : (struct tm_text){NULL, 0};
    struct tm_text args;
    uint8_t head[TM_DRAFT_HEAD_MAX], flow[FIXED_BYTES];
    if (!put_body(d, scratch, &args))
        return TM_E_SYSTEM;
    const size_t variable_bytes = entries.len + body->len + args.len;
    if (tm_buf_reserve_ahead(out, sizeof head + sizeof flow + variable_bytes, variable_bytes) != TM_OK)
        return TM_E_SYSTEM;
    const size_t head_bytes = (size_t)(tm_draft_head_put(head, &d->head) - head);
    const size_t flow_bytes = d->flow_phase ? (size_t)(put_flow(flow, d) - flow) : 0;
    const size_t event_bytes = body->len + args.len + flow_bytes;
    size_t len = head_bytes + 1 + tm_varint_size(event_bytes) + event_bytes;
    if (entries.len)
        len += 1 + tm_varint_size(entries.len) + entries.len;
    uint8_t *p = tm_varint_put_over(tm_pb_tag_put(out->data + out->len, TM_TRACE_PACKET, TM_PB_LEN), len);
    p = put_bytes(p, tm_text_at(head, head_bytes));
    if (entries.len)
        p = tm_pb_bytes_at(p, TM_PACKET_INTERNED_DATA, entries.data, entries.len);
    p = tm_varint_put_over(tm_pb_tag_put(p, TM_PACKET_TRACK_EVENT, TM_PB_LEN), event_bytes);
    p = put_bytes(p, tm_text_at(body->data, body->len));
    p = put_bytes(p, args);
    p = put_bytes(p, tm_text_at(flow, flow_bytes));
    out->len = (size_t)(p - out->data);
    return TM_OK;
}

void tm_event_scratch_release(struct tm_event_scratch *scratch)
{
    tm_annotations_release(&scratch->annotations);
    tm_buf_release(&scratch->body);
}


#include "format/perfetto/system.h"
#include "perfetto/packet_times.h"
#include "stream/detail_fields.h"

struct tm_event tm_proto_event(const struct tm_proto_packet *packet, enum tm_kind kind)
{
    struct tm_event event;
    _Static_assert(sizeof(void *) != 8 || sizeof event == 128, "tm_proto_event sets all members");
    event.time_ns = packet->has_time ? packet->time : 0;
    event.dur_ns = 0;
    event.position = 0;
    event.kind = kind;
    event.flags = tm_event_raw_flags(TM_RAW_PACKET) | (packet->has_time ? 0 : TM_EVENT_UNTIMED);
    event.file = 0;
    event.machine = packet->machine;
    event.clock = packet->clock;
    event.sequence = packet->sequence_id;
    event.generation = packet->generation;
    event.name = event.category = 0;
    event.pid = event.tid = 0;
    event.track = event.value = 0;
    event.raw = packet->raw;
    event.raw_bytes = (uint32_t)packet->raw_len;
    event.detail = NULL;
    event.detail_bytes = 0;
    event.cpu = 0;
    event.arg_keys = 0;
    return event;
}

struct tm_event tm_proto_packet_event(const struct tm_proto_packet *packet)
{
    struct tm_event event = tm_proto_event(packet, packet->has_time ? TM_KIND_PACKET : TM_KIND_METADATA);
    event.flags |= packet->has_time ? 0 : TM_EVENT_DEFINITION;
    return event;
}

enum tm_status tm_proto_add(struct tm_proto_rows *rows, struct tm_event *event, struct tm_error *err)
{
    event->detail = rows->detail.data;
    event->detail_bytes = (uint32_t)rows->detail.len;
    rows->detail.len = 0;
    rows->sink->budget.cut_count += rows->is_cut;
    rows->is_cut = false;
    return tm_event_sink_add(rows->sink, event, err);
}

enum tm_status tm_proto_add_with_times(struct tm_proto_rows *rows, struct tm_event *event, uint32_t own_clock,
                                       struct tm_error *err)
{
    uint32_t count = 0;
    enum tm_raw raw = tm_event_raw(event->flags);
    if (tm_raw_choice_has(&rows->sink->raw, raw) &&
        tm_packet_times_collect(raw, tm_text_at(event->raw, event->raw_bytes), own_clock, &rows->detail, &count) !=
            TM_OK)
        return tm_error_nomem(err);
    if (count)
        event->flags |= TM_EVENT_INNER_TIMES;
    return tm_proto_add(rows, event, err);
}

enum tm_status tm_proto_inner_time(struct tm_buf *detail, uint32_t clock, int64_t time)
{
    size_t mark;
    enum tm_status st = tm_pb_begin(detail, TM_DETAIL_INNER_TIMES, &mark);
    if (st == TM_OK)
        st = tm_pb_put_i32(detail, TM_INNER_TIME_CLOCK, clock);
    if (st == TM_OK)
        st = tm_pb_put_i64(detail, TM_INNER_TIME_VALUE, (uint64_t)time);
    if (st == TM_OK)
        st = tm_pb_put_i32(detail, TM_INNER_TIME_STATE, TM_INNER_TIME_RECORDED);
    return st == TM_OK ? tm_pb_end(detail, mark) : st;
}

enum tm_status tm_proto_add_packet(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                   struct tm_event *row, struct tm_error *err)
{
    *row = tm_proto_packet_event(packet);
    return tm_packet_times_in(packet->body.id) ? tm_proto_add_with_times(rows, row, packet->clock, err)
                                               : tm_proto_add(rows, row, err);
}

enum tm_status tm_proto_add_time(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, const char *name,
                                 const uint64_t *idx, struct tm_error *err)
{
    struct tm_event row = tm_proto_event(packet, TM_KIND_METADATA);
    if (!packet->has_time || !rows->sink->want_packet_args)
        return TM_OK;
    row.flags = TM_EVENT_DEFINITION | (idx ? TM_EVENT_HAS_VALUE : 0u);
    row.raw_bytes = 0;
    row.value = idx ? *idx : 0;
    enum tm_status st = tm_proto_string(rows, name, strlen(name), &row.name, err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}

enum tm_status tm_proto_counter_add(struct tm_proto_rows *rows, const struct tm_event *like, const char *name,
                                    uint64_t value, struct tm_error *err)
{
    struct tm_event row = *like;
    row.kind = TM_KIND_COUNTER;
    row.flags |= TM_EVENT_HAS_VALUE;
    row.value = value;
    enum tm_status st = tm_proto_string(rows, name, strlen(name), &row.name, err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}

#include "format/perfetto/ftrace_start.h"

#include "perfetto/recording_rows.h"

enum { STATS_PHASE = 1, STATS_PRESERVE_BUFFER = 8, PHASE_START = 1 };

/* Returns the value of field ID in PACKET's message; 0 if it is absent. */
static uint64_t number_in(const struct tm_proto_packet *packet, uint32_t id)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    uint64_t value = 0;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == id && f.type == TM_PB_VARINT)
            value = f.value;
    return value;
}

static enum tm_status add(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, const char *name,
                          uint32_t flags, struct tm_error *err)
{
    struct tm_event row = tm_proto_event(packet, TM_KIND_METADATA);
    row.flags = TM_EVENT_DERIVED | TM_EVENT_DEFINITION | flags;
    row.raw_bytes = 0;
    enum tm_status st = tm_proto_string(rows, name, strlen(name), &row.name, err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}

/* Adds a METADATA row at the time of PACKET for each event of the recording that it states. */
static enum tm_status add_recording_times(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                          struct tm_error *err)
{
    static const struct {
        uint32_t field; /* of TracingServiceEvent */
        const char *name;
    } times[] = {{2, TM_ROW_TRACING_STARTED},
                 {5, "tracing_disabled_ns"},
                 {1, "all_data_source_started_ns"},
                 {3, "all_data_source_flushed_ns"}};
    enum tm_status st = TM_OK;
    for (size_t i = 0; st >= 0 && i < sizeof times / sizeof *times; i++)
        if (number_in(packet, times[i].field))
            st = add(rows, packet, times[i].name, 0, err);
    return st;
}

enum tm_status tm_proto_ftrace_start(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                     struct tm_error *err)
{
    if (packet->body.id == TM_PACKET_SERVICE_EVENT)
        return packet->has_time ? add_recording_times(rows, packet, err) : TM_OK;
    return number_in(packet, STATS_PHASE) == PHASE_START && number_in(packet, STATS_PRESERVE_BUFFER)
               ? add(rows, packet, TM_ROW_PRESERVES_FTRACE_BUFFER, TM_EVENT_UNTIMED, err)
               : TM_OK;
}

enum tm_status tm_proto_ftrace_since(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                     const struct tm_proto_packet *packet, const struct tm_proto_ftrace_begin *begin,
                                     struct tm_error *err)
{
    enum { LATEST = 2, OF_CPU = 16 }; /* keys in ftrace_pairs; OF_CPU and above: a cpu */
    static const char name[] = TM_ROW_COMPLETE_SINCE;
    const uint64_t of_cpu = OF_CPU + (uint64_t)begin->cpu;
    struct tm_proto_map_entry *entry;
    if (!rows->sink->want_packet_args || tm_proto_map_find(&kernels->ftrace_pairs, packet->machine, of_cpu))
        return TM_OK;
    if (tm_proto_map_add(&kernels->ftrace_pairs, packet->machine, of_cpu, UINT32_MAX, &entry) != TM_OK)
        return tm_error_nomem(err);
    if (begin->ns == 0 || begin->ns > INT64_MAX)
        return TM_OK;
    if (tm_proto_map_add(&kernels->ftrace_pairs, packet->machine, LATEST, UINT32_MAX, &entry) != TM_OK)
        return tm_error_nomem(err);
    if (begin->ns <= entry->v1)
        return TM_OK;
    entry->v1 = begin->ns;
    struct tm_event row = tm_proto_event(packet, TM_KIND_METADATA);
    row.flags = TM_EVENT_DEFINITION;
    row.raw_bytes = 0;
    row.time_ns = (int64_t)begin->ns;
    row.clock = begin->clock;
    enum tm_status st = tm_proto_string(rows, name, sizeof name - 1, &row.name, err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}

enum tm_status tm_proto_ftrace_data(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                    const struct tm_proto_packet *packet, struct tm_error *err)
{
    enum { OF_DATA = 1 }; /* a key in ftrace_pairs; clock pairs have the key 0 */
    struct tm_proto_map_entry *entry;
    if (tm_proto_map_find(&kernels->ftrace_pairs, packet->machine, OF_DATA))
        return TM_OK;
    if (tm_proto_map_add(&kernels->ftrace_pairs, packet->machine, OF_DATA, UINT32_MAX, &entry) != TM_OK)
        return tm_error_nomem(err);
    return add(rows, packet, TM_ROW_FTRACE_DATA, TM_EVENT_UNTIMED, err);
}

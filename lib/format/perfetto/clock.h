/* Clock snapshots: ClockSnapshot, RemoteClockSync, and the pairs inside ftrace bundles. */
#ifndef TM_FORMAT_PERFETTO_CLOCK_H
#define TM_FORMAT_PERFETTO_CLOCK_H

#include "format/perfetto/internal.h"

/* Writes the Snapshot frame of a clock_snapshot packet. */
enum tm_status tm_proto_clock_snapshot_read(struct tm_proto_map *clocks, struct tm_proto_rows *rows,
                                            const struct tm_proto_packet *packet, struct tm_error *err);

/* Writes the RemoteClockSync frame of a remote_clock_sync packet. */
enum tm_status tm_proto_clock_sync_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                        struct tm_error *err);

/* Readings of CLOCK and BOOTTIME at one instant. */
struct tm_boottime_pair {
    uint32_t clock;
    int64_t reading, boot_ns;
};

/* Writes a Snapshot frame with PAIR. It does not change the file's default clock. */
enum tm_status tm_proto_clock_pair(struct tm_event_sink *sink, const struct tm_proto_packet *packet,
                                   const struct tm_boottime_pair *pair, struct tm_error *err);

/* True if a snapshot so far sets a default clock for MACHINE or for the host. */
bool tm_proto_has_default_clock(const struct tm_proto_map *clocks, uint32_t machine);

#endif

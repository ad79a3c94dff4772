/* Clock snapshots: ClockSnapshot, RemoteClockSync, and the pairs inside ftrace bundles. */
#ifndef TM_FORMAT_PERFETTO_CLOCK_H
#define TM_FORMAT_PERFETTO_CLOCK_H

#include "format/perfetto/internal.h"

/* Writes the Snapshot frame of a clock_snapshot packet. */
enum tm_status tm_proto_clock_snapshot_read(struct tm_proto *p, const struct tm_proto_packet *packet,
                                            struct tm_error *err);

/* Writes the RemoteClockSync frame of a remote_clock_sync packet. */
enum tm_status tm_proto_clock_sync_read(struct tm_proto *p, const struct tm_proto_packet *packet,
                                        struct tm_error *err);

/* Writes a Snapshot frame that says: CLOCK read READING when BOOTTIME read BOOT. It does not decide
 * the file's default clock. */
enum tm_status tm_proto_clock_pair(struct tm_proto *p, const struct tm_proto_packet *packet, uint32_t clock,
                                   int64_t reading, int64_t boot, struct tm_error *err);

#endif

/* Statistics of logs that several files state about one machine. A reader keeps the last number that a packet of the
 * machine states, so the files would replace each other's. */
#ifndef TM_EMIT_PERFETTO_LOG_STATS_H
#define TM_EMIT_PERFETTO_LOG_STATS_H

#include "emit/perfetto/packet_writer.h"

/* Writes for each machine whose numbers several files state a packet with their sums: of Android's log, and of
 * systemd's journal. It has no time, so a reader takes it after all others. Call it at the end; the catalog must be
 * complete. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_log_stats_write(struct tm_packet_writer *writer, struct tm_error *err);

#endif

/* The packets by which a reader of a merged Perfetto trace knows its clocks. doc/pftrace.md ("Clocks") says which there
 * are and why. */
#ifndef TM_EMIT_PERFETTO_SNAPSHOT_WRITER_H
#define TM_EMIT_PERFETTO_SNAPSHOT_WRITER_H

#include "emit/perfetto/clock_rows.h"
#include "emit/perfetto/packet_writer.h"

/* The first packets of the trace: the timeline's clock, how the machines are related, and all snapshots of CLOCKS,
 * which are settled. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_snapshots_write(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                                  struct tm_error *err);

/* What is said of clocks after all events. */
enum tm_status tm_snapshots_finish(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                                   struct tm_error *err);

#endif

/* The packets that define the clocks of a merged Perfetto trace for readers. doc/pftrace.md ("Clocks") lists them and
 * gives the reasons. */
#ifndef TM_EMIT_PERFETTO_SNAPSHOT_WRITER_H
#define TM_EMIT_PERFETTO_SNAPSHOT_WRITER_H

#include "emit/perfetto/clock_rows.h"
#include "emit/perfetto/packet_writer.h"

/* Writes the first packets of the trace: the timeline's clock, the relations of the machines, and all snapshots of
 * CLOCKS, which must be settled. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_snapshots_write(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                                  struct tm_error *err);

/* Writes the clock packets that come after all events. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_snapshots_finish(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                                   struct tm_error *err);

#endif

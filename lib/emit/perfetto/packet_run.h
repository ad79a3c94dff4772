/* The fastest path for the most frequent packets of track events. It checks the columns of a tile of rows, then writes
 * all of its packets. */
#ifndef TM_EMIT_PERFETTO_PACKET_RUN_H
#define TM_EMIT_PERFETTO_PACKET_RUN_H

#include "emit/perfetto/packet_writer.h"
#include "stream/batch.h"

struct tm_packet_run {
    const uint32_t *written; /* by generation: not 0 if nothing must precede its events; NULL: true for all */
    uint32_t written_count;
    int64_t before_ns; /* rows at this time and later are not written */
    uint32_t rows;   /* number of rows that the last call wrote */
    int64_t time_ns; /* of the last of them */
};

/* Writes WALK's next events as long as tm_packet_splice_body would write them and no other work is due: short slices
 * and instants that are not the first of their generation. May stop early. Moves WALK after them. TM_OK, also if there
 * are none, or TM_E_SYSTEM. */
enum tm_status tm_packet_run_write(struct tm_packet_writer *writer, struct tm_batch_walk *walk,
                                   struct tm_packet_run *run, struct tm_error *err);

#endif

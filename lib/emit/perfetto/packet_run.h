/* The quickest way of all for the packets that most of a trace of track events consists of, many at once: what has to
 * be true of a row is asked of a tile of rows, column by column, and then they are written one after the other. */
#ifndef TM_EMIT_PERFETTO_PACKET_RUN_H
#define TM_EMIT_PERFETTO_PACKET_RUN_H

#include "emit/perfetto/packet_writer.h"
#include "stream/batch.h"

struct tm_packet_run {
    const uint32_t *said; /* of each generation: not 0 where nothing is missing before its events; NULL: of none is */
    uint32_t said_count;
    int64_t before_ns; /* rows of this time and later are not written */
    uint32_t rows;   /* that the last call wrote */
    int64_t time_ns; /* of the last of them */
};

/* Writes the events of WALK from its next one on, as far as tm_packet_splice_body would write each with nothing else to
 * be done, and not all that are left: short slices and instants that are not the first of their generation. Moves WALK
 * after them. TM_OK, also where there are none, or TM_E_SYSTEM. */
enum tm_status tm_packet_run_write(struct tm_packet_writer *writer, struct tm_batch_walk *walk,
                                   struct tm_packet_run *run, struct tm_error *err);

#endif

/* Takes packets of the output in their order and writes them. Packets after an open placeholder wait. */
#ifndef TM_EMIT_PERFETTO_PACKET_SINK_H
#define TM_EMIT_PERFETTO_PACKET_SINK_H

#include "emit/perfetto/placeholders.h"
#include "os/block_output.h"

/* Zero-initialise, then call tm_block_output_init for BLOCKS. */
struct tm_packet_sink {
    struct tm_block_output blocks;
    struct tm_placeholders undecided; /* everything from the first open placeholder on */
    /* private */
    struct tm_buf ready;              /* everything before that */
    size_t undecided_bytes;           /* put since the ready ones were last looked for */
};

/* Adds PACKETS after all others. They are then empty and may have other memory. Writes full blocks. TM_OK or
 * TM_E_SYSTEM, as all functions below. */
enum tm_status tm_packet_sink_put(struct tm_packet_sink *sink, struct tm_buf *packets, struct tm_error *err);

/* Opens PLACEHOLDER after all packets (placeholders.h). Takes VERSIONS over, also if it fails. */
enum tm_status tm_packet_sink_open(struct tm_packet_sink *sink, uint32_t placeholder, struct tm_buf versions[2],
                                   struct tm_error *err);

/* Replaces PLACEHOLDER by its version WHICH. */
enum tm_status tm_packet_sink_decide(struct tm_packet_sink *sink, uint32_t placeholder, int which,
                                     struct tm_error *err);

/* Writes the rest, which no placeholder may hold back, and waits until all is written. */
enum tm_status tm_packet_sink_finish(struct tm_packet_sink *sink, struct tm_error *err);

void tm_packet_sink_release(struct tm_packet_sink *sink);

#endif

/* What sequences lost, for whoever reads a merged trace.
 *
 * Packets of a merged trace are in order of time and on sequences of its own, whose state is complete; that a packet
 * was lost is true of the recorded sequence, in the order of the file. So a sequence that lost packets, or had some
 * that needed state it had not, gets a shadow: METADATA rows of no generation, in file order, each a TracePacket of
 * previous_packet_dropped, sequence_flags and an empty interned_data alone. A reader of these packets, on a sequence
 * of their own, counts what it counts of the recorded one. */
#ifndef TM_FORMAT_PERFETTO_SEQUENCE_LOSS_H
#define TM_FORMAT_PERFETTO_SEQUENCE_LOSS_H

#include "format/perfetto/internal.h"

/* PACKET's sequence is as PACKET left it; IS_SKIPPED: the state that PACKET needs is not complete. Adds the rows that
 * it means. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_sequence_loss_note(struct tm_proto *p, const struct tm_proto_packet *packet, bool is_skipped,
                                           struct tm_error *err);

#endif

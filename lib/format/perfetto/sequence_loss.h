/* Losses of sequences, for readers of a merged trace.
 *
 * Packets of a merged trace are in order of time and on sequences of its own, whose state is complete. A loss belongs
 * to the recorded sequence, in the order of the file. So a sequence that lost packets, or had packets whose state was
 * missing, gets a shadow: METADATA rows without a generation, in file order. Each is a TracePacket that has only
 * previous_packet_dropped, sequence_flags and an empty interned_data. A reader of these packets, on a sequence of their
 * own, counts the same losses as for the recorded sequence. */
#ifndef TM_FORMAT_PERFETTO_SEQUENCE_LOSS_H
#define TM_FORMAT_PERFETTO_SEQUENCE_LOSS_H

#include "format/perfetto/internal.h"

/* Adds the shadow's rows for PACKET, after PACKET has changed its sequence. IS_SKIPPED: the state that PACKET needs is
 * incomplete. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_sequence_loss_note(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                           bool is_skipped, struct tm_error *err);

#endif

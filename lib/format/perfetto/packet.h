/* One TracePacket: decodes it, updates the state of its sequence, and passes it to the reader of its kind. */
#ifndef TM_FORMAT_PERFETTO_PACKET_H
#define TM_FORMAT_PERFETTO_PACKET_H

#include "format/perfetto/internal.h"

/* Decodes the LEN bytes at DATA. TM_OK, or TM_E_INPUT (no text) if they are not a message. */
enum tm_status tm_proto_packet_decode(struct tm_proto_packet *packet, const uint8_t *data, size_t len);

/* Adds the rows of PACKET, decoded, and of its sequence's state. TM_OK; TM_E_INPUT, with an error text that states no
 * offset: the packet's content is damaged, and only rows of the sequence's state were added; TM_E_SYSTEM. Not for
 * compressed packets. */
enum tm_status tm_proto_packet_read(struct tm_proto *p, struct tm_proto_packet *packet, struct tm_error *err);

#endif

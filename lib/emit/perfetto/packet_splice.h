/* The quick way of tm_packet_retime for the packets that most of a trace consists of: stretches of the recorded bytes
 * are copied as they stand, with what is new between them. */
#ifndef TM_EMIT_PERFETTO_PACKET_SPLICE_H
#define TM_EMIT_PERFETTO_PACKET_SPLICE_H

#include "emit/perfetto/packet_values.h"
#include "emit/perfetto/packet_writer.h"

/* Writes EVENT's packet with the bytes that tm_packet_rewrite writes; EXTRAS as there. TM_OK, TM_E_SYSTEM, or TM_END:
 * the packet needs more changes or is damaged, and nothing was written. */
enum tm_status tm_packet_splice(struct tm_packet_writer *writer, const struct tm_event *event,
                                const struct tm_extra_values *extras, struct tm_error *err);

/* Writes EVENT's packet from its body (TM_EVENT_RAW_BODY). The body must be of the usual kind: a track event with flags
 * and the uid of its writer around it. The columns used of EVENT are flags, time_ns, file, machine, sequence,
 * generation, raw and raw_bytes. READABLE: bytes that can be read from raw on, raw_bytes or more. TM_OK, TM_E_SYSTEM,
 * or TM_END: the body is not of that kind, and nothing was written. */
enum tm_status tm_packet_splice_body(struct tm_packet_writer *writer, const struct tm_event *event, size_t readable,
                                     struct tm_error *err);

#endif

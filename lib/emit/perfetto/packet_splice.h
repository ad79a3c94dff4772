/* The fast path of tm_packet_retime for the most frequent packets: ranges of the recorded bytes are copied, with new
 * fields between them. */
#ifndef TM_EMIT_PERFETTO_PACKET_SPLICE_H
#define TM_EMIT_PERFETTO_PACKET_SPLICE_H

#include "emit/perfetto/packet_values.h"
#include "emit/perfetto/packet_writer.h"

/* Writes EVENT's packet with the same bytes as tm_packet_rewrite; EXTRAS has the same meaning. TM_OK, TM_E_SYSTEM, or
 * TM_END: the packet needs more changes or is damaged, and nothing was written. */
enum tm_status tm_packet_splice(struct tm_packet_writer *writer, const struct tm_event *event,
                                const struct tm_extra_values *extras, struct tm_error *err);

/* Writes EVENT's packet from its body (TM_EVENT_RAW_BODY). The body must be of the usual kind: a track event with flags
 * and the uid of its writer around it. Uses these columns of EVENT: flags, time_ns, file, machine, sequence,
 * generation, raw and raw_bytes. READABLE: number of bytes that can be read from raw on, at least raw_bytes. TM_OK,
 * TM_E_SYSTEM, or TM_END: the body is of another kind, and nothing was written. */
enum tm_status tm_packet_splice_body(struct tm_packet_writer *writer, const struct tm_event *event, size_t readable,
                                     struct tm_error *err);

#endif

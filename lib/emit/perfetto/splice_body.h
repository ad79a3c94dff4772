/* The fast path of a recorded packet in which nothing changes but its first fields: its body is copied. */
#ifndef TM_EMIT_PERFETTO_SPLICE_BODY_H
#define TM_EMIT_PERFETTO_SPLICE_BODY_H

#include "emit/perfetto/packet_writer.h"

/* Writes EVENT's packet from its body (TM_EVENT_RAW_BODY). The body must be of the usual kind: a track event with flags
 * and the uid of its writer around it. Uses these columns of EVENT: flags, time_ns, file, machine, sequence,
 * generation, raw and raw_bytes. READABLE: number of bytes that can be read from raw on, at least raw_bytes. TM_OK,
 * TM_E_SYSTEM, or TM_END: the body is of another kind, and nothing was written. */
enum tm_status tm_packet_splice_body(struct tm_packet_writer *writer, const struct tm_event *event, size_t readable,
                                     struct tm_error *err);

#endif

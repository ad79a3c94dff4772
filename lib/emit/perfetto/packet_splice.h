/* The quick way of tm_packet_retime for the packets that most of a trace consists of: stretches of the recorded bytes
 * are copied as they stand, with what is new between them. */
#ifndef TM_EMIT_PERFETTO_PACKET_SPLICE_H
#define TM_EMIT_PERFETTO_PACKET_SPLICE_H

#include "emit/perfetto/packet_values.h"
#include "emit/perfetto/packet_writer.h"

/* Writes EVENT's packet; EXTRAS as for tm_packet_retime. TM_END with nothing written where it takes more than that (or
 * is damaged): tm_packet_retime's own way gives the same bytes. TM_OK or TM_E_SYSTEM else. */
enum tm_status tm_packet_splice(struct tm_packet_writer *writer, const struct tm_event *event,
                                const struct tm_extra_values *extras, struct tm_error *err);

/* The same for the body of a packet (TM_EVENT_RAW_BODY) that looks as most do: a track event, and flags and the uid of
 * its writer around it. Of EVENT are looked at: flags, time_ns, file, machine, sequence, generation, raw and raw_bytes.
 * READABLE: bytes that can be read from raw on, raw_bytes or more. TM_END with nothing written where it is none of
 * these. */
enum tm_status tm_packet_splice_body(struct tm_packet_writer *writer, const struct tm_event *event, size_t readable,
                                     struct tm_error *err);

#endif

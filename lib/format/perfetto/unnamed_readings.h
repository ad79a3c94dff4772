/* Readings of power that state what they measure by a number, where no packet before has named it. In the buffer of a
 * long recording the first packet with names can come after many readings. They are read again at the end of the
 * file. */
#ifndef TM_FORMAT_PERFETTO_UNNAMED_READINGS_H
#define TM_FORMAT_PERFETTO_UNNAMED_READINGS_H

#include "format/perfetto/packet_rows.h"

/* Copies READING, a message of PACKET, with the packet's time and the number SESSION, for the end of the file. Counts
 * it as STAT instead if the file has ended, if there is no room, or if the packet's time is of the clock of a sequence:
 * such times can be relative to those before them. TM_OK or an error. */
enum tm_status tm_proto_unnamed_add(struct tm_proto_packet_rows *packet, const struct tm_pb_field *reading,
                                    uint64_t session, enum tm_proto_stat stat);

/* Sets *PACKET to the packet of the reading at byte *AT, with the reading as its body, borrowed, and *SESSION to its
 * session. *AT becomes the place of the next one. TM_OK; TM_END: there is none. */
enum tm_status tm_proto_unnamed_next(const struct tm_proto_known_texts *known, size_t *at,
                                     struct tm_proto_packet *packet, uint64_t *session);

#endif

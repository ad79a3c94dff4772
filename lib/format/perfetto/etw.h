/* Bundles of events of Windows (ETW): EtwTraceEventBundle. */
#ifndef TM_FORMAT_PERFETTO_ETW_H
#define TM_FORMAT_PERFETTO_ETW_H

#include "format/perfetto/internal.h"

/* Adds a row for each event of PACKET's bundle, and one for the rest of the packet. The raw payload of an event is a
 * packet whose bundle has only this event. Its time is on the file's default clock, whatever clock the packet names. An
 * event without a time or a cpu is accounted as damaged. */
enum tm_status tm_proto_etw_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                 struct tm_error *err);

/* Makes ROW the row of F, the message of a request to a file system or a disk, and puts its args into rows->detail.
 * TM_END: F is none, or states too little. PACKET contains F. */
enum tm_status tm_proto_etw_request(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                    const struct tm_proto_packet *packet, struct tm_event *row, struct tm_error *err);

#endif

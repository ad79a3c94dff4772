/* Frames of Android's compositor: when they were expected and when they were shown. Rules:
 * importers/proto/frame_timeline_event_parser.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_FRAME_TIMELINE_H
#define TM_FORMAT_PERFETTO_FRAME_TIMELINE_H

#include "format/perfetto/internal.h"

/* Adds the rows of a frame_timeline_event packet: the packet's own, and a DERIVED begin or end of a slice. */
enum tm_status tm_proto_frame_timeline_read(struct tm_proto_frames *frames, struct tm_proto_rows *rows,
                                            const struct tm_proto_packet *packet, struct tm_error *err);

#endif

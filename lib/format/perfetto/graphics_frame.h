/* Buffers of Android's graphics before Android 12: when an app drew them, and when they were shown. Rules:
 * importers/proto/graphics_frame_event_parser.cc of perfetto. Which slices begin and end depends on earlier events in
 * order of time, so lib/model/graphics_buffers decides that. */
#ifndef TM_FORMAT_PERFETTO_GRAPHICS_FRAME_H
#define TM_FORMAT_PERFETTO_GRAPHICS_FRAME_H

#include "format/perfetto/internal.h"

/* Adds the rows of a graphics_frame_event packet: the packet's own, a DERIVED row of the event, and those of the phases
 * of the buffer that the event begins or ends. */
enum tm_status tm_proto_graphics_frame_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                            struct tm_error *err);

#endif

/* The packets of a track writer: TrackEvents and descriptors, on its own sequence of each machine. */
#ifndef TM_EMIT_PERFETTO_TRACK_PACKET_H
#define TM_EMIT_PERFETTO_TRACK_PACKET_H

#include "emit/perfetto/track_writer.h"

/* TrackEvent.Type of track_event.proto. */
enum tm_output_track_type {
    TM_TRACK_NONE = 0,
    TM_TRACK_BEGIN = 1,
    TM_TRACK_END = 2,
    TM_TRACK_INSTANT = 3,
    TM_TRACK_COUNTER = 4
};

/* TrackDescriptor.ProcessOrdering and ThreadOrdering: by the rank of each. */
enum { TM_ORDERING_EXPLICIT = 1 };

/* TrackDescriptor.SiblingMergeBehavior. Readers take tracks of one name and parent for one, and then find no slice
 * there for a flow event, unless the descriptor says not to. */
enum { TM_MERGES_NOT = 2 };

/* One TrackEvent packet of TYPE on track UUID, with name, category, args and flows of EVENT; a counter has its
 * value instead. */
enum tm_status tm_track_packet_event(struct tm_track_writer *writer, const struct tm_event *event, int type,
                                     uint64_t uuid, struct tm_error *err);

/* The end of a complete event on track UUID, with name and category of AS where that is not NULL. */
enum tm_status tm_track_packet_end(struct tm_track_writer *writer, const struct tm_open_end *end,
                                   const struct tm_event *as, uint64_t uuid, struct tm_error *err);

/* Sets writer->body to the description of a track below PARENT (0: none). EVENT's file names it; without a name readers
 * name it by its first event. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_packet_below(struct tm_track_writer *writer, const struct tm_event *event, uint64_t parent);

/* A descriptor of track LANE below PARENT. */
enum tm_status tm_track_packet_lane(struct tm_track_writer *writer, const struct tm_event *event, uint64_t lane,
                                    uint64_t parent, struct tm_error *err);

/* Adds to OUT the packets in PACKETS, whose TrackEvents it puts on track UUID. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_packet_move(const struct tm_buf *packets, uint64_t uuid, struct tm_buf *out);

/* Writes a descriptor of track UUID, whose other fields are in writer->body, on EVENT's machine. If EVENT is timed, the
 * descriptor has its time and is about the process that has the pid then. */
enum tm_status tm_track_packet_describe(struct tm_track_writer *writer, const struct tm_event *event, uint64_t uuid,
                                        struct tm_error *err);

#endif

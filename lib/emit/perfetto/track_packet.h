/* The packets of a track writer: TrackEvents and descriptors, on its own sequence of each machine. */
#ifndef TM_EMIT_PERFETTO_TRACK_PACKET_H
#define TM_EMIT_PERFETTO_TRACK_PACKET_H

#include "emit/perfetto/track_writer.h"

/* Writes one TrackEvent packet of TYPE on track UUID with name, category, args and flows of EVENT; a counter has its
 * value instead. TM_OK or TM_E_SYSTEM, as all functions below. */
enum tm_status tm_track_packet_event(struct tm_track_writer *writer, const struct tm_event *event, int type,
                                     uint64_t uuid, struct tm_error *err);

/* Writes the end of a complete event on track UUID, with name and category of AS unless AS is NULL. */
enum tm_status tm_track_packet_end(struct tm_track_writer *writer, const struct tm_open_end *end,
                                   const struct tm_event *as, uint64_t uuid, struct tm_error *err);

/* Sets writer->body to the description of a track below PARENT (0: none), named by EVENT's file; without a name readers
 * name it by its first event. */
enum tm_status tm_track_packet_below(struct tm_track_writer *writer, const struct tm_event *event, uint64_t parent);

/* Writes a descriptor of track LANE below PARENT. */
enum tm_status tm_track_packet_lane(struct tm_track_writer *writer, const struct tm_event *event, uint64_t lane,
                                    uint64_t parent, struct tm_error *err);

/* Adds the packets in PACKETS to OUT and puts their TrackEvents on track UUID. */
enum tm_status tm_track_packet_move(const struct tm_buf *packets, uint64_t uuid, struct tm_buf *out);

/* Writes a descriptor of track UUID, whose other fields are in writer->body, on EVENT's machine. If EVENT is timed, the
 * descriptor has its time and describes the process that has the pid then. */
enum tm_status tm_track_packet_describe(struct tm_track_writer *writer, const struct tm_event *event, uint64_t uuid,
                                        struct tm_error *err);

#endif

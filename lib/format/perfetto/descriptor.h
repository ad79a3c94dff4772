/* Reads descriptors of tracks, threads and processes, and remembers what later packets need: how a counter counts, and
 * the thread or process of a track. */
#ifndef TM_FORMAT_PERFETTO_DESCRIPTOR_H
#define TM_FORMAT_PERFETTO_DESCRIPTOR_H

#include "format/perfetto/internal.h"

enum tm_proto_track_kind {
    TM_PROTO_TRACK_OTHER,
    TM_PROTO_TRACK_COUNTER,
    TM_PROTO_TRACK_THREAD,
    TM_PROTO_TRACK_PROCESS
};

struct tm_proto_track {
    enum tm_proto_track_kind kind;
    bool is_incremental;     /* counters */
    int64_t unit_multiplier; /* counters; 0: none */
    int64_t pid;             /* threads and processes */
    int64_t tid;             /* threads */
};

/* Returns the remembered facts of track UUID of MACHINE. The kind is TM_PROTO_TRACK_OTHER if there are none so far. */
struct tm_proto_track tm_proto_track_find(const struct tm_proto_map *tracks, uint32_t machine, uint64_t uuid);

/* Adds the rows of a track_descriptor, thread_descriptor or process_descriptor packet. */
enum tm_status tm_proto_descriptor_read(struct tm_proto_map *tracks, struct tm_proto_rows *rows,
                                        const struct tm_proto_packet *packet, struct tm_error *err);

#endif

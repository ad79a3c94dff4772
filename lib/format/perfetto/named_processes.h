/* Packets and events that name processes. */
#ifndef TM_FORMAT_PERFETTO_NAMED_PROCESSES_H
#define TM_FORMAT_PERFETTO_NAMED_PROCESSES_H

#include "format/perfetto/internal.h"

/* Adds the processes of a memory_tracker_snapshot, smaps_packet or vulkan_memory_event as DERIVED rows, after its own
 * row. */
enum tm_status tm_proto_named_processes_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                             struct tm_error *err);

/* Adds the process of an art_process_metadata as a DERIVED row, after its own row; then a definition of its app, if the
 * packet states the app's name and number (not with --no-packet-args). */
enum tm_status tm_proto_art_process_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                         struct tm_error *err);

/* Adds the process whose start or death EVENT states (process_start_event, binder_died_event, extensions of Android's)
 * as a DERIVED row after LIKE: PROCESS with its name and uid, or PROCESS_EXIT. Without a pid there is no row. */
enum tm_status tm_proto_process_life_add(struct tm_proto_rows *rows, struct tm_pb event, const struct tm_event *like,
                                            struct tm_error *err);

/* An argument that is true or false. */
struct tm_proto_flag {
    const char *key;
    bool value;
};

/* Adds process PID as a DERIVED row after LIKE. ARG is its only argument; NULL: it has none. */
enum tm_status tm_proto_process_name(struct tm_proto_rows *rows, int64_t pid, const struct tm_proto_flag *arg,
                                     const struct tm_event *like, struct tm_error *err);

#endif

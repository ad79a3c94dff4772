/* Descriptions of tracks, threads and processes. They are read from the packet and written as Detail messages. */
#ifndef TM_FORMAT_PERFETTO_DESCRIPTION_H
#define TM_FORMAT_PERFETTO_DESCRIPTION_H

#include "base/pb.h"

#include <stdbool.h>

struct tm_proto_text {
    const uint8_t *data; /* NULL: none; borrowed from the packet */
    size_t len;
};

/* ThreadDescriptor, with the facts of a ChromeThreadDescriptor beside it. The sort index is the rank of its track, if
 * the root says that ranks count. The reference importer does not read legacy_sort_index, here and below. */
struct tm_proto_thread {
    bool has_pid, has_tid, has_sort, sandboxed;
    int64_t pid, tid, sort;
    int64_t chrome_type, kind; /* as ThreadDescriptor and ChromeThreadDescriptor state the thread's kind; 0: none */
    struct tm_proto_text name;
    int64_t reference_us, reference_thread_us, reference_instructions;
};

/* ProcessDescriptor, with the facts of a ChromeProcessDescriptor beside it. */
struct tm_proto_process {
    bool has_pid, has_sort, has_start;
    int64_t pid, sort, start_ns;
    int64_t chrome_type;       /* the process's kind; 0: none */
    struct tm_pb_field chrome; /* ChromeProcessDescriptor, if has_chrome */
    bool has_chrome;
    struct tm_proto_text name;
    struct tm_pb_field message; /* the source of its command line and labels */
};

struct tm_proto_counter {
    int64_t type, unit, multiplier;
    bool incremental;
    struct tm_proto_text unit_name, y_axis_share_key;
    struct tm_pb_field message; /* the source of its categories */
};

/* TrackDescriptor. */
struct tm_proto_track_descriptor {
    bool has_uuid, has_parent, has_rank, has_ordering, has_merge_key_int;
    bool has_thread, has_process, has_counter, has_state;
    bool orders_processes, orders_threads; /* of the root: their ranks count */
    uint64_t uuid, parent, merge_key_int;
    int64_t rank;
    uint32_t ordering, merge_behavior;
    struct tm_proto_text name, description, merge_key;
    struct tm_proto_thread thread;
    struct tm_proto_process process;
    struct tm_proto_counter counter;
};

/* Returns the tid that rows have for thread TID of a sandboxed process PID. A sandbox numbers its threads itself, so
 * TID may belong to another process too. Source: importers/common/synthetic_tid.h of Perfetto. */
static inline int64_t tm_proto_synthetic_tid(int64_t tid, int64_t pid)
{
    return (int64_t)((uint64_t)pid << 32 | (uint64_t)tid);
}

/* Each reads the message in F. TM_OK, or TM_E_INPUT (no text) if it is damaged. Zero-initialise the result. */
enum tm_status tm_proto_thread_read(struct tm_proto_thread *thread, const struct tm_pb_field *f);
enum tm_status tm_proto_process_read(struct tm_proto_process *process, const struct tm_pb_field *f);
enum tm_status tm_proto_track_descriptor_read(struct tm_proto_track_descriptor *track, const struct tm_pb_field *f);

/* Each appends a field of Detail. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_thread_put(struct tm_buf *detail, const struct tm_proto_thread *thread);
enum tm_status tm_proto_process_put(struct tm_buf *detail, const struct tm_proto_process *process);
enum tm_status tm_proto_track_descriptor_put(struct tm_buf *detail, const struct tm_proto_track_descriptor *track);

#endif

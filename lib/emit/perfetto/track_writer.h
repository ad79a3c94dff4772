/* Writes events of formats other than Perfetto protos as TrackEvents: thread and process tracks by (machine, pid, tid),
 * async tracks by id, counters by name. Complete events become a begin and an end; those that cross on one thread go to
 * further tracks of it. Memory: all tracks, the slices open at one time, the events of one timestamp group, and that of
 * placeholders.h. */
#ifndef TM_EMIT_PERFETTO_TRACK_WRITER_H
#define TM_EMIT_PERFETTO_TRACK_WRITER_H

#include "base/intern.h"
#include "base/map.h"
#include "base/table.h"
#include "emit/perfetto/annotation_names.h"
#include "emit/perfetto/flow_targets.h"
#include "emit/perfetto/kernel_slices.h"
#include "emit/perfetto/nesting.h"
#include "emit/perfetto/open_ends.h"
#include "emit/perfetto/packet_writer.h"
#include "emit/perfetto/pending_names.h"
#include "emit/perfetto/reader_slices.h"
#include "stream/timestamp_group.h"

/* Complete events that may move to a lane. Zero-initialise. */
struct tm_track_choices {
    struct tm_deferred_choice {
        int64_t reader_id, begin_ns;
        uint64_t lane;
        bool has_moved, has_ended;
        uint32_t next_free; /* if it is free: the next free one, coded like free */
    } * choices;
    uint32_t count, cap, free; /* free: number of a free one plus 1; 0: none */
    struct tm_table by_reader_id; /* from the reader_id of each that is not free to its number */
};

enum { TM_RECENT_STRINGS = 8192, TM_RECENT_TASKS = 512 }; /* sizes of caches, powers of two */

/* Zero-initialise, with .packets set. */
struct tm_track_writer {
    struct tm_packet_writer *packets; /* borrowed */
    /* the only trace of the merge: its flows keep their ids, and its instants are on tracks of their own */
    bool is_alone;
    uint64_t unsupported_count;       /* events that no TrackEvent can express */
    struct tm_pending_names names;
    struct tm_kernel_slices kernel_slices;
    /* private */
    struct tm_track_sequence {
        uint32_t id; /* output sequence; 0: not started */
        /* sequence for descriptors: readers assign events to the last thread described on their sequence */
        uint32_t descriptors;
        struct tm_intern names, categories;
    } *sequences; /* one for each machine */
    uint32_t sequence_count, sequence_cap;
    /* a cache of the interned strings: string STRING of the stream has id ID - 1 on the sequence of MACHINE */
    struct tm_recent_string {
        uint32_t string; /* 0: no entry */
        uint32_t machine, id;
    } recent_names[TM_RECENT_STRINGS], recent_categories[TM_RECENT_STRINGS];
    struct tm_annotation_names arg_names;
    /* a cache of the tracks that tm_track_task finds */
    struct tm_recent_task {
        uint64_t uuid;      /* 0: no entry */
        uint64_t time_uuid; /* of the counter for its thread time; 0: not known */
        int64_t pid, tid;   /* pid 0: it has none; tid: of a thread */
        uint32_t file, machine;
        uint32_t changes; /* those of the owners of tracks then */
        bool has_pid, is_thread;
    } recent_tasks[TM_RECENT_TASKS];
    struct tm_map known;
    struct tm_map ranks; /* from a task with a rank to its place in task_ranks */
    struct tm_task_rank {
        int64_t time_ns; /* INT64_MIN: it has no time */
        int32_t rank;    /* the sort index */
    } *task_ranks;
    uint32_t task_rank_count, task_rank_cap;
    struct tm_map ranked; /* machines for which it was written that ranks count */
    struct tm_reader_slices reader;
    bool has_begins; /* reader then follows the tracks with slices */
    struct {
        uint32_t file; /* its number plus 1 */
        int64_t time_ns;
    } line; /* the last event that was a line of text */
    struct tm_track_choices choices;
    struct tm_open_ends ends;
    struct tm_nesting nesting;
    uint64_t order;
    struct tm_timestamp_group group; /* events of one time, not yet in order */
    int64_t group_ns;
    struct tm_buf interned, body, detail;
    struct tm_event_texts texts; /* of the current event */
    struct tm_flow_targets flows;
    uint64_t time_uuid; /* the counter of thread time for which the current event has a value */
    /* thread time at the begin of the current event, if time_uuid is set, and how much of it the event took */
    struct tm_thread_time {
        bool has_begin, has_dur;
        int64_t begin_ns, dur_ns;
    } thread_time;
};

/* Writes EVENT, timed or a definition. Events come in order of time; packets may be pending until the next call or
 * flush. TM_OK; TM_E_INPUT: more than TM_OUTPUT_TRACKS_MAX tracks, or a damaged stream; TM_E_SYSTEM; as all functions
 * below that return a status. */
enum tm_status tm_track_write(struct tm_track_writer *writer, const struct tm_event *event, struct tm_error *err);

/* Writes EVENT, which is timed, at once. It is the last one of its time, and nothing else is written before the next
 * call. */
enum tm_status tm_track_write_last(struct tm_track_writer *writer, const struct tm_event *event, struct tm_error *err);

/* Writes names of threads that were pending while a name of more precedence was possible, at NOW_NS or in the thread's
 * lifetime. */
enum tm_status tm_track_writer_write_names(struct tm_track_writer *writer, int64_t now_ns, struct tm_error *err);

/* Repeats the name of process PID of EVENT's machine after another writer described the process. */
enum tm_status tm_track_writer_repeat_name(struct tm_track_writer *writer, const struct tm_event *event, int64_t pid,
                                           struct tm_error *err);

/* Writes everything before NOW_NS. INT64_MAX: writes everything, also the ends of open slices. */
enum tm_status tm_track_writer_flush(struct tm_track_writer *writer, int64_t now_ns, struct tm_error *err);

/* Makes the names on its sequences be written again, on new sequences, because a reader has not seen them. */
void tm_track_writer_restart(struct tm_track_writer *writer);

void tm_track_writer_release(struct tm_track_writer *writer);

#endif

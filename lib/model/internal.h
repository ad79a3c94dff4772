/* Declarations that the files of the model share: the work on one event. The functions return TM_OK, an error of
 * tm_model_batch, or TM_END where their comment has it. */
#ifndef TM_MODEL_INTERNAL_H
#define TM_MODEL_INTERNAL_H

#include "base/pb.h"
#include "model/model.h"

/* Tags in the keys of lane sets, one for each kind of set. Descriptors use 1. */
enum { TM_SET_ASYNC_PROCESS = 2, TM_SET_ASYNC_GLOBAL, TM_SET_MARKER_ASYNC, TM_SET_MARKER_TRACK, TM_SET_OVERLAP,
       TM_SET_NAMED /* and the following, one for each enum tm_named_track */ };

/* An event being processed and what is known about it so far. */
struct tm_model_event {
    const struct tm_event *e;
    struct tm_place place;
    bool is_json;   /* an object of Chrome JSON */
    bool is_of_document; /* a line in a document of Chrome JSON */
    bool is_perf_script; /* of a file of perf script */
    bool is_of_kernel; /* tm_event_is_of_kernel */
    bool is_of_sample; /* a row of a PerfSample packet: what the sample counts */
    bool is_record; /* only that it was recorded is shown (model/recording_starts.h) */
    bool is_of_zircon; /* its file is a trace of Fuchsia, whose kernel is Zircon */
    int64_t utid;   /* TM_NO_ID: not looked up yet */
    int64_t of_tid, of_pid; /* what tm_model_task_of found for e->tid and e->pid; TM_NO_ID: not looked up yet */
    struct tm_text name, category;
};

/* Returns E with its place and nothing looked up. */
static inline struct tm_model_event tm_model_event_of(const struct tm_event *e)
{
    return (struct tm_model_event){
        .e = e, .place = tm_place_of(e), .utid = TM_NO_ID, .of_tid = TM_NO_ID, .of_pid = TM_NO_ID};
}

/* True if E is an object of Chrome JSON. Its file must be known. */
static inline bool tm_model_is_json(const struct tm_model_files *files, const struct tm_event *e)
{
    return files->all[e->file].is_json && tm_event_raw(e->flags) != TM_RAW_LINE;
}

/* Returns the thread that E states with its process. */
static inline struct tm_thread_id tm_thread_id_of(const struct tm_event *e)
{
    return (struct tm_thread_id){e->machine, e->pid, e->tid};
}

/* Adds 1 to statistic STAT. */
static inline enum tm_status tm_model_count(struct tm_model_output *out, struct tm_place place, enum tm_model_stat stat,
                                            struct tm_error *err)
{
    return tm_model_stats_add(&out->stats, place, stat, 1, err);
}

/* Counts an event that is on no track. The other counter values of its packet are not shown either, as in the reference
 * importer. */
static inline enum tm_status tm_model_count_without_track(struct tm_model_output *out, const struct tm_model_event *ev,
                                                          struct tm_error *err)
{
    out->packet.is_lost = out->packet.is_lost || !(ev->e->flags & TM_EVENT_DERIVED);
    return tm_model_count(out, ev->place, TM_MODEL_NO_TRACK, err);
}

/* True for kernel events without the thread that ran, such as compact scheduling before the first switch of its CPU.
 * The reference importer ignores them, but takes the name of the next task of such a switch. */
static inline bool tm_model_lacks_task(const struct tm_event *e)
{
    return ((e->kind == TM_KIND_SCHED_SWITCH || e->kind == TM_KIND_FTRACE) && !(e->flags & TM_EVENT_HAS_TID)) ||
           (e->kind == TM_KIND_SCHED_WAKING && !(e->flags & TM_EVENT_HAS_PID));
}

/* Looks up the thread of a row, by its pid too if it has one, and sets EV->utid. */
enum tm_status tm_model_thread(struct tm_model_tasks *tasks, struct tm_model_event *ev, struct tm_error *err);

/* Returns the stream's number of a name or category column; 0: the text has none. */
static inline uint32_t tm_model_string_number(uint32_t column)
{
    return column & TM_STRING_INLINE ? 0 : column;
}

/* Sets *UTID to the current thread of TID, a number that EV states. It is made if there is none. Not for an event that
 * gives the number another meaning, once it has done so. */
static inline enum tm_status tm_model_task_of(struct tm_model_tasks *tasks, struct tm_model_event *ev, int64_t tid,
                                              int64_t *utid, struct tm_error *err)
{
    int64_t *known = tid == ev->e->tid ? &ev->of_tid : &ev->of_pid;
    if ((tid == ev->e->tid || tid == ev->e->pid) && *known != TM_NO_ID) {
        *utid = *known;
        return TM_OK;
    }
    enum tm_status st = tm_processes_thread(&tasks->processes, ev->place.machine, tid, utid, err);
    if (tid == ev->e->tid || tid == ev->e->pid)
        *known = *utid;
    return st;
}

/* Sets *TRACK to the track of the slices that a thread executes. */
enum tm_status tm_model_thread_track(struct tm_model_layout *layout, struct tm_place place, int64_t utid,
                                     uint32_t *track, struct tm_error *err);

/* The tracks of a lane set. All lanes have the owner, the type and the name. */
struct tm_lane_tracks {
    struct tm_place place;
    int tag;
    enum tm_track_type type;
    enum tm_track_scope scope;
    int64_t owner;
    struct tm_text name;
    uint32_t set; /* its number in the model's lanes */
    uint32_t id_scope; /* of asynchronous slices: number of a text of the tracks; 0: none */
};

/* Sets the set of TRACKS. */
enum tm_status tm_model_lane_set(struct tm_model_layout *layout, struct tm_lane_tracks *tracks, struct tm_error *err);

/* Sets *TRACK to that of LANE, which is made if it is new. */
enum tm_status tm_model_lane_track(struct tm_model_layout *layout, const struct tm_lane_tracks *tracks, uint32_t lane,
                                   uint32_t *track, struct tm_error *err);

/* Returns the namespace of EV's flow ids: one file on one machine, or all files. */
static inline uint64_t tm_model_flow_namespace(const struct tm_model_output *out, const struct tm_model_event *ev)
{
    return out->options.joins_flows ? UINT64_MAX : (uint64_t)ev->place.file << 32 | ev->place.machine;
}

/* Gives counters of threads whose process has become known to that process. */
enum tm_status tm_model_counters_finish(struct tm_model_tasks *tasks, struct tm_model_layout *layout,
                                        struct tm_error *err);

/* Replaces names of processes' tracks by those that translation tables give for them. */
enum tm_status tm_model_translate_tracks(struct tm_translations *translations, struct tm_model_layout *layout,
                                         struct tm_error *err);

/* The handlers, one for each kind of row. */
enum tm_status tm_model_slice(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err);
enum tm_status tm_model_slice_args(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err);
enum tm_status tm_model_counter(struct tm_model_tasks *tasks, struct tm_model_layout *layout,
                                struct tm_model_output *out, struct tm_model_event *ev, struct tm_error *err);
enum tm_status tm_model_flow(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err);

/* Adds what follows if EV, an event of the kernel, is a marker of Android's low memory killer: an instant of the killed
 * process, and its oom_score_adj if EV states it. */
enum tm_status tm_model_kill(struct tm_model *m, const struct tm_model_event *ev, struct tm_error *err);

/* Adds to the statistics of PLACE what the last call for a flow has counted since BEFORE; IS_END: it was an end. */
enum tm_status tm_model_count_flow(struct tm_model *m, struct tm_place place, const struct tm_flow_counts *before,
                                   bool is_end, struct tm_error *err);
enum tm_status tm_model_sched(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_model_event *ev,
                              struct tm_error *err);
enum tm_status tm_model_task(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_model_event *ev,
                             struct tm_error *err);
enum tm_status tm_model_log(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err);
/* Makes the row of ftrace_event for EV, a kernel event of protos. */
enum tm_status tm_model_ftrace_event(struct tm_model_tasks *tasks, struct tm_model_output *out,
                                     struct tm_model_event *ev, struct tm_error *err);
enum tm_status tm_model_heap_dump(struct tm_model_heaps *heaps, struct tm_model_tasks *tasks,
                                  struct tm_model_output *out, struct tm_model_event *ev, struct tm_error *err);
enum tm_status tm_model_allocation(struct tm_stacks *stacks, struct tm_model_tasks *tasks, struct tm_model_output *out,
                                   struct tm_model_event *ev, struct tm_error *err);
enum tm_status tm_model_heap_graph(struct tm_model_heaps *heaps, struct tm_model_tasks *tasks,
                                   struct tm_model_output *out, struct tm_model_event *ev, struct tm_error *err);
/* Passes on the graphs whose last packet did not come. */
enum tm_status tm_model_heap_graphs_finish(struct tm_model_heaps *heaps, struct tm_model_tasks *tasks,
                                           struct tm_model_output *out, struct tm_error *err);
enum tm_status tm_model_sample_counter(struct tm_model *m, const struct tm_model_event *ev,
                                       struct tm_sample_row *sample, struct tm_error *err);
enum tm_status tm_model_sample(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err);

/* Sets *TRACK to the asynchronous track of EV. TM_END if it has none. */
enum tm_status tm_model_async_track(struct tm_model_tasks *tasks, struct tm_model_layout *layout,
                                    struct tm_model_event *ev, uint32_t *track, struct tm_error *err);

/* Sets *TRACK to the track that the detail of EV describes (perfetto/named_tracks.h). TM_END if a slice would need more
 * than TM_LANES_CROSSING_MAX lanes, or if a counter states the memory of a GPU for an unknown thread. */
enum tm_status tm_model_named_track(struct tm_model_tasks *tasks, struct tm_model_layout *layout,
                                    struct tm_model_event *ev, uint32_t *track, struct tm_error *err);

/* Adds the args of EV's slice that only the model knows: the process for which a GPU worked. EV then has *WITH as its
 * event, which is valid until the next event. */
enum tm_status tm_model_named_args(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_model_event *ev,
                                   struct tm_event *with, struct tm_error *err);

/* Adds the args that the reference importer adds to EV, an instant or an asynchronous event that begins a slice
 * (added_args.c). EV then has *WITH as its event, which is valid until the next event. */
enum tm_status tm_model_added_args(struct tm_model_output *out, struct tm_model_event *ev, struct tm_event *with,
                                   struct tm_error *err);

/* Adds the time of its packet to EV, a reading of a power rail, as tm_model_added_args. */
enum tm_status tm_model_rail_args(struct tm_model_output *out, struct tm_model_event *ev, struct tm_event *with,
                                  struct tm_error *err);

/* Applies the PROCESS part of E, a definition. IS_SYSTEM: the name comes from the process tree or from metadata, not
 * from a descriptor. */
enum tm_status tm_model_describe_process(struct tm_model_tasks *tasks, struct tm_model_output *out,
                                         const struct tm_event *e, bool is_system, struct tm_error *err);

/* Finds the submessage in field ID of a Detail message. */
bool tm_model_part(const uint8_t *detail, size_t len, uint32_t id, struct tm_pb_field *f);

/* Sets *NS to the time inside an event with this DETAIL, if tm-clocks has placed it; else false. */
bool tm_model_inner_time(const uint8_t *detail, size_t len, int64_t *ns);

/* Takes in a definition. One with a time is applied when that time comes, one without a time at once. */
enum tm_status tm_model_define(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err);
/* Applies the pending definitions up to time NOW. */
enum tm_status tm_model_pending(struct tm_model *m, int64_t now_ns, struct tm_error *err);

#endif

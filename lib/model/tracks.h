/* The tracks of all files and machines; slices and counters lie on them. A track belongs to one file and one machine:
 * if two files mention one thread, each has its own track. Memory grows with the number of tracks. */
#ifndef TM_MODEL_TRACKS_H
#define TM_MODEL_TRACKS_H

#include "base/intern.h"
#include "kernel/tracks.h"
#include "model/rows.h"

/* A timeline with more of these is refused: a call that would add one returns TM_E_INPUT. */
enum { TM_TRACKS_MAX = 1 << 22, TM_TRACK_TEXT_BYTES_MAX = 1 << 30 /* distinct names, units and ids */ };

/* Types of tracks. The comments name the numbers of their ids. */
enum tm_track_type {
    TM_TRACK_TYPE_THREAD,           /* utid: slices that a thread executes */
    TM_TRACK_TYPE_THREAD_OVERLAP,   /* lane set, lane: complete slices that cross others of the thread */
    TM_TRACK_TYPE_PROCESS_INSTANTS, /* upid */
    TM_TRACK_TYPE_GLOBAL_INSTANTS,
    TM_TRACK_TYPE_ASYNC_PROCESS,    /* lane set, lane */
    TM_TRACK_TYPE_ASYNC_GLOBAL,     /* lane set, lane */
    TM_TRACK_TYPE_MARKER_ASYNC,     /* lane set, lane: S, F */
    TM_TRACK_TYPE_MARKER_TRACK,     /* lane set, lane: G, H, N */
    TM_TRACK_TYPE_DEVICE_STATE,     /* 0: N of DeviceStateChanged */
    TM_TRACK_TYPE_DESCRIBED,        /* uuid */
    TM_TRACK_TYPE_DESCRIBED_LANE,   /* lane set, lane */
    TM_TRACK_TYPE_COUNTER,          /* name */
    TM_TRACK_TYPE_THREAD_COUNTER,   /* utid, name */
    TM_TRACK_TYPE_PROCESS_COUNTER,  /* upid, name */
    TM_TRACK_TYPE_LINE_COUNTER,     /* upid, name: of lines in a document of Chrome JSON */
    TM_TRACK_TYPE_PROCESS_COUNTER_OF_THREAD, /* utid, name: of the thread's process, which is not known */
    TM_TRACK_TYPE_LINE_COUNTER_OF_THREAD,
    TM_TRACK_TYPE_CPU_COUNTER,      /* cpu, name */
    TM_TRACK_TYPE_PERF_COUNTER,     /* cpu and sequence << 32, name: what PerfSamples count */
    TM_TRACK_TYPE_GPU_COUNTER,      /* gpu, name */
    TM_TRACK_TYPE_NAMED,            /* lane set, lane; UINT32_MAX: it has no lanes */
    TM_TRACK_TYPE_KERNEL            /* this and the following, one for each enum tm_kernel_track: instance */
};

/* Returns the text of TYPE in the type column. */
const char *tm_track_type_name(enum tm_track_type type);

/* The identity of a track within its file and machine. */
struct tm_track_id {
    uint32_t file, machine;
    enum tm_track_type type;
    uint64_t number;
    uint32_t second;
};

struct tm_track {
    uint64_t number; /* of its id */
    int64_t owner;   /* utid, upid or cpu, by scope */
    int64_t arg_set; /* TM_NO_ID */
    int64_t dimension_set; /* TM_NO_ID; set by the receiver of the tracks */
    uint64_t uuid; /* of a descriptor's track; of siblings that share lanes, their parent's */
    uint64_t source_uuid; /* of the descriptor that made it */
    uint32_t source_args; /* its args: number of a text, as name, which is as in a Detail message */
    uint32_t file, machine;
    enum tm_track_type type;
    enum tm_track_scope scope;
    uint32_t name;   /* number of a text, plus 1; 0: none */
    uint32_t unit, description;
    int32_t parent;  /* track; TM_NO_ID */
    int32_t same_as; /* the track that this one turned out to be; it has no row. TM_NO_ID */
    uint32_t merge_key; /* of siblings or asynchronous slices that share lanes: number of a text, as name; of
                           TM_TRACK_TYPE_NAMED: its dimensions, as in a Detail message */
    uint32_t lane; /* second number of its id; UINT32_MAX: one outside of the lanes */
    int64_t gpu; /* of a track of a process: the GPU that it is about; TM_NO_ID: none */
    uint32_t id_scope; /* of asynchronous slices: what their ids are unique in, number of a text, as name */
    uint8_t merge_key_type; /* the reference's number: 0 by name, 2 by key */
    uint8_t named; /* enum tm_named_track, of TM_TRACK_TYPE_NAMED */
    bool is_counter;
    bool is_root; /* it is that of its thread or process, or the trace's default track */
};

static inline bool tm_track_is_async(const struct tm_track *track)
{
    return track->type == TM_TRACK_TYPE_ASYNC_PROCESS || track->type == TM_TRACK_TYPE_ASYNC_GLOBAL;
}

/* Zero-initialise; init before use. */
struct tm_tracks {
    struct tm_track *rows;
    uint32_t count;
    /* private */
    uint32_t cap;
    struct tm_index index; /* by id */
    struct tm_intern names;
};

void tm_tracks_init(struct tm_tracks *tracks);
void tm_tracks_release(struct tm_tracks *tracks);

/* Sets *TRACK to the track of ID. *IS_NEW: this call made it, global and without a name; the caller sets scope, owner,
 * name and the rest of its row. TM_OK, TM_E_INPUT (a limit above) or TM_E_SYSTEM, as all functions below that return a
 * status. */
enum tm_status tm_tracks_get(struct tm_tracks *tracks, const struct tm_track_id *id, uint32_t *track, bool *is_new,
                             struct tm_error *err);

/* Gives TRACK the identity ID if no track has it, else makes it the same as that track. */
enum tm_status tm_tracks_become(struct tm_tracks *tracks, uint32_t track, const struct tm_track_id *id,
                                struct tm_error *err);

/* Sets *NAME to the number of TEXT, for the name and unit columns and for ids; 0 if its data is NULL. */
enum tm_status tm_tracks_name(struct tm_tracks *tracks, struct tm_text text, uint32_t *name, struct tm_error *err);

/* Returns the text of a number that tm_tracks_name has set. */
struct tm_text tm_tracks_text(const struct tm_tracks *tracks, uint32_t name);

#endif

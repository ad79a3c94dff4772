/* Tracks described by TrackDescriptors: resolves a uuid of one file and machine. A track belongs to a thread or a
 * process, or is global. A child track has the scope of its parent unless it names a thread or process itself. Siblings
 * with one name share lanes unless their descriptor states otherwise. A uuid without a descriptor is a global track. A
 * uuid whose ancestors have no descriptor is invalid. Memory grows with the number of descriptors. Source: Perfetto's
 * track_descriptor.proto, and the reference importer where that leaves a choice. */
#ifndef TM_MODEL_DESCRIPTORS_H
#define TM_MODEL_DESCRIPTORS_H

#include "model/lanes.h"
#include "model/place.h"
#include "model/processes.h"
#include "model/stats.h"
#include "model/tracks.h"

/* More descriptors of a timeline are refused. */
enum { TM_DESCRIPTORS_MAX = 1 << 22 };

/* One TrackDescription message; texts are borrowed. */
struct tm_description {
    uint64_t uuid, parent_uuid;
    struct tm_text name, unit, description, merge_key;
    bool has_pid, has_tid, is_thread, is_process, is_counter;
    int64_t pid, tid;
    uint32_t merge; /* as recorded */
    struct tm_text message; /* from which it was decoded */
};

/* Decodes the message of LEN bytes at DATA; texts borrow from it. */
void tm_description_decode(struct tm_description *d, const uint8_t *data, size_t len);

/* The result of resolving a uuid. */
struct tm_resolved {
    int64_t owner;             /* utid or upid */
    enum tm_track_scope scope; /* global, thread, process */
    bool is_root;              /* the main track of its thread or process */
};

/* Zero-initialise. Set processes, tracks, lanes and stats before use. */
struct tm_descriptors {
    struct tm_processes *processes;
    struct tm_tracks *tracks;
    struct tm_lanes *lanes;
    struct tm_model_stats *stats; /* counts invalid uuids, and descriptors that contradict earlier ones */
    bool keeps_source;            /* tracks get the args of their descriptors */
    /* private */
    struct tm_descriptor *rows;
    uint32_t count, cap;
    struct tm_index index; /* by place and uuid */
    struct tm_table owners;
};

/* Adds a descriptor. The first for a uuid counts. A later one may change the name, unless it describes another track,
 * with another parent, thread or process. TM_OK; TM_E_INPUT past TM_DESCRIPTORS_MAX; TM_E_SYSTEM. */
enum tm_status tm_descriptors_add(struct tm_descriptors *ds, struct tm_place place, const struct tm_description *d,
                                  struct tm_error *err);

/* Resolves UUID. TM_END: its ancestors are unknown or form a circle. */
enum tm_status tm_descriptors_resolve(struct tm_descriptors *ds, struct tm_place place, uint64_t uuid,
                                      struct tm_resolved *resolved, struct tm_error *err);

/* An event on the track UUID, and its effect there. */
struct tm_described_event {
    struct tm_place place;
    uint64_t uuid;
    struct tm_text name;
    enum tm_lane_effect effect;
    bool is_complete;   /* it is a slice from ts to end; effect is ignored */
    int64_t ts, end;
};

/* Sets *TRACK for EVENT. TM_END if its uuid cannot be resolved, and for TM_LANE_NONE if the slices of the uuid are on
 * lanes. */
enum tm_status tm_descriptors_track(struct tm_descriptors *ds, const struct tm_described_event *event, uint32_t *track,
                                    struct tm_error *err);

void tm_descriptors_release(struct tm_descriptors *ds);

#endif

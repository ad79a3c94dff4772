/* Tracks as TrackDescriptors tell of them: what a uuid of one file and machine means. A track is
 * that of a thread or a process, or a child of another and then of the same thread or process, or
 * global. Siblings of one name share lanes unless they say otherwise. A uuid that nothing describes
 * is a global track; one whose ancestors are not described is none. Memory grows with the number of
 * descriptors. Source: perfetto's track_descriptor.proto, and the reference for what it leaves open. */
#ifndef TM_MODEL_DESCRIPTORS_H
#define TM_MODEL_DESCRIPTORS_H

#include "model/lanes.h"
#include "model/processes.h"
#include "model/tracks.h"

/* Whose descriptors. */
struct tm_place {
    uint32_t file, machine;
};

/* One TrackDescription message; texts are borrowed. */
struct tm_description {
    uint64_t uuid, parent_uuid;
    struct tm_text name, unit, merge_key, thread_name, process_name;
    bool has_pid, has_tid, is_thread, is_process, is_counter, own_track;
    int64_t pid, tid;
    uint32_t merge; /* as recorded */
};

/* Reads the message at DATA. */
void tm_description_decode(struct tm_description *d, const uint8_t *data, size_t len);

/* What a uuid turned out to be. */
struct tm_resolved {
    enum tm_track_scope scope; /* global, thread, process */
    int64_t owner;             /* utid, upid */
    bool is_root;              /* it is the thread's or process's own */
};

/* Zero-initialise; set the three before use. */
struct tm_descriptors {
    struct tm_processes *processes;
    struct tm_tracks *tracks;
    struct tm_lanes *lanes;
    uint64_t broken; /* events of uuids that are none */
    /* private */
    struct tm_descriptor *rows;
    uint32_t count, cap;
    struct tm_table table, owners;
};

/* Takes in a descriptor. The first for its uuid counts; later ones may change the name, unless they speak of another
 * track: of another parent, thread or process. */
enum tm_status tm_descriptors_add(struct tm_descriptors *ds, struct tm_place place, const struct tm_description *d,
                                  struct tm_error *err);

/* What UUID is. TM_END: nothing, its ancestors are unknown or go round in a circle. */
enum tm_status tm_descriptors_resolve(struct tm_descriptors *ds, struct tm_place place, uint64_t uuid,
                                      struct tm_resolved *resolved, struct tm_error *err);

/* The track for an event of UUID, which is named NAME and does EVENT. TM_END as above, and for TM_LANE_NONE where its
 * slices are on lanes. */
enum tm_status tm_descriptors_track(struct tm_descriptors *ds, struct tm_place place, uint64_t uuid,
                                    struct tm_text name, enum tm_lane_event event, uint32_t *track,
                                    struct tm_error *err);

void tm_descriptors_release(struct tm_descriptors *ds);

#endif

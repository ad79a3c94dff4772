/* Keeps what the filter needs of track descriptors: a track's name, which counters have instead of their own, and its
 * thread. Memory grows with the number of tracks. */
#ifndef TM_SELECT_TRACK_NAMES_H
#define TM_SELECT_TRACK_NAMES_H

#include "base/intern.h"
#include "model/catalog.h"
#include "base/table.h"
#include "stream/event.h"

enum { TM_TRACK_NAMES_MAX = 1 << 22, TM_TRACK_NAME_BYTES_MAX = 256 << 20, TM_TRACK_DEPTH_MAX = 64 };

/* Call init before use. */
struct tm_track_names {
    /* private */
    struct tm_table by_uuid;
    struct tm_track_name *rows;
    uint32_t count, cap;
    struct tm_intern names;
};

void tm_track_names_init(struct tm_track_names *tracks);

/* Learns from EVENT, a TM_KIND_TRACK row. *UUID is the track it describes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_names_learn(struct tm_track_names *tracks, const struct tm_event *event, uint64_t *uuid,
                                    struct tm_error *err);

/* Returns the name of track UUID of FILE; data is NULL for none. */
struct tm_text tm_track_names_find(const struct tm_track_names *tracks, uint32_t file, uint64_t uuid);

/* True with *PARENT if the descriptor of track UUID names a parent track. */
bool tm_track_names_parent(const struct tm_track_names *tracks, uint32_t file, uint64_t uuid, uint64_t *parent);

/* True with *TID if the track is a thread's own. */
bool tm_track_names_is_thread(const struct tm_track_names *tracks, uint32_t file, uint64_t uuid, int64_t *tid);

/* A thread, a process, or neither. */
struct tm_task_ids {
    bool has_tid, has_pid;
    int64_t tid, pid;
};

/* Returns the owner of the track or, if its descriptor states none, that of the nearest parent. */
struct tm_task_ids tm_track_names_owner(const struct tm_track_names *tracks, uint32_t file, uint64_t uuid);

/* True with *TID if the track, or its nearest parent that states an owner, belongs to a thread. */
bool tm_track_names_thread(const struct tm_track_names *tracks, uint32_t file, uint64_t uuid, int64_t *tid);

void tm_track_names_release(struct tm_track_names *tracks);

#endif

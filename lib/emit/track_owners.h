/* The output track of each process and thread. A reader takes a second track uuid for one pid as a reused pid. So if
 * several files describe a process of one machine, the first file's track is that of the process, and the other files'
 * tracks are below it. That also keeps slices of different files from nesting in each other. It knows only numbers
 * and lifetimes; emit/task_names.h has the names. */
#ifndef TM_EMIT_TRACK_OWNERS_H
#define TM_EMIT_TRACK_OWNERS_H

#include "base/map.h"

/* more tracks are refused; those of threads and processes count too */
enum { TM_OUTPUT_TRACKS_MAX = 1 << 22 };

/* A process or thread in one of its lifetimes. */
struct tm_track_task {
    uint64_t key;  /* never 0 */
    uint32_t life; /* 0 is the first */
};

struct tm_track_owner {
    uint64_t uuid;
    uint64_t parent; /* the track above it, by its first descriptor; 0: none */
    uint32_t file;
    uint32_t life; /* of its task */
    bool is_made;  /* the file has no such track: the output made one, and a track of the file is below it */
    bool is_named; /* the track of the file below it has the name that the file states */
};

/* Zero-initialise. */
struct tm_track_owners {
    uint32_t changes; /* counts up whenever tm_track_owners_find may give another answer than before */
    /* private */
    struct tm_track_owner *rows;
    uint32_t count, cap;
    struct tm_map row_of; /* key of a task -> row */
    struct tm_map lifetimes; /* from a pid or tid to the number of its lifetimes after the first */
};

/* Finds the task of process PID, or, if IS_THREAD, of thread TID, on the machine with RAW_ID, in its present
 * lifetime. */
struct tm_track_task tm_track_task_of(const struct tm_track_owners *owners, int64_t raw_id, bool is_thread, int64_t pid,
                                      int64_t tid);

/* Ends the lifetime of the process (IS_THREAD: of the threads) with NUMBER. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_owners_end(struct tm_track_owners *owners, int64_t raw_id, bool is_thread, int64_t number);

/* The owner of TASK, or NULL. */
const struct tm_track_owner *tm_track_owners_find(const struct tm_track_owners *owners, struct tm_track_task task);

/* Makes OWNER, whose life is set here, the owner of TASK. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_owners_set(struct tm_track_owners *owners, struct tm_track_task task,
                                   struct tm_track_owner owner);

/* Each sets one member of TASK's owner, which there is. */
void tm_track_owners_set_made(struct tm_track_owners *owners, struct tm_track_task task);
void tm_track_owners_set_named(struct tm_track_owners *owners, struct tm_track_task task);

void tm_track_owners_release(struct tm_track_owners *owners);

#endif

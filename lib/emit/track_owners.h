/* Which output track speaks for a process or a thread.
 *
 * A reader takes a second track uuid for one pid as a pid that was used again. So of the files that
 * describe a process of one machine the first one's track is the process's own; tracks of the
 * others hang below it, which also keeps the slices of different files from nesting in each other. */
#ifndef TM_EMIT_TRACK_OWNERS_H
#define TM_EMIT_TRACK_OWNERS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct tm_track_owner {
    uint64_t key; /* of the process or thread; 0: an empty slot */
    uint64_t uuid;
    uint32_t file;
};

/* Zero-initialise. */
struct tm_track_owners {
    struct tm_track_owner *slots;
    uint32_t count, mask;
};

/* Key of process PID, or where IS_THREAD of its thread TID, on the machine with RAW_ID. */
uint64_t tm_track_owner_key(int64_t raw_id, bool is_thread, int64_t pid, int64_t tid);

/* The owner of KEY, or NULL. */
const struct tm_track_owner *tm_track_owners_find(const struct tm_track_owners *owners, uint64_t key);

/* Makes UUID of FILE the owner of KEY, which has none. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_owners_add(struct tm_track_owners *owners, uint64_t key, uint64_t uuid, uint32_t file);

void tm_track_owners_release(struct tm_track_owners *owners);

#endif

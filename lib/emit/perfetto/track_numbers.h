/* Numbers of tracks: 0, 1, … in the order in which they are added. A track that was found recently is found at once. */
#ifndef TM_EMIT_PERFETTO_TRACK_NUMBERS_H
#define TM_EMIT_PERFETTO_TRACK_NUMBERS_H

#include "base/map.h"

enum { TM_RECENT_TRACKS = 512 }; /* a power of two */

/* Zero-initialise. */
struct tm_track_numbers {
    /* private */
    struct tm_map by_uuid;
    struct {
        uint64_t uuid; /* 0: no entry */
        uint32_t number;
    } recent[TM_RECENT_TRACKS]; /* a cache; uuids are hashes, so their low bits are its places */
};

/* True, with *NUMBER set, if track UUID was added. */
static inline bool tm_track_numbers_find(struct tm_track_numbers *numbers, uint64_t uuid, uint32_t *number)
{
    uint32_t place = uuid % TM_RECENT_TRACKS;
    if (uuid == 0 || numbers->recent[place].uuid != uuid) {
        if (!tm_map_find(&numbers->by_uuid, uuid, number))
            return false;
        numbers->recent[place].uuid = uuid;
        numbers->recent[place].number = *number;
    }
    *number = numbers->recent[place].number;
    return true;
}

/* Returns the number that the next track gets. */
static inline uint32_t tm_track_numbers_count(const struct tm_track_numbers *numbers)
{
    return numbers->by_uuid.count;
}

/* Adds track UUID, which is new. TM_OK or TM_E_SYSTEM. */
static inline enum tm_status tm_track_numbers_add(struct tm_track_numbers *numbers, uint64_t uuid)
{
    return tm_map_set(&numbers->by_uuid, uuid, numbers->by_uuid.count);
}

static inline void tm_track_numbers_release(struct tm_track_numbers *numbers)
{
    tm_map_release(&numbers->by_uuid);
    *numbers = (struct tm_track_numbers){.by_uuid = {0}};
}

#endif

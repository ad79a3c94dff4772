/* The counter tracks that the defaults of a sequence name, for each generation. Events with extra counter values belong
 * to these tracks, so the descriptors of the tracks must precede them. */
#ifndef TM_EMIT_PERFETTO_DEFAULT_TRACKS_H
#define TM_EMIT_PERFETTO_DEFAULT_TRACKS_H

#include "base/map.h"
#include "perfetto/extra_counters.h"
#include "stream/event.h"

/* Zero-initialise. */
struct tm_default_tracks {
    /* private */
    struct tm_map by_generation; /* to the number in LISTS plus 1 */
    struct tm_default_track_list {
        uint32_t ints, doubles; /* how many of each type, at most TM_EXTRA_VALUES_MAX */
        uint64_t *uuids;        /* owned */
    } *lists;
    uint32_t count, cap;
    struct tm_extra_tracks scratch;
};

/* Notes the defaults in EVENT, a SEQUENCE_STATE. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_default_tracks_note(struct tm_default_tracks *tracks, const struct tm_event *event,
                                      struct tm_error *err);

/* Returns the tracks of GENERATION, *COUNT of them, which are borrowed until the next note. */
const uint64_t *tm_default_tracks_of(const struct tm_default_tracks *tracks, uint32_t generation, uint32_t *count);

/* Sets USED to the tracks of EVENT's generation for which EVENT, a recorded packet, has values. Returns how many. */
uint32_t tm_default_tracks_used(const struct tm_default_tracks *tracks, const struct tm_event *event,
                                uint64_t used[2 * TM_EXTRA_VALUES_MAX]);

void tm_default_tracks_release(struct tm_default_tracks *tracks);

#endif

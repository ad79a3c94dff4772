/* A set of 64-bit keys. */
#ifndef TM_EMIT_PERFETTO_TRACK_SET_H
#define TM_EMIT_PERFETTO_TRACK_SET_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Open addressing; 0 is never a member. Zero-initialise. */
struct tm_track_set {
    uint64_t *slots;
    uint32_t count, mask;
};

/* TM_OK: KEY is new and now a member; TM_END: it was one; TM_E_SYSTEM: out of memory. */
enum tm_status tm_track_set_add(struct tm_track_set *set, uint64_t key);

bool tm_track_set_has(const struct tm_track_set *set, uint64_t key);

void tm_track_set_release(struct tm_track_set *set);

#endif

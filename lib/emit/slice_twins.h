/* What is open on a track as its events mean it, and as a reader of the merged trace takes what was written.
 *
 * A complete event is a begin and an end in a merged trace, so an end may mean it there, but never in Chrome JSON. Both
 * readings are followed here, by the model's own rules (model/slices.h), so that the writer can tell what an end means
 * and what it would do. Memory: tracks that have begins and ends, and what is open on them at one time. */
#ifndef TM_EMIT_SLICE_TWINS_H
#define TM_EMIT_SLICE_TWINS_H

#include "base/map.h"
#include "model/slices.h"

/* Instead of a duration: it has begun, and no event says when it ends; its file means nothing by that. */
enum { TM_TWIN_ENDLESS = -2 };

/* Zero-initialise. */
struct tm_slice_twins {
    /* private */
    struct tm_slices said, written;
    struct tm_map by_track; /* uuid -> number */
    int64_t next_id;
};

bool tm_slice_twins_has(const struct tm_slice_twins *twins, uint64_t uuid);

/* TM_OK: UUID is followed from now on; TM_END: it was already; TM_E_SYSTEM. */
enum tm_status tm_slice_twins_follow(struct tm_slice_twins *twins, uint64_t uuid);

/* A slice begins on UUID, which is followed, for DUR_NS (-1: until an end comes). *ID is what it is called below. */
enum tm_status tm_slice_twins_begin(struct tm_slice_twins *twins, uint64_t uuid, int64_t ts_ns, int64_t dur_ns,
                                    const tm_slice_label label[2], int64_t *id, struct tm_error *err);

/* An end comes: *ID and LABEL become those of the slice it means, TM_NO_ID if it means none. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_slice_twins_end(struct tm_slice_twins *twins, uint64_t uuid, int64_t ts_ns, tm_slice_label label[2],
                                  int64_t *id, struct tm_error *err);

/* TM_OK: an end with LABEL that is written ends slice ID (TM_NO_ID: nothing), and has been taken as written; TM_END: it would
 * do something else; TM_E_SYSTEM. */
enum tm_status tm_slice_twins_write(struct tm_slice_twins *twins, uint64_t uuid, int64_t ts_ns,
                                    const tm_slice_label label[2], int64_t id, struct tm_error *err);

void tm_slice_twins_release(struct tm_slice_twins *twins);

#endif

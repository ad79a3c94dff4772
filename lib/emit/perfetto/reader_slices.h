/* The open slices of a track in two views: as the input means them, and as a reader of the merged trace sees them. In
 * Chrome JSON an end never ends a complete event. In the merged trace a complete event is a begin and an end, so
 * another end may end it. Both views follow the rules of the model (model/slices.h). With them the writer knows which
 * slice an end means and which one it would end. Each event is noted in the first view and, when it is written, in the
 * second. Memory: tracks that have begins and ends, and the slices open on them at one time. */
#ifndef TM_EMIT_PERFETTO_READER_SLICES_H
#define TM_EMIT_PERFETTO_READER_SLICES_H

#include "emit/perfetto/track_numbers.h"
#include "model/slices.h"

/* A slice that ends early, and the duration that it gets. */
struct tm_early_end {
    int64_t id, dur_ns;
};

/* Zero-initialise. */
struct tm_early_ends {
    struct tm_early_end *ends;
    uint32_t count, cap;
};

bool tm_early_ends_have(const struct tm_early_ends *list, struct tm_early_end end);

/* An event on the track UUID. */
struct tm_reader_event {
    uint64_t uuid;
    int64_t ts_ns;
    int64_t dur_ns; /* of a begin; -1: until an end */
    tm_slice_label label[2];
};

/* Zero-initialise. It must not move after the first tm_reader_slices_follow. */
struct tm_reader_slices {
    struct tm_early_ends cut; /* slices that the last noted event ended early */
    /* private */
    struct tm_slices stated, written;
    struct tm_rows cut_rows; /* of STATED: they go to CUT */
    struct tm_track_numbers tracks;
    struct tm_early_ends shown;
    int64_t next_id;
};

/* True if UUID is followed. */
bool tm_reader_slices_has(struct tm_reader_slices *slices, uint64_t uuid);

/* Follows UUID from now on. TM_OK; TM_END: it was followed already; TM_E_SYSTEM. */
enum tm_status tm_reader_slices_follow(struct tm_reader_slices *slices, uint64_t uuid);

/* Notes EVENT, which begins a slice on a track that is followed. *ID identifies it in the functions below. TM_OK;
 * TM_END: it crosses a complete event and is not on that track; TM_E_INPUT past TM_SLICES_SLOTS_MAX; TM_E_SYSTEM. */
enum tm_status tm_reader_slices_begin(struct tm_reader_slices *slices, const struct tm_reader_event *event, int64_t *id,
                                      struct tm_error *err);

/* Notes that the begin of slice ID is written. The duration in EVENT is 0 for an instant, otherwise -1. TM_OK;
 * TM_E_INPUT past TM_SLICES_SLOTS_MAX; TM_E_SYSTEM. */
enum tm_status tm_reader_slices_write_begin(struct tm_reader_slices *slices, const struct tm_reader_event *event,
                                            int64_t id, struct tm_error *err);

/* Notes EVENT, an end. Sets *ID and the label of EVENT to those of the slice that it ends, *ID to TM_NO_ID if it ends
 * none. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_reader_slices_end(struct tm_reader_slices *slices, struct tm_reader_event *event, int64_t *id,
                                    struct tm_error *err);

/* Tests EVENT, an end that is about to be written. TM_OK: it ends slice ID (TM_NO_ID: nothing) and is noted as written;
 * TM_END: it would end another slice; TM_E_SYSTEM. */
enum tm_status tm_reader_slices_write_end(struct tm_reader_slices *slices, const struct tm_reader_event *event,
                                          int64_t id, struct tm_error *err);

/* Clears the list of slices that the last noted event ended early. Call it before the end of a complete event: no event
 * of the input states that end. */
void tm_reader_slices_pass(struct tm_reader_slices *slices);

/* Sets *SHOWN to the slices on UUID that an event written at TS_NS ends early. Valid until the next call. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_reader_slices_ended_early(struct tm_reader_slices *slices, uint64_t uuid, int64_t ts_ns,
                                            const struct tm_early_ends **shown, struct tm_error *err);

/* Sets *SHOWN to the written slices open above slice ID on UUID, outermost first; empty if ID is not open. Their
 * durations are 0. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_reader_slices_above(struct tm_reader_slices *slices, uint64_t uuid, int64_t id,
                                      const struct tm_early_ends **shown, struct tm_error *err);

/* True if slice ID, written to UUID at *TS_NS, is open and needs an end. */
bool tm_reader_slices_is_open(struct tm_reader_slices *slices, uint64_t uuid, int64_t id, int64_t *ts_ns);

/* True if an open slice on UUID needs an end. */
bool tm_reader_slices_need_end(struct tm_reader_slices *slices, uint64_t uuid);

/* Notes that slice ID was not written to UUID after all. */
void tm_reader_slices_remove(struct tm_reader_slices *slices, uint64_t uuid, int64_t id);

void tm_reader_slices_release(struct tm_reader_slices *slices);

#endif

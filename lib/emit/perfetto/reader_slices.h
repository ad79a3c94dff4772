/* The open slices of a track, twice: as the input means them, and as a reader of the merged trace sees them. In Chrome
 * JSON an end never ends a complete event. In the merged trace a complete event is a begin and an end, so an end may
 * end it. Both views follow the rules of the model (model/slices.h). With them the writer knows which slice an end
 * means and which one it would end. Each event is noted in the first view and, when it is written, in the second.
 * Memory: tracks that have begins and ends, and the slices open on them at one time. */
#ifndef TM_EMIT_PERFETTO_READER_SLICES_H
#define TM_EMIT_PERFETTO_READER_SLICES_H

#include "base/map.h"
#include "model/slices.h"

/* Slices; how long they are where they were cut short. Zero-initialise. */
struct tm_slice_ids {
    int64_t *ids, *durs_ns;
    uint32_t count;
    /* private */
    uint32_t cap;
    bool failed; /* there was no memory for some */
};

/* True where slice ID is among them, with this duration. */
bool tm_slice_ids_have(const struct tm_slice_ids *list, int64_t id, int64_t dur_ns);

/* Zero-initialise. */
struct tm_reader_slices {
    struct tm_slice_ids cut; /* short, by what was said last */
    /* private */
    struct tm_slices said, written;
    struct tm_map by_track; /* uuid -> number */
    struct tm_slice_ids shown;
    int64_t next_id;
};

bool tm_reader_slices_has(const struct tm_reader_slices *slices, uint64_t uuid);

/* TM_OK: UUID is followed from now on; TM_END: it was already; TM_E_SYSTEM. */
enum tm_status tm_reader_slices_follow(struct tm_reader_slices *slices, uint64_t uuid);

/* An event begins a slice on UUID, which is followed, for DUR_NS (-1: until an end comes). *ID is what it is called
 * below. TM_OK; TM_END: it crosses a complete event, and is not on UUID; TM_E_SYSTEM. */
enum tm_status tm_reader_slices_begin(struct tm_reader_slices *slices, uint64_t uuid, int64_t ts_ns, int64_t dur_ns,
                                      const tm_slice_label label[2], int64_t *id, struct tm_error *err);

/* Its begin is written; DUR_NS is 0 for what is no begin but an instant, else -1. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_reader_slices_write_begin(struct tm_reader_slices *slices, uint64_t uuid, int64_t ts_ns,
                                            int64_t dur_ns, const tm_slice_label label[2], int64_t id,
                                            struct tm_error *err);

/* An end comes: *ID and LABEL become those of the slice it means, TM_NO_ID if it means none. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_reader_slices_end(struct tm_reader_slices *slices, uint64_t uuid, int64_t ts_ns,
                                    tm_slice_label label[2], int64_t *id, struct tm_error *err);

/* TM_OK: an end with LABEL that is written ends slice ID (TM_NO_ID: nothing), and has been taken as written; TM_END: it
 * would do something else; TM_E_SYSTEM. */
enum tm_status tm_reader_slices_write_end(struct tm_reader_slices *slices, uint64_t uuid, int64_t ts_ns,
                                          const tm_slice_label label[2], int64_t id, struct tm_error *err);

/* Clears the list of slices that the last noted event cut short. Call it before the end of a complete event: no event
 * of the input states that end. */
void tm_reader_slices_pass(struct tm_reader_slices *slices);

/* *SHOWN: the slices on UUID that something written at TS_NS cuts short. Valid until the next call. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_reader_slices_overtaken(struct tm_reader_slices *slices, uint64_t uuid, int64_t ts_ns,
                                          const struct tm_slice_ids **shown, struct tm_error *err);

/* *SHOWN: what is open above slice ID on UUID as it was written, the outermost first; nothing where ID is not there. */
enum tm_status tm_reader_slices_above(struct tm_reader_slices *slices, uint64_t uuid, int64_t id,
                                      const struct tm_slice_ids **shown, struct tm_error *err);

/* True where slice ID is on UUID as it was written, since *TS_NS, and waits for its end. */
bool tm_reader_slices_is_open(const struct tm_reader_slices *slices, uint64_t uuid, int64_t id, int64_t *ts_ns);

/* True where a slice that waits for its end is open on UUID. */
bool tm_reader_slices_waits(const struct tm_reader_slices *slices, uint64_t uuid);

/* Slice ID was not written to UUID after all. */
void tm_reader_slices_forget(struct tm_reader_slices *slices, uint64_t uuid, int64_t id);

void tm_reader_slices_release(struct tm_reader_slices *slices);

#endif

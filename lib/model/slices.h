/* Nested slices: a stack for each track (stream/slice_stack.h). A slice gets its id, depth and parent when it begins,
 * and its duration when it ends. Memory grows with the number of slices open at one time. */
#ifndef TM_MODEL_SLICES_H
#define TM_MODEL_SLICES_H

#include "model/rows.h"
#include "stream/slice_stack.h"

/* Stacks of all tracks that need more slots than this are refused. */
enum { TM_SLICES_SLOTS_MAX = 1 << 24 };

/* Zero-initialise, then set ROWS. */
struct tm_slices {
    const struct tm_rows *rows; /* receives the slices; NULL: the caller only follows which slices are open */
    int64_t next_id;
    /* Counts since the start. */
    uint64_t too_deep, cut_short, unmatched_ends;
    /* private */
    struct tm_slice_stack *stacks; /* by track */
    uint32_t stack_count, stack_cap;
    uint32_t slots; /* slices that all stacks together have memory for */
};

/* Begins a slice with duration row->dur; -1: open. Sets id, depth and parent of ROW and passes it to ROWS. TM_OK.
 * TM_END if the slice is dropped: it crosses another slice (*CROSSES is true) or is nested too deep. TM_E_INPUT past
 * TM_SLICES_SLOTS_MAX, TM_E_SYSTEM, or the error of ROWS. */
enum tm_status tm_slices_begin(struct tm_slices *slices, struct tm_slice_row *row, const tm_slice_label label[2],
                               bool *crosses, struct tm_error *err);

/* True if TRACK holds a slice, open or closed. For tracks with at most one slice at a time: a new slice is dropped
 * then. */
bool tm_slices_has_any(const struct tm_slices *slices, uint32_t track);

/* Ends the slice on TRACK that END means. TM_OK: it is *ENDED, with its arg_set as the value; the caller then calls
 * slice_end of tm_rows. TM_END: there is none; it is counted. Errors: those of ROWS. */
enum tm_status tm_slices_end(struct tm_slices *slices, uint32_t track, const struct tm_stated_end *end,
                             struct tm_open_slice *ended, struct tm_error *err);

/* Sets *ID to the slice on TRACK that END means; TM_NO_ID: none. The slice stays open. Slices that end before END are
 * closed. TM_OK or the error of ROWS. */
enum tm_status tm_slices_find_ended(struct tm_slices *slices, uint32_t track, const struct tm_stated_end *end,
                                    int64_t *id, struct tm_error *err);

/* Returns the arg_set of the slice that an end with LABEL would close now, without a time. The caller may change it.
 * Sets *ID. NULL if there is none. */
int64_t *tm_slices_args(struct tm_slices *slices, uint32_t track, const tm_slice_label label[2], int64_t *id);

/* Returns the id of the slice on top of TRACK's stack, open or closed, and its start *TS. TM_NO_ID if the stack is
 * empty. */
int64_t tm_slices_top(const struct tm_slices *slices, uint32_t track, int64_t *ts);

/* True if a slice is open on TRACK. */
bool tm_slices_is_open(const struct tm_slices *slices, uint32_t track);

/* tm_slices_at sets *VIEW to slice I of TRACK's stack; 0 is the outermost. False if there are not so many. */
struct tm_slice_view {
    int64_t id, ts;
    bool is_open; /* it has no end yet */
};
bool tm_slices_at(const struct tm_slices *slices, uint32_t track, uint32_t i, struct tm_slice_view *view);

/* Calls CUT for the slices on TRACK that an event at TS would cut short. Changes nothing. TM_OK or the error of CUT. */
enum tm_status tm_slices_predict(const struct tm_slices *slices, uint32_t track, int64_t ts,
                                 const struct tm_slice_cut *cut, struct tm_error *err);

/* Removes slice ID from TRACK as if it had never begun. It must not have cut another slice short. */
void tm_slices_remove(struct tm_slices *slices, uint32_t track, int64_t id);

void tm_slices_release(struct tm_slices *slices);

#endif

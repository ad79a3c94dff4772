/* Slices as they nest: a stack for each track. Gives each slice its id, depth and parent when it
 * begins and its duration when it ends. Memory grows with the slices that are open at one time.
 *
 * Intervals are closed on the left and open on the right. On one track a slice must lie inside the
 * one below it or after it; an open slice that outlives a closed one around it ends with that. An
 * end closes the innermost open slice whose name and category do not contradict. Source: the
 * reference's slice tracker. */
#ifndef TM_MODEL_SLICES_H
#define TM_MODEL_SLICES_H

#include "model/rows.h"
#include "base/table.h"

/* Slices nested deeper are not kept. */
enum { TM_SLICES_DEPTH_MAX = 512 };

/* How names are compared: numbers that are equal where the texts are; 0 none. */
typedef uint64_t tm_slice_label;

/* Zero-initialise. */
struct tm_slices {
    int64_t next_id;
    /* How often it happened, since the last that was told. */
    uint64_t crossing_dropped, too_deep, cut_short, unmatched_ends;
    /* private */
    struct tm_slice_stack *stacks; /* by track */
    uint32_t stack_count, stack_cap;
};

/* Rows for those who only follow what is open: nothing is done with any. */
extern const struct tm_rows tm_slices_no_rows;

/* A slice that begins: of duration row->dur, or -1 for one that is open. Sets row's id, depth and
 * parent and gives it to ROWS. TM_OK; TM_END when it was not kept: it crosses another (*CROSSES
 * says so) or lies too deep. */
enum tm_status tm_slices_begin(struct tm_slices *slices, struct tm_slice_row *row, const tm_slice_label label[2],
                               bool *crosses, const struct tm_rows *rows, struct tm_error *err);

/* The same on a track where there is never more than one slice: TM_END when there is one. */
bool tm_slices_busy(const struct tm_slices *slices, uint32_t track);

/* One that ended at TS. TM_OK with its id, arg_set and label (those it began with), then the caller calls
 * tm_rows.slice_end with its dur; TM_END when none fits. */
struct tm_slice_end {
    int64_t id, dur, arg_set;
    tm_slice_label label[2];
};
enum tm_status tm_slices_end(struct tm_slices *slices, uint32_t track, int64_t ts, const tm_slice_label label[2],
                             struct tm_slice_end *end, const struct tm_rows *rows, struct tm_error *err);

/* *ID: the slice that such an end would mean, TM_NO_ID: none. It goes on. TM_OK or what ROWS failed with. */
enum tm_status tm_slices_meant(struct tm_slices *slices, uint32_t track, int64_t ts, const tm_slice_label label[2],
                               int64_t *id, const struct tm_rows *rows, struct tm_error *err);

/* The same as it is, whatever has ended: its args, which may be changed, and *ID; NULL: there is none. */
int64_t *tm_slices_args(struct tm_slices *slices, uint32_t track, const tm_slice_label label[2], int64_t *id);

/* The innermost slice on TRACK, closed or not, that nothing has come after: *TS its start. TM_NO_ID
 * if there is none. */
int64_t tm_slices_top(const struct tm_slices *slices, uint32_t track, int64_t *ts);

/* True when a slice is open on TRACK. */
bool tm_slices_is_open(const struct tm_slices *slices, uint32_t track);

/* Slice I from the outermost of what lies on TRACK. False: there are no more. */
struct tm_slice_view {
    int64_t id, ts;
    bool is_open; /* it waits for its end */
};
bool tm_slices_at(const struct tm_slices *slices, uint32_t track, uint32_t i, struct tm_slice_view *view);

/* Gives SHOW the id of each slice that something which comes at TS would cut short, and how long it would be. Changes
 * nothing. */
void tm_slices_foresee(const struct tm_slices *slices, uint32_t track, int64_t ts,
                       void (*show)(void *self, int64_t id, int64_t dur), void *self);

/* Slice ID was never on TRACK; nothing was cut short by it. */
void tm_slices_forget(struct tm_slices *slices, uint32_t track, int64_t id);

/* Number of slices that are still open. */
uint64_t tm_slices_open_count(const struct tm_slices *slices);

void tm_slices_release(struct tm_slices *slices);

#endif

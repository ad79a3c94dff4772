/* The open slices of one track. The stack finds the slice that an end closes. A slice on a track lies inside the slice
 * below it or begins after that has ended. If an open slice outlives the closed slice around it, it ends with that
 * slice. An end closes the innermost open slice whose name and category do not contradict it. Intervals include their
 * start and exclude their end. Source: the slice tracker of the reference importer. doc/rules.md section 6 states the
 * rules. */
#ifndef TM_STREAM_SLICE_STACK_H
#define TM_STREAM_SLICE_STACK_H

#include "base/checked.h"
#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Slices nested deeper are dropped. */
enum { TM_SLICES_DEPTH_MAX = 512 };

/* A number for a text: equal texts have equal numbers. 0: no text. It is the number of a string of the stream, or
 * TM_SLICE_LABEL_HASH and a hash of a string that travels with its event. */
typedef uint64_t tm_slice_label;
#define TM_SLICE_LABEL_HASH (UINT64_C(1) << 63)

/* Returns the label of STRING, a name or category column, whose text is TEXT. */
tm_slice_label tm_slice_label_of(uint32_t string, struct tm_text text);

struct tm_open_slice {
    int64_t ts, dur; /* dur -1: its end has not come */
    tm_slice_label label[2]; /* name, category */
    int64_t id, value; /* the owner's */
};

/* Zero-initialise. */
struct tm_slice_stack {
    struct tm_open_slice *slices; /* the outermost first */
    uint32_t depth, cap;
};

/* An end as an event states it. It means the innermost open slice whose label fits. */
struct tm_stated_end {
    int64_t ts;
    tm_slice_label label[2]; /* name, category */
};

/* Called when SLICES, COUNT of them with the outermost first, end at END_NS with the slice around them. */
struct tm_slice_cut {
    void *self;
    enum tm_status (*cut)(void *self, const struct tm_open_slice *slices, uint32_t count, int64_t end_ns,
                          struct tm_error *err);
};

/* Returns the end of a slice, limited to the range of int64_t. DUR may be negative in damaged input. */
static inline int64_t tm_slice_end_ns(int64_t ts, int64_t dur)
{
    int64_t end;
    return tm_add_i64(ts, dur, &end) ? end : dur < 0 ? INT64_MIN : INT64_MAX;
}

/* True if an end with the label WANTED can mean a slice with the label THERE. An end without a name fits all names, and
 * a slice without a name fits all ends. A category of the end must be that of the slice. */
static inline bool tm_slice_label_fits(const tm_slice_label there[2], const tm_slice_label wanted[2])
{
    return (wanted[0] == 0 || there[0] == 0 || there[0] == wanted[0]) && (wanted[1] == 0 || there[1] == wanted[1]);
}

/* Removes slices that have ended before an event of duration DUR (-1: unknown) at TS. TM_OK; TM_END: the event would
 * cross a slice; else the error of CUT. */
enum tm_status tm_slice_stack_settle(struct tm_slice_stack *stack, int64_t ts, int64_t dur,
                                     const struct tm_slice_cut *cut, struct tm_error *err);

/* Calls CUT for the slices that an event of unknown duration at TS would cut short. Does not change STACK. TM_OK or the
 * error of CUT. */
enum tm_status tm_slice_stack_predict(const struct tm_slice_stack *stack, int64_t ts, const struct tm_slice_cut *cut,
                                      struct tm_error *err);

/* Pushes SLICE on a settled stack. TM_OK; TM_END: it is nested too deep; TM_E_SYSTEM. */
enum tm_status tm_slice_stack_push(struct tm_slice_stack *stack, const struct tm_open_slice *slice,
                                   struct tm_error *err);

/* Returns the slice that an end with LABEL means, or NULL. */
struct tm_open_slice *tm_slice_stack_ended(const struct tm_slice_stack *stack, const tm_slice_label label[2]);

/* Ends SLICE, which tm_slice_stack_ended returned, at TS. Its memory is valid until the next push. */
void tm_slice_stack_end(struct tm_slice_stack *stack, struct tm_open_slice *slice, int64_t ts);

/* Settles STACK and ends the slice that END means. TM_OK: *ENDED is that slice with its duration. TM_END: there is
 * none; else the error of CUT. */
enum tm_status tm_slice_stack_close(struct tm_slice_stack *stack, const struct tm_stated_end *end,
                                    const struct tm_slice_cut *cut, struct tm_open_slice *ended, struct tm_error *err);

/* Removes slice ID as if it had never begun. It must not have cut another slice short. */
void tm_slice_stack_remove(struct tm_slice_stack *stack, int64_t id);

void tm_slice_stack_release(struct tm_slice_stack *stack);

#endif

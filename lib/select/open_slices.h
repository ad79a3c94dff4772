/* The slices that are open, as a stack for each track (stream/slice_stack.h). They determine which begin an end belongs
 * to. Memory grows with the slices open at one time and with the threads that had any. */
#ifndef TM_SELECT_OPEN_SLICES_H
#define TM_SELECT_OPEN_SLICES_H

#include "model/catalog.h"
#include "base/heap.h"
#include "base/table.h"
#include "stream/event.h"
#include "stream/slice_stack.h"

enum {
    TM_OPEN_PENDING_MAX = 256,
    TM_OPEN_TRACKS_MAX = 1 << 22 /* more tracks with open slices are refused */
};

/* The fate of a slice's begin. */
enum tm_open_fate { TM_OPEN_DROPPED, TM_OPEN_KEPT, TM_OPEN_PENDING /* until its end is known */ };

enum { TM_OPEN_NO_LENGTH = -1 }; /* the ID of a slice whose begin has the flag TM_EVENT_NO_LENGTH */

/* The fate is the VALUE of a slice. Its ID is its pending group, where the fate is TM_OPEN_PENDING; at the first
 * reading it is the number of its begin. */
static inline enum tm_open_fate tm_open_slices_fate(const struct tm_open_slice *slice)
{
    return (enum tm_open_fate)slice->value;
}

static inline uint32_t tm_open_slices_pending(const struct tm_open_slice *slice)
{
    return (uint32_t)slice->id;
}

struct tm_open_stack {
    struct tm_slice_stack slices;
    /* Pending groups of flows that bind to the next slice. */
    uint32_t *pending, pending_count, pending_cap;
    /* private */
    struct tm_key key;
    bool lasts; /* stays when it is empty */
    bool is_due; /* slices may be cut short after due_ns, the earliest such time */
    int64_t due_ns;
};

/* Zero-initialise. */
struct tm_open_slices {
    /* Slices that are not dropped and ended because a slice around them did, with their durations. The innermost is
     * the first of those that ended together. The caller removes them. */
    struct tm_open_slice *cut_short;
    uint32_t cut_short_count;
    /* private */
    uint32_t cut_short_cap;
    struct tm_heap due; /* by time */
    struct tm_open_stack *stacks;
    uint32_t stack_count, stack_cap;
    uint32_t *free_stacks, free_count, free_cap;
    struct tm_table by_key;
};

/* Identifies the track of EVENT: a slice, a step of one, or a flow. Its strings are in CATALOG. */
struct tm_open_track {
    struct tm_key key;
    bool lasts; /* the track of a thread, which will have more slices */
};
struct tm_open_track tm_open_track_of(const struct tm_catalog *catalog, const struct tm_event *event, bool is_json);

/* Returns a number for STRING, a column of EVENT. Equal strings have equal numbers; 0 none. */
tm_slice_label tm_open_slices_label(const struct tm_catalog *catalog, const struct tm_event *event, uint32_t string);

/* tm_open_slices_find returns the stack of TRACK, or NULL. tm_open_slices_get makes it if there is none. It is valid
 * until the next tm_open_slices_get. TM_OK, TM_E_INPUT (TM_OPEN_TRACKS_MAX) or TM_E_SYSTEM. */
struct tm_open_stack *tm_open_slices_find(const struct tm_open_slices *open, const struct tm_open_track *track);
enum tm_status tm_open_slices_get(struct tm_open_slices *open, const struct tm_open_track *track,
                                  struct tm_open_stack **stack, struct tm_error *err);

/* Pushes SLICE. TM_OK; TM_END if it crosses another slice or is nested too deep; TM_E_SYSTEM. */
enum tm_status tm_open_slices_begin(struct tm_open_slices *open, struct tm_open_stack *stack,
                                    const struct tm_open_slice *slice, struct tm_error *err);

/* Ends the slice that END means and copies it to *ENDED. TM_OK; TM_END if none matches; TM_E_SYSTEM. */
enum tm_status tm_open_slices_end(struct tm_open_slices *open, struct tm_open_stack *stack,
                                  const struct tm_stated_end *end, struct tm_open_slice *ended, struct tm_error *err);

/* Notes that slices of STACK which are not dropped will be cut short if they are still open after the slices around
 * them. PLACE, an event on the track of STACK, is copied without its payload. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_slices_watch(struct tm_open_slices *open, struct tm_open_stack *stack,
                                    const struct tm_event *place, struct tm_error *err);

/* True if the innermost slice of STACK, which begins at NOW_NS and is watched, is cut short at NOW_NS unless it ends
 * before. Its ID is TM_OPEN_NO_LENGTH then. */
bool tm_open_slices_has_no_length(struct tm_open_stack *stack, int64_t now_ns);

/* Cuts short the watched slices of one track around which a slice ended before NOW_NS. TM_OK with *PLACE as it was
 * passed to tm_open_slices_watch; TM_END if there is none; TM_E_SYSTEM. */
enum tm_status tm_open_slices_cut(struct tm_open_slices *open, int64_t now_ns, struct tm_event *place,
                                  struct tm_error *err);

/* Returns the innermost slice, or NULL. */
const struct tm_open_slice *tm_open_slices_top(const struct tm_open_stack *stack);

/* Adds a pending group that waits for the next slice. TM_OK; TM_END if there are too many; TM_E_SYSTEM. */
enum tm_status tm_open_slices_wait(struct tm_open_stack *stack, uint32_t pending, struct tm_error *err);

/* Frees STACK if it is empty, no group is pending on it, and it does not last. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_slices_done(struct tm_open_slices *open, struct tm_open_stack *stack, struct tm_error *err);

/* Returns the next slice that is still open; NULL: there are no more. *STACK and *DEPTH start at 0. */
const struct tm_open_slice *tm_open_slices_next(const struct tm_open_slices *open, uint32_t *stack, uint32_t *depth);

void tm_open_slices_release(struct tm_open_slices *open);

#endif

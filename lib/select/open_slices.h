/* Slices that are open, a stack for each track, to know which begin an end belongs to. Nests as
 * tm_slices of the model does, which is what the outputs show. Memory grows with the slices open at
 * one time and with the threads that had any. */
#ifndef TM_SELECT_OPEN_SLICES_H
#define TM_SELECT_OPEN_SLICES_H

#include "model/catalog.h"
#include "base/table.h"
#include "stream/event.h"

enum { TM_OPEN_DEPTH_MAX = 512, TM_OPEN_PENDING_MAX = 256 };

/* What became of a slice's begin. */
enum tm_open_fate { TM_OPEN_DROPPED, TM_OPEN_KEPT, TM_OPEN_PENDING /* until it is known where it ends */ };

struct tm_open_slice {
    int64_t ts, dur; /* dur -1: not ended */
    uint64_t label[2];
    uint32_t pending; /* group, where fate is TM_OPEN_HELD */
    uint8_t fate;
};

struct tm_open_stack {
    struct tm_open_slice *slices;
    uint32_t depth, cap;
    /* Held groups of flows that bind to the next slice. */
    uint32_t *pending, pending_count, pending_cap;
    /* private */
    struct tm_key key;
    bool lasts; /* also while it is empty */
};

/* Zero-initialise. */
struct tm_open_slices {
    /* Held groups of slices that were ended by the end of one around them; the caller takes them. */
    uint32_t *cut_short, cut_short_count;
    /* private */
    uint32_t cut_short_cap;
    struct tm_open_stack *stacks;
    uint32_t stack_count, stack_cap;
    uint32_t *free_stacks, free_count, free_cap;
    struct tm_table by_key;
};

/* What identifies the track of EVENT, a slice, a step of one or a flow, whose strings are in CATALOG. */
struct tm_open_track {
    struct tm_key key;
    bool lasts; /* of a thread, which will have more */
};
struct tm_open_track tm_open_track_of(const struct tm_catalog *catalog, const struct tm_event *event, bool is_json);

/* STRING, a column of EVENT, as a number that is equal for equal strings; 0 none. */
uint64_t tm_open_label(const struct tm_catalog *catalog, const struct tm_event *event, uint32_t string);

/* The stack of that track, or NULL. Valid until the next tm_open_need. */
struct tm_open_stack *tm_open_find(const struct tm_open_slices *open, const struct tm_open_track *track);
enum tm_status tm_open_need(struct tm_open_slices *open, const struct tm_open_track *track,
                            struct tm_open_stack **stack, struct tm_error *err);

/* SLICE begins. TM_OK; TM_END when it has no place there: it crosses another or lies too deep. */
enum tm_status tm_open_begin(struct tm_open_slices *open, struct tm_open_stack *stack,
                             const struct tm_open_slice *slice, struct tm_error *err);

/* One ends at TS: *ENDED is a copy. TM_END when none fits. */
enum tm_status tm_open_end(struct tm_open_slices *open, struct tm_open_stack *stack, int64_t ts,
                           const uint64_t label[2], struct tm_open_slice *ended, struct tm_error *err);

/* The slice that an end with LABEL would mean; NULL: none. */
const struct tm_open_slice *tm_open_meant(const struct tm_open_stack *stack, const uint64_t label[2]);

/* One more held group that waits for the next slice. TM_END when there are too many. */
enum tm_status tm_open_wait(struct tm_open_stack *stack, uint32_t pending, struct tm_error *err);

/* Gives STACK back if nothing is on it. */
enum tm_status tm_open_done(struct tm_open_slices *open, struct tm_open_stack *stack, struct tm_error *err);

void tm_open_release(struct tm_open_slices *open);

#endif

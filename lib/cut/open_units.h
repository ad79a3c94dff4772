/* Slices that are open at a cut, and the slices that decide which lanes they get.
 *
 * In some outputs a slice that crosses another gets a lane of its own. Its lane depends on all slices that overlap in a
 * chain. So slices that cross are a group, and a group is kept until its last slice is over. A slice that is over and
 * crosses none is forgotten.
 *
 * Which slices an event ends is decided by the model's rules (stream/slice_stack.h). Where they leave a slice that has
 * ended on the stack, below one that lasts longer, later events remove others than those that have ended. So these
 * events are kept with the group of that slice. */
#ifndef TM_CUT_OPEN_UNITS_H
#define TM_CUT_OPEN_UNITS_H

#include "base/heap.h"
#include "base/table.h"
#include "cut/pending_units.h"
#include "stream/slice_stack.h"

enum { TM_OPEN_UNITS_MAX = 1 << 16 }; /* of a track; beyond that the oldest is dropped from the state */

/* References to units, in the order in which they were added. */
struct tm_unit_list {
    struct tm_unit_node {
        struct tm_unit_node *next;
        struct tm_pending_unit *unit;
        uint64_t number; /* counts up on a track */
    } *first, *last;
};

/* A slice that waits for the event that ends it. */
struct tm_open_begin {
    struct tm_unit_list units; /* its begin, and args that were added to it */
    int64_t id;                /* on the stack of its track */
    uint32_t group;            /* an index; UINT32_MAX: no complete slice was open when it began */
    int64_t first_end_ns;      /* the earliest end of its group when it began */
    int64_t latest_ns;         /* the latest end of complete slices that began after it and before the next of these */
};

/* Slices that cross each other. Of two groups of a track, all slices of the later one end no later than the first
 * slice of the earlier one that is not over. */
struct tm_unit_group {
    struct tm_unit_list units;
    struct tm_heap ends;  /* of slices that are not over, and perhaps of others */
    int64_t first_end_ns; /* the earliest end */
    int64_t last_end_ns;  /* the latest end */
    uint32_t open_count;  /* members that wait for their end */
};

/* Zero-initialise, with .units set. */
struct tm_open_units {
    struct tm_pending_units *units; /* borrowed */
    uint64_t left_out; /* slices that were dropped because their track has TM_OPEN_UNITS_MAX */
    /* private */
    struct tm_unit_track {
        struct tm_open_begin *begins; /* in order; from first_begin on */
        uint32_t first_begin, begin_count, begin_cap;
        struct tm_unit_group *groups; /* in the order of their first slices */
        uint32_t group_count, group_cap;
        uint32_t group_made;   /* those from group_count on are empty, but their heaps have memory */
        uint32_t oldest_group; /* those before it have no units */
        uint32_t ended_group;  /* the group of the slice that ended last */
        struct tm_slice_stack stack; /* what the model has open */
        int64_t next_id;
        bool is_tangled; /* slice tangled_id, of group tangled_group, has ended and is still on the stack */
        int64_t tangled_id;
        uint32_t tangled_group;
        uint32_t count;        /* units in the lists of begins and groups */
        uint64_t next_number;
        struct tm_pending_unit *last; /* the complete slice or instant that began last, if it is on the stack */
        int64_t last_id;
    } * tracks;
    uint32_t count, cap;
    struct tm_table by_key;
    struct tm_unit_node *free_nodes;
};

/* Returns the track with KEY, valid until the next call, or NULL: tm_open_units_known, there is none;
 * tm_open_units_track, which makes it then, memory ran out. */
struct tm_unit_track *tm_open_units_known(const struct tm_open_units *open, const struct tm_key *key);
struct tm_unit_track *tm_open_units_track(struct tm_open_units *open, const struct tm_key *key);

/* A slice, or an instant, which ends when it begins. */
struct tm_open_span {
    int64_t begin_ns, end_ns; /* INT64_MAX: an end whose label fits will say when */
    tm_slice_label label[2];  /* name, category */
    bool is_target;           /* flow events bind to it until another event ends it */
    bool is_no_slice;         /* the model makes no slice of it: nothing ends it */
};

/* Adds UNIT, which begins SPAN on TRACK. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_units_begin(struct tm_open_units *open, struct tm_unit_track *track,
                                   struct tm_pending_unit *unit, const struct tm_open_span *span);

/* Ends the slices of TRACK that end at NOW_NS because one around them ended before. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_units_pass(struct tm_open_units *open, struct tm_unit_track *track, int64_t now_ns);

/* Ends the innermost open slice of TRACK whose label fits LABEL (tm_slice_label_fits), at NOW_NS. TM_END if its end is
 * not needed: there is none, or the slice crosses no other and is forgotten. TM_OK if the slice crosses another and so
 * stays in its group: then call tm_open_units_keep_end with the UNIT of the end, which stays as long as the group. It
 * returns TM_OK or TM_E_SYSTEM, as does the first. */
enum tm_status tm_open_units_end(struct tm_open_units *open, struct tm_unit_track *track, int64_t now_ns,
                                 const tm_slice_label label[2]);
enum tm_status tm_open_units_keep_end(struct tm_open_units *open, struct tm_unit_track *track,
                                      struct tm_pending_unit *unit);

/* Returns the unit of the begin that an end with LABEL would end, or NULL. */
struct tm_pending_unit *tm_open_units_find(const struct tm_unit_track *track, const tm_slice_label label[2]);

/* Adds UNIT, which adds args to the slice that an end with LABEL would end. UNIT stays as long as that slice. Call it
 * only if tm_open_units_find finds one. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_units_attach(struct tm_open_units *open, struct tm_unit_track *track,
                                    struct tm_pending_unit *unit, const tm_slice_label label[2]);

/* Drops, on all tracks, the slices that ended before NOW_NS. */
void tm_open_units_drop_ended(struct tm_open_units *open, int64_t now_ns);

void tm_open_units_release(struct tm_open_units *open);

#endif

/* Slices that are open at a cut, and the slices that decide which lanes they get.
 *
 * In some outputs a slice that crosses another gets a lane of its own. Its lane depends on all slices that overlap in a
 * chain. So slices that cross are a group, and a group is kept until its last slice is over. A slice that is over and
 * crosses none is forgotten. */
#ifndef TM_CUT_OPEN_UNITS_H
#define TM_CUT_OPEN_UNITS_H

#include "base/table.h"
#include "cut/pending_units.h"
#include "stream/slice_stack.h"

enum { TM_OPEN_UNITS_MAX = 1 << 16 }; /* of a track; beyond that the oldest is dropped from the state */

/* Zero-initialise, with .units set. */
struct tm_open_units {
    struct tm_pending_units *units; /* borrowed */
    /* private */
    struct tm_unit_track {
        struct tm_open_unit {
            struct tm_pending_unit *unit;
            int64_t end_ns; /* INT64_MAX: an end is to come */
            int64_t until_ns; /* the latest end of its group */
            tm_slice_label label[2]; /* name, category */
            uint32_t group;
        } *rows; /* in the order of their begins */
        uint32_t count, cap, next_group;
        int64_t soonest_ns; /* no until_ns of a row is before it */
        int64_t latest_ns;  /* no end_ns of a row is after it, except INT64_MAX */
        bool has_groups;    /* some rows may be of one group */
        struct tm_pending_unit *last; /* the complete slice that began last */
    } * tracks;
    uint32_t count, cap;
    struct tm_table by_key;
};

/* Returns the track with KEY, valid until the next call, or NULL if memory ran out. */
struct tm_unit_track *tm_open_units_track(struct tm_open_units *open, const struct tm_key *key);

/* A slice: when it begins and ends (INT64_MAX: an end whose label fits will say when), its name and category. */
struct tm_open_span {
    int64_t begin_ns, end_ns;
    tm_slice_label label[2];
};

/* Adds UNIT, which begins SPAN on TRACK. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_units_begin(struct tm_open_units *open, struct tm_unit_track *track,
                                   struct tm_pending_unit *unit, const struct tm_open_span *span);

/* Ends the innermost open slice of TRACK whose label fits LABEL (tm_slice_label_fits), at NOW_NS. Returns false if
 * there is none, or if the slice crosses no other: it is then forgotten, and its end is not needed. Returns true if the
 * slice crosses another and so stays in its group: then call tm_open_units_keep_end with the UNIT of the end, which
 * stays as long as the group. It returns TM_OK or TM_E_SYSTEM. */
bool tm_open_units_end(struct tm_open_units *open, struct tm_unit_track *track, int64_t now_ns,
                       const tm_slice_label label[2]);
enum tm_status tm_open_units_keep_end(struct tm_unit_track *track, struct tm_pending_unit *unit, int64_t now_ns);

/* True if UNIT begins a slice on TRACK that waits for its end. */
bool tm_open_units_is_open(const struct tm_unit_track *track, const struct tm_pending_unit *unit);

/* Adds UNIT, which adds args to the slice that an end with LABEL would end. UNIT stays as long as that slice. Call it
 * only if tm_open_units_has returns true. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_units_attach(struct tm_unit_track *track, struct tm_pending_unit *unit,
                                    const tm_slice_label label[2]);
bool tm_open_units_has(const struct tm_unit_track *track, const tm_slice_label label[2]);

/* Notes that UNIT is the complete slice that began last on TRACK. */
void tm_open_units_set_last(struct tm_open_units *open, struct tm_unit_track *track, struct tm_pending_unit *unit);

/* Drops, on all tracks, the slices that ended before NOW_NS. */
void tm_open_units_drop_ended(struct tm_open_units *open, int64_t now_ns);

void tm_open_units_release(struct tm_open_units *open);

#endif

/* The state of a timeline at a time: the earlier events that still matter then. They state open slices, the last values
 * of counters, the last switches of each cpu, and the names, starts and ends of tasks. All of it is kept by file, so
 * the states of several streams together are the state of their merge. */
#ifndef TM_CUT_STATE_H
#define TM_CUT_STATE_H

#include "cut/open_units.h"
#include "model/catalog.h"
#include "stream/timestamp_group.h"

/* Zero-initialise, with the first two set. */
struct tm_cut_state {
    const struct tm_catalog *catalog; /* borrowed */
    bool has_flows;                   /* some events are flows: the last slice of a thread matters, though it is over */
    struct tm_pending_units units;       /* in order; after drop_ended exactly the state */
    /* private */
    struct tm_open_units open;
    struct tm_pending_unit **last; /* by key: its latest unit */
    uint32_t last_count, last_cap;
    struct tm_table by_key, switches;
    struct tm_table lifetimes; /* by machine and pid or tid: how often a task with it has started or ended */
    struct tm_cut_unit *taken; /* the events of one time */
    struct tm_timestamp_rank *ranks;
    uint32_t taken_count, taken_cap, rank_cap;
};

/* Takes the next COUNT rows: events of one time, each followed by those derived from it. They take effect in the order
 * in which they nest (stream/timestamp_group.h). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_cut_state_take(struct tm_cut_state *state, const struct tm_event *rows, uint32_t count,
                                 struct tm_error *err);

/* Drops what no longer matters at NOW_NS, which is later than all events so far. */
void tm_cut_state_drop_ended(struct tm_cut_state *state, int64_t now_ns);

void tm_cut_state_release(struct tm_cut_state *state);

#endif

/* What the parts of the filter share; private to lib/select. */
#ifndef TM_SELECT_INTERNAL_H
#define TM_SELECT_INTERNAL_H

#include "model/catalog.h"
#include "select/pending_groups.h"
#include "select/task_lifetimes.h"
#include "select/matcher.h"
#include "select/open_slices.h"
#include "select/select.h"
#include "select/hidden_tasks.h"
#include "select/track_names.h"
#include "select/pending_rows.h"
#include "stream/batch_builder.h"

enum tm_group_fate { TM_GROUP_DROPPED, TM_GROUP_KEPT, TM_GROUP_HELD };

/* An event and the rows derived from it. */
struct tm_select_group {
    const struct tm_event *rows;
    uint32_t count;
    uint8_t fate;
    bool is_json;   /* an object of Chrome JSON */
};

/* Where group INDEX goes among those of its moment when they are decided. */
struct tm_select_rank {
    int64_t rank;
    uint32_t index;
};

/* Rows of a batch, one after another, that are kept and have not gone out. */
struct tm_select_range {
    uint32_t first, count;
    const uint8_t *payload, *payload_end;
};

/* What was last true before `from` of a counter or a cpu. */
struct tm_select_state {
    uint32_t pending; /* the group that says it; TM_PENDING_GROUPS_NONE: it is said anew at `from` */
    uint32_t life; /* the task of which it is true; 0: none */
};

struct tm_select {
    const struct tm_select_spec *spec;
    const struct tm_catalog *catalog;
    struct tm_matcher matcher;
    struct tm_tally tally;
    struct tm_pending_groups pending;
    struct tm_open_slices open;
    struct tm_hidden_tasks tasks;
    struct tm_task_lifetimes lives;
    struct tm_track_names tracks;
    struct tm_pending_rows waiting;
    struct tm_table states; /* of counters and cpus: numbers of state_rows */
    struct tm_select_state *state_rows;
    uint32_t state_count, state_cap;
    bool has_origin;
    int64_t origin_ns;
    bool has_from, has_to;
    int64_t from_ns, to_ns;
    bool holding; /* nothing after from_ns has come yet */
    uint64_t wanted_count;
    /* Rows of one time, being gathered: borrowed from the batch at hand, or all in carry. */
    int64_t group_ns;
    struct tm_event *rows;
    uint32_t row_count, row_cap;
    struct tm_batch_builder carry;
    const struct tm_batch *batch; /* at hand */
    uint32_t batch_row;           /* the one at hand in it */
    uint32_t group_row;          /* the moment's first in it, where it is not in carry */
    struct tm_select_group *groups;
    uint32_t group_count, group_cap;
    struct tm_select_rank *ranks; /* of the groups, in the order in which they are decided */
    uint32_t rank_cap;
    uint64_t order; /* of the moment's first group in the stream */
    struct tm_select_range range; /* goes out after `out` */
    struct tm_batch_builder out;
    const struct tm_select_sink *sink;
};

/* True for kinds of events that begin, end or are slices. */
static inline bool tm_select_is_slice(uint32_t kind)
{
    return kind >= TM_KIND_SLICE_BEGIN && kind <= TM_KIND_INSTANT;
}

/* Decides what becomes of GROUP, whose place is wanted, and says so in its fate. Groups of one moment
 * come in the order of their ranks. */
enum tm_status tm_select_decide(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);

/* True at times from `from` on and before `to`. */
static inline bool tm_select_is_in(const struct tm_select *s, int64_t ns)
{
    return !(s->has_from && ns < s->from_ns) && !(s->has_to && ns >= s->to_ns);
}

/* GROUP is kept: at once, or while holding in its list; *ID (may be NULL) is then its held group, else
 * TM_PENDING_GROUPS_NONE. */
enum tm_status tm_select_keep(struct tm_select *select, struct tm_select_group *group, uint32_t *id,
                              struct tm_error *err);

/* Whether the event of GROUP is wanted by name and category. */
enum tm_status tm_select_wants(struct tm_select *select, const struct tm_select_group *group, bool *wanted,
                               struct tm_error *err);

/* ROWS, an event and what is derived from it, go out, after the name of their thread where that is due. */
enum tm_status tm_select_put(struct tm_select *select, const struct tm_event *rows, uint32_t count,
                             struct tm_error *err);

/* The same for rows that were held; those of before `from` go out without names. */
enum tm_status tm_select_put_late(struct tm_select *select, const struct tm_event *rows, uint32_t count,
                                  struct tm_error *err);

/* Names the threads of rows from before `from` that have been put late and live. */
enum tm_status tm_select_say_held(struct tm_select *select, struct tm_error *err);

/* The same as tm_select_put for rows that stand in the batch at hand from row FIRST on. */
enum tm_status tm_select_put_here(struct tm_select *select, const struct tm_event *rows, uint32_t count,
                                  uint32_t first, struct tm_error *err);

/* What was put reaches the sink; the batch at hand may go. */
enum tm_status tm_select_flush(struct tm_select *select, struct tm_error *err);

/* True when the event and its rows tell of threads and processes, and of nothing else. */
bool tm_select_only_names(const struct tm_event *rows, uint32_t count);

/* True when ROWS are an event that was wanted for itself. */
static inline bool tm_select_is_shown(const struct tm_event *rows, uint32_t count)
{
    return !(rows->flags & TM_EVENT_CONTEXT) && !tm_select_only_names(rows, count);
}

/* *LIFE is the task that ROW, one of an event, is of; 0 none. */
enum tm_status tm_select_life(struct tm_select *select, const struct tm_event *row, uint32_t *life,
                              struct tm_error *err);

/* The wanted time has come: what was last true before it, and is so of tasks that live. */
enum tm_status tm_select_settle(struct tm_select *select, struct tm_error *err);

/* Kernel events that start, end or rename a task. */
enum tm_status tm_select_task(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);

/* GROUP is there for what it says of threads and processes alone, as no event of its own. */
enum tm_status tm_select_as_context(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);

/* ROW, which is kept, tells of a thread and a process. */
enum tm_status tm_select_told(struct tm_select *select, const struct tm_event *row, bool is_lasting,
                              struct tm_error *err);

/* Slices and what binds to them. */
enum tm_status tm_select_slice(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);
enum tm_status tm_select_flow(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);
enum tm_status tm_select_step(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);

#endif

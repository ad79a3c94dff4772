/* Declarations that the files of the filter share; private to lib/select. The functions return what tm_select_batch
 * returns. */
#ifndef TM_SELECT_INTERNAL_H
#define TM_SELECT_INTERNAL_H

#include "model/catalog.h"
#include "select/facts.h"
#include "select/event_tasks.h"
#include "select/pending_groups.h"
#include "select/task_lifetimes.h"
#include "select/criteria.h"
#include "select/open_slices.h"
#include "select/select.h"
#include "select/hidden_tasks.h"
#include "select/track_names.h"
#include "select/pending_rows.h"
#include "stream/batch_builder.h"
#include "stream/timestamp_group.h"

enum tm_group_fate { TM_GROUP_DROPPED, TM_GROUP_KEPT, TM_GROUP_PENDING };

/* An event and the rows derived from it. */
struct tm_select_group {
    const struct tm_event *rows;
    uint32_t count;
    uint8_t fate;
    bool is_json;   /* the event is an object of Chrome JSON */
};

/* Adjacent rows of a batch that are kept and not yet written. */
struct tm_select_range {
    uint32_t first, count;
    const uint8_t *payload, *payload_end;
};

/* The value of a counter, or the state of a cpu, before `from`. */
struct tm_select_state {
    uint32_t pending; /* the group that states it; TM_PENDING_GROUPS_NONE: it was stated again at `from` */
    uint32_t lifetime; /* the task that it is about; 0: none */
};

struct tm_select {
    const struct tm_select_spec *spec;
    const struct tm_catalog *catalog;
    struct tm_criteria criteria;
    struct tm_select_facts *facts;   /* borrowed; NULL: nothing needs it, or this is the first reading */
    struct tm_select_facts *learned; /* owned; at the first reading */
    struct tm_event_tasks tasks_of;
    uint64_t begin_count; /* slice begins so far, whether wanted or not */
    struct tm_tally tally;
    struct tm_pending_groups pending;
    struct tm_open_slices open;
    struct tm_hidden_tasks tasks;
    struct tm_task_lifetimes lifetimes;
    struct tm_track_names tracks;
    struct tm_pending_rows pending_rows;
    struct tm_table states; /* by counter or cpu: indices of state_rows */
    struct tm_select_state *state_rows;
    uint32_t state_count, state_cap;
    bool has_origin;
    int64_t origin_ns;
    bool has_from, has_to;
    int64_t from_ns, to_ns;
    bool is_before_cut; /* no event after from_ns has arrived */
    uint64_t wanted_count;
    /* Rows of one timestamp group while it is collected. They are borrowed from the current batch, or all are in
     * carry. */
    int64_t group_ns;
    struct tm_event *rows;
    uint32_t row_count, row_cap;
    struct tm_batch_builder carry;
    const struct tm_batch *batch; /* the current batch */
    uint32_t batch_row;           /* the current row in it */
    uint32_t group_row;          /* the timestamp group's first row in it, unless it is in carry */
    struct tm_select_group *groups;
    uint32_t group_count, group_cap;
    struct tm_timestamp_rank *ranks; /* of the groups, in the order of decision */
    uint32_t rank_cap;
    uint64_t order; /* number of the timestamp group's first group in the stream */
    struct tm_select_range range; /* written after `out` */
    struct tm_batch_builder out;
    const struct tm_batch_receiver *receiver;
};

/* True for kinds of events that begin, end or are slices. */
static inline bool tm_select_is_slice(uint32_t kind)
{
    return kind >= TM_KIND_SLICE_BEGIN && kind <= TM_KIND_INSTANT;
}

/* True if ROW ends a slice. Args that state that a slice has no length end it too. */
static inline bool tm_select_ends(const struct tm_event *row)
{
    return row->kind == TM_KIND_SLICE_END || (row->kind == TM_KIND_SLICE_ARGS && row->flags & TM_EVENT_OPEN_ENDED);
}

/* True if one event ends a state and begins the next. */
static inline bool tm_select_is_change(const struct tm_select_group *g)
{
    return tm_select_ends(g->rows) && g->count > 1 && g->rows[1].kind == TM_KIND_SLICE_BEGIN;
}

/* Decides the fate of GROUP and sets it. Its file and machine are wanted. Groups of one time come in the order of their
 * ranks. */
enum tm_status tm_select_decide(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);

/* Ends slices that are open though a slice around them ended before NOW_NS: what is kept of them gets an end. Events of
 * NOW_NS and later have not been decided. */
enum tm_status tm_select_cut_short(struct tm_select *select, int64_t now_ns, struct tm_error *err);

/* True for times from `from` on and before `to`. */
static inline bool tm_select_is_in(const struct tm_select *s, int64_t ns)
{
    return !(s->has_from && ns < s->from_ns) && !(s->has_to && ns >= s->to_ns);
}

/* Returns the rows of GROUP with their place in the order of events. */
static inline struct tm_event_rows tm_select_rows(const struct tm_select *select, const struct tm_select_group *group)
{
    return (struct tm_event_rows){group->rows, group->count, select->order + (uint64_t)(group - select->groups)};
}

/* Keeps GROUP: at once, or while is_before_cut is set as a pending group in its list. *ID (may be NULL) is then the
 * pending group, else TM_PENDING_GROUPS_NONE. */
enum tm_status tm_select_keep(struct tm_select *select, struct tm_select_group *group, uint32_t *id,
                              struct tm_error *err);

/* *WANTED: true if the event of GROUP matches by name and category. */
enum tm_status tm_select_wants(struct tm_select *select, const struct tm_select_group *group, bool *wanted,
                               struct tm_error *err);

/* Writes ROWS, an event and the rows derived from it. The name of its thread is written before it if that is due. */
enum tm_status tm_select_put(struct tm_select *select, const struct tm_event *rows, uint32_t count,
                             struct tm_error *err);

/* Writes ROWS, which were pending. Rows from before `from` are written without names. */
enum tm_status tm_select_put_pending(struct tm_select *select, const struct tm_event *rows, uint32_t count,
                                     struct tm_error *err);

/* Writes the names of living threads that have rows from before `from`. Those rows were written without names. */
enum tm_status tm_select_name_pending(struct tm_select *select, struct tm_error *err);

/* Writes ROWS as tm_select_put does. They are in the current batch, from row FIRST on. */
enum tm_status tm_select_put_batch_rows(struct tm_select *select, const struct tm_event *rows, uint32_t count,
                                        uint32_t first, struct tm_error *err);

/* Passes all written rows to the receiver. The current batch may then be freed. */
enum tm_status tm_select_flush(struct tm_select *select, struct tm_error *err);

/* True if ROWS describe threads and processes and nothing else. */
static inline bool tm_select_only_names(const struct tm_event *rows, uint32_t count)
{
    bool names = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = rows[i].kind;
        if (kind == TM_KIND_PROCESS || kind == TM_KIND_THREAD)
            names = true;
        else if (kind != TM_KIND_PACKET || i > 0)
            return false;
    }
    return names;
}

/* True if ROWS are an event that was itself wanted. */
static inline bool tm_select_is_shown(const struct tm_event *rows, uint32_t count)
{
    return !(rows->flags & TM_EVENT_CONTEXT) && !tm_select_only_names(rows, count);
}

/* *LIFETIME is the task that ROW belongs to; 0 none. */
enum tm_status tm_select_lifetime_of(struct tm_select *select, const struct tm_event *row, uint32_t *lifetime,
                                     struct tm_error *err);

/* Ends the time before `from`: drops pending states of tasks that have ended, and settles lifetimes. */
enum tm_status tm_select_settle(struct tm_select *select, struct tm_error *err);

/* Decides kernel events that start, end or rename a task. */
enum tm_status tm_select_task(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);

/* Keeps GROUP only for what it states about threads and processes. It is not counted as an event. */
enum tm_status tm_select_as_context(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);

/* Notes that ROW, which is kept, describes a thread and a process: those that have the numbers now or, with IS_LASTING,
 * any. */
enum tm_status tm_select_describe(struct tm_select *select, const struct tm_event *row, bool is_lasting,
                                  struct tm_error *err);

/* For the first reading. tm_select_learn_slice notes the duration of a slice that GROUP ends. tm_select_learn_open
 * notes those of slices that are open at the end of the stream. */
enum tm_status tm_select_learn_slice(struct tm_select *select, const struct tm_select_group *group,
                                     struct tm_error *err);
enum tm_status tm_select_learn_open(struct tm_select *select, struct tm_error *err);

/* Decides slices and what binds to them. */
enum tm_status tm_select_slice(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);
enum tm_status tm_select_flow(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);
enum tm_status tm_select_step(struct tm_select *select, struct tm_select_group *group, struct tm_error *err);

#endif

/* The tasks that live at a time, with the events that started, renamed and ended them as pending groups. They determine
 * which task each shown event had. A task that has ended is forgotten, with three exceptions: a pending group belongs
 * to it, it made a task that is not forgotten, or a kept packet describes it. Events are kept, not names: a selection
 * needs them, so that its reader finds the same lifetimes and names as a reader of the whole. Memory grows with the
 * tasks that live at one time, with the pending groups, and with the numbers that packets describe. */
#ifndef TM_SELECT_TASK_LIFETIMES_H
#define TM_SELECT_TASK_LIFETIMES_H

#include "base/table.h"
#include "select/pending_groups.h"

/* Limits of tasks at one time, and of ended makers that are kept for a living task. */
enum { TM_TASK_LIFETIMES_MAX = 1 << 20, TM_LIFETIME_MAKERS_MAX = 64 };

enum tm_lifetime_change { TM_LIFETIME_START, TM_LIFETIME_NAME, TM_LIFETIME_END, TM_LIFETIME_CHANGES };

/* Zero-initialise and set pending. */
struct tm_task_lifetimes {
    struct tm_pending_groups *pending; /* borrowed; has the groups. Callers set the tasks of other groups there */
    /* private */
    struct tm_table by_number, described;
    struct tm_task_lifetime *rows;
    uint32_t count, cap, free_row;
    uint32_t over_count, over_max; /* tasks ended since the last sweep, and when the next is due */
};

/* Sets *LIFETIME to the current task TID of MACHINE, for tm_pending_groups_add_lifetime. 0: there are too many tasks.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_task_lifetimes_get(struct tm_task_lifetimes *lifetimes, uint32_t machine, int64_t tid,
                                     uint32_t *lifetime, struct tm_error *err);

/* True if task LIFETIME has ended. */
bool tm_task_lifetimes_is_over(const struct tm_task_lifetimes *lifetimes, uint32_t lifetime);

/* An event in the lifetime of task TID. */
struct tm_lifetime_event {
    enum tm_lifetime_change change;
    uint32_t machine;
    int64_t tid;
    int64_t maker; /* the tid that made it, if it starts */
};

/* Records EVENT, which the pending group GROUP states. Takes over GROUP. TM_OK; TM_END: there are too many tasks, and
 * GROUP was dropped; TM_E_SYSTEM. */
enum tm_status tm_task_lifetimes_note(struct tm_task_lifetimes *lifetimes, const struct tm_lifetime_event *event,
                                      uint32_t group, struct tm_error *err);

/* Notes that a kept row describes task TID: the one that has the number now or, with IS_LASTING, any. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_task_lifetimes_describe(struct tm_task_lifetimes *lifetimes, uint32_t machine, int64_t tid,
                                          bool is_lasting, struct tm_error *err);

/* Begins the wanted time: drops what nothing needs. States that also belong to ended tasks keep their time. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_task_lifetimes_settle(struct tm_task_lifetimes *lifetimes, struct tm_error *err);

/* Lists living tasks after tm_task_lifetimes_settle: those with pending slices (*BY_NAME), and those with only states
 * or that made kept tasks. *I starts at 0. False: no more. */
bool tm_task_lifetimes_next_shown(const struct tm_task_lifetimes *lifetimes, uint32_t *i, uint32_t *machine,
                                  int64_t *tid, bool *by_name);

void tm_task_lifetimes_release(struct tm_task_lifetimes *lifetimes);

#endif

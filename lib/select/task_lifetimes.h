/* The tasks that live at a time, with the events that began, renamed and ended them: held groups, so that the tasks of
 * what is shown are who they were. A task that has ended is forgotten, unless something that is held is of it, it made
 * a task that is not forgotten, or a packet that is kept anyway told of it. Memory grows with the tasks that live at
 * one time, with the groups held, and with the numbers told of. */
#ifndef TM_SELECT_TASK_LIFETIMES_H
#define TM_SELECT_TASK_LIFETIMES_H

#include "base/table.h"
#include "select/pending_groups.h"

/* Tasks at one time; how many makers of a living task are kept that have ended. */
enum { TM_TASK_LIFETIMES_MAX = 1 << 20, TM_LIFE_MAKERS_MAX = 64 };

enum tm_life_sign { TM_LIFE_START, TM_LIFE_NAME, TM_LIFE_END, TM_LIFE_SIGNS };

/* Zero-initialise, set held. */
struct tm_task_lifetimes {
    struct tm_pending_groups *pending; /* borrowed: where the groups are; the lives of other groups are set there */
    /* private */
    struct tm_table by_number, told;
    struct tm_life *rows;
    uint32_t count, cap, free_row;
    uint32_t over_count, over_max; /* since the last sweep, and when the next is due */
};

/* *LIFE is task TID of MACHINE as it is now, for tm_pending_groups_add_life; 0: there are too many. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_task_lifetimes_need(struct tm_task_lifetimes *lives, uint32_t machine, int64_t tid, uint32_t *life,
                                      struct tm_error *err);

/* True when task LIFE has ended. */
bool tm_task_lifetimes_is_over(const struct tm_task_lifetimes *lives, uint32_t life);

/* Held GROUP says SIGN of task TID of MACHINE; MAKER is the tid that made it, where it starts. GROUP is the lives' from
 * now on. TM_OK; TM_END: there are too many tasks, GROUP was dropped; TM_E_SYSTEM. */
enum tm_status tm_task_lifetimes_sign(struct tm_task_lifetimes *lives, enum tm_life_sign sign, uint32_t machine,
                                      int64_t tid, int64_t maker, uint32_t group, struct tm_error *err);

/* A row that is kept tells of task TID: of the one that has the number now, or (IS_LASTING) of any. */
enum tm_status tm_task_lifetimes_tell(struct tm_task_lifetimes *lives, uint32_t machine, int64_t tid, bool is_lasting,
                                      struct tm_error *err);

/* The time has come: drops what nothing needs. What was last true and is also of tasks that have ended stays at the
 * time it had. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_task_lifetimes_settle(struct tm_task_lifetimes *lives, struct tm_error *err);

/* After tm_task_lifetimes_settle: the tasks that live of which slices are held (*BY_NAME), or just states, or that made
 * tasks that are kept, one after another from *I 0 on; false: no more. */
bool tm_task_lifetimes_next_shown(const struct tm_task_lifetimes *lives, uint32_t *i, uint32_t *machine, int64_t *tid,
                                  bool *by_name);

void tm_task_lifetimes_release(struct tm_task_lifetimes *lives);

#endif

/* Groups of rows that are pending until it is known whether they are shown. A group is an event and the rows derived
 * from it. Such groups are slices that began before the wanted time, and states last set before it. Memory grows with
 * the groups that are pending at one time. Beyond a limit payloads go to a temporary file, which grows with these
 * groups too. */
#ifndef TM_SELECT_PENDING_GROUPS_H
#define TM_SELECT_PENDING_GROUPS_H

#include "os/temporary_file.h"
#include "select/tally.h"

#define TM_PENDING_GROUPS_NONE 0 /* no group has this number */

enum {
    TM_PENDING_GROUPS_MEMORY_MAX = 64 << 20, /* bytes of groups in memory */
    TM_PENDING_GROUPS_FOLLOWERS_MAX = 4096   /* followers of one group */
};

enum tm_pending_groups_list {
    TM_PENDING_GROUPS_EARLY, /* groups from before the wanted time, at their own time */
    TM_PENDING_GROUPS_STATE, /* the last states before it */
    TM_PENDING_GROUPS_EXACT, /* groups of its first timestamp group */
    TM_PENDING_GROUPS_LISTS
};

/* Zero-initialise. */
struct tm_pending_groups {
    struct tm_temporary_file file; /* the caller sets its dir */
    struct tm_tally *tally;  /* borrowed; counts what is dropped */
    /* private */
    struct tm_pending_group *groups;
    uint32_t group_count, group_cap, free_group;
    uint32_t first[TM_PENDING_GROUPS_LISTS], last[TM_PENDING_GROUPS_LISTS]; /* indices plus one; 0: empty */
    bool is_unsorted[TM_PENDING_GROUPS_LISTS]; /* sorted when the first group is taken */
    size_t memory_bytes;
    uint64_t file_bytes; /* of groups that are in the file; the rest of it is of groups that were dropped */
    uint8_t *loaded;
    size_t loaded_cap;
};

/* An event and the rows derived from it, and its place among other events. */
struct tm_event_rows {
    const struct tm_event *rows; /* the first is the event */
    uint32_t count;
    uint64_t order;
};

/* Adds a copy of GROUP to LIST. *ID is its number until it is dropped. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_pending_groups_add(struct tm_pending_groups *pending, enum tm_pending_groups_list list,
                                     const struct tm_event_rows *group, uint32_t *id, struct tm_error *err);

/* Makes FOLLOWER be dropped together with LEADER. TM_OK; TM_END if LEADER has too many followers. */
enum tm_status tm_pending_groups_follow(struct tm_pending_groups *pending, uint32_t leader, uint32_t follower);

/* ref adds a reference to group ID, which has none at first. unref removes one and drops the group at 0: TM_OK or
 * TM_E_SYSTEM. */
void tm_pending_groups_ref(struct tm_pending_groups *pending, uint32_t id);
enum tm_status tm_pending_groups_unref(struct tm_pending_groups *pending, uint32_t id, struct tm_error *err);

/* Removes group ID and its followers, and counts them as left out. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pending_groups_drop(struct tm_pending_groups *pending, uint32_t id, struct tm_error *err);

/* Notes that group ID belongs to LIFETIME, the lifetime of a task: a number, not 0, that the caller chose. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_pending_groups_add_lifetime(struct tm_pending_groups *pending, uint32_t id, uint32_t lifetime,
                                              struct tm_error *err);

/* Returns the lifetimes that were added to group ID, from 1 to group_count, and sets *COUNT to their number: 0 if the
 * group was dropped. */
const uint32_t *tm_pending_groups_lifetimes(const struct tm_pending_groups *pending, uint32_t id, uint32_t *count);

/* True if group ID is in the list of states. */
bool tm_pending_groups_is_state(const struct tm_pending_groups *pending, uint32_t id);

/* Moves group ID to LIST if it is in the list of states. */
void tm_pending_groups_move(struct tm_pending_groups *pending, uint32_t id, enum tm_pending_groups_list list);

/* Removes the group of LIST that is first by order and returns its *ROWS, valid until the next call. TM_OK; TM_END if
 * LIST is empty; TM_E_SYSTEM. */
enum tm_status tm_pending_groups_take(struct tm_pending_groups *pending, enum tm_pending_groups_list list,
                                      struct tm_event **rows, uint32_t *count, struct tm_error *err);

void tm_pending_groups_release(struct tm_pending_groups *pending);

#endif

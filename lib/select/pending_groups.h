/* Groups of rows (an event and the rows derived from it) that are kept back until it is known whether
 * they are shown: slices that began before the wanted time, and what was last true before it.
 * Memory grows with what is held at one time; past a bound payloads wait in a temporary file. */
#ifndef TM_SELECT_PENDING_GROUPS_H
#define TM_SELECT_PENDING_GROUPS_H

#include "select/tally.h"

#define TM_PENDING_GROUPS_NONE 0 /* no group has this number */

enum {
    TM_PENDING_GROUPS_MEMORY_MAX = 64 << 20, /* bytes of groups in memory */
    TM_PENDING_GROUPS_FOLLOWERS_MAX = 4096   /* of one group */
};

enum tm_pending_groups_list {
    TM_PENDING_GROUPS_EARLY, /* from before the wanted time, at the time they have */
    TM_PENDING_GROUPS_STATE, /* what was last true before it */
    TM_PENDING_GROUPS_EXACT, /* of its first moment */
    TM_PENDING_GROUPS_LISTS
};

/* Zero-initialise. */
struct tm_pending_groups {
    const char *spill_dir;   /* borrowed; NULL: $TMPDIR */
    struct tm_tally *tally;  /* borrowed: counts what is dropped */
    /* private */
    struct tm_pending_groups_group *groups;
    uint32_t group_count, group_cap, free_group;
    uint32_t first[TM_PENDING_GROUPS_LISTS], last[TM_PENDING_GROUPS_LISTS]; /* plus one; 0: empty */
    size_t memory_bytes;
    bool has_spool;
    int spool_fd;
    uint64_t spool_end;
    uint8_t *loaded;
    size_t loaded_cap;
};

/* Keeps a copy of COUNT rows, the first of which is their event; LIST stays in the order of ORDER.
 * *ID is the group's number until it is dropped. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pending_groups_add(struct tm_pending_groups *pending, enum tm_pending_groups_list list,
                                     uint64_t order, const struct tm_event *rows, uint32_t count, uint32_t *id,
                                     struct tm_error *err);

/* FOLLOWER is dropped when LEADER is. TM_END when LEADER has as many as it may. */
enum tm_status tm_pending_groups_follow(struct tm_pending_groups *pending, uint32_t leader, uint32_t follower);

/* One more that wants group ID, which was added with none; and one less, which drops it at 0. */
void tm_pending_groups_ref(struct tm_pending_groups *pending, uint32_t id);
enum tm_status tm_pending_groups_unref(struct tm_pending_groups *pending, uint32_t id, struct tm_error *err);

/* Forgets group ID and those that follow it; counts them as left out. */
enum tm_status tm_pending_groups_drop(struct tm_pending_groups *pending, uint32_t id, struct tm_error *err);

/* Something of group ID is of task LIFE, a number of the caller's that is not 0. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pending_groups_add_life(struct tm_pending_groups *pending, uint32_t id, uint32_t life,
                                          struct tm_error *err);

/* The tasks of group ID, *COUNT of them; none where ID, from 1 to group_count, is no group any more. */
const uint32_t *tm_pending_groups_lives(const struct tm_pending_groups *pending, uint32_t id, uint32_t *count);

/* True where ID is in the list of states. */
bool tm_pending_groups_is_state(const struct tm_pending_groups *pending, uint32_t id);

/* Puts group ID into LIST, if it is in that of states. */
void tm_pending_groups_move(struct tm_pending_groups *pending, uint32_t id, enum tm_pending_groups_list list);

/* The first group of LIST as *ROWS, valid until the next call, and no longer held. TM_OK; TM_END
 * when there is none; TM_E_SYSTEM. */
enum tm_status tm_pending_groups_take(struct tm_pending_groups *pending, enum tm_pending_groups_list list,
                                      struct tm_event **rows, uint32_t *count, struct tm_error *err);

void tm_pending_groups_release(struct tm_pending_groups *pending);

#endif

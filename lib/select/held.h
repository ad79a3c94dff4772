/* Groups of rows (an event and the rows derived from it) that are kept back until it is known whether
 * they are shown: slices that began before the wanted time, and what was last true before it.
 * Memory grows with what is held at one time; past a bound payloads wait in a temporary file. */
#ifndef TM_SELECT_HELD_H
#define TM_SELECT_HELD_H

#include "select/tally.h"

#define TM_HELD_NONE 0 /* no group has this number */

enum {
    TM_HELD_MEMORY_MAX = 64 << 20, /* bytes of groups in memory */
    TM_HELD_FOLLOWERS_MAX = 4096   /* of one group */
};

enum tm_held_list {
    TM_HELD_EARLY, /* from before the wanted time, at the time they have */
    TM_HELD_STATE, /* what was last true before it */
    TM_HELD_EXACT, /* of its first moment */
    TM_HELD_LISTS
};

/* Zero-initialise. */
struct tm_held {
    const char *spill_dir;   /* borrowed; NULL: $TMPDIR */
    struct tm_tally *tally;  /* borrowed: counts what is dropped */
    /* private */
    struct tm_held_group *groups;
    uint32_t group_count, group_cap, free_group;
    uint32_t first[TM_HELD_LISTS], last[TM_HELD_LISTS]; /* plus one; 0: empty */
    size_t memory_bytes;
    bool has_spool;
    int spool_fd;
    uint64_t spool_end;
    uint8_t *loaded;
    size_t loaded_cap;
};

/* Keeps a copy of COUNT rows, the first of which is their event; LIST stays in the order of ORDER.
 * *ID is the group's number until it is dropped. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_held_add(struct tm_held *held, enum tm_held_list list, uint64_t order, const struct tm_event *rows,
                           uint32_t count, uint32_t *id, struct tm_error *err);

/* FOLLOWER is dropped when LEADER is. TM_END when LEADER has as many as it may. */
enum tm_status tm_held_follow(struct tm_held *held, uint32_t leader, uint32_t follower);

/* One more that wants group ID, which was added with none; and one less, which drops it at 0. */
void tm_held_ref(struct tm_held *held, uint32_t id);
enum tm_status tm_held_unref(struct tm_held *held, uint32_t id, struct tm_error *err);

/* Forgets group ID and those that follow it; counts them as left out. */
enum tm_status tm_held_drop(struct tm_held *held, uint32_t id, struct tm_error *err);

/* Something of group ID is of task LIFE, a number of the caller's that is not 0. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_held_add_life(struct tm_held *held, uint32_t id, uint32_t life, struct tm_error *err);

/* The tasks of group ID, *COUNT of them; none where ID, from 1 to group_count, is no group any more. */
const uint32_t *tm_held_lives(const struct tm_held *held, uint32_t id, uint32_t *count);

/* True where ID is in the list of states. */
bool tm_held_is_state(const struct tm_held *held, uint32_t id);

/* Puts group ID into LIST, if it is in that of states. */
void tm_held_move(struct tm_held *held, uint32_t id, enum tm_held_list list);

/* The first group of LIST as *ROWS, valid until the next call, and no longer held. TM_OK; TM_END
 * when there is none; TM_E_SYSTEM. */
enum tm_status tm_held_take(struct tm_held *held, enum tm_held_list list, struct tm_event **rows, uint32_t *count,
                            struct tm_error *err);

void tm_held_release(struct tm_held *held);

#endif

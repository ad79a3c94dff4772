/* How reading goes on behind damage in a Gecko profile: from there the next place is looked for that can be told by
 * itself. Tables refer to each other by the numbers of their rows, so only rows of samples and markers, to which
 * nothing refers, are picked up in the middle of a table; of all others what is behind damage has no number any more.
 */
#ifndef TM_FORMAT_GECKO_RESYNC_H
#define TM_FORMAT_GECKO_RESYNC_H

#include "format/gecko/columns.h"

enum tm_gecko_point {
    TM_GECKO_NO_POINT,
    TM_GECKO_AT_ROW,     /* at the '[' of a row of the table that is being read */
    TM_GECKO_AT_COLUMN,  /* at the key of a column of that table which has not come yet */
    TM_GECKO_AT_TABLE,   /* at the key of a table that the thread has nothing of yet */
    TM_GECKO_AT_THREAD,  /* at the '{' of another thread */
    TM_GECKO_AT_PROFILE, /* at the '{' of a process */
    TM_GECKO_AT_LIST,    /* at the key of a process's threads, counters or processes */
    TM_GECKO_AT_END      /* of the input */
};

/* Zero-initialise and set what is not private. */
struct tm_gecko_resync {
    struct tm_json_cursor *cursor;
    struct tm_gecko_account *damaged, *skipped; /* places of damage, bytes jumped */
    struct tm_gecko_parts *parts;               /* where the cursor copies to; NULL: it does not */
    bool in_thread;                             /* PARTS are a thread's */
    enum tm_gecko_point point;                  /* found and not taken yet */
    /* private */
    uint64_t past; /* nothing before it is looked at again */
    uint64_t work;
};

/* Of the table being read: whether it is in the middle of rows, and which it is, as tm_gecko_parts knows it. */
struct tm_gecko_sought {
    bool rows;
    int table; /* < 0: none */
};

/* After an error of the cursor, *ERR: counts the damage and goes to the next point, which R->point tells; at once where
 * one was found and not taken yet. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_gecko_resync(struct tm_gecko_resync *r, const struct tm_gecko_sought *sought, struct tm_error *err);

/* True where the point found is POINT, and reading goes on there: what comes next stands alone, without a comma. */
bool tm_gecko_resync_take(struct tm_gecko_resync *r, enum tm_gecko_point point);

#endif

/* Continues reading a Gecko profile after damage: searches for the next place that can be recognized by itself. Tables
 * refer to each other by row numbers, and rows after damage have lost theirs. Nothing refers to rows of samples and
 * markers, so only these are read from the middle of a table. */
#ifndef TM_FORMAT_GECKO_RESYNC_H
#define TM_FORMAT_GECKO_RESYNC_H

#include "format/gecko/columns.h"

enum tm_gecko_point {
    TM_GECKO_NO_POINT,
    TM_GECKO_AT_ROW,     /* at the '[' of a row of the current table */
    TM_GECKO_AT_COLUMN,  /* at the key of a column of the current table that has not been read yet */
    TM_GECKO_AT_TABLE,   /* at the key of a table of which the thread has nothing yet */
    TM_GECKO_AT_THREAD,  /* at the '{' of another thread */
    TM_GECKO_AT_PROFILE, /* at the '{' of a process */
    TM_GECKO_AT_LIST,    /* at the key of a process's threads, counters or processes */
    TM_GECKO_AT_END      /* of the input */
};

/* Zero-initialise and set what is not private. */
struct tm_gecko_resync {
    struct tm_json_cursor *cursor;
    struct tm_gecko_account *damaged, *skipped; /* counts of damaged places and of bytes skipped */
    struct tm_gecko_parts *parts;               /* where the cursor copies to; NULL: nowhere */
    bool in_thread;                             /* PARTS belongs to a thread */
    enum tm_gecko_point point;                  /* found and not taken yet */
    /* private */
    uint64_t past; /* bytes before this are not searched again */
    uint64_t work;
};

/* The current table, by its number in tm_gecko_parts, and whether the reader is between its rows. */
struct tm_gecko_sought {
    bool rows;
    int table; /* < 0: none */
};

/* After the error *ERR of the cursor: counts the damage and moves to the next point, R->point. If a point was found
 * already and not taken, returns at once. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_gecko_resync(struct tm_gecko_resync *r, const struct tm_gecko_sought *sought, struct tm_error *err);

/* True if the point found is POINT. Reading continues there, and the next element has no comma before it. */
bool tm_gecko_resync_take(struct tm_gecko_resync *r, enum tm_gecko_point point);

#endif

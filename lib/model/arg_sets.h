/* Argument sets: the args of a slice, counter or track as rows of the args table. Sets with equal
 * bytes that come again soon are stored once; how far back that looks is bounded. */
#ifndef TM_MODEL_ARG_SETS_H
#define TM_MODEL_ARG_SETS_H

#include "model/rows.h"

enum { TM_ARG_SETS_CACHE = 1 << 14 };

/* Zero-initialise. */
struct tm_arg_sets {
    /* private */
    int64_t next_id; /* of the next row; a set is numbered by the id of its first row */
    struct tm_arg_sets_seen *seen;
};

/* The set with the args of DETAIL (a Detail message): *SET, or TM_NO_ID where it has none. Damaged
 * bytes end it early. */
enum tm_status tm_arg_sets_add(struct tm_arg_sets *sets, const uint8_t *detail, size_t len, int64_t *set,
                               const struct tm_rows *rows, struct tm_error *err);

/* The set with those of set FIRST (may be TM_NO_ID) and of DETAIL. */
enum tm_status tm_arg_sets_join(struct tm_arg_sets *sets, int64_t first, const uint8_t *detail, size_t len,
                                int64_t *set, const struct tm_rows *rows, struct tm_error *err);

void tm_arg_sets_release(struct tm_arg_sets *sets);

#endif

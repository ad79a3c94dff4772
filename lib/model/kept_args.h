/* The args of the sets that were added last, for those that get more args soon. A ring of bytes: a set is forgotten
 * when as many bytes came after it as the ring has, and earlier if a later set takes its place in the index. Memory:
 * two MiB. */
#ifndef TM_MODEL_KEPT_ARGS_H
#define TM_MODEL_KEPT_ARGS_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TM_KEPT_ARGS_BYTES_MAX = 1 << 10, /* longer sets are not kept */
    TM_KEPT_ARGS_COUNT_MAX = TM_KEPT_ARGS_BYTES_MAX / 2, /* a field has two bytes at least */
};

/* Zero-initialise. */
struct tm_kept_args {
    /* private */
    uint8_t *ring; /* NULL before the first set */
    uint64_t end;  /* number of bytes put so far, including those that were left out at the ring's end */
    struct tm_kept_args_place *places;
};

/* Keeps ARGS, fields of a Detail message, for SET (0 or above). ARGS may be kept already. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_kept_args_put(struct tm_kept_args *kept, int64_t set, struct tm_text args, struct tm_error *err);

/* Finds the args of SET. They are valid until the next put. False: they are not kept. */
bool tm_kept_args_find(const struct tm_kept_args *kept, int64_t set, struct tm_text *args);

void tm_kept_args_release(struct tm_kept_args *kept);

#endif

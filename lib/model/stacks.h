/* Call stacks of samples. Each distinct frame and each distinct path of frames becomes one row. Frames and mappings are
 * distinguished by 64-bit hashes under the secret of the process (base/secret.h), which are equal for different ones
 * with a chance below n^2 / 2^65. */
#ifndef TM_MODEL_STACKS_H
#define TM_MODEL_STACKS_H

#include "model/rows.h"
#include "base/table.h"

/* Zero-initialise, then set ROWS. */
struct tm_stacks {
    const struct tm_rows *rows; /* receives mappings, frames and callsites */
    /* private */
    struct tm_table mappings, frames, callsites;
    uint64_t secret; /* 0 until the first stack */
};

/* Sets *CALLSITE to the innermost callsite of the frames in DETAIL (a Detail message, outermost frame first); TM_NO_ID
 * if it has none. TM_OK, TM_E_SYSTEM or the error of ROWS. */
enum tm_status tm_stacks_add(struct tm_stacks *stacks, const uint8_t *detail, size_t len, int64_t *callsite,
                             struct tm_error *err);

void tm_stacks_release(struct tm_stacks *stacks);

#endif

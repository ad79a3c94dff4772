/* Writes durations for people. */
#ifndef TM_ALIGN_DURATION_H
#define TM_ALIGN_DURATION_H

#include "base/buf.h"

/* Appends NS with a unit, as "-1.5 ms". SIGN: with a plus unless it is negative. */
void tm_align_put_ns(struct tm_buf *out, int64_t ns, bool sign);

#endif

#include "format/fuchsia/words.h"

#include "base/time_units.h"

enum { NS_BITS = 30 };

/* Returns REST * TM_NS_PER_S / PER_SECOND for REST < PER_SECOND. Multiplies and divides bit by bit, because the
 * product can exceed 64 bits. */
static uint64_t scale_fraction(uint64_t rest, uint64_t per_second)
{
    uint64_t quotient = 0, remainder = 0;
    for (int bit = NS_BITS - 1; bit >= 0; bit--) {
        quotient <<= 1;
        bool wraps = remainder >= per_second - remainder;
        remainder = wraps ? remainder - (per_second - remainder) : remainder + remainder;
        quotient += wraps;
        if (!(TM_NS_PER_S >> bit & 1))
            continue;
        wraps = remainder >= per_second - rest;
        remainder = wraps ? remainder - (per_second - rest) : remainder + rest;
        quotient += wraps;
    }
    return quotient;
}

bool tm_fxt_ticks_ns(uint64_t ticks, uint64_t per_second, int64_t *ns)
{
    if (per_second == TM_NS_PER_S || per_second == 0) {
        *ns = (int64_t)ticks;
        return per_second != 0 && ticks <= INT64_MAX;
    }
    uint64_t seconds = ticks / per_second, fraction = scale_fraction(ticks % per_second, per_second);
    if (seconds > (INT64_MAX - fraction) / TM_NS_PER_S)
        return false;
    *ns = (int64_t)(seconds * TM_NS_PER_S + fraction);
    return true;
}

/* Integer arithmetic with overflow checks. Each call returns true and sets *R if the exact result fits, else returns
 * false with *R unspecified. */
#ifndef TM_BASE_CHECKED_H
#define TM_BASE_CHECKED_H

#include "base/cpu.h"

static inline bool tm_add_i64(int64_t a, int64_t b, int64_t *r)
{
    return TM_CHECKED_ADD(a, b, r);
}

static inline bool tm_sub_i64(int64_t a, int64_t b, int64_t *r)
{
    return TM_CHECKED_SUB(a, b, r);
}

static inline bool tm_mul_i64(int64_t a, int64_t b, int64_t *r)
{
    return TM_CHECKED_MUL(a, b, r);
}

/* Sets *R to T - FROM + TO. False if the result overflows. A partial sum may overflow. If T - FROM and TO - FROM both
 * overflow, then T and TO are on the other side of zero from FROM, so the result overflows too. */
static inline bool tm_shift_i64(int64_t t, int64_t from, int64_t to, int64_t *r)
{
    int64_t d;
    if (tm_sub_i64(t, from, &d))
        return tm_add_i64(d, to, r);
    return tm_sub_i64(to, from, &d) && tm_add_i64(d, t, r);
}

/* Returns A + B, or the nearest int64. */
static inline int64_t tm_add_saturate_i64(int64_t a, int64_t b)
{
    int64_t sum;
    return tm_add_i64(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

/* Returns A - B, or the nearest int64. */
static inline int64_t tm_sub_saturate_i64(int64_t a, int64_t b)
{
    int64_t d;
    return tm_sub_i64(a, b, &d) ? d : b < 0 ? INT64_MAX : INT64_MIN;
}

/* Returns US microseconds in nanoseconds, or the nearest int64. */
static inline int64_t tm_us_to_ns_saturate(int64_t us)
{
    int64_t ns;
    return tm_mul_i64(us, 1000, &ns) ? ns : us < 0 ? INT64_MIN : INT64_MAX;
}

#endif

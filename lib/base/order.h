/* Orders of elements, for qsort. */
#ifndef TM_BASE_ORDER_H
#define TM_BASE_ORDER_H

#include <stdint.h>

/* Orders int64_t, the smallest first. */
static inline int tm_order_i64(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

#endif

/* The first and the last time of the rows. */
#ifndef TM_MODEL_ROW_BOUNDS_H
#define TM_MODEL_ROW_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise. */
struct tm_row_bounds {
    bool has_rows;
    int64_t first_ns, last_ns; /* if there are rows */
};

/* Adds a row at NS. */
static inline void tm_row_bounds_add(struct tm_row_bounds *bounds, int64_t ns)
{
    if (!bounds->has_rows || ns < bounds->first_ns)
        bounds->first_ns = ns;
    if (!bounds->has_rows || ns > bounds->last_ns)
        bounds->last_ns = ns;
    bounds->has_rows = true;
}

#endif

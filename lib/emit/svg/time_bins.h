/* Counts over time in bounded memory: any number of series on one row of equal bins. The width of a
 * bin is a power of two of nanoseconds and doubles whenever the times outgrow the row; what comes
 * out depends on what was counted, not on the order it came in. */
#ifndef TM_EMIT_SVG_TIME_BINS_H
#define TM_EMIT_SVG_TIME_BINS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { TM_TIME_BINS = 2048 }; /* at least half of them lie between the first and the last time, or a bin is 1 ns */

/* Zero-initialise. */
struct tm_time_bins {
    bool has_range;
    int64_t first_ns, last_ns; /* of all that was counted */
    uint32_t series_count;
    /* private */
    uint64_t **series; /* TM_TIME_BINS counts each */
    uint32_t series_cap;
    unsigned shift;    /* a bin is 2^shift ns */
    uint64_t base;     /* number of the first bin */
};

/* *SERIES is the number of a new series. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_time_bins_series(struct tm_time_bins *bins, uint32_t *series, struct tm_error *err);

/* Counts one more of SERIES at NS. */
void tm_time_bins_add(struct tm_time_bins *bins, uint32_t series, int64_t ns);

/* A stretch of time in columns of equal width. */
struct tm_time_columns {
    int64_t first_ns, last_ns; /* both inside; last_ns is not before first_ns */
    uint32_t count;
    uint64_t *sums; /* count elements; borrowed */
};

/* Sets the sums of COLUMNS to the counts of SERIES; what lies outside is left out. A bin goes to the
 * column that its middle lies in. */
void tm_time_bins_columns(const struct tm_time_bins *bins, uint32_t series, const struct tm_time_columns *columns);

void tm_time_bins_release(struct tm_time_bins *bins);

/* Releases and frees BINS, which came from calloc; NULL is fine. */
void tm_time_bins_free(struct tm_time_bins *bins);

#endif

/* Counts over time in bounded memory: any number of series over one row of equal bins. The width of a bin is a power of
 * two of nanoseconds. It doubles when the times do not fit into the row. The result is independent of the order of the
 * counts. */
#ifndef TM_EMIT_SVG_TIME_BINS_H
#define TM_EMIT_SVG_TIME_BINS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { TM_TIME_BINS = 2048 }; /* at least half of them lie between the first and the last time, or a bin is 1 ns */

/* Zero-initialise. */
struct tm_time_bins {
    bool has_range;
    int64_t first_ns, last_ns; /* over all counts */
    uint32_t series_count;
    /* private */
    uint64_t **series; /* TM_TIME_BINS counts for each */
    uint32_t series_cap;
    unsigned shift;    /* a bin is 2^shift ns */
    uint64_t base;     /* number of the first bin */
};

/* Sets *SERIES to the number of a new series. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_time_bins_series(struct tm_time_bins *bins, uint32_t *series, struct tm_error *err);

/* Adds 1 to SERIES at NS. */
void tm_time_bins_add(struct tm_time_bins *bins, uint32_t series, int64_t ns);

/* An interval of time, divided into columns of equal width. */
struct tm_time_columns {
    int64_t first_ns, last_ns; /* both inclusive; last_ns is not before first_ns */
    uint32_t count;
    uint64_t *sums; /* count elements; borrowed */
};

/* Sets the sums of COLUMNS to the counts of SERIES. Counts outside the interval are left out. A bin counts for the
 * column that contains its middle. */
void tm_time_bins_columns(const struct tm_time_bins *bins, uint32_t series, const struct tm_time_columns *columns);

void tm_time_bins_release(struct tm_time_bins *bins);

/* Releases and frees BINS, which was allocated by calloc. BINS may be NULL. */
void tm_time_bins_free(struct tm_time_bins *bins);

#endif

/* Readings of snapshots whose trace time was not known when they were read: nothing related their machine yet. They do
 * not become rows of the table clock_snapshot. But times are converted by them, so a merged trace has to state them. */
#ifndef TM_CLOCKS_UNPLACED_ROWS_H
#define TM_CLOCKS_UNPLACED_ROWS_H

#include "base/status.h"

#include <stdint.h>

/* Further readings are not kept (1.5 MB). */
enum { TM_UNPLACED_ROWS_MAX = 1 << 16 };

struct tm_unplaced_row {
    int64_t value;     /* nanoseconds of the clock */
    uint32_t clock;    /* index in the clock graph */
    uint32_t snapshot; /* ClockRow.snapshot */
    uint32_t file;     /* File.id */
};

struct tm_unplaced_rows {
    struct tm_unplaced_row *rows; /* owned */
    uint32_t count, cap;
};

/* Keeps ROW, unless TM_UNPLACED_ROWS_MAX are kept. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_unplaced_rows_add(struct tm_unplaced_rows *unplaced, const struct tm_unplaced_row *row);

void tm_unplaced_rows_release(struct tm_unplaced_rows *unplaced);

#endif

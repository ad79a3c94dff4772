/* Readings of snapshots whose trace time was not known when they were read: nothing related their machine yet. They do
 * not become rows of the table clock_snapshot. But times are converted by them, so a merged trace has to state them. */
#ifndef TM_CLOCKS_UNPLACED_ROWS_H
#define TM_CLOCKS_UNPLACED_ROWS_H

#include "base/table.h"

/* Further readings are only counted (1.5 MB). */
enum { TM_UNPLACED_ROWS_MAX = 1 << 16 };

struct tm_unplaced_row {
    int64_t value;     /* nanoseconds of the clock */
    uint32_t clock;    /* index in the clock graph */
    uint32_t snapshot; /* ClockRow.snapshot */
    uint32_t file;     /* File.id */
};

/* The readings of one machine in one file that are not kept. */
struct tm_unplaced_surplus {
    struct tm_unplaced_row last;
    uint32_t machine;
    uint64_t count;
};

/* Zero-initialise. */
struct tm_unplaced_rows {
    struct tm_unplaced_row *rows; /* owned */
    uint32_t count, cap;
    struct tm_unplaced_surplus *surplus; /* owned; in the order in which the first of each came */
    uint32_t surplus_count, surplus_cap;
    struct tm_table surplus_index; /* file and machine to the number in SURPLUS */
};

/* Keeps ROW, a reading of MACHINE, or counts it if TM_UNPLACED_ROWS_MAX are kept. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_unplaced_rows_add(struct tm_unplaced_rows *unplaced, const struct tm_unplaced_row *row,
                                    uint32_t machine, struct tm_error *err);

void tm_unplaced_rows_release(struct tm_unplaced_rows *unplaced);

#endif

/* Rows in order of their begin. The ends of some are unknown so far. A row is pending until the open rows before it
 * have ended. Pending rows are in memory up to a limit, then in an unlinked temporary file, whose storage is reclaimed
 * from the front. */
#ifndef TM_EMIT_TEXT_UNFINISHED_ROWS_H
#define TM_EMIT_TEXT_UNFINISHED_ROWS_H

#include "base/buf.h"
#include "os/paged_file.h"

/* A longer row, including its arguments, is an error. */
enum { TM_UNFINISHED_ROW_BYTES_MAX = 64 << 20 };

/* Rows that can be open are numbered 0, 1, 2, … in each of these series. */
enum tm_unfinished_series { TM_SERIES_SLICES, TM_SERIES_RUNS, TM_SERIES_COUNT };

/* How the duration of a row is given. */
enum tm_unfinished_end {
    TM_ROW_NO_DURATION, /* it has none */
    TM_ROW_INSTANT, /* 0: it takes no time */
    TM_ROW_ENDED,
    TM_ROW_OPEN,   /* unknown so far; if the row is taken out in this state, it has no end */
    TM_ROW_UNKNOWN_END /* it has an end that no event states */
};

/* Zero-initialise. */
struct tm_unfinished_rows {
    const char *dir; /* for the temporary files; borrowed; NULL: the folder of tm_io_temporary */
    /* private */
    bool is_ready;
    struct tm_paged_file rows;
    struct tm_paged_file places[TM_SERIES_COUNT]; /* by number: place of the row plus 1; 0: it was taken out */
    int64_t next[TM_SERIES_COUNT];                /* rows with lower numbers were taken out */
    uint64_t begin, end;                         /* extent of the pending records */
    bool is_blocked;                             /* the first row is open */
    struct tm_buf taken;
};

/* A row: BEFORE, its duration, AFTER, its args, a list (arg_list.h). */
struct tm_unfinished_row {
    enum tm_unfinished_end end;
    int64_t dur; /* valid if it has ended */
    struct tm_buf_view {
        const uint8_t *data;
        size_t len;
    } before, after, args;
};

/* True while any row is pending. */
static inline bool tm_unfinished_rows_any(const struct tm_unfinished_rows *pending)
{
    return pending->end > pending->begin;
}

/* Adds ROW after all others, as row NUMBER of SERIES. NUMBER -1: nothing will be added to it. Its bytes are copied.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_unfinished_rows_add(struct tm_unfinished_rows *pending, const struct tm_unfinished_row *row,
                                      enum tm_unfinished_series series, int64_t number, struct tm_error *err);

/* A later change of row NUMBER of SERIES. */
struct tm_row_update {
    enum tm_unfinished_series series;
    int64_t number;
    int64_t dur;             /* its duration in ns; -1: it stays open; below -1: its end is unknown */
    struct tm_buf_view args; /* added to its own */
};

/* Applies UPDATE. Does nothing if the row was taken out. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_unfinished_rows_update(struct tm_unfinished_rows *pending, const struct tm_row_update *update,
                                         struct tm_error *err);

/* Takes the first row out. ALL: also if it is open. ROW is valid until the next call. TM_OK; TM_END: none is ready;
 * TM_E_INPUT: its args are past TM_UNFINISHED_ROW_BYTES_MAX; TM_E_SYSTEM. */
enum tm_status tm_unfinished_rows_take(struct tm_unfinished_rows *pending, bool all, struct tm_unfinished_row *row,
                                       struct tm_error *err);

void tm_unfinished_rows_release(struct tm_unfinished_rows *pending);

#endif

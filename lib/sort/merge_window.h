/* Private to merges: sorts the next rows of all runs together, up to a bound in time.
 *
 * If the next row usually comes from another run than the last, each match in a tree of losers is a mispredicted
 * branch. A window has no such branches. It reads the runs one after the other and sorts the times of their rows by
 * digits. */
#ifndef TM_SORT_MERGE_WINDOW_H
#define TM_SORT_MERGE_WINDOW_H

#include "sort/collector.h"
#include "sort/merge_cursor.h"

struct tm_window_row;
struct tm_window_run;

struct tm_merge_window {
    uint32_t passed;      /* rows passed by the last call */
    uint32_t turns;       /* of these, rows that followed a row of another run */
    uint32_t compared;    /* of these, rows of equal time whose keys were compared in full */
    bool is_at_block_end; /* the window ends before the last row of a block */
    /* private */
    const struct tm_file_order *orders;
    uint32_t room; /* rows */
    struct tm_window_row *rows;
    struct tm_window_run *runs; /* those that are not at their end, in order of their ranks */
    uint32_t run_count;
    uint16_t *run_of;        /* of each row */
    uint64_t *keys, *spare;  /* room each */
    uint64_t *others;        /* keys or spare, whichever is not in use */
    uint64_t low, bound;     /* times; rows before the bound are passed */
    bool ranks_differ;       /* all runs have different ranks, which then order rows of one time */
};

enum { TM_MERGE_WINDOW_RUNS = 2048 /* at most; with more of them few rows of each would be in a window */ };

/* Initialises WINDOW for COUNT CURSORS, which must outlive it. TM_OK or TM_E_SYSTEM; release is needed in both cases.
 */
enum tm_status tm_merge_window_init(struct tm_merge_window *window, struct tm_merge_cursor *cursors, uint32_t count,
                                    const struct tm_file_order *orders, struct tm_error *err);

/* Adds rows of all runs to COLLECTOR in order, but not the last row of a block that is transient or has the time of the
 * block after it. Moves the cursors without looking ahead; a cursor may then be at the end of its block. Passes no row
 * if many rows have one time or if such a block ends. TM_OK or the error of the collector. */
enum tm_status tm_merge_window_pass(struct tm_merge_window *window, struct tm_collector *collector,
                                    struct tm_error *err);

/* Compares two rows of one time. True if ROW_A of cursor A comes before ROW_B of cursor B. */
bool tm_merge_rows_less(const struct tm_merge_cursor *a, uint32_t row_a, const struct tm_merge_cursor *b,
                        uint32_t row_b, const struct tm_file_order *orders);

void tm_merge_window_release(struct tm_merge_window *window);

#endif

/* Moves batches of events onto trace time. It converts times, sets machines, removes events that cannot be placed, and
 * keeps those that may be placed later. */
#ifndef TM_CLOCKS_BATCH_PLACER_H
#define TM_CLOCKS_BATCH_PLACER_H

#include "clocks/dropped_list.h"
#include "clocks/line_rows.h"
#include "perfetto/compact_rows.h"
#include "stream/batch_builder.h"

/* What becomes of one row. */
enum tm_outcome {
    TM_OUTCOME_KEEP,
    TM_OUTCOME_DEFER,          /* unchanged, until the end of the file */
    TM_OUTCOME_DEFER_ABSOLUTE, /* to the end of the file, with its time already in absolute nanoseconds */
    TM_OUTCOME_SPLIT,          /* a message of several events, each of which has an outcome of its own */
    TM_OUTCOME_DROP            /* derived from a dropped row; with an enum tm_row_result added: dropped for it */
};

/* Returns the outcome of a row that is dropped for RESULT. */
static inline enum tm_outcome tm_outcome_of_result(enum tm_row_result result)
{
    return (enum tm_outcome)(TM_OUTCOME_DROP + (int)result);
}

struct tm_batch_placer {
    struct tm_clock_routes routes;
    struct tm_stream_writer *writer; /* borrowed */
    const char *temporary_dir;           /* borrowed; NULL: $TMPDIR */
    uint64_t dropped_count;          /* counted events dropped in the whole run */
    struct tm_dropped_list dropped;  /* gets each of them, if enabled */
    int64_t latest_ns;               /* the latest time placed so far; rows without a time take effect then */
    /* private */
    bool has_messages; /* rows may be of kind COMPACT_SCHED */
    bool is_last_try;  /* nothing is deferred any more */
    bool all_kept;
    bool all_deferred; /* every row is deferred unchanged */
    /* the whole batch was converted at once: columns.machines and columns.clocks have one element each */
    bool is_whole_batch;
    /* With --interpolate each row has a part (TM_LINE_ROW_BYTES, clocks/line_rows.h): how it was placed, and its
     * reading, which the line to the next snapshot converts. */
    struct tm_placer_columns {
        uint32_t cap;
        uint8_t *times, *machines, *clocks; /* being made, little-endian */
        uint8_t *outcomes;                  /* an enum tm_outcome for each row */
        uint8_t *readings;                  /* of dropped rows, if they are listed: readings of their own clock */
        uint8_t *parts;                     /* one for each row, if lines.is_enabled */
    } columns;
    struct tm_line_rows lines;     /* rows that are pending until the next snapshot */
    bool has_provisional;          /* the current batch has rows that wait for lines */
    int64_t latest_line_ns;        /* the latest time of the rows that were pending */
    struct tm_buf kept_parts;      /* the parts of the rows in rebuilt */
    bool has_last;
    struct tm_placer_last {             /* the last row that was not derived; rows derived from it use this */
        int64_t time_ns;
        uint32_t file, machine, clock;
        enum tm_outcome outcome;
        uint8_t part[TM_LINE_ROW_BYTES];
        uint32_t part_route; /* the line route of rows derived from it */
    } last;
    struct tm_clock_route
        *last_route; /* the route of the preceding row, if rows like it may be converted the same way */
    struct tm_route_key last_route_key;
    uint32_t look_ahead; /* number of rows that the next attempt examines at once */
    struct tm_buf payload;
    struct tm_batch_builder rebuilt;
    struct tm_compact_rows message;      /* the message of several events that is being split */
    struct tm_batch_builder split_rows; /* its rows */
};

/* Zero-initialise, with routes and writer set. Set lines.is_enabled if routes.defers_for_lines is set. The calls return
 * TM_OK, TM_E_INPUT or TM_E_SYSTEM. */

/* Finds the outcome of each row of BATCH. tm_batch_placer_write must be the next call. */
enum tm_status tm_batch_placer_convert(struct tm_batch_placer *placer, const struct tm_batch *batch,
                                       struct tm_error *err);

/* Writes the rows of BATCH that are kept, and defers those that are pending. */
enum tm_status tm_batch_placer_write(struct tm_batch_placer *placer, const struct tm_batch *batch,
                                     struct tm_error *err);

/* Tries the deferred rows of FILE once more, and writes or drops them. */
enum tm_status tm_batch_placer_finish(struct tm_batch_placer *placer, struct tm_clock_file *file,
                                      struct tm_error *err);

/* Draws lines between the snapshots known now. Places the rows that wait for them, and writes these rows. */
enum tm_status tm_batch_placer_interpolate(struct tm_batch_placer *placer, struct tm_error *err);

void tm_batch_placer_release(struct tm_batch_placer *placer);

/* Private to the files of the placer. */
void tm_placer_columns_release(struct tm_placer_columns *columns);

#endif

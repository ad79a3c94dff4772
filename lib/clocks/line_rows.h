/* Rows that a snapshot has placed, and that are pending until the next snapshot. With --interpolate, the line between
 * both snapshots places them. They are kept in order, on disk, each with its reading and how it was placed. */
#ifndef TM_CLOCKS_LINE_ROWS_H
#define TM_CLOCKS_LINE_ROWS_H

#include "clocks/clock_route.h"
#include "stream/batch.h"
#include "stream/temporary_stream.h"

/* What becomes of the time of a pending row. */
enum tm_line_change {
    TM_LINE_FINAL,  /* it stays */
    TM_LINE_CONVERT,
    TM_LINE_LATEST  /* it becomes that of the latest row before */
};

/* Whether a row is recorded, and how it counts. */
enum tm_line_weight { TM_LINE_EVENT, TM_LINE_DEFINITION, TM_LINE_PART /* of an event */ };

/* What rows placed in the same way have in common. */
struct tm_line_route {
    enum tm_line_change change;
    enum tm_line_weight weight;
    uint32_t machine, clock;     /* of the rows */
    struct tm_clock_route route; /* for TM_LINE_CONVERT: its clock, scope and record; the step is that of the line */
};

/* Zero-initialise. */
struct tm_line_rows {
    bool is_enabled;
    uint32_t batch_count;        /* pending */
    struct tm_line_route *routes;
    uint32_t route_count;
    /* private */
    uint32_t route_cap;
    struct tm_map route_of;
    struct tm_temporary_stream file;
    struct tm_buf times;
};

/* A part: what is kept of one row beside its batch, the number of its route and the reading of its clock,
 * little-endian. */
enum { TM_LINE_ROW_BYTES = 12 };

/* Sets *NUMBER to the number of the route that LIKE and ROUTE describe. ROUTE may be NULL if the change of LIKE is
 * not TM_LINE_CONVERT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_line_rows_route(struct tm_line_rows *rows, const struct tm_line_route *like,
                                  const struct tm_clock_route *route, uint32_t *number, struct tm_error *err);

/* Appends BATCH with the PARTS of its rows. TEMPORARY_DIR is as for tm_io_temporary. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_line_rows_add(struct tm_line_rows *rows, const struct tm_batch *batch, const uint8_t *parts,
                                const char *temporary_dir, struct tm_error *err);

/* Reads the next batch and its PARTS, valid until the next call. Nothing may be added until TM_END. TM_OK, TM_END or an
 * error. */
enum tm_status tm_line_rows_next(struct tm_line_rows *rows, struct tm_batch *batch, const uint8_t **parts,
                                 struct tm_error *err);

/* Forgets all routes. No row may be pending. */
void tm_line_rows_clear(struct tm_line_rows *rows);

void tm_line_rows_release(struct tm_line_rows *rows);

#endif

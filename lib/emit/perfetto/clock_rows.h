/* The clocks of a merged Perfetto trace: which recorded readings it contains, and which number in it is a reading of
 * such a clock. doc/pftrace.md ("Clocks") has the rules. A reader of the trace converts a time on a clock by the last
 * row whose value is at most that time, the first row if there is none: t - value + ts_ns. So the rows of one clock
 * rise in both columns. */
#ifndef TM_EMIT_PERFETTO_CLOCK_ROWS_H
#define TM_EMIT_PERFETTO_CLOCK_ROWS_H

#include "base/status.h"
#include "stream/clock_id.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TM_CLOCK_ROWS_MAX = 1 << 20, /* kept; what comes after that is left out */
    TM_CLOCK_GROUP_MAX = 100     /* clocks of one snapshot that is written */
};

/* The moment by which machines are related: the first that no reader takes for no reading. */
enum { TM_CLOCK_RELATED_NS = 1 };

/* CLOCK of MACHINE read VALUE at TS_NS of trace time. */
struct tm_clock_row {
    int64_t ts_ns, value;
    uint32_t machine, clock;
    uint32_t snapshot; /* rows of one snapshot or relation have the same number */
    uint32_t file;     /* its place in the order of processing; UINT32_MAX: no file recorded it */
    uint32_t place;    /* private: in the order of coming */
    bool is_edge;      /* of a relation that no snapshot says, or of one between machines */
};

/* The rows of one clock of one machine, in order of time. */
struct tm_clock_column {
    uint32_t machine, clock;
    uint32_t first, count; /* in rows */
    uint32_t group;        /* columns of one group have the same moments, in snapshots that are written as one */
    uint64_t moments;      /* private: hash of them */
};

/* Zero-initialise; set the machines and the clock before settling. */
struct tm_clock_rows {
    uint32_t home;        /* the machine to which the others are related: the host, where it has data */
    uint32_t trace;       /* the machine of the trace-time clock */
    uint32_t trace_clock; /* which it is; settling makes BOOTTIME of it where it does not read trace time. That of every
                           * machine does */
    struct tm_clock_column *columns; /* by (machine, clock) */
    uint32_t column_count;
    uint32_t *by_group;  /* columns in the order of groups, which are in that of machines and of coming */
    struct tm_clock_row *rows;
    uint32_t count;
    /* What stands for itself, by clock: rows that a reader places as they are by what is in columns, and moments of
     * BOOTTIME without any. */
    struct tm_clock_row *lone;
    uint32_t lone_count;
    /* Readings that contradict a column of the trace-time machine, by clock: said after all events, when the clock
     * need not be a source of times any more. Of clocks that readers convert moments to. */
    struct tm_clock_row *late;
    uint32_t late_count;
    /* private */
    uint32_t cap, lone_cap, late_cap;
};

/* Adds ROW, unless it is of a clock that ends with its file or sequence. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_rows_add(struct tm_clock_rows *rows, struct tm_clock_row row);

/* All rows are there: makes columns and groups of them. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_rows_settle(struct tm_clock_rows *rows);

/* True where CLOCK of MACHINE reads trace time. */
bool tm_clock_rows_is_timeline(const struct tm_clock_rows *rows, uint32_t machine, uint32_t clock);

/* The reading of CLOCK of MACHINE that a reader takes for WANTED_NS of trace time: RECORDED where it does, else that by
 * the row of this time; where the next row has that reading for its own, the last before it, which is some moments
 * early. WANTED_NS itself where the trace does not say the clock. */
int64_t tm_clock_rows_reading(const struct tm_clock_rows *rows, uint32_t machine, uint32_t clock, int64_t recorded,
                              int64_t wanted_ns);

/* The last row of CLOCK of MACHINE; NULL: none. */
const struct tm_clock_row *tm_clock_rows_last(const struct tm_clock_rows *rows, uint32_t machine, uint32_t clock);

void tm_clock_rows_release(struct tm_clock_rows *rows);

#endif

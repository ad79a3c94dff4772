/* The clocks of a merged Perfetto trace: the recorded readings that it contains, and the numbers in it that are
 * readings of these clocks. doc/pftrace.md ("Clocks") has the rules. A reader of the trace converts a time on a clock
 * by the last row whose value is at most that time, or by the first row if there is none: t - value + ts_ns. So the
 * rows of one clock rise in both columns. */
#ifndef TM_EMIT_PERFETTO_CLOCK_ROWS_H
#define TM_EMIT_PERFETTO_CLOCK_ROWS_H

#include "base/status.h"
#include "stream/clock_id.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TM_CLOCK_ROWS_MAX = 1 << 20, /* further rows are left out */
    TM_CLOCK_GROUP_MAX = 100     /* clocks of one written snapshot */
};

/* The time at which machines are related: the smallest that readers accept as a reading. */
enum { TM_CLOCK_RELATED_NS = 1 };

/* CLOCK of MACHINE read VALUE at TS_NS of trace time. */
struct tm_clock_row {
    int64_t ts_ns, value;
    uint32_t machine, clock;
    uint32_t snapshot; /* rows of one snapshot or relation have the same number */
    uint32_t file;     /* its place in the order of processing; UINT32_MAX: not from a file */
    uint32_t source;   /* the file in the catalog; UINT32_MAX: none */
    uint32_t place;    /* private: order of arrival */
    bool is_edge;      /* from a relation between machines, or one that no snapshot states */
    bool is_unrelated; /* nothing related the machine to trace time when the snapshot was read */
};

/* The rows of one clock of one machine, in order of time. */
struct tm_clock_column {
    uint32_t machine, clock;
    uint32_t first, count; /* in rows */
    uint32_t group;        /* columns of one group have the same times, in snapshots that are written together */
    uint64_t times_hash;      /* private: hash of its times */
};

/* Zero-initialise; set the machines and the clock before settling. */
struct tm_clock_rows {
    uint32_t home;        /* the machine to which the others are related: the host if it has data */
    uint32_t trace;       /* the machine of the trace-time clock */
    /* its id; settling changes it to BOOTTIME if the clock does not read trace time. BOOTTIME of every machine does */
    uint32_t trace_clock;
    struct tm_clock_column *columns; /* by (machine, clock) */
    uint32_t column_count;
    uint32_t *by_group;  /* columns in the order of groups, which are in the order of machines and of arrival */
    struct tm_clock_row *rows;
    uint32_t count;
    /* Lone rows, by clock: rows that a reader places correctly by the columns, and times of BOOTTIME without other
     * clocks. */
    struct tm_clock_row *lone;
    uint32_t lone_count;
    /* Readings that contradict a column of the trace-time machine, by clock. They are written after all events, when
     * the clock is not needed as a source of times any more. Only of clocks to which readers convert times. */
    struct tm_clock_row *contradicting;
    uint32_t contradicting_count;
    /* Readings that contradict others and have no place in the trace. */
    struct tm_clock_row *left_out;
    uint32_t left_out_count;
    /* private */
    uint32_t cap, lone_cap, contradicting_cap, left_out_cap;
};

/* Adds ROW, unless its clock ends with its file or sequence. TM_OK; TM_END: ROW is left out, because there are
 * TM_CLOCK_ROWS_MAX; TM_E_SYSTEM. */
enum tm_status tm_clock_rows_add(struct tm_clock_rows *rows, struct tm_clock_row row);

/* Makes columns and groups of all rows. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_rows_settle(struct tm_clock_rows *rows);

/* Return the index of the first of MACHINE's columns, in columns and in by_group, and that of its first lone row. Its
 * others follow. If it has none, it is that of a later machine's, or the number of all. */
uint32_t tm_clock_rows_first_column(const struct tm_clock_rows *rows, uint32_t machine);
uint32_t tm_clock_rows_first_lone(const struct tm_clock_rows *rows, uint32_t machine);

/* True if CLOCK of MACHINE reads trace time. */
bool tm_clock_rows_is_timeline(const struct tm_clock_rows *rows, uint32_t machine, uint32_t clock);

/* Returns the reading of CLOCK of MACHINE that a reader converts to WANTED_NS of trace time. It is RECORDED if a reader
 * converts that so; otherwise it follows from the row at WANTED_NS. If a reader would convert it by the next row, the
 * last reading before that row is returned; it comes out slightly early. Returns WANTED_NS if the trace does not have
 * the clock. */
int64_t tm_clock_rows_reading(const struct tm_clock_rows *rows, uint32_t machine, uint32_t clock, int64_t recorded,
                              int64_t wanted_ns);

/* The last row of CLOCK of MACHINE; NULL: none. */
const struct tm_clock_row *tm_clock_rows_last(const struct tm_clock_rows *rows, uint32_t machine, uint32_t clock);

void tm_clock_rows_release(struct tm_clock_rows *rows);

#endif

/* The counts of the svg output: events, snapshots and losses of each file on each machine. */
#ifndef TM_EMIT_SVG_COUNTS_H
#define TM_EMIT_SVG_COUNTS_H

#include "base/map.h"
#include "emit/emit.h"
#include "emit/svg/time_bins.h"

enum {
    TM_SVG_LANES_MAX = 512, /* further lanes are counted in one lane */
    TM_SVG_NONE = -1        /* no series */
};

/* A file's events on one machine. */
struct tm_svg_lane {
    uint32_t file, machine;
    bool has_machine; /* false: events dropped before their machine was known */
    bool is_rest;     /* the files beyond TM_SVG_LANES_MAX */
    uint64_t event_count, drop_count, snapshot_count;
    int64_t first_ns, last_ns;    /* valid if event_count */
    int64_t events;               /* series of its events in the bins */
    int64_t rows;                 /* series of its snapshots with trace times, from rows of clock_snapshot */
    uint32_t last_row;            /* snapshot of the last row counted, if rows */
    /* Its snapshots, by their readings of one clock, because their trace times are not known yet. */
    struct tm_time_bins *readings; /* owned; NULL: none */
    uint32_t readings_clock;
    const Tracemerge__Placement *placement; /* the placement of most of its events, borrowed; NULL: none */
    uint32_t first_account;       /* UINT32_MAX: none */
    bool has_negative;            /* events were dropped because they lie before the start of trace time */
    int top;                      /* set by the layout */
};

/* The wall clock: it reads trace time + offset_ns. */
struct tm_svg_wall {
    bool is_known;
    bool is_trace_times; /* it is that of the machine of trace time */
    int64_t offset_ns;
};

/* Zero-initialise, and set catalog. */
struct tm_svg_counts {
    const struct tm_catalog *catalog; /* borrowed */
    struct tm_svg_lane *lanes; /* owned */
    uint32_t lane_count;
    struct tm_time_bins events, rows;
    uint64_t event_count;
    struct tm_svg_wall wall;
    /* private */
    uint32_t lane_cap;
    struct tm_map lane_of; /* file << 32 | machine */
};

/* Counts the rows of BATCH. TM_OK or an error, as all functions here. */
enum tm_status tm_svg_counts_batch(struct tm_svg_counts *c, const struct tm_batch *batch, struct tm_error *err);

/* Counts FRAME, which is not a batch; most frames count nothing. */
enum tm_status tm_svg_counts_frame(struct tm_svg_counts *c, const struct tm_frame *frame, struct tm_error *err);

/* At the end: adds placements and accounts of the catalog, and decides whether the wall clock is known. */
enum tm_status tm_svg_counts_finish(struct tm_svg_counts *c, struct tm_error *err);

void tm_svg_counts_release(struct tm_svg_counts *c);

#endif

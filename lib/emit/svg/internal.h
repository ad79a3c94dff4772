/* The data that the picture of a timeline is drawn from, shared by the parts of the svg output. */
#ifndef TM_EMIT_SVG_INTERNAL_H
#define TM_EMIT_SVG_INTERNAL_H

#include "base/map.h"
#include "emit/emit.h"
#include "emit/out.h"
#include "emit/paths.h"
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
    /* Its snapshots read before their clock was related to trace time, by readings of that clock. */
    struct tm_time_bins *readings; /* owned; NULL: none */
    uint32_t readings_clock;
    const Tracemerge__Placement *placement; /* the placement of most of its events, borrowed; NULL: none */
    uint32_t first_account;       /* UINT32_MAX: none */
    /* Position in the picture. */
    int top;
};

struct tm_svg {
    struct tm_out out;
    struct tm_paths paths;
    const struct tm_emit_context *context;
    struct tm_svg_lane *lanes; /* owned */
    uint32_t lane_count, lane_cap;
    struct tm_map lane_of; /* file << 32 | machine */
    struct tm_time_bins events, rows;
    uint64_t event_count;
    bool has_wall; /* the wall clock reads trace time + wall_ns … */
    bool wall_is_trace_times; /* … on the machine of trace time */
    int64_t wall_ns;
    /* Fields of the drawing. */
    uint32_t *order;  /* owned: shown lanes from top to bottom */
    uint32_t shown_count;
    bool is_roomy;    /* two lines of text for each lane */
    bool has_heads;   /* lanes stand below the names of their machines */
    int plot_width, lanes_top, lanes_bottom, height;
    uint32_t machine_count; /* among the lanes shown */
    int64_t first_ns, last_ns; /* the window drawn */
};

/* Sizes in pixels. */
enum {
    TM_SVG_WIDTH = 1280,
    TM_SVG_MARGIN = 28,
    TM_SVG_PLOT = 288,        /* left edge of the timeline */
    TM_SVG_PLOT_WIDTH_MAX = 872,
    TM_SVG_PLOT_WIDTH_BESIDE_DROPS = 784,
    TM_SVG_COLUMN = 2,        /* width of a bar of density */
    TM_SVG_COLUMNS_MAX = TM_SVG_PLOT_WIDTH_MAX / TM_SVG_COLUMN,
    TM_SVG_COUNT = 92,        /* width of the numbers of events, right of the timeline */
    TM_SVG_DROP_END = TM_SVG_WIDTH - TM_SVG_MARGIN
};

/* Sets *LANE to the lane of FILE on MACHINE, which is made if it is new. Valid until the next call. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_svg_lane(struct tm_svg *svg, uint32_t file, uint32_t machine, struct tm_svg_lane **lane,
                           struct tm_error *err);

/* Call when all data is collected. Decides which lanes are shown, their order and their positions. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_svg_arrange(struct tm_svg *svg, struct tm_error *err);

/* Writes the name of MACHINE for people, as XML, at most MAX characters. */
void tm_svg_put_machine(struct tm_svg *svg, uint32_t machine, size_t max);

/* The path of FILE, not escaped for XML. */
struct tm_text tm_svg_path(struct tm_svg *svg, uint32_t file);

/* Writes N with thin spaces between groups of three digits. */
void tm_svg_put_number(struct tm_svg *svg, uint64_t n);

/* Writes "N WORD" or "N WORDs". */
void tm_svg_put_count(struct tm_svg *svg, uint64_t n, const char *word);

/* Writes a length in tenths of a pixel as pixels. */
void tm_svg_put_tenths(struct tm_svg *svg, int tenths);

/* The position of NS in tenths of a pixel from the left edge of the picture. */
int tm_svg_x(const struct tm_svg *svg, int64_t ns);

/* Writes ELEMENT (such as "<text") with its position. The caller adds further attributes and ">". */
void tm_svg_put_at(struct tm_svg *svg, const char *element, int x, int y);

/* The texts of LANE: its tooltip; beside its timeline; and above it, if it is the first of its machine. */
void tm_svg_tooltip(struct tm_svg *svg, const struct tm_svg_lane *lane);
void tm_svg_label(struct tm_svg *svg, const struct tm_svg_lane *lane);
void tm_svg_lane_head(struct tm_svg *svg, const struct tm_svg_lane *lane);

/* The parts of the picture from top to bottom. */
void tm_svg_head(struct tm_svg *svg);
void tm_svg_axes(struct tm_svg *svg);
void tm_svg_lanes(struct tm_svg *svg);
void tm_svg_legend(struct tm_svg *svg);

#endif

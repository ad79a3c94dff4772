/* What the picture of a timeline is drawn from; shared by the parts of the svg output. */
#ifndef TM_EMIT_SVG_INTERNAL_H
#define TM_EMIT_SVG_INTERNAL_H

#include "base/map.h"
#include "emit/emit.h"
#include "emit/out.h"
#include "emit/paths.h"
#include "emit/svg/time_bins.h"

enum {
    TM_SVG_LANES_MAX = 512, /* events of more are counted in one lane for all the rest */
    TM_SVG_NONE = -1        /* of series */
};

/* What a file has on one machine. */
struct tm_svg_lane {
    uint32_t file, machine;
    bool has_machine; /* else what was dropped before anybody knew whose it was */
    bool is_rest;     /* of the files beyond TM_SVG_LANES_MAX */
    uint64_t event_count, drop_count, snapshot_count;
    int64_t first_ns, last_ns;    /* where event_count */
    int64_t events;               /* series of the bins of its events */
    int64_t rows;                 /* of its snapshots' rows of clock_snapshot, which have trace times */
    uint32_t last_row;            /* snapshot of the row counted last, where rows */
    /* Its snapshots on a clock of its own, for those that were read before anything related that to trace time. */
    struct tm_time_bins *readings; /* owned; NULL: none */
    uint32_t readings_clock;
    const Tracemerge__Placement *placement; /* of most events; NULL: none. Borrowed */
    uint32_t first_account;       /* UINT32_MAX: none */
    /* Where it is drawn. */
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
    /* Of the drawing. */
    uint32_t *order;  /* owned: shown lanes from top to bottom */
    uint32_t shown_count;
    bool is_roomy;    /* two lines of text a lane */
    bool has_heads;   /* lanes are under their machines' names */
    int plot_width, lanes_top, lanes_bottom, height;
    uint32_t machine_count; /* of shown lanes */
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
    TM_SVG_COUNT = 92,        /* from the timeline to the right edge of the numbers of events */
    TM_SVG_DROP_END = TM_SVG_WIDTH - TM_SVG_MARGIN
};

/* The lane of FILE on MACHINE, made if it is new. TM_OK or TM_E_SYSTEM; *LANE is valid until the next call. */
enum tm_status tm_svg_lane(struct tm_svg *svg, uint32_t file, uint32_t machine, struct tm_svg_lane **lane,
                           struct tm_error *err);

/* Everything has been gathered: which lanes are shown, in which order and where. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_svg_arrange(struct tm_svg *svg, struct tm_error *err);

/* What people call MACHINE, as XML, at most MAX characters. */
void tm_svg_put_machine(struct tm_svg *svg, uint32_t machine, size_t max);

/* Path of FILE, not escaped for XML. */
struct tm_text tm_svg_path(struct tm_svg *svg, uint32_t file);

/* "N" with thin spaces between groups of three digits. */
void tm_svg_put_number(struct tm_svg *svg, uint64_t n);

/* "N WORD" or "N WORDs". */
void tm_svg_put_count(struct tm_svg *svg, uint64_t n, const char *word);

/* Tenths of a pixel as pixels. */
void tm_svg_put_tenths(struct tm_svg *svg, int tenths);

/* Where NS is, in tenths of a pixel from the left edge of the picture. */
int tm_svg_x(const struct tm_svg *svg, int64_t ns);

/* ELEMENT (as "<text") with its place; further attributes and ">" are the caller's. */
void tm_svg_put_at(struct tm_svg *svg, const char *element, int x, int y);

/* What LANE says: when the mouse is on it; beside its timeline; above it, where it is its machine's first. */
void tm_svg_tooltip(struct tm_svg *svg, const struct tm_svg_lane *lane);
void tm_svg_label(struct tm_svg *svg, const struct tm_svg_lane *lane);
void tm_svg_lane_head(struct tm_svg *svg, const struct tm_svg_lane *lane);

/* Parts of the picture, from top to bottom. */
void tm_svg_head(struct tm_svg *svg);
void tm_svg_axes(struct tm_svg *svg);
void tm_svg_lanes(struct tm_svg *svg);
void tm_svg_legend(struct tm_svg *svg);

#endif

/* The places of the picture's parts, in pixels from its top left corner. */
#ifndef TM_EMIT_SVG_LAYOUT_H
#define TM_EMIT_SVG_LAYOUT_H

#include "emit/svg/counts.h"

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

/* Zero-initialise. */
struct tm_svg_layout {
    uint32_t *order;  /* owned: shown lanes from top to bottom */
    uint32_t shown_count;
    bool is_roomy;    /* two lines of text for each lane */
    bool has_heads;   /* lanes stand below the names of their machines */
    int plot_width, lanes_top, lanes_bottom, height;
    uint32_t machine_count; /* among the lanes shown */
    int64_t first_ns, last_ns; /* the window drawn */
};

/* Decides which lanes of COUNTS are shown, their order and their positions. HAS_LOSSES: there is a column for them.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_svg_layout_make(struct tm_svg_layout *layout, struct tm_svg_counts *counts, bool has_losses,
                                  struct tm_error *err);

/* The position of NS in tenths of a pixel from the left edge of the picture. */
int tm_svg_layout_x(const struct tm_svg_layout *layout, int64_t ns);

void tm_svg_layout_release(struct tm_svg_layout *layout);

#endif

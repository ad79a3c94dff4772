#include "emit/svg/layout.h"

#include <stdlib.h>

/* Heights in pixels, and a number of lanes. */
enum { LANES_TOP = 150, LANES_TOP_WITH_WALL = 168, ROOMY_LANES_MAX = 16, LEGEND_HEIGHT = 112 };

/* A lane and the values by which lanes are sorted. */
struct place {
    bool is_rest, lacks_machine;
    uint32_t machine, turn, lane;
};

static int compare_u32(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_places(const void *pa, const void *pb)
{
    const struct place *a = pa, *b = pb;
    int c = compare_u32(a->is_rest, b->is_rest);
    c = c ? c : compare_u32(a->lacks_machine, b->lacks_machine);
    c = c ? c : compare_u32(a->machine, b->machine);
    c = c ? c : compare_u32(a->turn, b->turn);
    return c ? c : compare_u32(a->lane, b->lane);
}

static enum tm_status put_in_order(struct tm_svg_layout *layout, const struct tm_svg_counts *counts,
                                   struct tm_error *err)
{
    struct place *places = calloc((size_t)counts->lane_count + 1, sizeof *places);
    layout->order = calloc((size_t)counts->lane_count + 1, sizeof *layout->order);
    if (places == NULL || layout->order == NULL) {
        free(places);
        return tm_error_nomem(err);
    }
    for (uint32_t i = 0; i < counts->lane_count; i++) {
        const struct tm_svg_lane *l = &counts->lanes[i];
        if (l->event_count || l->placement || l->drop_count)
            places[layout->shown_count++] = (struct place){l->is_rest, !l->has_machine, l->machine,
                                                           counts->catalog->files[l->file].processing_order, i};
    }
    qsort(places, layout->shown_count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < layout->shown_count; i++)
        layout->order[i] = places[i].lane;
    free(places);
    return TM_OK;
}

static bool is_same_machine(const struct tm_svg_layout *layout, const struct tm_svg_counts *counts, uint32_t i,
                            uint32_t k)
{
    const struct tm_svg_lane *a = &counts->lanes[layout->order[i]], *b = &counts->lanes[layout->order[k]];
    return a->has_machine == b->has_machine && a->machine == b->machine && a->is_rest == b->is_rest;
}

enum tm_status tm_svg_layout_make(struct tm_svg_layout *layout, struct tm_svg_counts *counts, bool has_losses,
                                  struct tm_error *err)
{
    if (put_in_order(layout, counts, err) < 0)
        return TM_E_SYSTEM;
    layout->is_roomy = layout->shown_count <= ROOMY_LANES_MAX;
    layout->has_heads = layout->is_roomy;
    layout->plot_width = has_losses ? TM_SVG_PLOT_WIDTH_BESIDE_DROPS : TM_SVG_PLOT_WIDTH_MAX;
    for (uint32_t i = 0; i < layout->shown_count; i++) {
        bool is_new = i == 0 || !is_same_machine(layout, counts, i - 1, i);
        layout->has_heads |= !is_new;
        layout->machine_count += is_new && counts->lanes[layout->order[i]].has_machine;
    }
    int y = layout->lanes_top = counts->wall.is_known ? LANES_TOP_WITH_WALL : LANES_TOP;
    for (uint32_t i = 0; i < layout->shown_count; i++) {
        if (layout->has_heads && (i == 0 || !is_same_machine(layout, counts, i - 1, i)))
            y += layout->is_roomy ? 36 : 28;
        counts->lanes[layout->order[i]].top = y;
        y += layout->is_roomy ? 46 : 21;
    }
    layout->lanes_bottom = y + 4;
    layout->height = layout->lanes_bottom + LEGEND_HEIGHT;
    if (counts->events.has_range) {
        layout->first_ns = counts->events.first_ns;
        layout->last_ns = counts->events.last_ns;
    }
    return TM_OK;
}

int tm_svg_layout_x(const struct tm_svg_layout *layout, int64_t ns)
{
    tm_i128 span = (tm_i128)layout->last_ns - layout->first_ns;
    tm_i128 d = (tm_i128)ns - layout->first_ns;
    return TM_SVG_PLOT * 10 + (span > 0 ? (int)(d * (layout->plot_width * 10) / span) : 0);
}

void tm_svg_layout_release(struct tm_svg_layout *layout)
{
    free(layout->order);
}

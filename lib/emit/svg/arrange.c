#include "emit/svg/internal.h"

#include "base/table.h"
#include "os/compat.h"
#include "emit/svg/xml_out.h"

#include <stdlib.h>

/* Places in pixels from the top. */
enum {
    LANES_TOP = 150,
    LANES_TOP_WITH_WALL = 168,
    ROOMY_LANES_MAX = 16,
    LEGEND_HEIGHT = 112
};

enum tm_status tm_svg_lane(struct tm_svg *svg, uint32_t file, uint32_t machine, struct tm_svg_lane **lane,
                           struct tm_error *err)
{
    uint64_t key = (uint64_t)file << 32 | machine;
    uint32_t i;
    if (tm_map_find(&svg->lane_of, key, &i)) {
        *lane = &svg->lanes[i];
        return TM_OK;
    }
    bool is_rest = svg->lane_count >= TM_SVG_LANES_MAX;
    if (svg->lane_count > TM_SVG_LANES_MAX) {
        *lane = &svg->lanes[TM_SVG_LANES_MAX];
        return TM_OK;
    }
    if (tm_array_grow(&svg->lanes, &svg->lane_cap, svg->lane_count, sizeof *svg->lanes, err) < 0 ||
        (!is_rest && tm_map_set(&svg->lane_of, key, svg->lane_count) != TM_OK))
        return tm_error_nomem(err);
    *lane = &svg->lanes[svg->lane_count++];
    **lane = (struct tm_svg_lane){.file = file,
                                  .machine = machine,
                                  .has_machine = machine != UINT32_MAX && !is_rest,
                                  .is_rest = is_rest,
                                  .events = TM_SVG_NONE,
                                  .rows = TM_SVG_NONE,
                                  .first_account = UINT32_MAX};
    return TM_OK;
}

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

static enum tm_status put_in_order(struct tm_svg *svg, struct tm_error *err)
{
    struct place *places = calloc((size_t)svg->lane_count + 1, sizeof *places);
    svg->order = calloc((size_t)svg->lane_count + 1, sizeof *svg->order);
    if (places == NULL || svg->order == NULL) {
        free(places);
        return tm_error_nomem(err);
    }
    for (uint32_t i = 0; i < svg->lane_count; i++) {
        const struct tm_svg_lane *l = &svg->lanes[i];
        if (l->event_count || l->placement || l->drop_count)
            places[svg->shown_count++] = (struct place){
                l->is_rest, !l->has_machine, l->machine, svg->context->catalog->files[l->file].processing_order, i};
    }
    qsort(places, svg->shown_count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < svg->shown_count; i++)
        svg->order[i] = places[i].lane;
    free(places);
    return TM_OK;
}

static bool is_same_machine(const struct tm_svg *svg, uint32_t i, uint32_t k)
{
    const struct tm_svg_lane *a = &svg->lanes[svg->order[i]], *b = &svg->lanes[svg->order[k]];
    return a->has_machine == b->has_machine && a->machine == b->machine && a->is_rest == b->is_rest;
}

enum tm_status tm_svg_arrange(struct tm_svg *svg, struct tm_error *err)
{
    if (put_in_order(svg, err) < 0)
        return TM_E_SYSTEM;
    svg->is_roomy = svg->shown_count <= ROOMY_LANES_MAX;
    svg->has_heads = svg->is_roomy;
    svg->plot_width = svg->context->balance->total.lost ? TM_SVG_PLOT_WIDTH_BESIDE_DROPS : TM_SVG_PLOT_WIDTH_MAX;
    for (uint32_t i = 0; i < svg->shown_count; i++) {
        bool is_new = i == 0 || !is_same_machine(svg, i - 1, i);
        svg->has_heads |= !is_new;
        svg->machine_count += is_new && svg->lanes[svg->order[i]].has_machine;
    }
    int y = svg->lanes_top = svg->has_wall ? LANES_TOP_WITH_WALL : LANES_TOP;
    for (uint32_t i = 0; i < svg->shown_count; i++) {
        if (svg->has_heads && (i == 0 || !is_same_machine(svg, i - 1, i)))
            y += svg->is_roomy ? 36 : 28;
        svg->lanes[svg->order[i]].top = y;
        y += svg->is_roomy ? 46 : 21;
    }
    svg->lanes_bottom = y + 4;
    svg->height = svg->lanes_bottom + LEGEND_HEIGHT;
    if (svg->events.has_range) {
        svg->first_ns = svg->events.first_ns;
        svg->last_ns = svg->events.last_ns;
    }
    return TM_OK;
}

int tm_svg_x(const struct tm_svg *svg, int64_t ns)
{
    tm_wide span = (tm_wide)svg->last_ns - svg->first_ns;
    tm_wide d = (tm_wide)ns - svg->first_ns;
    return TM_SVG_PLOT * 10 + (span > 0 ? (int)(d * (svg->plot_width * 10) / span) : 0);
}

void tm_svg_put_machine(struct tm_svg *svg, uint32_t machine, size_t max)
{
    const struct tm_catalog_machine *m = tm_catalog_machine(svg->context->catalog, machine);
    if (m && m->name.len) {
        tm_out_xml_cut(&svg->out, m->name, max);
    } else if (m == NULL || m->raw_id == 0) {
        tm_out_str(&svg->out, m ? "host" : "no machine");
    } else {
        tm_out_str(&svg->out, "machine ");
        tm_out_i64(&svg->out, m->raw_id);
    }
}

struct tm_text tm_svg_path(struct tm_svg *svg, uint32_t file)
{
    const char *path;
    size_t len;
    if (tm_paths_get(&svg->paths, svg->context->catalog, file, &path, &len) == TM_OK)
        return (struct tm_text){(const uint8_t *)path, len};
    svg->out.failed = true;
    return tm_text_str("?");
}

void tm_svg_put_number(struct tm_svg *svg, uint64_t n)
{
    uint64_t group = 1;
    while (n / group >= 1000)
        group *= 1000;
    tm_out_u64(&svg->out, n / group);
    while ((group /= 1000) > 0) {
        tm_out_str(&svg->out, "\xe2\x80\x89"); /* a thin space */
        tm_out_char(&svg->out, (char)('0' + n / group % 1000 / 100));
        tm_out_char(&svg->out, (char)('0' + n / group % 100 / 10));
        tm_out_char(&svg->out, (char)('0' + n / group % 10));
    }
}

void tm_svg_put_count(struct tm_svg *svg, uint64_t n, const char *word)
{
    tm_svg_put_number(svg, n);
    tm_out_char(&svg->out, ' ');
    tm_out_str(&svg->out, word);
    if (n != 1)
        tm_out_char(&svg->out, 's');
}

void tm_svg_put_tenths(struct tm_svg *svg, int tenths)
{
    tm_out_i64(&svg->out, tenths / 10);
    if (tenths % 10) {
        tm_out_char(&svg->out, '.');
        tm_out_i64(&svg->out, tenths % 10);
    }
}

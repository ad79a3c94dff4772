/* The lanes of the picture: each is a file on a machine. */
#include "base/checked.h"
#include "emit/svg/internal.h"

enum { SNAPSHOT_SPACING = 10 /* pixels between marks, so that they can be distinguished */ };

static int band_height(const struct tm_svg *svg)
{
    return svg->is_roomy ? 34 : 17;
}

/* The largest H with H * H <= N. */
static uint32_t square_root(uint64_t n)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= n)
            root += bit;
    return (uint32_t)root;
}

static uint64_t greatest(const uint64_t *counts, int columns)
{
    uint64_t most = 0;
    for (int i = 0; i < columns; i++)
        most = counts[i] > most ? counts[i] : most;
    return most;
}

/* Height of a bar of COUNT among at most MOST, in pixels. */
static int bar_height(uint64_t count, uint64_t most, int height)
{
    while (most >> 40) { /* the product below stays in 64 bits */
        most >>= 1;
        count = count / 2 + count % 2;
    }
    return count == 0 ? 0 : 2 + (int)square_root((uint64_t)(height - 2) * (uint64_t)(height - 2) * count / most);
}

static void put_density(struct tm_svg *svg, const struct tm_svg_lane *lane)
{
    uint64_t counts[TM_SVG_COLUMNS_MAX];
    int height = band_height(svg), columns = svg->plot_width / TM_SVG_COLUMN, last = 0, start = 0;
    tm_time_bins_columns(&svg->events, (uint32_t)lane->events,
                         &(struct tm_time_columns){svg->first_ns, svg->last_ns, (uint32_t)columns, counts});
    uint64_t most = greatest(counts, columns);
    tm_out_str(&svg->out, "<path class=\"density\" d=\"");
    for (int i = 0; i <= columns; i++) {
        int h = i < columns ? bar_height(counts[i], most, height) : 0;
        if (h == last)
            continue;
        if (last > 0) {
            tm_out_char(&svg->out, 'h');
            tm_out_i64(&svg->out, (i - start) * TM_SVG_COLUMN);
            tm_out_char(&svg->out, 'v');
            tm_out_i64(&svg->out, last - h);
            if (h == 0)
                tm_out_char(&svg->out, 'z');
        } else {
            tm_out_char(&svg->out, 'M');
            tm_out_i64(&svg->out, TM_SVG_PLOT + i * TM_SVG_COLUMN);
            tm_out_char(&svg->out, ' ');
            tm_out_i64(&svg->out, lane->top + height);
            tm_out_char(&svg->out, 'v');
            tm_out_i64(&svg->out, -h);
        }
        start = i;
        last = h;
    }
    tm_out_str(&svg->out, "\"/>\n");
}

static void put_window(struct tm_svg *svg, const struct tm_svg_lane *lane)
{
    enum { LEAST = 20 };
    int x = tm_svg_x(svg, lane->first_ns), end = tm_svg_x(svg, lane->last_ns);
    end = end - x < LEAST ? x + LEAST : end;
    tm_out_str(&svg->out, "<rect class=\"window\" x=\"");
    tm_svg_put_tenths(svg, x);
    tm_out_str(&svg->out, "\" y=\"");
    tm_out_i64(&svg->out, lane->top);
    tm_out_str(&svg->out, "\" width=\"");
    tm_svg_put_tenths(svg, end - x);
    tm_out_str(&svg->out, "\" height=\"");
    tm_out_i64(&svg->out, band_height(svg));
    tm_out_str(&svg->out, "\" rx=\"2\"/>\n");
}

/* Trace time minus the reading of the clock of LANE's snapshots. False if it is unknown. */
static bool offset_of_readings(const struct tm_svg *svg, const struct tm_svg_lane *lane, int64_t *offset_ns)
{
    const struct tm_catalog *c = svg->context->catalog;
    for (uint32_t i = 0; i < c->placement_count; i++) {
        const Tracemerge__Placement *p = c->placements[i];
        if (p->file == lane->file && p->machine == lane->machine && p->clock == lane->readings_clock &&
            p->placed_count) {
            *offset_ns = p->first_offset_ns;
            return true;
        }
    }
    return false;
}

/* Counts snapshots by column. False: none has a known trace time. */
static bool count_snapshots(const struct tm_svg *svg, const struct tm_svg_lane *lane,
                            const struct tm_time_columns *columns)
{
    struct tm_time_columns moved = *columns;
    int64_t offset_ns;
    if (lane->readings && offset_of_readings(svg, lane, &offset_ns) &&
        tm_sub_i64(columns->first_ns, offset_ns, &moved.first_ns) &&
        tm_sub_i64(columns->last_ns, offset_ns, &moved.last_ns)) {
        tm_time_bins_columns(lane->readings, 0, &moved);
        return true;
    }
    if (lane->rows != TM_SVG_NONE)
        tm_time_bins_columns(&svg->rows, (uint32_t)lane->rows, columns);
    return lane->rows != TM_SVG_NONE;
}

static void put_snapshots(struct tm_svg *svg, const struct tm_svg_lane *lane)
{
    uint64_t counts[TM_SVG_COLUMNS_MAX];
    struct tm_time_columns columns = {svg->first_ns, svg->last_ns, (uint32_t)svg->plot_width / TM_SVG_COLUMN, counts};
    int y = lane->top + band_height(svg) - 3, last = -SNAPSHOT_SPACING;
    if (!count_snapshots(svg, lane, &columns))
        return;
    tm_out_str(&svg->out, "<path class=\"snap\" d=\"");
    for (int i = 0; i < (int)columns.count; i++) {
        if (counts[i] == 0 || (i - last) * TM_SVG_COLUMN < SNAPSHOT_SPACING)
            continue;
        last = i;
        tm_out_char(&svg->out, 'M');
        tm_out_i64(&svg->out, TM_SVG_PLOT + i * TM_SVG_COLUMN + TM_SVG_COLUMN / 2);
        tm_out_char(&svg->out, ' ');
        tm_out_i64(&svg->out, y);
        tm_out_str(&svg->out, svg->is_roomy ? "l4 7h-8z" : "l3 5h-6z");
    }
    tm_out_str(&svg->out, "\"/>\n");
}

/* Draws the number of events before the part of time that can be shown. */
static bool has_negative(const struct tm_svg *svg, const struct tm_svg_lane *lane)
{
    const struct tm_catalog *c = svg->context->catalog;
    for (uint32_t i = lane->first_account; i < c->account_count; i++) {
        const Tracemerge__Account *a = c->accounts[i];
        if (a->file == lane->file && a->machine == lane->machine &&
            tm_accounting_reason(a) == TM_DROP_NEGATIVE_TIME)
            return true;
    }
    return false;
}

static void put_numbers(struct tm_svg *svg, const struct tm_svg_lane *lane)
{
    int baseline = lane->top + (svg->is_roomy ? 21 : 13);
    tm_svg_put_at(svg, "<text class=\"count\"", TM_SVG_PLOT + svg->plot_width + TM_SVG_COUNT, baseline);
    tm_out_char(&svg->out, '>');
    tm_svg_put_number(svg, lane->event_count);
    tm_out_str(&svg->out, "</text>");
    if (lane->drop_count) {
        tm_svg_put_at(svg, "<text class=\"drop\"", TM_SVG_DROP_END, baseline);
        tm_out_char(&svg->out, '>');
        tm_svg_put_number(svg, lane->drop_count);
        tm_out_str(&svg->out, "</text>");
    }
    tm_out_char(&svg->out, '\n');
}

static void put_timeline(struct tm_svg *svg, const struct tm_svg_lane *lane)
{
    if (lane->event_count) {
        put_window(svg, lane);
        put_density(svg, lane);
    } else {
        tm_svg_put_at(svg, "<text class=\"none\"", TM_SVG_PLOT + 8, lane->top + (svg->is_roomy ? 21 : 13));
        tm_out_str(&svg->out, ">nothing of this file could be placed</text>\n");
    }
    if (svg->events.has_range)
        put_snapshots(svg, lane);
    if (lane->drop_count && has_negative(svg, lane)) {
        tm_out_str(&svg->out, "<path class=\"lost\" d=\"M");
        tm_out_i64(&svg->out, TM_SVG_PLOT - 3);
        tm_out_char(&svg->out, ' ');
        tm_out_i64(&svg->out, lane->top + band_height(svg) / 2 - 5);
        tm_out_str(&svg->out, "v10l-7-5z\"/>\n");
    }
}

static void put_lane(struct tm_svg *svg, const struct tm_svg_lane *lane, bool has_head)
{
    enum { COLOURS = 8 };
    tm_out_str(&svg->out, "<g class=\"m");
    tm_out_u64(&svg->out, lane->has_machine ? lane->machine % COLOURS : COLOURS - 1);
    tm_out_str(&svg->out, svg->is_roomy ? "\">" : " small\">");
    tm_svg_tooltip(svg, lane);
    tm_out_char(&svg->out, '\n');
    if (has_head)
        tm_svg_lane_head(svg, lane);
    tm_svg_put_at(svg, "<rect class=\"band\"", TM_SVG_PLOT, lane->top);
    tm_out_str(&svg->out, " width=\"");
    tm_out_i64(&svg->out, svg->plot_width);
    tm_out_str(&svg->out, "\" height=\"");
    tm_out_i64(&svg->out, band_height(svg));
    tm_out_str(&svg->out, "\"/>\n");
    tm_svg_label(svg, lane);
    put_timeline(svg, lane);
    put_numbers(svg, lane);
    tm_out_str(&svg->out, "</g>\n");
}

void tm_svg_lanes(struct tm_svg *svg)
{
    const struct tm_svg_lane *before = NULL;
    for (uint32_t i = 0; i < svg->shown_count; i++) {
        const struct tm_svg_lane *lane = &svg->lanes[svg->order[i]];
        bool is_first = before == NULL || before->has_machine != lane->has_machine ||
                        before->machine != lane->machine || before->is_rest != lane->is_rest;
        put_lane(svg, lane, svg->has_heads && is_first);
        before = lane;
    }
}

/* The lanes of the picture: each is a file on a machine. */
#include "base/checked.h"
#include "emit/svg/picture.h"

enum { SNAPSHOT_SPACING = 10 /* pixels between marks, so that they can be distinguished */ };

static int band_height(const struct tm_svg_picture *picture)
{
    return picture->layout->is_roomy ? 34 : 17;
}

/* Returns the largest H with H H <= N. */
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

/* Returns the height in pixels of a bar of COUNT, where the bar of MOST has HEIGHT. */
static int bar_height(uint64_t count, uint64_t most, int height)
{
    while (most >> 40) { /* the product below stays in 64 bits */
        most >>= 1;
        count = count / 2 + count % 2;
    }
    return count == 0 ? 0 : 2 + (int)square_root((uint64_t)(height - 2) * (uint64_t)(height - 2) * count / most);
}

static void put_density(struct tm_svg_picture *picture, const struct tm_svg_lane *lane)
{
    uint64_t counts[TM_SVG_COLUMNS_MAX];
    int height = band_height(picture), columns = picture->layout->plot_width / TM_SVG_COLUMN, last = 0, start = 0;
    tm_time_bins_columns(
        &picture->counts->events, (uint32_t)lane->events,
        &(struct tm_time_columns){picture->layout->first_ns, picture->layout->last_ns, (uint32_t)columns, counts});
    uint64_t most = greatest(counts, columns);
    tm_out_str(&picture->out, "<path class=\"density\" d=\"");
    for (int i = 0; i <= columns; i++) {
        int h = i < columns ? bar_height(counts[i], most, height) : 0;
        if (h == last)
            continue;
        if (last > 0) {
            tm_out_char(&picture->out, 'h');
            tm_out_i64(&picture->out, (i - start) * TM_SVG_COLUMN);
            tm_out_char(&picture->out, 'v');
            tm_out_i64(&picture->out, last - h);
            if (h == 0)
                tm_out_char(&picture->out, 'z');
        } else {
            tm_out_char(&picture->out, 'M');
            tm_out_i64(&picture->out, TM_SVG_PLOT + i * TM_SVG_COLUMN);
            tm_out_char(&picture->out, ' ');
            tm_out_i64(&picture->out, lane->top + height);
            tm_out_char(&picture->out, 'v');
            tm_out_i64(&picture->out, -h);
        }
        start = i;
        last = h;
    }
    tm_out_str(&picture->out, "\"/>\n");
}

static void put_window(struct tm_svg_picture *picture, const struct tm_svg_lane *lane)
{
    enum { LEAST = 20 };
    int x = tm_svg_layout_x(picture->layout, lane->first_ns), end = tm_svg_layout_x(picture->layout, lane->last_ns);
    end = end - x < LEAST ? x + LEAST : end;
    tm_out_str(&picture->out, "<rect class=\"window\" x=\"");
    tm_svg_put_tenths(picture, x);
    tm_out_str(&picture->out, "\" y=\"");
    tm_out_i64(&picture->out, lane->top);
    tm_out_str(&picture->out, "\" width=\"");
    tm_svg_put_tenths(picture, end - x);
    tm_out_str(&picture->out, "\" height=\"");
    tm_out_i64(&picture->out, band_height(picture));
    tm_out_str(&picture->out, "\" rx=\"2\"/>\n");
}

/* Sets *OFFSET_NS to trace time minus the reading of the clock of LANE's snapshots. False if it is unknown. */
static bool offset_of_readings(const struct tm_svg_picture *picture, const struct tm_svg_lane *lane, int64_t *offset_ns)
{
    const struct tm_catalog *c = picture->context->catalog;
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
static bool count_snapshots(const struct tm_svg_picture *picture, const struct tm_svg_lane *lane,
                            const struct tm_time_columns *columns)
{
    struct tm_time_columns moved = *columns;
    int64_t offset_ns;
    if (lane->readings && offset_of_readings(picture, lane, &offset_ns) &&
        tm_sub_i64(columns->first_ns, offset_ns, &moved.first_ns) &&
        tm_sub_i64(columns->last_ns, offset_ns, &moved.last_ns)) {
        tm_time_bins_columns(lane->readings, 0, &moved);
        return true;
    }
    if (lane->rows != TM_SVG_NONE)
        tm_time_bins_columns(&picture->counts->rows, (uint32_t)lane->rows, columns);
    return lane->rows != TM_SVG_NONE;
}

static void put_snapshots(struct tm_svg_picture *picture, const struct tm_svg_lane *lane)
{
    uint64_t counts[TM_SVG_COLUMNS_MAX];
    struct tm_time_columns columns = {picture->layout->first_ns, picture->layout->last_ns,
                                      (uint32_t)picture->layout->plot_width / TM_SVG_COLUMN, counts};
    int y = lane->top + band_height(picture) - 3, last = -SNAPSHOT_SPACING;
    if (!count_snapshots(picture, lane, &columns))
        return;
    tm_out_str(&picture->out, "<path class=\"snap\" d=\"");
    for (int i = 0; i < (int)columns.count; i++) {
        if (counts[i] == 0 || (i - last) * TM_SVG_COLUMN < SNAPSHOT_SPACING)
            continue;
        last = i;
        tm_out_char(&picture->out, 'M');
        tm_out_i64(&picture->out, TM_SVG_PLOT + i * TM_SVG_COLUMN + TM_SVG_COLUMN / 2);
        tm_out_char(&picture->out, ' ');
        tm_out_i64(&picture->out, y);
        tm_out_str(&picture->out, picture->layout->is_roomy ? "l4 7h-8z" : "l3 5h-6z");
    }
    tm_out_str(&picture->out, "\"/>\n");
}

static void put_numbers(struct tm_svg_picture *picture, const struct tm_svg_lane *lane)
{
    int baseline = lane->top + (picture->layout->is_roomy ? 21 : 13);
    tm_svg_put_at(picture, "<text class=\"count\"", TM_SVG_PLOT + picture->layout->plot_width + TM_SVG_COUNT, baseline);
    tm_out_char(&picture->out, '>');
    tm_svg_put_number(picture, lane->event_count);
    tm_out_str(&picture->out, "</text>");
    if (lane->drop_count) {
        tm_svg_put_at(picture, "<text class=\"drop\"", TM_SVG_DROP_END, baseline);
        tm_out_char(&picture->out, '>');
        tm_svg_put_number(picture, lane->drop_count);
        tm_out_str(&picture->out, "</text>");
    }
    tm_out_char(&picture->out, '\n');
}

static void put_timeline(struct tm_svg_picture *picture, const struct tm_svg_lane *lane)
{
    if (lane->event_count) {
        put_window(picture, lane);
        put_density(picture, lane);
    } else {
        tm_svg_put_at(picture, "<text class=\"none\"", TM_SVG_PLOT + 8,
                      lane->top + (picture->layout->is_roomy ? 21 : 13));
        tm_out_str(&picture->out, ">no event of this file could be placed</text>\n");
    }
    if (picture->counts->events.has_range)
        put_snapshots(picture, lane);
    if (lane->has_negative) {
        tm_out_str(&picture->out, "<path class=\"lost\" d=\"M");
        tm_out_i64(&picture->out, TM_SVG_PLOT - 3);
        tm_out_char(&picture->out, ' ');
        tm_out_i64(&picture->out, lane->top + band_height(picture) / 2 - 5);
        tm_out_str(&picture->out, "v10l-7-5z\"/>\n");
    }
}

static void put_lane(struct tm_svg_picture *picture, const struct tm_svg_lane *lane, bool has_head)
{
    enum { COLOURS = 8 };
    tm_out_str(&picture->out, "<g class=\"m");
    tm_out_u64(&picture->out, lane->has_machine ? lane->machine % COLOURS : COLOURS - 1);
    tm_out_str(&picture->out, picture->layout->is_roomy ? "\">" : " small\">");
    tm_svg_tooltip(picture, lane);
    tm_out_char(&picture->out, '\n');
    if (has_head)
        tm_svg_lane_head(picture, lane);
    tm_svg_put_at(picture, "<rect class=\"band\"", TM_SVG_PLOT, lane->top);
    tm_out_str(&picture->out, " width=\"");
    tm_out_i64(&picture->out, picture->layout->plot_width);
    tm_out_str(&picture->out, "\" height=\"");
    tm_out_i64(&picture->out, band_height(picture));
    tm_out_str(&picture->out, "\"/>\n");
    tm_svg_label(picture, lane);
    put_timeline(picture, lane);
    put_numbers(picture, lane);
    tm_out_str(&picture->out, "</g>\n");
}

void tm_svg_lanes(struct tm_svg_picture *picture)
{
    const struct tm_svg_lane *before = NULL;
    for (uint32_t i = 0; i < picture->layout->shown_count; i++) {
        const struct tm_svg_lane *lane = &picture->counts->lanes[picture->layout->order[i]];
        bool is_first = before == NULL || before->has_machine != lane->has_machine ||
                        before->machine != lane->machine || before->is_rest != lane->is_rest;
        put_lane(picture, lane, picture->layout->has_heads && is_first);
        before = lane;
    }
}

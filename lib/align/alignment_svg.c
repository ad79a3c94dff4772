/* Draws a picture for each file that is related to another: the constraints as points, the corridor between them, the
 * line. Offsets are shown relative to the line, so that microseconds can be seen if the offset is seconds. Without
 * constraints the points are samples. A bound on one side only is drawn instead of the line. */
#include "align/alignment.h"
#include "align/duration.h"

#include <inttypes.h>

enum { WIDTH = 960, PANEL = 220, ROW = 30, LEFT = 90, RIGHT = 20, TOP = 30, BOTTOM = 30 };
enum { COLUMNS = 96, POINTS_MAX = 2000 };

#define UPPER_COLOR "#c33"
#define LOWER_COLOR "#36c"
#define SAMPLE_COLOR "#888"

static void put_xml(struct tm_buf *out, const char *text)
{
    for (; *text; text++) {
        const char *as = *text == '<'   ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '&' ? "&amp;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
        if (as)
            (void)tm_buf_add_str(out, as);
        else
            (void)tm_buf_add_byte(out, (uint8_t)*text);
    }
}

struct panel {
    const struct tm_pair *pair;
    int64_t first, last, scale; /* ns from the middle to the edge */
    struct tm_line line;        /* the pair's line; everything is shown relative to it */
    int top;
};

static int x_of(const struct panel *p, int64_t x)
{
    int64_t run = p->last > p->first ? p->last - p->first : 1;
    return LEFT + (int)((tm_i128)(x - p->first) * (WIDTH - LEFT - RIGHT) / run);
}

static int y_of(const struct panel *p, tm_i128 d)
{
    int half = (PANEL - TOP - BOTTOM) / 2;
    tm_i128 y = -d * half / p->scale;
    y = y > half ? half : y < -half ? -half : y;
    return p->top + TOP + half + (int)y;
}

/* Finds the pair that determined NODE's line: the one with its reference, otherwise the one with the most
 * constraints. */
static const struct tm_pair *pair_of(const struct tm_alignment *a, uint32_t node, uint32_t reference)
{
    const struct tm_pair *best = NULL;
    for (uint32_t i = 0; i < a->evidence.pairs.count; i++) {
        const struct tm_pair *p = &a->evidence.pairs.pairs[i];
        if (p->first != node && p->second != node)
            continue;
        if (p->first == reference || p->second == reference)
            return p;
        if (best == NULL || p->seen[0] + p->seen[1] > best->seen[0] + best->seen[1])
            best = p;
    }
    return best;
}

static bool has_corridor(const struct tm_pair *pair)
{
    return pair->corridor.is_possible && pair->above.count > 0 && pair->below.count > 0;
}

static void put_edge(struct tm_buf *out, const struct panel *p, bool high)
{
    const struct tm_corridor *c = &p->pair->corridor;
    if ((high ? c->above->count : c->below->count) == 0)
        return;
    (void)tm_buf_addf(out, "<polyline fill=\"none\" stroke=\"%s\" points=\"", high ? UPPER_COLOR : LOWER_COLOR);
    for (int i = 0; i <= COLUMNS; i++) {
        int64_t x = p->first + (int64_t)((tm_i128)(p->last - p->first) * i / COLUMNS);
        int64_t v = high ? tm_corridor_high(c, x) : tm_corridor_low(c, x);
        (void)tm_buf_addf(out, "%d,%d ", x_of(p, x), y_of(p, (tm_i128)v - tm_line_at(&p->line, x)));
    }
    (void)tm_buf_add_str(out, "\"/>\n");
}

/* Draws a point unless it is outside the panel. */
static void put_point(struct tm_buf *out, const struct panel *p, int64_t x, int64_t z, const char *color)
{
    tm_i128 d = (tm_i128)z - tm_line_at(&p->line, x);
    if (d <= p->scale && -d <= p->scale)
        (void)tm_buf_addf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"1.5\" fill=\"%s\"/>\n", x_of(p, x), y_of(p, d), color);
}

/* Draws about POINTS_MAX constraints, evenly from each side. Draws samples if there are no constraints. */
static void put_points(struct tm_buf *out, const struct panel *p)
{
    const struct tm_pair *pair = p->pair;
    uint32_t of_side[2] = {0, 0}, step = pair->constraint_count / POINTS_MAX + 1;
    for (uint32_t i = 0; i < pair->constraint_count; i++) {
        const struct tm_constraint *c = &pair->constraints[i];
        if (of_side[c->is_lower]++ % step == 0)
            put_point(out, p, c->x, c->z, c->is_lower ? LOWER_COLOR : UPPER_COLOR);
    }
    step = pair->sample_count / POINTS_MAX + 1;
    for (uint32_t i = 0; i < pair->sample_count && pair->constraint_count == 0; i += step)
        put_point(out, p, pair->samples[i].x, pair->samples[i].y, SAMPLE_COLOR);
}

/* Draws the result: a line, or lines with steps between them. A bound on one side only is not drawn here. */
static void put_lines(struct tm_buf *out, const struct panel *p)
{
    const struct tm_consensus *c = &p->pair->consensus;
    uint32_t count = c->count > 0 ? c->count : p->pair->has_estimate;
    for (uint32_t i = 0; i < count; i++) {
        const struct tm_line *line = c->count > 1 ? &c->lines[i] : &p->line;
        int64_t from = i > 0 ? c->starts[i] : p->first, to = i + 1 < count ? c->starts[i + 1] : p->last;
        (void)tm_buf_addf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#000\"/>\n", x_of(p, from),
                          y_of(p, (tm_i128)tm_line_at(line, from) - tm_line_at(&p->line, from)), x_of(p, to),
                          y_of(p, (tm_i128)tm_line_at(line, to) - tm_line_at(&p->line, to)));
    }
}

static uint32_t count_inside(const struct panel *p, int64_t scale)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->pair->constraint_count; i++) {
        const struct tm_constraint *c = &p->pair->constraints[i];
        tm_i128 d = (tm_i128)c->z - tm_line_at(&p->line, c->x);
        n += d <= scale && -d <= scale;
    }
    for (uint32_t i = 0; i < p->pair->sample_count && p->pair->constraint_count == 0; i++) {
        const struct tm_sample *s = &p->pair->samples[i];
        tm_i128 d = (tm_i128)s->y - tm_line_at(&p->line, s->x);
        n += d <= scale && -d <= scale;
    }
    return n;
}

/* Returns SCALE rounded up to 1, 2, 5, 10, 20 and so on microseconds. */
static int64_t round_up(tm_i128 scale)
{
    static const int64_t steps[] = {1000, 2000, 5000};
    int64_t unit = 1;
    for (;; unit *= 10)
        for (int i = 0; i < 3; i++)
            if (unit * steps[i] >= scale || unit >= INT64_C(100000000000000))
                return unit * steps[i];
}

/* Returns the scale: twice the widest part of the corridor. Without a corridor it is the range of half of the points.
 * With steps it is the range of all points. */
static int64_t scale_of(const struct panel *p)
{
    const struct tm_pair *pair = p->pair;
    uint32_t points = pair->constraint_count ? pair->constraint_count : pair->sample_count;
    uint32_t wanted = pair->consensus.count > 1 ? points : points / 2;
    tm_i128 most = 1000;
    if (!has_corridor(pair) || pair->consensus.count > 1) {
        while (most < INT64_MAX / 8 && count_inside(p, (int64_t)most) < wanted)
            most *= 2;
        return round_up(most);
    }
    for (int i = 0; i <= 2; i++) {
        int64_t x = p->first + (p->last - p->first) / 2 * i;
        tm_i128 width = (tm_i128)tm_corridor_high(&pair->corridor, x) - tm_corridor_low(&pair->corridor, x);
        most = 2 * width > most ? 2 * width : most;
    }
    return round_up(most);
}

/* Returns the line to which the offsets of the panel are relative. */
static struct tm_line base_of(const struct panel *p)
{
    const struct tm_pair *pair = p->pair;
    int64_t middle = p->first + (p->last - p->first) / 2;
    if (pair->consensus.count > 0)
        return pair->consensus.lines[0];
    if (pair->has_estimate)
        return pair->estimate;
    return (struct tm_line){.at_ns = middle,
                            .offset_ns = pair->above.count > 0 ? tm_corridor_high(&pair->corridor, middle)
                                                               : tm_corridor_low(&pair->corridor, middle)};
}

static void put_axes(struct tm_buf *out, const struct panel *p)
{
    int bottom = p->top + PANEL - BOTTOM;
    (void)tm_buf_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n", LEFT,
                      p->top + TOP, WIDTH - LEFT - RIGHT, PANEL - TOP - BOTTOM);
    for (int side = -1; side <= 1; side++) {
        (void)tm_buf_addf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 6,
                          y_of(p, side * (tm_i128)p->scale) + 4);
        tm_align_put_ns(out, side * p->scale, side > 0);
        (void)tm_buf_add_str(out, "</text>\n");
    }
    (void)tm_buf_addf(out, "<text x=\"%d\" y=\"%d\">0 s</text>\n<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT,
                      bottom + 14, WIDTH - RIGHT, bottom + 14);
    tm_align_put_ns(out, p->last - p->first, true);
    (void)tm_buf_add_str(out, "</text>\n");
}

/* Writes the file's facts from the report. */
static void put_title(const struct tm_alignment *a, const struct tm_align_file *f, int top, struct tm_buf *out)
{
    char path[TM_ALIGN_PATH_MAX];
    tm_alignment_path(a, f->file, path, sizeof path);
    (void)tm_buf_addf(out, "<text x=\"%d\" y=\"%d\">", LEFT, top + 20);
    put_xml(out, path);
    (void)tm_buf_addf(out, ": %s", tm_verdict_name(f->verdict));
    if (f->verdict != TM_VERDICT_REFERENCE && f->verdict != TM_VERDICT_NONE) {
        tm_alignment_path(a, f->reference, path, sizeof path);
        (void)tm_buf_add_str(out, " to ");
        put_xml(out, path);
        if (f->has_offset) {
            (void)tm_buf_add_str(out, ", offset ");
            tm_align_put_ns(out, f->offset_ns, true);
            (void)tm_buf_addf(out, ", drift %+" PRId64 " ppb", f->drift_ppb);
        }
        if (f->has_uncertainty) {
            (void)tm_buf_add_str(out, ", within ");
            tm_align_put_ns(out, f->uncertainty_ns, false);
        }
    }
    (void)tm_buf_add_str(out, "</text>\n");
}

/* Draws a panel and returns its height. */
static int put_panel(const struct tm_alignment *a, const struct tm_align_file *f, uint32_t node, int top,
                     struct tm_buf *out)
{
    const struct tm_pair *pair = pair_of(a, node, a->network.nodes[node].reference);
    put_title(a, f, top, out);
    if (f->verdict == TM_VERDICT_REFERENCE || f->verdict == TM_VERDICT_NONE || pair == NULL ||
        (pair->constraint_count == 0 && !pair->has_estimate))
        return ROW;
    const struct tm_align_node *own = &a->candidates.nodes.nodes[pair->first];
    struct panel p = {.pair = pair, .first = own->first_ns, .last = own->last_ns, .top = top};
    p.line = base_of(&p);
    p.scale = scale_of(&p);
    put_axes(out, &p);
    put_points(out, &p);
    if (pair->corridor.is_possible && pair->corridor.above && pair->consensus.count < 2) {
        put_edge(out, &p, true);
        put_edge(out, &p, false);
    }
    put_lines(out, &p);
    return PANEL;
}

enum tm_status tm_alignment_svg(const struct tm_alignment *a, struct tm_buf *out)
{
    struct tm_buf body = {0};
    int top = 0;
    for (uint32_t i = 0; i < a->file_count; i++) {
        uint32_t node = 0;
        while (node + 1 < a->candidates.nodes.count && a->candidates.nodes.nodes[node].file != a->files[i].file)
            node++;
        top += put_panel(a, &a->files[i], node, top, &body);
    }
    (void)tm_buf_addf(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
                      "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                      WIDTH, top + ROW + BOTTOM / 2);
    (void)tm_buf_add(out, body.data, body.len);
    (void)tm_buf_addf(out,
                      "<g fill=\"#666\"><text x=\"%d\" y=\"%d\">The offset from the first file's clock to the "
                      "other's, minus the stated line (black), over the time of the first file.</text>\n"
                      "<text x=\"%d\" y=\"%d\">Red points are upper bounds of the offset, blue ones lower bounds: "
                      "every possible offset lies between the edges.</text></g>\n",
                      LEFT, top + 14, LEFT, top + 30);
    tm_buf_release(&body);
    return tm_buf_add_str(out, "</svg>\n");
}

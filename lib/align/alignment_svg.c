/* A picture of each file that is aligned: the constraints as points, the corridor between them, the line. Offsets are
 * shown less what the line says, so that microseconds can be seen where the offset is seconds. */
#include "align/alignment.h"

#include <inttypes.h>

enum { WIDTH = 960, PANEL = 220, MARGIN = 60, COLUMNS = 96, POINTS_MAX = 2000 };

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
    struct tm_line line;        /* of the pair, that all is shown against */
    int top;
};

static int x_of(const struct panel *p, int64_t x)
{
    int64_t run = p->last > p->first ? p->last - p->first : 1;
    return MARGIN + (int)((tm_i128)(x - p->first) * (WIDTH - 2 * MARGIN) / run);
}

static int y_of(const struct panel *p, tm_i128 d)
{
    int half = (PANEL - MARGIN) / 2;
    tm_i128 y = -d * half / p->scale;
    y = y > half ? half : y < -half ? -half : y;
    return p->top + PANEL / 2 + (int)y;
}

/* The pair that NODE's line came by: with its reference, else the one with the most constraints. */
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

static void put_edge(struct tm_buf *out, const struct panel *p, bool high)
{
    const struct tm_corridor *c = &p->pair->corridor;
    if ((high ? c->above->count : c->below->count) == 0)
        return;
    (void)tm_buf_addf(out, "<polyline fill=\"none\" stroke=\"%s\" points=\"", high ? "#c33" : "#36c");
    for (int i = 0; i <= COLUMNS; i++) {
        int64_t x = p->first + (int64_t)((tm_i128)(p->last - p->first) * i / COLUMNS);
        int64_t v = high ? tm_corridor_high(c, x) : tm_corridor_low(c, x);
        (void)tm_buf_addf(out, "%d,%d ", x_of(p, x), y_of(p, (tm_i128)v - tm_line_at(&p->line, x)));
    }
    (void)tm_buf_add_str(out, "\"/>\n");
}

static void put_points(struct tm_buf *out, const struct panel *p)
{
    uint32_t n = p->pair->constraint_count, step = n / POINTS_MAX + 1;
    for (uint32_t i = 0; i < n; i += step) {
        const struct tm_constraint *c = &p->pair->constraints[i];
        tm_i128 d = (tm_i128)c->z - tm_line_at(&p->line, c->x);
        if (d < 2 * (tm_i128)p->scale && d > -2 * (tm_i128)p->scale)
            (void)tm_buf_addf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"1.5\" fill=\"%s\"/>\n", x_of(p, c->x), y_of(p, d),
                              c->is_lower ? "#36c" : "#c33");
    }
}

/* Four times the corridor at its widest, or what the points take where there is none. */
static int64_t scale_of(const struct panel *p)
{
    const struct tm_corridor *c = &p->pair->corridor;
    tm_i128 most = 1000;
    for (int i = 0; i <= 2 && c->is_possible && c->above->count && c->below->count; i++) {
        int64_t x = p->first + (p->last - p->first) / 2 * i;
        tm_i128 width = (tm_i128)tm_corridor_high(c, x) - tm_corridor_low(c, x);
        most = 4 * width > most ? 4 * width : most;
    }
    for (uint32_t i = 0; i < p->pair->constraint_count && (most == 1000 || p->pair->consensus.count > 1); i++) {
        tm_i128 d = (tm_i128)p->pair->constraints[i].z - tm_line_at(&p->line, p->pair->constraints[i].x);
        d = d < 0 ? -d : d;
        most = d > most ? d : most;
    }
    return most > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)most;
}

static void put_panel(const struct tm_alignment *a, const struct tm_align_file *f, uint32_t node, int top,
                      struct tm_buf *out)
{
    char path[4096];
    const struct tm_pair *pair = pair_of(a, node, a->network.nodes[node].reference);
    tm_alignment_path(a, f->file, path, sizeof path);
    (void)tm_buf_addf(out, "<text x=\"%d\" y=\"%d\">", MARGIN, top + 20);
    put_xml(out, path);
    (void)tm_buf_addf(out, ": %s", tm_verdict_name(f->verdict));
    if (f->has_offset)
        (void)tm_buf_addf(out, ", offset %" PRId64 " ns, drift %" PRId64 " ppb", f->offset_ns, f->drift_ppb);
    if (f->has_uncertainty)
        (void)tm_buf_addf(out, ", within %" PRId64 " ns", f->uncertainty_ns);
    (void)tm_buf_add_str(out, "</text>\n");
    if (f->verdict == TM_VERDICT_REFERENCE || pair == NULL || (pair->constraint_count == 0 && !pair->has_estimate))
        return;
    const struct tm_align_node *own = &a->candidates.nodes.nodes[pair->first];
    struct panel p = {.pair = pair, .first = own->first_ns, .last = own->last_ns, .top = top, .line = pair->estimate};
    if (pair->consensus.count > 0)
        p.line = pair->consensus.lines[0];
    else if (!pair->has_estimate)
        p.line = (struct tm_line){pair->constraints[0].x, pair->constraints[0].z, 0};
    p.scale = scale_of(&p);
    (void)tm_buf_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n",
                      MARGIN, top + MARGIN / 2, WIDTH - 2 * MARGIN, PANEL - MARGIN);
    (void)tm_buf_addf(out, "<text x=\"4\" y=\"%d\">+%" PRId64 "</text><text x=\"4\" y=\"%d\">-%" PRId64 " ns</text>\n",
                      top + MARGIN / 2 + 10, p.scale, top + PANEL - MARGIN / 2, p.scale);
    put_points(out, &p);
    if (pair->corridor.is_possible && pair->corridor.above) {
        put_edge(out, &p, true);
        put_edge(out, &p, false);
    }
    (void)tm_buf_addf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#000\"/>\n", MARGIN, y_of(&p, 0),
                      WIDTH - MARGIN, y_of(&p, 0));
}

enum tm_status tm_alignment_svg(const struct tm_alignment *a, struct tm_buf *out)
{
    (void)tm_buf_addf(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" font-family=\"sans-serif\" "
                      "font-size=\"11\">\n",
                      WIDTH, a->file_count * PANEL + PANEL / 4);
    for (uint32_t i = 0; i < a->file_count; i++) {
        uint32_t node = 0;
        while (node + 1 < a->candidates.nodes.count && a->candidates.nodes.nodes[node].file != a->files[i].file)
            node++;
        put_panel(a, &a->files[i], node, (int)(i * PANEL), out);
    }
    return tm_buf_add_str(out, "</svg>\n");
}

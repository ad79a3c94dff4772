#include "clocks/clock_paths.h"

#include "base/checked.h"
#include "clocks/clock_search.h"

/* FIFO over graph->queue. A clock is in it at most once, so node_cap entries suffice. */
struct queue {
    uint32_t head, length;
};

static void push(struct tm_clock_graph *graph, struct queue *queue, uint32_t clock)
{
    if (graph->nodes[clock].is_queued)
        return;
    graph->nodes[clock].is_queued = true;
    graph->queue[(queue->head + queue->length++) % graph->node_cap] = clock;
}

static uint32_t pop(struct tm_clock_graph *graph, struct queue *queue)
{
    uint32_t clock = graph->queue[queue->head];
    queue->head = (queue->head + 1) % graph->node_cap;
    queue->length--;
    graph->nodes[clock].is_queued = false;
    return clock;
}

static const struct tm_clock_key *key_of(const struct tm_clock_graph *graph, uint32_t clock)
{
    return &graph->clocks.clocks[clock].key;
}

static bool is_better_via(const struct tm_clock_graph *graph, const struct tm_clock_kind *kind, uint32_t via)
{
    uint8_t hops = graph->nodes[via].hops;
    if (hops != kind->via_hops)
        return hops < kind->via_hops;
    return tm_clock_key_less(key_of(graph, via), key_of(graph, kind->via));
}

/* Orders paths of equal length: by the next clock, then by the kind, the older kind first. */
static bool comes_first(const struct tm_clock_graph *graph, uint32_t via, uint32_t kind,
                        const struct tm_clock_node *node)
{
    if (via == node->next_clock)
        return kind < node->next_kind;
    return tm_clock_key_less(key_of(graph, via), key_of(graph, node->next_clock));
}

/* Offers the path through VIA to every clock of KIND, unless KIND was visited through a better clock. */
static void relax(struct tm_clock_graph *graph, struct queue *queue, uint32_t kind, uint32_t via)
{
    struct tm_clock_kind *k = &graph->kinds[kind];
    graph->work++;
    if (!is_better_via(graph, k, via))
        return;
    k->via = via;
    k->via_hops = graph->nodes[via].hops;
    uint8_t hops = (uint8_t)(k->via_hops + 1);
    graph->work += k->width;
    for (uint32_t i = 0; i < k->width; i++) {
        uint32_t clock = k->clocks[i];
        struct tm_clock_node *node = &graph->nodes[clock];
        if (clock == via || clock == graph->target || graph->clocks.clocks[clock].runs_backwards || hops > node->hops)
            continue;
        bool is_shorter = hops < node->hops;
        if (!is_shorter && !comes_first(graph, via, kind, node))
            continue;
        node->hops = hops;
        node->next_clock = via;
        node->next_kind = kind;
        if (is_shorter)
            push(graph, queue, clock);
    }
}

static void settle(struct tm_clock_graph *graph, struct queue *queue)
{
    while (queue->length) {
        uint32_t via = pop(graph, queue);
        if (graph->nodes[via].hops >= TM_GRAPH_HOPS_MAX)
            continue;
        for (uint32_t p = graph->nodes[via].first_place; p != UINT32_MAX; p = graph->places[p].next)
            relax(graph, queue, graph->places[p].kind, via);
    }
}

void tm_clock_paths_link(struct tm_clock_graph *graph, uint32_t kind)
{
    struct queue queue = {0};
    const struct tm_clock_kind *k = &graph->kinds[kind];
    for (uint32_t i = 0; i < k->width; i++)
        if (graph->nodes[k->clocks[i]].hops < TM_GRAPH_HOPS_MAX)
            relax(graph, &queue, kind, k->clocks[i]);
    settle(graph, &queue);
}

static void refresh(struct tm_clock_graph *graph)
{
    struct queue queue = {0};
    if (!graph->is_stale)
        return;
    graph->is_stale = false;
    tm_map_clear(&graph->found);
    graph->work += (uint64_t)graph->node_count + graph->kind_count;
    for (uint32_t i = 0; i < graph->node_count; i++)
        graph->nodes[i].hops = UINT8_MAX;
    for (uint32_t i = 0; i < graph->kind_count; i++)
        graph->kinds[i].via_hops = UINT8_MAX;
    if (graph->target == UINT32_MAX)
        return;
    graph->nodes[graph->target].hops = 0;
    push(graph, &queue, graph->target);
    settle(graph, &queue);
}

/* The range around the time being converted for which the same rows convert. */
struct margin {
    uint64_t down, up;
};

static void narrow(struct margin *margin, uint64_t down, uint64_t up)
{
    margin->down = down < margin->down ? down : margin->down;
    margin->up = up < margin->up ? up : margin->up;
}

static void add_anchor(struct tm_step *step, int64_t ns, int64_t distance_ns)
{
    int64_t at = tm_sub_saturate_i64(ns, distance_ns);
    if (!step->has_anchors || at < step->anchor_low_ns)
        step->anchor_low_ns = at;
    if (!step->has_anchors || at > step->anchor_high_ns)
        step->anchor_high_ns = at;
    step->has_anchors = true;
}

/* Narrows MARGIN around NS to the times that STEP converts to results from LOW to HIGH. STEP must hold for all times in
 * MARGIN, and convert NS to a result in that range. If the step has lines, bisection finds the ends, because later
 * times never give earlier results. */
static void narrow_to(const struct tm_step *step, int64_t ns, int64_t low, int64_t high, struct margin *margin)
{
    int64_t now = tm_step_apply(step, ns);
    uint64_t inside = 0;
    if (step->line_count == 0) {
        narrow(margin, (uint64_t)now - (uint64_t)low, (uint64_t)high - (uint64_t)now);
        return;
    }
    if (tm_step_apply(step, (int64_t)((uint64_t)ns - margin->down)) < low) {
        for (uint64_t outside = margin->down; outside - inside > 1;) {
            uint64_t middle = inside + (outside - inside) / 2;
            *(tm_step_apply(step, (int64_t)((uint64_t)ns - middle)) < low ? &outside : &inside) = middle;
        }
        margin->down = inside;
    }
    inside = 0;
    if (tm_step_apply(step, (int64_t)((uint64_t)ns + margin->up)) > high) {
        for (uint64_t outside = margin->up; outside - inside > 1;) {
            uint64_t middle = inside + (outside - inside) / 2;
            *(tm_step_apply(step, (int64_t)((uint64_t)ns + middle)) > high ? &outside : &inside) = middle;
        }
        margin->up = inside;
    }
}

/* Readings of a clock, both ends included. */
struct range {
    int64_t low, high;
};

/* Returns the range of readings of COLUMN that ROW converts. The first row also converts all earlier readings. */
static struct range range_of(const struct tm_clock_kind *kind, uint32_t row, uint32_t column)
{
    struct range s = {INT64_MIN, INT64_MAX};
    if (row > 0)
        s.low = tm_clock_kind_floor(kind, row, column);
    if (row + 1 < kind->count)
        s.high = tm_clock_kind_floor(kind, row + 1, column) - 1;
    return s;
}

/* Returns how far from T, in direction SIGN and up to FARTHEST, LINE converts times to an int64. It does so for T. */
static uint64_t distance_that_fits(const struct tm_clock_line *line, int64_t t, int sign, uint64_t farthest)
{
    int64_t ignored;
    uint64_t inside = 0, at = farthest;
    for (uint64_t outside = farthest; outside - inside > 1; at = inside + (outside - inside) / 2) {
        bool fits = tm_clock_line_at(line, (int64_t)((uint64_t)t + (sign < 0 ? 0 - at : at)), &ignored);
        if (fits && at == farthest)
            return farthest;
        *(fits ? &inside : &outside) = at;
    }
    return inside;
}

/* Cuts RANGE to the times around T that the fast path of LINE converts to an int64. False if T is not among them. */
static bool cut_to_line(struct range *range, const struct tm_clock_line *line, int64_t t)
{
    enum { USUAL_BITS = 61 }; /* no time of interest is later; within this bound, overflow is rare */
    const int64_t usual_max = INT64_C(1) << USUAL_BITS;
    if (t < line->first_ns || t > line->last_ns)
        return false;
    range->low = range->low < line->first_ns ? line->first_ns : range->low;
    range->high = range->high > line->last_ns ? line->last_ns : range->high;
    if (t >= -usual_max && t <= usual_max) {
        range->low = range->low < -usual_max ? -usual_max : range->low;
        range->high = range->high > usual_max ? usual_max : range->high;
    }
    range->low = (int64_t)((uint64_t)t - distance_that_fits(line, t, -1, (uint64_t)t - (uint64_t)range->low));
    range->high = (int64_t)((uint64_t)t + distance_that_fits(line, t, 1, (uint64_t)range->high - (uint64_t)t));
    return true;
}

/* Cuts RANGE to the times to which BY can be added without leaving int64. */
static void cut_to_shift(struct range *range, tm_i128 by)
{
    if (by < 0 && range->low < INT64_MIN - by)
        range->low = (int64_t)(INT64_MIN - by);
    if (by > 0 && range->high > INT64_MAX - by)
        range->high = (int64_t)(INT64_MAX - by);
}

/* Adds TRANSLATION to the results of STEP. */
static void append_translation(struct tm_step *step, uint64_t translation)
{
    *(step->line_count ? &step->after[step->line_count - 1] : &step->translation) += translation;
}

/* A conversion in progress. */
struct conversion {
    const struct tm_clock_graph *graph;
    struct tm_step *step;
    int64_t ns;  /* the time that is converted */
    int64_t now; /* its value after the hops of STEP so far */
    struct margin margin;
};

/* Takes one hop: NOW, a reading of HOP->from, becomes one of HOP->to. False if that is no int64. */
static bool take_hop(struct conversion *c, struct tm_hop *hop)
{
    const struct tm_clock_graph *graph = c->graph;
    struct tm_step *step = c->step;
    const struct tm_clock_kind *kind = &graph->kinds[hop->kind];
    uint32_t from = tm_clock_kind_column(kind, hop->from), to = tm_clock_kind_column(kind, hop->to);
    int64_t t = c->now;
    struct tm_clock_line line;
    hop->row = tm_clock_kind_row(kind, from, t);
    struct range range = range_of(kind, hop->row, from);
    hop->is_line = (kind->joins || graph->interpolates) &&
                   tm_clock_kind_line(kind, &(struct tm_kind_hop){hop->row, from, to, t}, graph->interpolates,
                                          &line, hop->line_ends);
    /* Lines for times before the first row differ from lines for times after it. */
    if (hop->row == 0 && (kind->joins || graph->interpolates)) {
        int64_t first = tm_clock_kind_floor(kind, 0, from);
        if (t < first && range.high >= first)
            range.high = first - 1;
        else if (t >= first)
            range.low = first;
    }
    if (!hop->is_line) {
        int64_t at = tm_clock_kind_reading(kind, hop->row, from), reads = tm_clock_kind_reading(kind, hop->row, to);
        if (!tm_shift_i64(t, at, reads, &c->now))
            return false;
        cut_to_shift(&range, (tm_i128)reads - at);
        narrow_to(step, c->ns, range.low, range.high, &c->margin);
        append_translation(step, (uint64_t)reads - (uint64_t)at);
        return true;
    }
    if (!tm_clock_line_at(&line, t, &c->now))
        return false;
    if (!cut_to_line(&range, &line, t)) { /* so far away that the conversion holds for this time only */
        range = (struct range){t, t};
        narrow_to(step, c->ns, t, t, &c->margin);
        append_translation(step, (uint64_t)c->now - (uint64_t)t);
        return true;
    }
    narrow_to(step, c->ns, range.low, range.high, &c->margin);
    step->lines[step->line_count++] = line;
    return true;
}

enum tm_convert tm_clock_graph_convert(struct tm_clock_graph *graph, uint32_t source, int64_t ns,
                                       struct tm_step *step)
{
    struct conversion c = {
        graph, step, ns, ns, {(uint64_t)ns - (uint64_t)INT64_MIN, (uint64_t)INT64_MAX - (uint64_t)ns}};
    *step = (struct tm_step){0};
    refresh(graph);
    if (source != graph->target && graph->nodes[source].hops == UINT8_MAX) {
        return !graph->clocks.clocks[source].is_known         ? TM_CONVERT_UNKNOWN_SOURCE
               : !graph->clocks.clocks[graph->target].is_known ? TM_CONVERT_UNKNOWN_TARGET
                                                               : TM_CONVERT_NO_PATH;
    }
    for (uint32_t clock = source; clock != graph->target; clock = graph->nodes[clock].next_clock) {
        struct tm_hop *hop = &step->hops[step->hop_count++];
        int64_t before = c.now;
        *hop = (struct tm_hop){.kind = graph->nodes[clock].next_kind, .from = clock,
                               .to = graph->nodes[clock].next_clock};
        if (!take_hop(&c, hop))
            return TM_CONVERT_OUT_OF_RANGE;
        const struct tm_clock_kind *kind = &graph->kinds[hop->kind];
        if (kind->origins[hop->row] == TM_EDGE_SNAPSHOT) {
            int64_t reading = tm_clock_kind_reading(kind, hop->row, tm_clock_kind_column(kind, clock));
            add_anchor(step, ns, tm_sub_saturate_i64(before, reading));
        }
    }
    step->first_ns = (int64_t)((uint64_t)ns - c.margin.down);
    step->last_ns = (int64_t)((uint64_t)ns + c.margin.up);
    return TM_CONVERT_OK;
}

bool tm_clock_graph_reaches(struct tm_clock_graph *graph, uint32_t from, uint32_t to)
{
    refresh(graph);
    if (to == graph->target)
        return from == to || graph->nodes[from].hops != UINT8_MAX;
    return tm_clock_search(graph, from, to);
}

#include "clocks/clock_search.h"

/* The clocks found from one end of a path. Both ends share graph->queue, and no clock is found from both: the first one
 * fills it from the front, the second one from the back. */
struct end {
    bool is_back;
    uint32_t visit; /* the mark of its clocks and kinds */
    uint32_t outermost, count; /* those from number outermost to count are the farthest */
    uint64_t place_count; /* of the farthest: how many kinds the next hop visits */
};

static uint32_t *clock_at(const struct tm_clock_graph *graph, const struct end *end, uint32_t i)
{
    return &graph->queue[end->is_back ? graph->queue_cap - 1 - i : i];
}

static void add(struct tm_clock_graph *graph, struct end *end, uint32_t clock)
{
    graph->nodes[clock].visit = end->visit;
    *clock_at(graph, end, end->count++) = clock;
    end->place_count += graph->nodes[clock].place_count;
}

/* Adds the clocks of KIND to END. True if one of them was found from the other end, whose mark is OTHER. */
static bool add_clocks(struct tm_clock_graph *graph, struct end *end, const struct tm_clock_kind *kind, uint32_t other)
{
    graph->work += kind->width;
    for (uint32_t i = 0; i < kind->width; i++) {
        uint32_t clock = kind->clocks[i];
        if (graph->nodes[clock].visit == other)
            return true;
        if (graph->nodes[clock].visit != end->visit && !graph->clocks.clocks[clock].runs_backwards)
            add(graph, end, clock);
    }
    return false;
}

/* Goes one hop from the outermost clocks of END. True if that finds a clock of the other end, whose mark is OTHER. */
static bool go_on(struct tm_clock_graph *graph, struct end *end, uint32_t other)
{
    uint32_t count = end->count;
    end->place_count = 0;
    for (; end->outermost < count; end->outermost++) {
        uint32_t clock = *clock_at(graph, end, end->outermost);
        for (uint32_t p = graph->nodes[clock].first_place; p != UINT32_MAX; p = graph->places[p].next) {
            struct tm_clock_kind *kind = &graph->kinds[graph->places[p].kind];
            graph->work++;
            if (kind->visit == end->visit)
                continue;
            kind->visit = end->visit;
            if (add_clocks(graph, end, kind, other))
                return true;
        }
    }
    return false;
}

/* True if a path of at most HOPS hops leads from FROM, which does not run backwards, to another clock TO. It is
 * searched for from both ends, and always where the next hop costs less: a clock that thousands of files know is rarely
 * left. */
static bool meet(struct tm_clock_graph *graph, uint32_t from, uint32_t to, int hops)
{
    struct end ends[2] = {{.visit = graph->visit + 1}, {.is_back = true, .visit = graph->visit + 2}};
    graph->visit += 2;
    add(graph, &ends[0], from);
    add(graph, &ends[1], to);
    for (; hops > 0; hops--) {
        bool is_back = ends[1].place_count < ends[0].place_count;
        struct end *end = &ends[is_back];
        if (end->outermost == end->count)
            return false;
        if (go_on(graph, end, ends[!is_back].visit))
            return true;
    }
    return false;
}

/* Returns the clock that CLOCK is related to, if it is only one, or UINT32_MAX. */
static uint32_t only_neighbour(const struct tm_clock_graph *graph, uint32_t clock)
{
    const struct tm_clock_node *node = &graph->nodes[clock];
    if (node->place_count != 1)
        return UINT32_MAX;
    const struct tm_clock_kind *kind = &graph->kinds[graph->places[node->first_place].kind];
    return kind->width == 2 ? kind->clocks[kind->clocks[0] == clock] : UINT32_MAX;
}

bool tm_clock_search(struct tm_clock_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t next = only_neighbour(graph, from), ignored;
    if (from == to || graph->clocks.clocks[from].runs_backwards)
        return from == to;
    if (next == UINT32_MAX)
        return meet(graph, from, to, TM_GRAPH_HOPS_MAX);
    if (next == to || graph->clocks.clocks[next].runs_backwards)
        return next == to;
    /* Thousands of files may each be related to one clock and ask for the way from there. */
    uint64_t pair = (uint64_t)next << 32 | to;
    if (tm_map_find(&graph->found, pair, &ignored))
        return true;
    bool is_found = meet(graph, next, to, TM_GRAPH_HOPS_MAX - 1);
    if (is_found)
        (void)tm_map_set(&graph->found, pair, 0); /* without memory the next search finds it again */
    return is_found;
}

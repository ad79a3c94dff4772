#include "clocks/clock_paths.h"

#include "base/checked.h"

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

/* The order of equally short ways: by the next clock, then by the kind, the older first. */
static bool comes_first(const struct tm_clock_graph *graph, uint32_t via, uint32_t kind,
                        const struct tm_clock_node *node)
{
    if (via == node->next_clock)
        return kind < node->next_kind;
    return tm_clock_key_less(key_of(graph, via), key_of(graph, node->next_clock));
}

/* Lets every clock of KIND consider the way over VIA, unless a better one of KIND had its turn. */
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

/* How far other times may lie from the one being converted for the same rows to convert them. */
struct room {
    uint64_t down, up;
};

static void narrow(struct room *room, uint64_t down, uint64_t up)
{
    room->down = down < room->down ? down : room->down;
    room->up = up < room->up ? up : room->up;
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

/* One hop: *NOW, a reading of HOP->from, becomes one of HOP->to. False when that leaves int64. */
static bool take_hop(const struct tm_clock_graph *graph, struct tm_hop *hop, int64_t *now, struct room *room)
{
    const struct tm_clock_kind *kind = &graph->kinds[hop->kind];
    uint32_t column = tm_clock_kind_column(kind, hop->from);
    int64_t t = *now;
    hop->row = tm_clock_kind_row(kind, column, t);
    int64_t from = tm_clock_kind_reading(kind, hop->row, column);
    int64_t to = tm_clock_kind_reading(kind, hop->row, tm_clock_kind_column(kind, hop->to));
    if (!tm_shift_i64(t, from, to, now))
        return false;
    /* Down to the row's own reading, but the first row serves all before it too. */
    uint64_t down = hop->row == 0 ? UINT64_MAX : (uint64_t)t - (uint64_t)from;
    uint64_t up = UINT64_MAX;
    if (hop->row + 1 < kind->count)
        up = (uint64_t)tm_clock_kind_reading(kind, hop->row + 1, column) - (uint64_t)t - 1;
    narrow(room, down, up);
    narrow(room, (uint64_t)*now - (uint64_t)INT64_MIN, (uint64_t)INT64_MAX - (uint64_t)*now);
    return true;
}

enum tm_convert tm_clock_graph_convert(struct tm_clock_graph *graph, uint32_t source, int64_t ns,
                                       struct tm_step *step)
{
    struct room room = {(uint64_t)ns - (uint64_t)INT64_MIN, (uint64_t)INT64_MAX - (uint64_t)ns};
    int64_t now = ns;
    *step = (struct tm_step){0};
    refresh(graph);
    if (source != graph->target && graph->nodes[source].hops == UINT8_MAX) {
        return !graph->clocks.clocks[source].is_known         ? TM_CONVERT_UNKNOWN_SOURCE
               : !graph->clocks.clocks[graph->target].is_known ? TM_CONVERT_UNKNOWN_TARGET
                                                               : TM_CONVERT_NO_PATH;
    }
    for (uint32_t clock = source; clock != graph->target; clock = graph->nodes[clock].next_clock) {
        struct tm_hop *hop = &step->hops[step->hop_count++];
        int64_t before = now;
        *hop = (struct tm_hop){.kind = graph->nodes[clock].next_kind, .from = clock,
                               .to = graph->nodes[clock].next_clock};
        if (!take_hop(graph, hop, &now, &room))
            return TM_CONVERT_OUT_OF_RANGE;
        const struct tm_clock_kind *kind = &graph->kinds[hop->kind];
        if (kind->origins[hop->row] == TM_EDGE_SNAPSHOT) {
            int64_t reading = tm_clock_kind_reading(kind, hop->row, tm_clock_kind_column(kind, clock));
            add_anchor(step, ns, tm_sub_saturate_i64(before, reading));
        }
    }
    step->first_ns = (int64_t)((uint64_t)ns - room.down);
    step->last_ns = (int64_t)((uint64_t)ns + room.up);
    step->translation = (uint64_t)now - (uint64_t)ns;
    return TM_CONVERT_OK;
}

/* Marks the neighbours of CLOCK that have no mark yet and queues them; true when TO is one. */
static bool spread(struct tm_clock_graph *graph, struct queue *queue, uint32_t clock, uint32_t to)
{
    for (uint32_t p = graph->nodes[clock].first_place; p != UINT32_MAX; p = graph->places[p].next) {
        struct tm_clock_kind *k = &graph->kinds[graph->places[p].kind];
        graph->work++;
        if (k->visit == graph->visit)
            continue;
        k->visit = graph->visit;
        graph->work += k->width;
        for (uint32_t i = 0; i < k->width; i++) {
            struct tm_clock_node *node = &graph->nodes[k->clocks[i]];
            if (k->clocks[i] == to)
                return true;
            if (node->visit == graph->visit)
                continue;
            node->visit = graph->visit;
            if (!graph->clocks.clocks[k->clocks[i]].runs_backwards)
                push(graph, queue, k->clocks[i]);
        }
    }
    return false;
}

bool tm_clock_graph_reaches(struct tm_clock_graph *graph, uint32_t from, uint32_t to)
{
    struct queue queue = {0};
    bool found = from == to;
    refresh(graph);
    if (found || to == graph->target)
        return found || graph->nodes[from].hops != UINT8_MAX;
    graph->visit++;
    graph->nodes[from].visit = graph->visit;
    if (!graph->clocks.clocks[from].runs_backwards)
        push(graph, &queue, from);
    for (int hops = 0; hops < TM_GRAPH_HOPS_MAX && !found; hops++)
        for (uint32_t n = queue.length; n > 0 && !found; n--)
            found = spread(graph, &queue, pop(graph, &queue), to);
    while (queue.length)
        pop(graph, &queue);
    return found;
}

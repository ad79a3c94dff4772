#include "clocks/clock_graph.h"

#include "base/table.h"
#include "base/checked.h"
#include "base/hash.h"
#include "clocks/clock_paths.h"

#include <stdlib.h>
#include <string.h>

void tm_clock_graph_init(struct tm_clock_graph *graph)
{
    *graph = (struct tm_clock_graph){.target = UINT32_MAX};
}

static enum tm_status grow_nodes(struct tm_clock_graph *graph)
{
    if (tm_array_grow(&graph->nodes, &graph->node_cap, graph->node_count, sizeof *graph->nodes, NULL) < 0)
        return TM_E_SYSTEM;
    return tm_array_grow(&graph->queue, &graph->queue_cap, graph->node_count, sizeof *graph->queue, NULL);
}

enum tm_status tm_clock_graph_clock(struct tm_clock_graph *graph, const struct tm_clock_key *key, uint32_t *index,
                                    struct tm_error *err)
{
    if (grow_nodes(graph) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = tm_clock_table_add(&graph->clocks, key, index, err);
    if (st < 0 || *index < graph->node_count)
        return st;
    graph->nodes[graph->node_count++] = (struct tm_clock_node){.first_place = UINT32_MAX, .hops = UINT8_MAX};
    return TM_OK;
}

void tm_clock_graph_set_target(struct tm_clock_graph *graph, uint32_t target)
{
    if (graph->target == target)
        return;
    graph->target = target;
    graph->is_stale = true;
    graph->version++;
}

/* Returns the kind whose clocks are CLOCKS, in their order, or UINT32_MAX. */
static uint32_t find_kind(const struct tm_clock_graph *graph, uint64_t hash, const uint32_t *clocks, uint32_t count)
{
    uint32_t kind;
    for (; tm_map_find(&graph->kind_of, hash, &kind); hash++) {
        const struct tm_clock_kind *k = &graph->kinds[kind];
        if (k->width == count && memcmp(k->clocks, clocks, count * sizeof *clocks) == 0)
            return kind;
    }
    return UINT32_MAX;
}

static enum tm_status add_places(struct tm_clock_graph *graph, uint32_t kind)
{
    const struct tm_clock_kind *k = &graph->kinds[kind];
    uint32_t last = graph->place_count + k->width - 1;
    if (tm_array_grow(&graph->places, &graph->place_cap, last, sizeof *graph->places, NULL) < 0)
        return TM_E_SYSTEM;
    for (uint32_t i = 0; i < k->width; i++) {
        struct tm_clock_node *node = &graph->nodes[k->clocks[i]];
        graph->places[graph->place_count] = (struct tm_clock_place){kind, node->first_place};
        node->first_place = graph->place_count++;
        node->place_count++;
    }
    return TM_OK;
}

static enum tm_status add_kind(struct tm_clock_graph *graph, uint64_t hash, const uint32_t *clocks, uint32_t count)
{
    uint32_t taken;
    if (tm_array_grow(&graph->kinds, &graph->kind_cap, graph->kind_count, sizeof *graph->kinds, NULL) < 0)
        return TM_E_SYSTEM;
    if (tm_clock_kind_init(&graph->kinds[graph->kind_count++], clocks, count) != TM_OK)
        return TM_E_SYSTEM;
    while (tm_map_find(&graph->kind_of, hash, &taken))
        hash++;
    return tm_map_set(&graph->kind_of, hash, graph->kind_count - 1);
}

/* Checks one reading against its clock alone and records it. False if the snapshot must be refused. */
static bool register_reading(struct tm_clock_graph *graph, const struct tm_reading *reading, int64_t *ns)
{
    struct tm_clock *clock = &graph->clocks.clocks[reading->clock];
    clock->is_known = true;
    if (clock->is_registered) {
        if (clock->unit_ns != reading->unit_ns || clock->is_incremental != reading->is_incremental)
            return false;
    } else {
        if (reading->unit_ns <= 0 || (reading->is_incremental && clock->key.sequence == 0))
            return false;
        clock->unit_ns = reading->unit_ns;
        clock->is_incremental = reading->is_incremental;
    }
    if (reading->clock == graph->target && reading->unit_ns != 1)
        return false;
    if (!tm_mul_i64(reading->value, reading->unit_ns, ns))
        return false;
    clock->is_registered = true;
    clock->last_ns = *ns;
    return true;
}

/* Checks the readings one by one and stops at the first violation. With MAY_FALL a clock may run backwards. */
static bool register_snapshot(struct tm_clock_graph *graph, struct tm_clock_kind *kind,
                              const struct tm_reading *readings, bool may_fall, int64_t *ns)
{
    graph->visit++;
    for (uint32_t i = 0; i < kind->width; i++) {
        uint32_t index = readings[i].clock;
        if (!register_reading(graph, &readings[i], &ns[i]))
            return false;
        if (graph->nodes[index].visit == graph->visit)
            return false;
        graph->nodes[index].visit = graph->visit;
        if (kind->has_last[i] && ns[i] < kind->last[i] && !may_fall) {
            if (index == graph->target)
                return false;
            if (!graph->clocks.clocks[index].runs_backwards) {
                graph->clocks.clocks[index].runs_backwards = true;
                graph->is_stale = true;
            }
        }
        kind->last[i] = ns[i];
        kind->has_last[i] = true;
    }
    return true;
}

static enum tm_status add_row(struct tm_clock_graph *graph, uint32_t kind, const int64_t *ns,
                              enum tm_edge_origin origin, struct tm_error *err)
{
    struct tm_clock_kind *k = &graph->kinds[kind];
    if (graph->reading_count + k->width > TM_GRAPH_READINGS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d clock readings", TM_GRAPH_READINGS_MAX);
    graph->reading_count += k->width;
    if (tm_clock_kind_add(k, ns, graph->snapshot_count - 1, origin) != TM_OK)
        return tm_error_nomem(err);
    if (k->is_linked)
        return TM_OK;
    k->is_linked = true;
    if (add_places(graph, kind) != TM_OK)
        return tm_error_nomem(err);
    if (!graph->is_stale)
        tm_clock_paths_link(graph, kind);
    return TM_OK;
}

/* Adds RELATION as tm_clock_graph_add does. Its kind becomes last_kind. With MAY_FALL a clock may run backwards. */
static enum tm_status add(struct tm_clock_graph *graph, const struct tm_clock_relation *relation, bool may_fall,
                          bool *is_valid, struct tm_error *err)
{
    const struct tm_reading *readings = relation->readings;
    const uint32_t count = relation->count;
    uint32_t clocks[TM_GRAPH_WIDTH_MAX];
    int64_t ns[TM_GRAPH_WIDTH_MAX];
    *is_valid = true;
    if (count > TM_GRAPH_WIDTH_MAX)
        return tm_error_set(err, TM_E_INPUT, "a snapshot of more than %d clocks", TM_GRAPH_WIDTH_MAX);
    if (graph->work > TM_GRAPH_WORK_MAX)
        return tm_error_set(err, TM_E_INPUT, "the relations between the clocks take too long to search");
    graph->snapshot_count++;
    graph->version++;
    if (count == 0)
        return TM_OK;
    for (uint32_t i = 0; i < count; i++)
        clocks[i] = readings[i].clock;
    uint64_t hash = tm_hash64(clocks, count * sizeof *clocks);
    uint32_t kind = find_kind(graph, hash, clocks, count);
    if (kind == UINT32_MAX) {
        if (graph->kind_count >= TM_GRAPH_KINDS_MAX)
            return tm_error_set(err, TM_E_INPUT, "more than %d kinds of clock snapshot", TM_GRAPH_KINDS_MAX);
        kind = graph->kind_count;
        if (add_kind(graph, hash, clocks, count) != TM_OK)
            return tm_error_nomem(err);
    }
    graph->last_kind = kind;
    *is_valid = register_snapshot(graph, &graph->kinds[kind], readings, may_fall, ns);
    return *is_valid ? add_row(graph, kind, ns, relation->origin, err) : TM_OK;
}

enum tm_status tm_clock_graph_add(struct tm_clock_graph *graph, const struct tm_clock_relation *relation,
                                  bool *is_valid, struct tm_error *err)
{
    return add(graph, relation, false, is_valid, err);
}

enum tm_status tm_clock_graph_add_point(struct tm_clock_graph *graph, const struct tm_clock_relation *relation,
                                        bool is_step, bool *is_valid, struct tm_error *err)
{
    enum tm_status st = add(graph, relation, is_step, is_valid, err);
    if (st < 0 || !*is_valid)
        return st;
    struct tm_clock_kind *k = &graph->kinds[graph->last_kind];
    bool falls = k->count > 1 && tm_clock_kind_reading(k, k->count - 1, 1) < tm_clock_kind_reading(k, k->count - 2, 1);
    st = is_step ? TM_OK : tm_clock_kind_join(k);
    if (st == TM_OK && falls)
        st = tm_clock_kind_allow_decrease(k);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_clock_graph_exactness(struct tm_clock_graph *graph, bool bounded, uint64_t uncertainty_ns, bool is_aligned)
{
    if (graph->last_kind >= graph->kind_count)
        return;
    struct tm_clock_exactness *stated = &graph->kinds[graph->last_kind].exactness;
    if (!stated->is_stated)
        *stated = (struct tm_clock_exactness){.is_stated = true, .is_bounded = true, .is_aligned = true};
    stated->is_bounded &= bounded;
    stated->is_aligned &= is_aligned;
    if (uncertainty_ns > stated->uncertainty_ns)
        stated->uncertainty_ns = uncertainty_ns;
}

void tm_clock_graph_release(struct tm_clock_graph *graph)
{
    for (uint32_t i = 0; i < graph->kind_count; i++)
        tm_clock_kind_release(&graph->kinds[i]);
    free(graph->kinds);
    free(graph->nodes);
    free(graph->places);
    free(graph->queue);
    tm_map_release(&graph->kind_of);
    tm_map_release(&graph->found);
    tm_clock_table_release(&graph->clocks);
    tm_clock_graph_init(graph);
}

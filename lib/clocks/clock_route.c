#include "clocks/clock_route.h"

#include "base/checked.h"
#include "base/cpu.h"
#include "base/hash.h"
#include "clocks/path_text.h"
#include "clocks/same_domain.h"

static const struct tm_step no_step = {.first_ns = INT64_MAX, .last_ns = INT64_MIN};
static const struct tm_step identity = {.first_ns = INT64_MIN, .last_ns = INT64_MAX};

static enum tm_status add_path(struct tm_clock_routes *routes, const struct tm_clock_route *route)
{
    struct tm_placement_record *record = &route->scope->records[route->record];
    tm_buf_clear(&routes->text);
    enum tm_status st = tm_path_text(&routes->text, routes->registry, routes->files, route->source, &route->step);
    if (st == TM_OK)
        st = tm_placement_record_path(record, &routes->text);
    for (uint32_t i = 0; i < route->step.hop_count && st == TM_OK; i++) {
        struct tm_hop_record *hop = tm_placement_record_bare_hop(record, i);
        if (hop == NULL)
            continue;
        st = tm_path_clock_text(&hop->from, routes->registry, routes->files, route->step.hops[i].from);
        if (st == TM_OK)
            st = tm_path_clock_text(&hop->to, routes->registry, routes->files, route->step.hops[i].to);
    }
    return st;
}

enum tm_status tm_clock_routes_settle(struct tm_clock_routes *routes, struct tm_clock_route *route,
                                      struct tm_error *err)
{
    struct tm_clock_graph *graph = &routes->registry->graph;
    if (!route->has_events)
        return TM_OK;
    struct tm_placement_record *record = &route->scope->records[route->record];
    route->has_events = false;
    if (route->is_provisional) {
        route->run = (struct tm_placed_run){0};
        return TM_OK;
    }
    const struct tm_key key = {route->key.file, route->scope->machine, route->clock};
    int64_t serial = tm_table_find(&routes->serial_of, &key);
    if (serial == TM_TABLE_NONE) {
        serial = routes->serial_of.count;
        if (tm_table_set(&routes->serial_of, &key, serial, err) < 0)
            return TM_E_SYSTEM;
    }
    if (tm_placement_record_use(record, (uint32_t)serial, graph, &route->step, &routes->used) != TM_OK)
        return tm_error_nomem(err);
    if (tm_placement_record_add(record, graph, &route->step, &route->run) && add_path(routes, route) != TM_OK)
        return tm_error_nomem(err);
    if (route->source != UINT32_MAX)
        tm_placement_record_check(record, graph, route->source, &route->step, &route->run);
    route->run = (struct tm_placed_run){0};
    return TM_OK;
}

static bool uses_snapshot(const struct tm_clock_graph *graph, const struct tm_step *step)
{
    for (uint32_t i = 0; i < step->hop_count; i++)
        if (graph->kinds[step->hops[i].kind].origins[step->hops[i].row] == TM_EDGE_SNAPSHOT)
            return true;
    return false;
}

/* Returns what TM_CLOCK_MONOTONIC_IF_RELATED means in SCOPE now. Source: doc/rules.md section 5. */
static uint32_t monotonic_if_related(const struct tm_clock_scope *scope, struct tm_clock_registry *registry)
{
    const struct tm_clock_key key = tm_clock_scope_key(scope, TM_CLOCK_MONOTONIC, 0);
    uint32_t index;
    bool is_related = tm_clock_table_find(&registry->graph.clocks, &key, &index) &&
                      tm_clock_graph_reaches(&registry->graph, index, registry->trace_time.index);
    return is_related ? TM_CLOCK_MONOTONIC : TM_CLOCK_NONE;
}

/* Finds what ROUTE's clock id means now. */
static enum tm_status resolve(struct tm_clock_routes *routes, struct tm_clock_route *route, struct tm_error *err)
{
    struct tm_clock_registry *registry = routes->registry;
    const struct tm_clock_scope *scope = route->scope;
    uint32_t sequence = route->key.sequence;
    route->clock = route->key.clock;
    if (scope->is_pinned || route->clock == TM_CLOCK_NONE) {
        route->clock = scope->default_clock;
        sequence = 0;
    }
    /* Before the file is placed, which may add relations, it is not decided what this id means. */
    const bool is_open = route->clock == TM_CLOCK_MONOTONIC_IF_RELATED && !scope->was_tried;
    if (route->clock == TM_CLOCK_MONOTONIC_IF_RELATED && scope->was_tried)
        route->clock = monotonic_if_related(scope, registry);
    route->source = UINT32_MAX;
    route->is_in_ns = true;
    route->step = route->clock == TM_CLOCK_NONE ? identity : no_step;
    route->is_provisional = false;
    route->line_route = UINT32_MAX;
    route->version = tm_clock_registry_version(registry);
    route->record = UINT32_MAX;
    if (is_open)
        return TM_OK;
    struct tm_clock_key key = tm_clock_scope_key(scope, route->clock, sequence);
    if (route->clock != TM_CLOCK_NONE && tm_clock_table_find(&registry->graph.clocks, &key, &route->source)) {
        const struct tm_clock *clock = &registry->graph.clocks.clocks[route->source];
        route->is_in_ns = !clock->is_incremental && clock->unit_ns == 1;
    }
    return tm_clock_scope_record(route->scope, route->clock, &route->record, err);
}

enum tm_status tm_clock_routes_find(struct tm_clock_routes *routes, const struct tm_route_key *key, bool is_data,
                                    struct tm_clock_route **out, struct tm_error *err)
{
    uint64_t hash = tm_hash_u64((uint64_t)key->file << 32 | key->embedded);
    hash = tm_hash_u64(hash ^ ((uint64_t)key->clock << 32 | key->sequence));
    const uint32_t slot = hash % TM_ROUTES;
    struct tm_clock_route *route = *out = &routes->routes[slot];
    enum tm_status st = TM_OK;
    if (route->version != 0 && tm_route_key_is(&route->key, key)) {
        if (is_data)
            tm_clock_file_note_data(routes->registry, key->embedded, route->scope);
        if (route->version == tm_clock_registry_version(routes->registry))
            return TM_OK;
        st = tm_clock_routes_settle(routes, route, err);
        return st < 0 ? st : resolve(routes, route, err);
    }
    if (route->version != 0 && (st = tm_clock_routes_settle(routes, route, err)) < 0)
        return st;
    route->version = 0;
    struct tm_clock_file *file = tm_clock_files_open(routes->files, key->file, err);
    if (file == NULL)
        return TM_E_INPUT;
    st = tm_clock_file_scope(file, routes->registry, key->embedded, &route->scope, err);
    if (st < 0)
        return st;
    if (is_data)
        tm_clock_file_note_data(routes->registry, key->embedded, route->scope);
    route->key = *key;
    routes->in_use[slot / 64] |= UINT64_C(1) << slot % 64;
    return resolve(routes, route, err);
}

bool tm_clock_route_is_registered(const struct tm_clock_route *route, const struct tm_clock_registry *registry)
{
    return route->source != UINT32_MAX && registry->graph.clocks.clocks[route->source].is_registered;
}

bool tm_clock_route_absolute(const struct tm_clock_route *route, struct tm_clock_registry *registry, int64_t value,
                             int64_t *ns)
{
    struct tm_clock *clock = &registry->graph.clocks.clocks[route->source];
    if (!tm_mul_i64(value, clock->unit_ns, ns))
        return false;
    if (!clock->is_incremental)
        return true;
    if (!tm_add_i64(clock->last_ns, *ns, ns))
        return false;
    clock->last_ns = *ns;
    return true;
}

enum tm_status tm_clock_routes_prepare(struct tm_clock_routes *routes, struct tm_clock_route *route, bool *is_pending,
                                       struct tm_error *err)
{
    *is_pending = false;
    if (route->clock == TM_CLOCK_NONE)
        return TM_OK;
    enum tm_status st = tm_same_domain_is_pending(route->scope, routes->registry, is_pending, err);
    if (st < 0 || *is_pending)
        return st;
    route->scope->has_converted = true;
    bool is_stale = route->record == UINT32_MAX;
    if (!route->scope->was_tried) {
        is_stale = true;
        st = tm_same_domain_relate(route->scope, routes->registry, routes->hints, err);
        if (st == TM_OK)
            st = tm_clock_routes_settle(routes, route, err);
    }
    return st == TM_OK && is_stale ? resolve(routes, route, err) : st;
}

enum tm_status tm_clock_routes_step(struct tm_clock_routes *routes, struct tm_clock_route *route, int64_t ns,
                                    enum tm_convert *result, struct tm_error *err)
{
    enum tm_status st = tm_clock_routes_settle(routes, route, err);
    if (st < 0)
        return st;
    *result = TM_CONVERT_UNKNOWN_SOURCE;
    if (route->source == UINT32_MAX)
        return TM_OK;
    *result = tm_clock_graph_convert(&routes->registry->graph, route->source, ns, &route->step);
    if (*result != TM_CONVERT_OK)
        route->step = no_step;
    route->is_provisional = routes->defers_for_lines && uses_snapshot(&routes->registry->graph, &route->step);
    route->line_route = UINT32_MAX;
    return TM_OK;
}

enum tm_status tm_clock_routes_flush(struct tm_clock_routes *routes, uint32_t file, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t word = 0; word < TM_ROUTES / 64; word++)
        for (uint64_t left = routes->in_use[word]; left && st == TM_OK; left &= left - 1) {
            const unsigned bit = tm_trailing_zeros(left);
            struct tm_clock_route *route = &routes->routes[word * 64 + bit];
            if (route->key.file != file)
                continue;
            if (route->version != 0)
                st = tm_clock_routes_settle(routes, route, err);
            route->version = 0;
            routes->in_use[word] &= ~(UINT64_C(1) << bit);
        }
    return st;
}

void tm_clock_routes_release(struct tm_clock_routes *routes)
{
    tm_map_release(&routes->used);
    tm_table_release(&routes->serial_of);
    tm_buf_release(&routes->text);
}

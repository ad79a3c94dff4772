#include "clocks/same_domain.h"

static enum tm_status relate_equal(struct tm_clock_registry *registry, uint32_t a, uint32_t b,
                                   enum tm_edge_origin origin, struct tm_error *err)
{
    const struct tm_reading pair[2] = {tm_reading_at(a, 0), tm_reading_at(b, 0)};
    return tm_clock_registry_add(registry, &(struct tm_clock_relation){pair, 2, origin}, err);
}

/* Returns the clock that is placed for the file. A pinned proto has none (TM_CLOCK_NONE), because the edge of the
 * manifest places it. */
static uint32_t own_clock(const struct tm_clock_scope *scope)
{
    if (scope->is_proto)
        return scope->is_pinned ? TM_CLOCK_NONE : TM_CLOCK_BOOTTIME;
    return scope->default_clock;
}

/* Step 3 of "Placing a file" (doc/rules.md section 5): both machines know REALTIME, and REALTIME is assumed to be the
 * same everywhere. */
static enum tm_status relate_by_realtime(const struct tm_clock_scope *scope, struct tm_clock_registry *registry,
                                         uint32_t untagged, bool *is_rendezvous, struct tm_error *err)
{
    struct tm_clock_key here = {.machine = scope->machine, .clock = TM_CLOCK_REALTIME};
    struct tm_clock_key there = {.machine = registry->trace_time.machine, .clock = TM_CLOCK_REALTIME};
    uint32_t realtime, global;
    *is_rendezvous = false;
    enum tm_status st = tm_clock_graph_clock(&registry->graph, &here, &realtime, err);
    if (st == TM_OK)
        st = tm_clock_graph_clock(&registry->graph, &there, &global, err);
    if (st != TM_OK || realtime == global || !tm_clock_graph_reaches(&registry->graph, untagged, realtime) ||
        !tm_clock_graph_reaches(&registry->graph, global, registry->trace_time.index))
        return st;
    *is_rendezvous = true;
    if (tm_clock_graph_reaches(&registry->graph, realtime, global))
        return TM_OK;
    return relate_equal(registry, realtime, global, TM_EDGE_RENDEZVOUS, err);
}

/* Finds SCOPE's own clock and the same clock without its tag, as indices in the graph. */
static enum tm_status find_clocks(const struct tm_clock_scope *scope, struct tm_clock_registry *registry, uint32_t *own,
                                  uint32_t *untagged, struct tm_error *err)
{
    uint32_t clock = own_clock(scope);
    struct tm_clock_key own_key = tm_clock_scope_key(scope, clock, 0);
    struct tm_clock_key untagged_key = tm_clock_scope_untagged(scope, clock);
    enum tm_status st = tm_clock_graph_clock(&registry->graph, &own_key, own, err);
    return st < 0 ? st : tm_clock_graph_clock(&registry->graph, &untagged_key, untagged, err);
}

static bool is_related(struct tm_clock_registry *registry, uint32_t clock)
{
    return tm_clock_graph_reaches(&registry->graph, clock, registry->trace_time.index);
}

/* Tries hints, between steps 2 and 3 of "Placing a file". Hints of the file itself come first. */
static enum tm_status try_hints(const struct tm_clock_scope *scope, struct tm_clock_registry *registry,
                                struct tm_clock_hints *hints, uint32_t untagged, struct tm_error *err)
{
    enum tm_status st = tm_clock_hints_use(hints, registry, scope->file, err);
    if (st < 0 || is_related(registry, untagged))
        return st;
    return tm_clock_hints_use(hints, registry, UINT32_MAX, err);
}

/* Step 4 of "Placing a file": assumes that the clock equals the trace-time clock, if one of them is a private timeline
 * or both have one domain. */
static enum tm_status assume_equal(struct tm_clock_scope *scope, struct tm_clock_registry *registry, uint32_t clock,
                                   uint32_t untagged, struct tm_error *err)
{
    const struct tm_trace_time *trace_time = &registry->trace_time;
    if (clock == TM_CLOCK_TRACE_FILE || trace_time->clock == TM_CLOCK_TRACE_FILE)
        return relate_equal(registry, untagged, trace_time->index, TM_EDGE_PRIVATE, err);
    if (clock == trace_time->clock)
        return relate_equal(registry, untagged, trace_time->index, TM_EDGE_SAME_DOMAIN, err);
    scope->unrelatable_count++;
    return TM_OK;
}

enum tm_status tm_same_domain_relate(struct tm_clock_scope *scope, struct tm_clock_registry *registry,
                                  struct tm_clock_hints *hints, struct tm_error *err)
{
    uint32_t own, untagged;
    bool is_rendezvous;
    scope->was_tried = true;
    if (own_clock(scope) == TM_CLOCK_NONE)
        return TM_OK;
    enum tm_status st = find_clocks(scope, registry, &own, &untagged, err);
    if (st == TM_OK && own != untagged && !tm_clock_graph_reaches(&registry->graph, own, untagged))
        st = relate_equal(registry, own, untagged, TM_EDGE_SAME_DOMAIN_OF_FILE, err);
    if (st < 0 || is_related(registry, untagged))
        return st;
    st = try_hints(scope, registry, hints, untagged, err);
    if (st < 0 || is_related(registry, untagged))
        return st;
    st = relate_by_realtime(scope, registry, untagged, &is_rendezvous, err);
    return st < 0 || is_rendezvous ? st : assume_equal(scope, registry, own_clock(scope), untagged, err);
}

enum tm_status tm_same_domain_is_pending(const struct tm_clock_scope *scope, struct tm_clock_registry *registry,
                                         bool *is_pending, struct tm_error *err)
{
    uint32_t own, untagged;
    *is_pending = false;
    if (!scope->may_wait || scope->was_tried || own_clock(scope) == TM_CLOCK_NONE)
        return TM_OK;
    enum tm_status st = find_clocks(scope, registry, &own, &untagged, err);
    *is_pending = st == TM_OK && !is_related(registry, own) && !is_related(registry, untagged);
    return st;
}

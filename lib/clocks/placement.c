#include "clocks/placement.h"

static enum tm_status relate_equal(struct tm_clock_book *book, uint32_t a, uint32_t b, enum tm_edge_origin origin,
                                   struct tm_error *err)
{
    const struct tm_reading pair[2] = {tm_reading_at(a, 0), tm_reading_at(b, 0)};
    return tm_clock_book_add(book, pair, 2, origin, err);
}

/* The clock that is placed for the file: TM_CLOCK_NONE for a pinned proto, whose manifest edge is
 * all there is to say. */
static uint32_t own_clock(const struct tm_clock_scope *scope)
{
    if (scope->is_proto)
        return scope->is_pinned ? TM_CLOCK_NONE : TM_CLOCK_BOOTTIME;
    return scope->default_clock;
}

/* Rung 3: both machines know REALTIME, and REALTIME is assumed to be the same everywhere. */
static enum tm_status meet_at_realtime(const struct tm_clock_scope *scope, struct tm_clock_book *book, uint32_t twin,
                                       bool *is_met, struct tm_error *err)
{
    struct tm_clock_key here = {.machine = scope->machine, .clock = TM_CLOCK_REALTIME};
    struct tm_clock_key there = {.machine = book->trace_time.machine, .clock = TM_CLOCK_REALTIME};
    uint32_t realtime, global;
    *is_met = false;
    enum tm_status st = tm_clock_graph_clock(&book->graph, &here, &realtime, err);
    if (st == TM_OK)
        st = tm_clock_graph_clock(&book->graph, &there, &global, err);
    if (st < 0 || realtime == global || !tm_clock_graph_reaches(&book->graph, twin, realtime) ||
        !tm_clock_graph_reaches(&book->graph, global, book->trace_time.index))
        return st;
    *is_met = true;
    if (tm_clock_graph_reaches(&book->graph, realtime, global))
        return TM_OK;
    return relate_equal(book, realtime, global, TM_EDGE_RENDEZVOUS, err);
}

enum tm_status tm_placement_place(struct tm_clock_scope *scope, struct tm_clock_book *book, struct tm_error *err)
{
    uint32_t clock = own_clock(scope), own, twin;
    struct tm_clock_key own_key = tm_clock_scope_key(scope, clock, 0), twin_key = tm_clock_scope_twin(scope, clock);
    bool is_met;
    scope->is_placed = true;
    if (clock == TM_CLOCK_NONE)
        return TM_OK;
    enum tm_status st = tm_clock_graph_clock(&book->graph, &own_key, &own, err);
    if (st == TM_OK)
        st = tm_clock_graph_clock(&book->graph, &twin_key, &twin, err);
    if (st == TM_OK && own != twin && !tm_clock_graph_reaches(&book->graph, own, twin))
        st = relate_equal(book, own, twin, TM_EDGE_TWIN, err);
    if (st < 0 || tm_clock_graph_reaches(&book->graph, twin, book->trace_time.index))
        return st;
    st = meet_at_realtime(scope, book, twin, &is_met, err);
    if (st < 0 || is_met)
        return st;
    if (clock == TM_CLOCK_TRACE_FILE || book->trace_time.clock == TM_CLOCK_TRACE_FILE)
        return relate_equal(book, twin, book->trace_time.index, TM_EDGE_PRIVATE, err);
    if (clock == book->trace_time.clock)
        return relate_equal(book, twin, book->trace_time.index, TM_EDGE_SAME_DOMAIN, err);
    scope->unrelatable_count++;
    return TM_OK;
}

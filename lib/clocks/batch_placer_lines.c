/* Places rows that waited for the next snapshot on the line that leads to it. */
#include "clocks/batch_placer.h"
#include "clocks/fast_path.h"
#include "clocks/row_converter.h"

#include <stdlib.h>

/* Rows [first, end) of BATCH, whose times are readings, all on the route LINE. */
struct line_run {
    const struct tm_batch *batch;
    struct tm_line_route *line;
    uint32_t first, end;
};

static struct tm_line_route *route_of(const struct tm_batch_placer *placer, const uint8_t *parts, uint32_t i,
                                      struct tm_error *err)
{
    uint32_t number = tm_get_le32(parts + (size_t)TM_LINE_ROW_BYTES * i);
    if (number < placer->lines.route_count)
        return &placer->lines.routes[number];
    tm_error_set(err, TM_E_SYSTEM, "the temporary file of pending events has changed");
    return NULL;
}

/* Finds the step for reading NS: by lines, else by snapshots alone. */
static enum tm_status find_step(struct tm_batch_placer *placer, struct tm_line_route *line, int64_t ns, bool *is_found,
                                struct tm_error *err)
{
    struct tm_clock_graph *graph = &placer->routes.registry->graph;
    struct tm_clock_route *route = &line->route;
    enum tm_status st = TM_OK;
    if (line->weight != TM_LINE_EVENT)
        route->has_events = false;
    else
        st = tm_clock_routes_settle(&placer->routes, route, err);
    route->run = (struct tm_placed_run){0};
    *is_found = tm_clock_graph_convert(graph, route->source, ns, &route->step) == TM_CONVERT_OK;
    if (!*is_found) {
        graph->interpolates = false;
        *is_found = tm_clock_graph_convert(graph, route->source, ns, &route->step) == TM_CONVERT_OK;
        graph->interpolates = true;
    }
    if (!*is_found)
        route->step = (struct tm_step){.first_ns = INT64_MAX, .last_ns = INT64_MIN};
    return st;
}

/* Drops row I of RUN, whose line leads to a time before the start of trace time. */
static void drop(struct tm_batch_placer *placer, const struct line_run *run, uint32_t i, int64_t time_ns)
{
    struct tm_line_route *line = run->line;
    struct tm_placement_record *record = &line->route.scope->records[line->route.record];
    record->earliest_ns = time_ns < record->earliest_ns ? time_ns : record->earliest_ns;
    record->counts[TM_RESULT_NEGATIVE_TIME] += line->weight == TM_LINE_EVENT;
    record->definition_counts[TM_RESULT_NEGATIVE_TIME] += line->weight == TM_LINE_DEFINITION;
    placer->dropped_count += line->weight == TM_LINE_EVENT;
    placer->columns.outcomes[i] =
        (uint8_t)(line->weight == TM_LINE_PART ? TM_OUTCOME_DROP : tm_outcome_of_result(TM_RESULT_NEGATIVE_TIME));
    tm_put_le64(placer->columns.times + (size_t)8 * i, (uint64_t)time_ns);
    record->is_listed = placer->dropped.is_enabled;
    if (record->is_listed)
        tm_put_le64(placer->columns.readings + (size_t)8 * i, tm_batch_u64(run->batch, TM_COL_TIME_NS, i));
    placer->all_kept = false;
}

/* Handles row I of RUN, whose line leads to TIME_NS, before the start of trace time. */
static void handle_early(struct tm_batch_placer *placer, const struct line_run *run, uint32_t i, int64_t time_ns)
{
    if (tm_batch_u32(run->batch, TM_COL_FLAGS, i) & TM_EVENT_FIRST_USE)
        tm_put_le64(placer->columns.times + (size_t)8 * i, 0);
    else
        drop(placer, run, i, time_ns);
}

/* Keeps row I of RUN where it was placed first, because no path leads to trace time any more. */
static void keep_placement(struct tm_batch_placer *placer, const struct line_run *run, uint32_t i)
{
    int64_t ns = tm_batch_i64(run->batch, TM_COL_TIME_NS, i);
    uint64_t placed = tm_get_le64(placer->columns.times + (size_t)8 * i);
    run->line->route.step = (struct tm_step){.first_ns = ns, .last_ns = ns, .translation = placed - (uint64_t)ns};
    tm_row_count(&run->line->route, ns);
}

static enum tm_status convert_run(struct tm_batch_placer *placer, struct line_run *run, struct tm_error *err)
{
    struct tm_clock_route *route = &run->line->route;
    enum tm_status st = TM_OK;
    for (uint32_t i = run->first; i < run->end && st == TM_OK;) {
        struct tm_fast_rows rows = {.first = i, .end = run->end};
        bool is_found;
        tm_fast_rows_convert_first(&rows, run->batch, route, placer->columns.times);
        if (rows.end > i) {
            i = rows.end;
            continue;
        }
        int64_t ns = tm_batch_i64(run->batch, TM_COL_TIME_NS, i), time_ns;
        st = find_step(placer, run->line, ns, &is_found, err);
        if (st == TM_OK && !is_found)
            keep_placement(placer, run, i++);
        else if (st == TM_OK && !tm_row_convert_again(route, ns, &time_ns))
            handle_early(placer, run, i++, time_ns);
    }
    return st;
}

static enum tm_status reserve(struct tm_batch_placer *placer, uint32_t count, struct tm_error *err)
{
    const bool lists = placer->dropped.is_enabled;
    struct tm_placer_columns made = {.cap = count, .times = malloc((size_t)count * 8),
                                     .machines = malloc((size_t)count * 4), .clocks = malloc((size_t)count * 4),
                                     .outcomes = malloc(count), .readings = lists ? malloc((size_t)count * 8) : NULL};
    bool has_all = made.times && made.machines && made.clocks && made.outcomes && (made.readings || !lists);
    placer->columns = made;
    return has_all ? TM_OK : tm_error_nomem(err);
}

/* Fills the columns of PLACER for BATCH. PARTS has TM_LINE_ROW_BYTES for each row. READINGS has the 8-byte reading of
 * each row on its own clock. */
static enum tm_status convert_parts(struct tm_batch_placer *placer, const struct tm_batch *batch, const uint8_t *parts,
                                    const uint8_t *readings, struct tm_error *err)
{
    struct tm_batch own = *batch;
    enum tm_status st = TM_OK;
    tm_batch_set_column(&own, TM_COL_TIME_NS, readings, batch->count);
    for (uint32_t i = 0, next; i < batch->count && st == TM_OK; i = next) {
        struct tm_line_route *line = route_of(placer, parts, i, err);
        if (line == NULL)
            return TM_E_SYSTEM;
        for (next = i + 1; next < batch->count && route_of(placer, parts, next, err) == line;)
            next++;
        struct line_run run = {&own, line, i, next};
        for (uint32_t k = i; k < next; k++) {
            int64_t ns = tm_batch_i64(batch, TM_COL_TIME_NS, k);
            if (line->change == TM_LINE_LATEST && placer->latest_line_ns > 0)
                ns = placer->latest_line_ns;
            tm_put_le64(placer->columns.times + (size_t)8 * k, (uint64_t)ns);
            tm_put_le32(placer->columns.machines + (size_t)4 * k, line->machine);
            tm_put_le32(placer->columns.clocks + (size_t)4 * k, line->clock);
        }
        memset(placer->columns.outcomes + i, TM_OUTCOME_KEEP, next - i);
        if (line->change == TM_LINE_CONVERT)
            st = convert_run(placer, &run, err);
        for (uint32_t k = i; k < next && line->change != TM_LINE_LATEST; k++) {
            int64_t ns = (int64_t)tm_get_le64(placer->columns.times + (size_t)8 * k);
            if (placer->columns.outcomes[k] == TM_OUTCOME_KEEP && ns > placer->latest_line_ns)
                placer->latest_line_ns = ns;
        }
    }
    return st;
}

static enum tm_status interpolate_batch(struct tm_batch_placer *placer, const struct tm_batch *batch,
                                        const uint8_t *parts, struct tm_error *err)
{
    enum tm_status st = reserve(placer, batch->count, err);
    uint8_t *readings = malloc((size_t)batch->count * 8);
    placer->all_kept = true;
    placer->is_whole_batch = placer->has_provisional = false;
    if (st == TM_OK && readings == NULL)
        st = tm_error_nomem(err);
    for (uint32_t i = 0; i < batch->count && st == TM_OK; i++)
        memcpy(readings + (size_t)8 * i, parts + (size_t)TM_LINE_ROW_BYTES * i + 4, 8);
    if (st == TM_OK)
        st = convert_parts(placer, batch, parts, readings, err);
    if (st == TM_OK)
        st = tm_batch_placer_write(placer, batch, err);
    free(readings);
    tm_placer_columns_release(&placer->columns);
    return st;
}

/* Adds the events that the routes have placed to their placement records. */
static enum tm_status settle_all(struct tm_batch_placer *placer, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < placer->lines.route_count && st == TM_OK; i++) {
        struct tm_line_route *line = &placer->lines.routes[i];
        if (line->change == TM_LINE_CONVERT && line->weight == TM_LINE_EVENT)
            st = tm_clock_routes_settle(&placer->routes, &line->route, err);
    }
    return st;
}

enum tm_status tm_batch_placer_interpolate(struct tm_batch_placer *placer, struct tm_error *err)
{
    struct tm_clock_graph *graph = &placer->routes.registry->graph;
    struct tm_placer_columns outer = placer->columns;
    const uint8_t *parts;
    struct tm_batch batch;
    enum tm_status st;
    bool is_last_try = placer->is_last_try;
    placer->columns = (struct tm_placer_columns){0};
    placer->is_last_try = placer->lines.is_enabled = placer->routes.defers_for_lines = false;
    graph->interpolates = true;
    graph->version++; /* routes find their steps anew */
    while ((st = tm_line_rows_next(&placer->lines, &batch, &parts, err)) == TM_OK)
        if ((st = interpolate_batch(placer, &batch, parts, err)) < 0)
            break;
    if (st == TM_END)
        st = settle_all(placer, err);
    tm_line_rows_clear(&placer->lines);
    graph->interpolates = false;
    graph->version++;
    placer->lines.is_enabled = placer->routes.defers_for_lines = true;
    placer->is_last_try = is_last_try;
    placer->columns = outer;
    return st;
}

#include "clocks/batch_placer.h"

#include "base/pb.h"
#include "clocks/fast_path.h"
#include "clocks/row_converter.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

enum { LOOK_AHEAD_MIN = 16, LOOK_AHEAD_MAX = TM_BATCH_EVENTS_MAX };

void tm_placer_columns_release(struct tm_placer_columns *columns)
{
    free(columns->times);
    free(columns->machines);
    free(columns->clocks);
    free(columns->outcomes);
    free(columns->readings);
    free(columns->parts);
    *columns = (struct tm_placer_columns){0};
}

static enum tm_status reserve(struct tm_batch_placer *placer, uint32_t count, struct tm_error *err)
{
    struct tm_placer_columns *columns = &placer->columns;
    const bool lines = placer->lines.is_enabled, lists = placer->dropped.is_enabled;
    if (count <= columns->cap)
        return TM_OK;
    tm_placer_columns_release(columns);
    columns->times = malloc((size_t)count * 8);
    columns->machines = malloc((size_t)count * 4);
    columns->clocks = malloc((size_t)count * 4);
    columns->outcomes = malloc(count);
    columns->readings = lists ? malloc((size_t)count * 8) : NULL;
    columns->parts = lines ? malloc((size_t)count * TM_LINE_ROW_BYTES) : NULL;
    bool has_more = (columns->parts || !lines) && (columns->readings || !lists);
    if (!has_more || columns->times == NULL || columns->machines == NULL ||
        columns->clocks == NULL || columns->outcomes == NULL)
        return tm_error_nomem(err);
    columns->cap = count;
    return TM_OK;
}

static void set_part(uint8_t *part, uint32_t route, int64_t ns)
{
    tm_put_le32(part, route);
    tm_put_le64(part + 4, (uint64_t)ns);
}

/* Sets *NUMBER to the number of ROUTE among the routes of rows that wait for lines. */
static enum tm_status line_route(struct tm_batch_placer *placer, struct tm_clock_route *route,
                                 enum tm_line_weight weight, uint32_t *number, struct tm_error *err)
{
    struct tm_line_route like = {.change = route->is_provisional ? TM_LINE_CONVERT : TM_LINE_FINAL,
                                 .weight = weight,
                                 .machine = route->scope->machine,
                                 .clock = route->clock};
    placer->has_provisional |= route->is_provisional;
    *number = route->line_route;
    if (weight == TM_LINE_EVENT && *number != UINT32_MAX)
        return TM_OK;
    enum tm_status st = tm_line_rows_route(&placer->lines, &like, route, number, err);
    if (st == TM_OK && weight == TM_LINE_EVENT)
        route->line_route = *number;
    return st;
}

/* Notes that ROUTE placed the current row at the reading NS. Rows derived from it are not counted. */
static enum tm_status note_part(struct tm_batch_placer *placer, struct tm_clock_route *route, int64_t ns,
                                bool is_counted, struct tm_error *err)
{
    uint32_t number, part;
    if (!placer->lines.is_enabled)
        return TM_OK;
    enum tm_status st = line_route(placer, route, TM_LINE_PART, &part, err);
    if (st == TM_OK)
        st = line_route(placer, route, is_counted ? TM_LINE_EVENT : TM_LINE_DEFINITION, &number, err);
    if (st != TM_OK)
        return st;
    set_part(placer->last.part, number, ns);
    placer->last.part_route = part;
    return TM_OK;
}

/* Notes the part of a row that has no time of its own. */
static enum tm_status note_untimed(struct tm_batch_placer *placer, struct tm_error *err)
{
    struct tm_line_route like = {.change = TM_LINE_LATEST, .machine = placer->last.machine,
                                 .clock = placer->last.clock};
    uint32_t number;
    if (!placer->lines.is_enabled)
        return TM_OK;
    enum tm_status st = tm_line_rows_route(&placer->lines, &like, NULL, &number, err);
    if (st == TM_OK)
        set_part(placer->last.part, number, 0);
    placer->last.part_route = number;
    return st;
}

static void put_row(struct tm_batch_placer *placer, uint32_t i)
{
    if (placer->lines.is_enabled)
        memcpy(placer->columns.parts + (size_t)TM_LINE_ROW_BYTES * i, placer->last.part, TM_LINE_ROW_BYTES);
    placer->has_last = true;
    tm_put_le64(placer->columns.times + (size_t)8 * i, (uint64_t)placer->last.time_ns);
    tm_put_le32(placer->columns.machines + (size_t)4 * i, placer->last.machine);
    tm_put_le32(placer->columns.clocks + (size_t)4 * i, placer->last.clock);
    placer->columns.outcomes[i] = (uint8_t)placer->last.outcome;
    placer->all_kept &= placer->last.outcome == TM_OUTCOME_KEEP;
    placer->all_deferred &= placer->last.outcome == TM_OUTCOME_DEFER;
}

/* Handles the time of row I that could not be placed. It is kept until the end of the file if that may help, else
 * dropped and counted. */
static void refuse(struct tm_batch_placer *placer, uint32_t i, const struct tm_clock_route *route,
                   const struct tm_row_time *time, enum tm_row_result result)
{
    int64_t reading_ns = time->is_absolute ? time->absolute_ns : time->value;
    bool is_hopeless = result == TM_RESULT_NEGATIVE_TIME || result == TM_RESULT_OUT_OF_RANGE;
    if (!placer->is_last_try && !is_hopeless && (route->scope->is_proto || !route->scope->was_tried)) {
        bool is_changed = time->is_absolute && !route->is_in_ns;
        placer->last.outcome = is_changed ? TM_OUTCOME_DEFER_ABSOLUTE : TM_OUTCOME_DEFER;
        placer->last.time_ns = is_changed ? time->absolute_ns : time->value;
        return;
    }
    struct tm_placement_record *record = &route->scope->records[route->record];
    if (result == TM_RESULT_NEGATIVE_TIME && time->time_ns < record->earliest_ns)
        record->earliest_ns = time->time_ns;
    record->counts[result] += time->is_counted;
    record->definition_counts[result] += !time->is_counted;
    record->is_listed = placer->dropped.is_enabled;
    if (record->is_listed)
        tm_put_le64(placer->columns.readings + (size_t)8 * i, (uint64_t)reading_ns);
    placer->dropped_count += time->is_counted;
    placer->last.outcome = tm_outcome_of_result(result);
}

/* Puts the name of FILE in front of an error, because errors of routes and scopes do not name their file. */
static enum tm_status prefix_file(const struct tm_batch_placer *placer, uint32_t file, struct tm_error *err)
{
    const struct tm_clock_files *files = placer->routes.files;
    if (err->status == TM_E_SYSTEM || file >= files->count)
        return err->status;
    return tm_error_prefix(err, "%s", tm_clock_file_text(files->files[file]));
}

/* Notes that ROUTE has converted all ROWS. */
static void note_converted(struct tm_batch_placer *placer, const struct tm_fast_rows *rows,
                           const struct tm_clock_route *route)
{
    placer->last.file = route->key.file;
    placer->last.machine = route->scope->machine;
    placer->last.clock = route->clock;
    placer->last.outcome = TM_OUTCOME_KEEP;
    placer->has_last = true;
    placer->last.time_ns = (int64_t)tm_get_le64(placer->columns.times + (size_t)8 * (rows->end - 1));
    placer->latest_ns = rows->latest_ns > placer->latest_ns ? rows->latest_ns : placer->latest_ns;
}

/* Writes COUNT elements with the value V, in tiles, which compilers vectorise. */
static void fill(uint8_t *column, uint32_t v, uint32_t count)
{
    for (; count >= TM_BATCH_TILE; count -= TM_BATCH_TILE, column += 4 * TM_BATCH_TILE)
        for (uint32_t i = 0; i < TM_BATCH_TILE; i++)
            tm_put_le32(column + (size_t)4 * i, v);
    for (uint32_t i = 0; i < count; i++)
        tm_put_le32(column + (size_t)4 * i, v);
}

/* Notes the route of the preceding row for all ROWS. */
static enum tm_status note_parts(struct tm_batch_placer *placer, const struct tm_batch *batch,
                                 const struct tm_fast_rows *rows, struct tm_error *err)
{
    enum tm_status st = note_part(placer, placer->last_route, 0, true, err);
    uint32_t number = tm_get_le32(placer->last.part);
    for (uint32_t i = rows->first; i < rows->end && st == TM_OK; i++)
        set_part(placer->columns.parts + (size_t)TM_LINE_ROW_BYTES * i, number,
                 tm_batch_i64(batch, TM_COL_TIME_NS, i));
    set_part(placer->last.part, number, tm_batch_i64(batch, TM_COL_TIME_NS, rows->end - 1));
    return st;
}

/* Converts rows from *AT on by the route of the row before, as long as they are like that row and its step holds. *AT
 * becomes the next row. In a batch with a few definitions, most rows are converted this way. The number of rows that it
 * examines doubles after each success and is small after a failure. So rows are not examined repeatedly if routes or
 * steps change often. */
static enum tm_status convert_again(struct tm_batch_placer *placer, const struct tm_batch *batch, uint32_t *at,
                                    struct tm_error *err)
{
    uint32_t i = *at;
    struct tm_clock_route *route = placer->last_route;
    struct tm_fast_rows rows = tm_fast_rows_from(batch, &placer->last_route_key, i, placer->look_ahead,
                                                 placer->lines.is_enabled ? 0 : TM_FAST_ROWS_DERIVED);
    uint32_t end = rows.end;
    tm_fast_rows_place(&rows, batch, placer->routes.registry, route, placer->columns.times);
    bool is_all = rows.end == end && (end == batch->count || end - i == placer->look_ahead);
    if (!is_all)
        placer->look_ahead = LOOK_AHEAD_MIN;
    else if (placer->look_ahead < LOOK_AHEAD_MAX)
        placer->look_ahead *= 2;
    if (rows.end == i)
        return TM_OK;
    if (placer->lines.is_enabled && note_parts(placer, batch, &rows, err) < 0)
        return TM_E_SYSTEM;
    fill(placer->columns.machines + (size_t)4 * i, placer->last.machine, rows.end - i);
    fill(placer->columns.clocks + (size_t)4 * i, placer->last.clock, rows.end - i);
    memset(placer->columns.outcomes + i, TM_OUTCOME_KEEP, rows.end - i);
    note_converted(placer, &rows, route);
    *at = rows.end;
    return TM_OK;
}

/* Repeats convert_again until it converts nothing more. */
static enum tm_status convert_like_last(struct tm_batch_placer *placer, const struct tm_batch *batch, uint32_t *i,
                                        struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t from = *i + 1; *i < batch->count && from != *i && st == TM_OK;) {
        from = *i;
        st = convert_again(placer, batch, i, err);
    }
    return st;
}

/* Counts the events of a message that ROUTE's step placed, the first at FIRST_NS and the last at LAST_NS. */
static void count_message(struct tm_clock_route *route, int64_t first_ns, int64_t last_ns, uint64_t count)
{
    tm_row_count(route, first_ns);
    if (count < 2)
        return;
    tm_row_count(route, last_ns);
    route->run.count += count - 2;
}

/* True if STEP holds for FIRST_NS and LAST_NS and adds the same to all times between them. */
static bool is_shift(const struct tm_step *step, int64_t first_ns, int64_t last_ns)
{
    return step->line_count == 0 ||
           (step->line_count == 1 && tm_step_offset(step, first_ns) == tm_step_offset(step, last_ns));
}

/* Places row I, a message of several events, by its first event if the same step holds for the last. Otherwise the
 * message must be split. */
static enum tm_status convert_message(struct tm_batch_placer *placer, const struct tm_batch *batch, uint32_t i,
                                      struct tm_error *err)
{
    struct tm_route_key key = tm_row_route_key(batch, i);
    struct tm_clock_route *route;
    struct tm_row_time time = {.value = tm_batch_i64(batch, TM_COL_TIME_NS, i)};
    int64_t last_ns = tm_compact_rows_last(time.value, tm_batch_i64(batch, TM_COL_DUR_NS, i)), latest_ns;
    uint64_t count = tm_event_count(TM_KIND_COMPACT_SCHED, tm_batch_u64(batch, TM_COL_VALUE, i));
    enum tm_row_result result = TM_RESULT_PLACED;
    enum tm_status st = tm_clock_routes_find(&placer->routes, &key, true, &route, err);
    if (st == TM_OK && !(route->is_in_ns && tm_row_convert_again(route, time.value, &time.time_ns)))
        st = tm_row_convert(&placer->routes, route, &time, &result, err);
    if (st < 0)
        return prefix_file(placer, key.file, err);
    bool is_placed = result == TM_RESULT_PLACED && route->is_in_ns && count > 0 &&
                     tm_row_convert_again(route, last_ns, &latest_ns) && !route->is_provisional &&
                     is_shift(&route->step, time.value, last_ns);
    if (is_placed) {
        count_message(route, time.value, last_ns, count);
        placer->latest_ns = latest_ns > placer->latest_ns ? latest_ns : placer->latest_ns;
        placer->last_route = route;
        placer->last_route_key = key;
    }
    placer->last.file = route->key.file;
    placer->last.machine = route->scope->machine;
    placer->last.clock = route->clock;
    placer->last.outcome = is_placed ? TM_OUTCOME_KEEP : TM_OUTCOME_SPLIT;
    placer->last.time_ns = time.time_ns;
    st = note_part(placer, route, time.value, true, err);
    put_row(placer, i);
    return st;
}

/* True if tm_fast_rows_place can place the rows that follow one on ROUTE. */
static bool is_repeatable(const struct tm_batch_placer *placer, const struct tm_clock_route *route)
{
    bool is_settled = tm_clock_route_is_registered(route, placer->routes.registry);
    return route->is_in_ns || (is_settled && !placer->lines.is_enabled);
}

/* Places a definition of ROUTE at the start of trace time. */
static enum tm_row_result place_at_start(struct tm_clock_route *route, struct tm_row_time *time)
{
    time->time_ns = 0;
    route->scope->records[route->record].definition_counts[TM_RESULT_PLACED]++;
    return TM_RESULT_PLACED;
}

static enum tm_status convert_timed(struct tm_batch_placer *placer, const struct tm_batch *batch, uint32_t i,
                                    uint32_t flags, struct tm_error *err)
{
    struct tm_route_key key = tm_row_route_key(batch, i);
    struct tm_clock_route *route;
    bool is_data = tm_batch_u32(batch, TM_COL_KIND, i) != TM_KIND_SYNC_MARKER;
    struct tm_row_time time = {.value = tm_batch_i64(batch, TM_COL_TIME_NS, i),
                               .is_counted = tm_event_is_counted(flags), .has_weight = true};
    enum tm_row_result result = TM_RESULT_PLACED;
    enum tm_status st = tm_clock_routes_find(&placer->routes, &key, is_data, &route, err);
    if (st < 0)
        return prefix_file(placer, key.file, err);
    if (placer->is_last_try && flags & TM_ROW_IS_ABSOLUTE) {
        time.is_absolute = true;
        time.absolute_ns = time.value;
    }
    if (route->is_in_ns && time.is_counted && tm_row_convert_again(route, time.value, &time.time_ns)) {
        tm_row_count(route, time.value);
    } else {
        st = tm_row_convert(&placer->routes, route, &time, &result, err);
        if (st < 0)
            return prefix_file(placer, key.file, err);
    }
    if (result == TM_RESULT_NEGATIVE_TIME && flags & TM_EVENT_FIRST_USE)
        result = place_at_start(route, &time);
    placer->last.file = route->key.file;
    placer->last.machine = route->scope->machine;
    placer->last.clock = route->clock;
    placer->last.outcome = TM_OUTCOME_KEEP;
    placer->last.time_ns = time.time_ns;
    placer->last_route = result == TM_RESULT_PLACED && is_repeatable(placer, route) && is_data ? route : NULL;
    placer->last_route_key = key;
    if (result != TM_RESULT_PLACED)
        refuse(placer, i, route, &time, result);
    else if (time.time_ns > placer->latest_ns)
        placer->latest_ns = time.time_ns;
    if (result == TM_RESULT_PLACED)
        st = note_part(placer, route, time.is_absolute ? time.absolute_ns : time.value, time.is_counted, err);
    put_row(placer, i);
    return st;
}

static enum tm_status convert_untimed(struct tm_batch_placer *placer, const struct tm_batch *batch, uint32_t i,
                                      struct tm_error *err)
{
    struct tm_route_key key = tm_row_route_key(batch, i);
    struct tm_clock_scope *scope;
    bool is_data = tm_batch_u32(batch, TM_COL_KIND, i) != TM_KIND_SYNC_MARKER;
    struct tm_clock_file *file = tm_clock_files_open(placer->routes.files, key.file, err);
    if (file == NULL)
        return TM_E_INPUT;
    enum tm_status st = tm_clock_file_scope(file, placer->routes.registry, key.embedded, &scope, err);
    if (st < 0)
        return prefix_file(placer, key.file, err);
    if (is_data)
        tm_clock_file_note_data(placer->routes.registry, key.embedded, scope);
    placer->last.file = key.file;
    placer->last.machine = scope->machine;
    placer->last.clock = key.clock;
    placer->last.outcome = TM_OUTCOME_KEEP;
    placer->last.time_ns = placer->latest_ns;
    st = note_untimed(placer, err);
    put_row(placer, i);
    return st;
}

/* Names the machine of the current row by DETAIL, which is that of a SystemInfo. A machine keeps its first name. */
static enum tm_status name_machine(struct tm_batch_placer *placer, const uint8_t *detail, size_t len,
                                   struct tm_error *err)
{
    struct tm_clock_registry *registry = placer->routes.registry;
    struct tm_pb pb = tm_pb_of(detail, len);
    struct tm_pb_field field, part;
    enum tm_status st = TM_OK;
    uint32_t row = placer->last.machine;
    while (st == TM_OK && registry->machines.rows[row].name == NULL && tm_pb_next(&pb, &field) == TM_OK) {
        struct tm_pb parts = tm_pb_of(field.data, field.len);
        if (field.id != TM_DETAIL_MACHINE || field.type != TM_PB_LEN)
            continue;
        while (st == TM_OK && tm_pb_next(&parts, &part) == TM_OK) {
            if (part.id != TM_MACHINE_DESCRIPTION_NAME || part.type != TM_PB_LEN || part.len == 0)
                continue;
            st = tm_machine_table_name(&registry->machines, row, part.data, part.len, err);
            if (st == TM_OK)
                st = tm_clock_registry_announce(registry, row, err);
        }
    }
    return st;
}

static enum tm_status convert_rows(struct tm_batch_placer *placer, const struct tm_batch *batch, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    size_t at = 0;
    placer->last_route = NULL;
    placer->look_ahead = LOOK_AHEAD_MIN;
    for (uint32_t i = 0, at_row = 0; i < batch->count && st == TM_OK; i++) {
        if (placer->last_route)
            st = convert_like_last(placer, batch, &i, err);
        if (i == batch->count || st < 0)
            break;
        uint32_t flags = tm_batch_u32(batch, TM_COL_FLAGS, i);
        placer->last_route = NULL; /* this row may change routes */
        if (flags & TM_EVENT_DERIVED && placer->has_last && tm_batch_u32(batch, TM_COL_FILE, i) == placer->last.file) {
            placer->last.time_ns = flags & TM_EVENT_UNTIMED ? placer->latest_ns : placer->last.time_ns;
            if (placer->last.outcome > TM_OUTCOME_DROP)
                placer->last.outcome = TM_OUTCOME_DROP;
            if (flags & TM_EVENT_UNTIMED)
                st = note_untimed(placer, err);
            else
                tm_put_le32(placer->last.part, placer->last.part_route);
            put_row(placer, i);
        } else if (flags & TM_EVENT_UNTIMED) {
            st = convert_untimed(placer, batch, i, err);
        } else if (placer->has_messages && tm_batch_u32(batch, TM_COL_KIND, i) == TM_KIND_COMPACT_SCHED) {
            st = convert_message(placer, batch, i, err);
        } else {
            st = convert_timed(placer, batch, i, flags, err);
        }
        if (st == TM_OK && tm_batch_u32(batch, TM_COL_KIND, i) == TM_KIND_SYSTEM_INFO) {
            uint32_t raw_bytes = tm_batch_u32(batch, TM_COL_RAW_BYTES, i);
            for (; at_row < i; at_row++)
                at += tm_batch_payload_of(batch, at_row);
            st = name_machine(placer, batch->payload + at + raw_bytes, tm_batch_payload_of(batch, i) - raw_bytes, err);
        }
    }
    return st;
}

/* Places the whole batch at once if all rows are on one route and its step holds for all of them. */
static enum tm_status convert_whole_batch(struct tm_batch_placer *placer, const struct tm_batch *batch,
                                          struct tm_error *err)
{
    struct tm_route_key key = tm_row_route_key(batch, 0);
    struct tm_clock_route *route;
    if (placer->lines.is_enabled || tm_batch_is_constant(batch, TM_COL_TIME_NS))
        return TM_OK;
    struct tm_fast_rows rows = tm_fast_rows_from(batch, &key, 0, batch->count,
                                                 TM_FAST_ROWS_DERIVED | TM_FAST_ROWS_ANY_SEQUENCE);
    if (rows.end < batch->count)
        return TM_OK;
    enum tm_status st = tm_clock_routes_find(&placer->routes, &key, true, &route, err);
    if (st < 0)
        return prefix_file(placer, key.file, err);
    if (!route->is_in_ns || !tm_fast_rows_convert(&rows, batch, route, placer->columns.times))
        return TM_OK;
    tm_put_le32(placer->columns.machines, route->scope->machine);
    tm_put_le32(placer->columns.clocks, route->clock);
    note_converted(placer, &rows, route);
    placer->is_whole_batch = true;
    return TM_OK;
}

enum tm_status tm_batch_placer_convert(struct tm_batch_placer *placer, const struct tm_batch *batch,
                                       struct tm_error *err)
{
    enum tm_status st = reserve(placer, batch->count, err);
    placer->has_provisional = false;
    placer->all_kept = true;
    placer->all_deferred = false;
    placer->is_whole_batch = false;
    if (st < 0 || batch->count == 0)
        return st;
    st = convert_whole_batch(placer, batch, err);
    placer->all_deferred = !placer->is_whole_batch;
    return st < 0 || placer->is_whole_batch ? st : convert_rows(placer, batch, err);
}

void tm_batch_placer_release(struct tm_batch_placer *placer)
{
    tm_placer_columns_release(&placer->columns);
    tm_line_rows_release(&placer->lines);
    tm_dropped_list_release(&placer->dropped);
    tm_buf_release(&placer->kept_parts);
    tm_buf_release(&placer->payload);
    tm_batch_builder_release(&placer->rebuilt);
    tm_batch_builder_release(&placer->split_rows);
    tm_compact_rows_release(&placer->message);
    tm_clock_routes_release(&placer->routes);
}

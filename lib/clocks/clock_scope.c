#include "clocks/clock_scope.h"

#include "base/table.h"

#include <stdlib.h>

struct tm_clock_key tm_clock_scope_key(const struct tm_clock_scope *scope, uint32_t clock, uint32_t sequence)
{
    struct tm_clock_key key = {.machine = scope->machine, .clock = clock};
    bool is_scoped = tm_clock_is_scoped(clock);
    if (is_scoped || scope->is_isolated || clock == TM_CLOCK_TRACE_FILE)
        key.tag = scope->file_tag;
    if (is_scoped)
        key.sequence = sequence;
    return key;
}

struct tm_clock_key tm_clock_scope_untagged(const struct tm_clock_scope *scope, uint32_t clock)
{
    struct tm_clock_key key = tm_clock_scope_key(scope, clock, 0);
    if (clock != TM_CLOCK_TRACE_FILE)
        key.tag = 0;
    return key;
}

enum tm_status tm_clock_scope_record(struct tm_clock_scope *scope, uint32_t clock, uint32_t *record,
                                     struct tm_error *err)
{
    if (tm_map_find(&scope->record_of, clock, record))
        return TM_OK;
    if (*scope->file_record_count >= TM_FILE_RECORDS_MAX)
        return tm_error_set(err, TM_E_INPUT, "timestamps on more than %d clocks", TM_FILE_RECORDS_MAX);
    if (tm_array_grow(&scope->records, &scope->record_cap, scope->record_count, sizeof *scope->records, err) < 0)
        return TM_E_SYSTEM;
    if (tm_map_set(&scope->record_of, clock, scope->record_count) != TM_OK)
        return tm_error_nomem(err);
    scope->records[scope->record_count] = (struct tm_placement_record){.machine = scope->machine, .clock = clock};
    *record = scope->record_count++;
    ++*scope->file_record_count;
    return TM_OK;
}

enum tm_status tm_clock_scope_claim(struct tm_clock_scope *scope, struct tm_clock_registry *registry, uint32_t clock,
                                    struct tm_error *err)
{
    struct tm_clock_key key = tm_clock_scope_untagged(scope, clock);
    scope->default_clock = clock;
    registry->scope_version++;
    return scope->has_converted ? TM_OK : tm_clock_registry_claim(registry, &key, scope->file, err);
}

/* Appends copies of the REALTIME readings of an isolated file. They are added untagged, for the rendezvous. Returns the
 * new count. */
static uint32_t add_untagged(const struct tm_clock_scope *scope, const struct tm_clock_registry *registry,
                          struct tm_reading *readings, uint32_t count)
{
    uint32_t total = count;
    if (!scope->is_isolated || scope->machine == registry->trace_time.machine)
        return count;
    for (uint32_t i = 0; i < count; i++) {
        if (readings[i].clock == TM_CLOCK_REALTIME || readings[i].clock == TM_CLOCK_REALTIME_COARSE)
            readings[total++] = readings[i];
    }
    return total;
}

enum tm_status tm_clock_scope_snapshot(struct tm_clock_scope *scope, struct tm_clock_registry *registry,
                                       const struct tm_scope_snapshot *snapshot, struct tm_error *err)
{
    struct tm_reading *readings = snapshot->readings;
    const uint32_t count = snapshot->count;
    enum tm_status st = TM_OK;
    uint64_t invalid_before = registry->invalid_count;
    if (!scope->is_primary && !scope->is_isolated) {
        scope->is_isolated = true;
        registry->scope_version++;
    }
    uint32_t total = add_untagged(scope, registry, readings, count);
    for (uint32_t i = 0; i < total && st == TM_OK; i++) {
        uint32_t clock = readings[i].clock;
        struct tm_clock_key key = i < count ? tm_clock_scope_key(scope, clock, snapshot->sequence)
                                            : tm_clock_scope_untagged(scope, clock);
        st = tm_clock_graph_clock(&registry->graph, &key, &readings[i].clock, err);
    }
    if (st == TM_OK)
        st = tm_clock_registry_add(registry, &(struct tm_clock_relation){readings, total, TM_EDGE_SNAPSHOT}, err);
    scope->invalid_count += registry->invalid_count - invalid_before;
    return st;
}

static enum tm_status write_stat(const struct tm_clock_scope *scope, struct tm_stream_writer *writer,
                                 const char *name, uint64_t value, struct tm_error *err)
{
    Tracemerge__Stat stat = TRACEMERGE__STAT__INIT;
    if (value == 0)
        return TM_OK;
    stat.name = tm_bytes(name, strlen(name));
    stat.severity = TRACEMERGE__SEVERITY__ERROR;
    stat.value = (int64_t)value;
    stat.has_machine = true;
    stat.machine = scope->machine;
    stat.has_file = true;
    stat.file = scope->file;
    return tm_stream_write_message(writer, TM_FRAME_STAT, &stat.base, err);
}

enum tm_status tm_clock_scope_write(const struct tm_clock_scope *scope, struct tm_stream_writer *writer,
                                    uint64_t *count, struct tm_error *err)
{
    uint64_t sums[TM_RESULTS] = {0};
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < scope->record_count && st == TM_OK; i++) {
        const struct tm_placement_record *record = &scope->records[i];
        for (int result = 0; result < TM_RESULTS; result++) {
            sums[result] += record->counts[result] + record->definition_counts[result];
            *count += record->counts[result];
        }
        st = tm_placement_record_write(record, scope->file, writer, err);
    }
    for (int result = TM_RESULT_PLACED + 1; result < TM_RESULTS && st == TM_OK; result++)
        st = write_stat(scope, writer, tm_row_result_stat((enum tm_row_result)result), sums[result], err);
    if (st == TM_OK)
        st = write_stat(scope, writer, "clock_sync_unrelatable_clock_domains", scope->unrelatable_count, err);
    return st < 0 ? st : write_stat(scope, writer, "invalid_clock_snapshots", scope->invalid_count, err);
}

void tm_clock_scope_release(struct tm_clock_scope *scope)
{
    for (uint32_t i = 0; i < scope->record_count; i++)
        tm_placement_record_release(&scope->records[i]);
    free(scope->records);
    tm_map_release(&scope->record_of);
}

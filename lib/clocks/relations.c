#include "clocks/relations.h"

#include "base/checked.h"
#include "clocks/remote_sync.h"
#include "perfetto/default_clock.h"

#include <stdlib.h>

static enum tm_status config_clock(struct tm_clock_registry *registry, const Tracemerge__ConfigClock *clock,
                                   uint32_t *index, struct tm_error *err)
{
    struct tm_clock_key key = {.clock = clock->clock, .tag = clock->has_entry ? TM_TAG_ENTRY | clock->entry : 0};
    enum tm_status st = tm_clock_registry_machine(registry, clock->machine_raw_id, NULL, &key.machine, err);
    return st < 0 ? st : tm_clock_graph_clock(&registry->graph, &key, index, err);
}

/* Adds the points of EDGE between the clocks of PAIR. The first becomes an edge, to which lines join the others. */
static enum tm_status add_points(struct tm_clock_registry *registry, const Tracemerge__ConfigEdge *edge,
                                 struct tm_reading pair[2], struct tm_error *err)
{
    const struct tm_clock_relation relation = {pair, 2, TM_EDGE_MANIFEST};
    uint64_t invalid_before = registry->invalid_count;
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < edge->n_points && st == TM_OK && registry->invalid_count == invalid_before; i++) {
        const int64_t source_ns = edge->points[i]->source_ns;
        bool is_step = i > 0 && pair[0].value < source_ns && source_ns - 1 == pair[0].value;
        pair[0].value = source_ns;
        pair[1].value = edge->points[i]->reference_ns;
        st = i == 0 ? tm_clock_registry_add(registry, &relation, err)
                    : tm_clock_registry_add_point(registry, &relation, is_step, err);
    }
    return st;
}

static enum tm_status add_edge(struct tm_clock_registry *registry, const Tracemerge__ConfigEdge *edge,
                               struct tm_error *err)
{
    struct tm_reading pair[2] = {tm_reading_at(0, edge->source_ns), tm_reading_at(0, edge->reference_ns)};
    uint64_t invalid_before = registry->invalid_count;
    if (edge->source == NULL || edge->reference == NULL)
        return tm_error_set(err, TM_E_INPUT, "an edge of the manifest lacks a clock");
    enum tm_status st = config_clock(registry, edge->source, &pair[0].clock, err);
    if (st == TM_OK)
        st = config_clock(registry, edge->reference, &pair[1].clock, err);
    if (st == TM_OK && edge->n_points == 0)
        st = tm_clock_registry_add(registry, &(struct tm_clock_relation){pair, 2, TM_EDGE_MANIFEST}, err);
    else if (st == TM_OK)
        st = add_points(registry, edge, pair, err);
    if (st == TM_OK)
        tm_clock_graph_exactness(&registry->graph, edge->has_uncertainty_ns, edge->uncertainty_ns, edge->has_rule);
    registry->invalid_edge_count += registry->invalid_count - invalid_before;
    return st;
}

static enum tm_status configure_trace_time(struct tm_clock_registry *registry,
                                           const Tracemerge__ConfigTraceTime *trace_time, struct tm_error *err)
{
    struct tm_clock_key key = {.clock = trace_time->clock};
    enum tm_status st = TM_OK;
    /* If the manifest names no file, it means the machine of row 0, whichever that becomes. */
    if (!trace_time->first_machine)
        st = tm_clock_registry_machine(registry, trace_time->machine_raw_id, NULL, &key.machine, err);
    return st < 0 ? st : tm_clock_registry_claim(registry, &key, TM_CLAIM_MANIFEST, err);
}

enum tm_status tm_relations_configure(struct tm_clock_registry *registry, const Tracemerge__Config *config,
                                      struct tm_error *err)
{
    enum tm_status st = TM_OK;
    uint32_t row;
    for (size_t i = 0; i < config->n_machines && st == TM_OK; i++)
        st = tm_clock_registry_machine(registry, config->machines[i]->raw_id, &config->machines[i]->name, &row, err);
    if (st == TM_OK && config->trace_time)
        st = configure_trace_time(registry, config->trace_time, err);
    for (size_t i = 0; i < config->n_edges && st == TM_OK; i++)
        st = add_edge(registry, config->edges[i], err);
    return st;
}

enum tm_status tm_relations_attributes(const Tracemerge__Config *config, struct tm_stream_writer *writer,
                                       struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < config->n_attributes && st == TM_OK; i++)
        st = tm_stream_write_message(writer, TM_FRAME_METADATA, &config->attributes[i]->base, err);
    return st;
}

static enum tm_status refuse_pinned(struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT,
                        "perfetto_manifest: clock overrides require the trace to use a single clock");
}

/* Copies READINGS for the graph, with room for an untagged copy of each. Clocks are still ids. NULL if out of memory.
 */
static struct tm_reading *copy_readings(Tracemerge__Reading *const *readings, size_t count)
{
    struct tm_reading *copy = malloc((2 * count + 1) * sizeof *copy);
    if (copy == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        uint64_t unit = readings[i]->unit_multiplier_ns;
        copy[i] = (struct tm_reading){
            .clock = readings[i]->clock,
            .is_incremental = readings[i]->incremental,
            .value = readings[i]->value,
            .unit_ns = unit == 0 ? 1 : unit > INT64_MAX ? -1 : (int64_t)unit,
        };
    }
    return copy;
}

/* Readings on SEQUENCE. */
struct sequence_readings {
    Tracemerge__Reading *const *readings;
    size_t count;
    uint32_t sequence;
};

static enum tm_status add_readings(struct tm_clock_registry *registry, struct tm_clock_scope *scope,
                                   struct sequence_readings from, struct tm_error *err)
{
    if (from.count > TM_GRAPH_WIDTH_MAX / 2)
        return tm_error_set(err, TM_E_INPUT, "a snapshot of more than %d clocks", TM_GRAPH_WIDTH_MAX / 2);
    struct tm_reading *copy = copy_readings(from.readings, from.count);
    if (copy == NULL)
        return tm_error_nomem(err);
    const struct tm_scope_snapshot recorded = {copy, (uint32_t)from.count, from.sequence};
    enum tm_status st = tm_clock_scope_snapshot(scope, registry, &recorded, err);
    free(copy);
    return st;
}

enum tm_status tm_relations_snapshot(struct tm_clock_registry *registry, struct tm_clock_scope *scope,
                                     const Tracemerge__Snapshot *snapshot, struct tm_error *err)
{
    uint32_t clock = scope->is_proto ? tm_default_clock_of(snapshot) : TM_CLOCK_NONE;
    enum tm_status st = TM_OK;
    if (scope->is_pinned)
        return refuse_pinned(err);
    if (clock != TM_CLOCK_NONE)
        st = tm_clock_scope_claim(scope, registry, clock, err);
    if (st < 0)
        return st;
    const struct sequence_readings from = {snapshot->readings, snapshot->n_readings, snapshot->sequence};
    return add_readings(registry, scope, from, err);
}

/* Adds the edge between a machine's clock and the same clock of the host. The trace-time machine counts as the host. */
static enum tm_status add_remote_edge(struct tm_clock_registry *registry, struct tm_clock_scope *scope,
                                      const struct tm_remote_offset *offset, struct tm_error *err)
{
    struct tm_clock_key host = {.machine = registry->trace_time.machine, .clock = offset->clock};
    struct tm_clock_key client = {.machine = scope->machine, .clock = offset->clock};
    struct tm_reading pair[2] = {tm_reading_at(0, offset->host_ns), tm_reading_at(0, 0)};
    uint64_t invalid_before = registry->invalid_count;
    if (!tm_add_i64(offset->host_ns, offset->offset_ns, &pair[1].value)) {
        scope->invalid_count++;
        return TM_OK;
    }
    enum tm_status st = tm_clock_graph_clock(&registry->graph, &host, &pair[0].clock, err);
    if (st == TM_OK)
        st = tm_clock_graph_clock(&registry->graph, &client, &pair[1].clock, err);
    if (st == TM_OK)
        st = tm_clock_registry_add(registry, &(struct tm_clock_relation){pair, 2, TM_EDGE_SNAPSHOT}, err);
    scope->invalid_count += registry->invalid_count - invalid_before;
    return st;
}

enum tm_status tm_relations_remote(struct tm_clock_registry *registry, const struct tm_clock_file *file,
                                   struct tm_clock_scope *scope, const Tracemerge__RemoteClockSync *sync,
                                   struct tm_error *err)
{
    struct tm_remote_offsets offsets = {0};
    enum tm_status st = TM_OK;
    if (file->entry && file->entry->whole_file)
        return tm_error_set(err, TM_E_INPUT,
                            "perfetto_manifest: machine attributes the whole file to one machine, but it holds the "
                            "clocks of several. Replace `machine` with a `machines` block");
    if (scope->is_pinned)
        return tm_error_set(err, TM_E_INPUT,
                            "perfetto_manifest: a `clocks` override applies only to a single-machine file where it "
                            "names no clock, but this one holds the clocks of several");
    for (size_t i = 0; i < sync->n_rounds && st == TM_OK; i++) {
        const struct sequence_readings from = {sync->rounds[i]->client, sync->rounds[i]->n_client, sync->sequence};
        st = add_readings(registry, scope, from, err);
    }
    if (st == TM_OK)
        st = tm_remote_offsets_find(&offsets, sync, err);
    for (size_t i = 0; i < offsets.count && st == TM_OK; i++)
        st = add_remote_edge(registry, scope, &offsets.offsets[i], err);
    tm_remote_offsets_release(&offsets);
    return st;
}

static enum tm_status write_invalid_edges(const struct tm_clock_registry *registry, struct tm_stream_writer *writer,
                                          struct tm_error *err)
{
    static const char name[] = "invalid_clock_snapshots";
    Tracemerge__Stat stat = TRACEMERGE__STAT__INIT;
    if (registry->invalid_edge_count == 0)
        return TM_OK;
    stat.name = tm_bytes(name, sizeof name - 1);
    stat.severity = TRACEMERGE__SEVERITY__ERROR;
    stat.value = (int64_t)registry->invalid_edge_count;
    return tm_stream_write_message(writer, TM_FRAME_STAT, &stat.base, err);
}

enum tm_status tm_relations_finish(struct tm_clock_registry *registry, struct tm_stream_writer *writer,
                                   struct tm_error *err)
{
    static const char name[] = "trace_time_clock_id";
    const struct tm_trace_time *trace_time = &registry->trace_time;
    Tracemerge__Metadata metadata = TRACEMERGE__METADATA__INIT;
    enum tm_status st = tm_clock_registry_write_unplaced_rows(registry, err);
    if (st == TM_OK)
        st = write_invalid_edges(registry, writer, err);
    if (st < 0 || trace_time->owner == TM_CLAIM_NOBODY)
        return st;
    metadata.name = tm_bytes(name, sizeof name - 1);
    metadata.value_case = TRACEMERGE__METADATA__VALUE_INT_VALUE;
    metadata.int_value = trace_time->clock;
    metadata.has_file = trace_time->owner >= 0;
    metadata.file = metadata.has_file ? (uint32_t)trace_time->owner : 0;
    metadata.has_machine = metadata.has_file;
    metadata.machine = metadata.has_file ? trace_time->machine : 0;
    return tm_stream_write_message(writer, TM_FRAME_METADATA, &metadata.base, err);
}

#include "clocks/clock_registry.h"

enum tm_status tm_clock_registry_init(struct tm_clock_registry *registry, struct tm_stream_writer *writer,
                                      uint32_t file_tag, struct tm_error *err)
{
    struct tm_clock_key key = {.tag = file_tag, .clock = TM_CLOCK_TRACE_FILE};
    *registry = (struct tm_clock_registry){.writer = writer};
    tm_clock_graph_init(&registry->graph);
    registry->trace_time = (struct tm_trace_time){.clock = TM_CLOCK_TRACE_FILE, .owner = TM_CLAIM_NOBODY,
                                                  .is_announced = true};
    enum tm_status st = tm_clock_graph_clock(&registry->graph, &key, &registry->trace_time.index, err);
    if (st == TM_OK)
        tm_clock_graph_set_target(&registry->graph, registry->trace_time.index);
    return st;
}

enum tm_status tm_clock_registry_announce(struct tm_clock_registry *registry, uint32_t row, struct tm_error *err)
{
    const struct tm_machine *machine = &registry->machines.rows[row];
    Tracemerge__Machine frame = TRACEMERGE__MACHINE__INIT;
    frame.id = row;
    frame.raw_id = machine->raw_id;
    frame.has_name = machine->name != NULL;
    frame.name = tm_bytes(machine->name, machine->name_bytes);
    return tm_stream_write_message(registry->writer, TM_FRAME_MACHINE, &frame.base, err);
}

/* Writes the TraceTime frame if it is due and its machine has a row. */
static enum tm_status announce_trace_time(struct tm_clock_registry *registry, struct tm_error *err)
{
    struct tm_trace_time *trace_time = &registry->trace_time;
    Tracemerge__TraceTime frame = TRACEMERGE__TRACE_TIME__INIT;
    if (trace_time->is_announced || trace_time->machine >= registry->machines.count)
        return TM_OK;
    trace_time->is_announced = true;
    frame.clock = trace_time->clock;
    frame.has_machine = true;
    frame.machine = trace_time->machine;
    frame.has_file = trace_time->owner >= 0;
    frame.file = frame.has_file ? (uint32_t)trace_time->owner : 0;
    return tm_stream_write_message(registry->writer, TM_FRAME_TRACE_TIME, &frame.base, err);
}

enum tm_status tm_clock_registry_machine(struct tm_clock_registry *registry, int64_t raw_id,
                                         const ProtobufCBinaryData *name, uint32_t *row, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    bool is_new = !tm_machine_table_find(&registry->machines, raw_id, row);
    if (is_new && (st = tm_machine_table_add(&registry->machines, raw_id, row, err)) < 0)
        return st;
    if (name && (st = tm_machine_table_name(&registry->machines, *row, name->data, name->len, err)) < 0)
        return st;
    if (is_new || name)
        st = tm_clock_registry_announce(registry, *row, err);
    return st < 0 ? st : announce_trace_time(registry, err);
}

enum tm_status tm_clock_registry_claim(struct tm_clock_registry *registry, const struct tm_clock_key *key,
                                       int64_t owner, struct tm_error *err)
{
    struct tm_trace_time *trace_time = &registry->trace_time;
    uint32_t index;
    if (trace_time->owner != TM_CLAIM_NOBODY && trace_time->owner != owner)
        return TM_OK;
    enum tm_status st = tm_clock_graph_clock(&registry->graph, key, &index, err);
    if (st < 0)
        return st;
    if (trace_time->owner == owner && trace_time->index == index)
        return TM_OK;
    *trace_time = (struct tm_trace_time){.index = index, .machine = key->machine, .clock = key->clock,
                                         .owner = owner};
    tm_clock_graph_set_target(&registry->graph, index);
    return announce_trace_time(registry, err);
}

static enum tm_status write_row(struct tm_clock_registry *registry, Tracemerge__ClockRow *row, uint32_t clock,
                                enum tm_edge_origin origin, struct tm_error *err)
{
    const struct tm_clock_key *key = &registry->graph.clocks.clocks[clock].key;
    row->clock = key->clock;
    row->machine = key->machine;
    row->has_origin = true;
    row->origin = tm_bytes_str(tm_placement_rule_name(tm_edge_origin_rule(origin)));
    return tm_stream_write_message(registry->writer, TM_FRAME_CLOCK_ROW, &row->base, err);
}

/* Keeps a reading of a snapshot that has no trace time yet. */
static enum tm_status keep_unplaced(struct tm_clock_registry *registry, uint32_t clock, int64_t value,
                                    struct tm_error *err)
{
    struct tm_unplaced_row row = {value, clock, registry->graph.snapshot_count - 1, registry->file};
    return tm_unplaced_rows_add(&registry->unplaced, &row, registry->graph.clocks.clocks[clock].key.machine, err);
}

/* What the rows of one snapshot have in common. */
struct snapshot {
    enum tm_edge_origin origin;
    bool is_recorded;                 /* by one machine, in a file */
    const struct tm_reading *instant; /* the reading of the trace-time clock, or NULL */
};

/* Writes the row of READING, a reading of SNAPSHOT. If its time is unknown, the reading is kept. */
static enum tm_status add_row(struct tm_clock_registry *registry, const struct snapshot *snapshot,
                              const struct tm_reading *reading, struct tm_error *err)
{
    Tracemerge__ClockRow row = TRACEMERGE__CLOCK_ROW__INIT;
    struct tm_step step;
    row.value = (int64_t)((uint64_t)reading->value * (uint64_t)reading->unit_ns);
    if (tm_clock_graph_convert(&registry->graph, reading->clock, row.value, &step) == TM_CONVERT_OK)
        row.ts_ns = tm_step_apply(&step, row.value);
    else if (snapshot->instant)
        row.ts_ns = snapshot->instant->value;
    else
        return snapshot->is_recorded ? keep_unplaced(registry, reading->clock, row.value, err) : TM_OK;
    row.snapshot = registry->graph.snapshot_count - 1;
    row.has_file = registry->has_file && snapshot->origin == TM_EDGE_SNAPSHOT;
    row.file = row.has_file ? registry->file : 0;
    return write_row(registry, &row, reading->clock, snapshot->origin, err);
}

static bool are_of_one_machine(const struct tm_clock_registry *registry, const struct tm_reading *readings,
                               uint32_t count)
{
    const struct tm_clock *clocks = registry->graph.clocks.clocks;
    for (uint32_t i = 1; i < count; i++)
        if (clocks[readings[i].clock].key.machine != clocks[readings[0].clock].key.machine)
            return false;
    return true;
}

/* Writes the rows of the readings that the graph received last. */
static enum tm_status add_rows(struct tm_clock_registry *registry, const struct tm_clock_relation *relation,
                               struct tm_error *err)
{
    const struct tm_reading *readings = relation->readings;
    const uint32_t count = relation->count;
    struct snapshot snapshot = {.origin = relation->origin};
    enum tm_status st = TM_OK;
    snapshot.is_recorded = registry->has_file && relation->origin == TM_EDGE_SNAPSHOT &&
                           are_of_one_machine(registry, readings, count);
    for (uint32_t i = 0; i < count && snapshot.instant == NULL; i++)
        if (readings[i].clock == registry->trace_time.index)
            snapshot.instant = &readings[i];
    for (uint32_t i = 0; i < count && st == TM_OK; i++)
        st = add_row(registry, &snapshot, &readings[i], err);
    return st;
}

/* True with *TIME_NS, its trace time, if UNPLACED is of another machine than trace time and has been related to it. */
static bool place(struct tm_clock_registry *registry, const struct tm_unplaced_row *unplaced, int64_t *time_ns)
{
    struct tm_step step;
    if (registry->graph.clocks.clocks[unplaced->clock].key.machine == registry->trace_time.machine ||
        tm_clock_graph_convert(&registry->graph, unplaced->clock, unplaced->value, &step) != TM_CONVERT_OK)
        return false;
    *time_ns = tm_step_apply(&step, unplaced->value);
    return true;
}

/* States how many readings were not kept, of machines whose readings are written. */
static enum tm_status write_surplus(struct tm_clock_registry *registry, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < registry->unplaced.surplus_count && st == TM_OK; i++) {
        const struct tm_unplaced_surplus *surplus = &registry->unplaced.surplus[i];
        Tracemerge__Stat stat = TRACEMERGE__STAT__INIT;
        int64_t time_ns;
        if (!place(registry, &surplus->last, &time_ns))
            continue;
        stat.name = tm_bytes_str("facts_beyond_limits");
        stat.severity = TRACEMERGE__SEVERITY__DATA_LOSS;
        stat.value = (int64_t)surplus->count;
        stat.has_file = stat.has_machine = true;
        stat.file = surplus->last.file;
        stat.machine = surplus->machine;
        st = tm_stream_write_message(registry->writer, TM_FRAME_STAT, &stat.base, err);
    }
    return st;
}

enum tm_status tm_clock_registry_write_unplaced_rows(struct tm_clock_registry *registry, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < registry->unplaced.count && st == TM_OK; i++) {
        const struct tm_unplaced_row *unplaced = &registry->unplaced.rows[i];
        Tracemerge__ClockRow row = TRACEMERGE__CLOCK_ROW__INIT;
        if (!place(registry, unplaced, &row.ts_ns))
            continue;
        row.value = unplaced->value;
        row.snapshot = unplaced->snapshot;
        row.has_file = true;
        row.file = unplaced->file;
        row.has_unrelated = row.unrelated = true;
        st = write_row(registry, &row, unplaced->clock, TM_EDGE_SNAPSHOT, err);
    }
    return st < 0 ? st : write_surplus(registry, err);
}

enum tm_status tm_clock_registry_add(struct tm_clock_registry *registry, const struct tm_clock_relation *relation,
                                     struct tm_error *err)
{
    bool is_valid;
    enum tm_status st = tm_clock_graph_add(&registry->graph, relation, &is_valid, err);
    registry->invalid_count += st == TM_OK && !is_valid;
    return st < 0 || !is_valid ? st : add_rows(registry, relation, err);
}

enum tm_status tm_clock_registry_add_point(struct tm_clock_registry *registry, const struct tm_clock_relation *relation,
                                           bool is_step, struct tm_error *err)
{
    bool is_valid;
    enum tm_status st = tm_clock_graph_add_point(&registry->graph, relation, is_step, &is_valid, err);
    registry->invalid_count += st == TM_OK && !is_valid;
    return st < 0 || !is_valid ? st : add_rows(registry, relation, err);
}

void tm_clock_registry_release(struct tm_clock_registry *registry)
{
    tm_clock_graph_release(&registry->graph);
    tm_machine_table_release(&registry->machines);
    tm_unplaced_rows_release(&registry->unplaced);
}

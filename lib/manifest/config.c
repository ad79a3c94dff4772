#include "manifest/config.h"

#include "manifest/resolve.h"
#include "stream/writer.h"

#include <stdlib.h>

/* Returns COUNT zeroed elements of SIZE bytes, which are freed with CONFIG. NULL if out of memory. */
static void *make(struct tm_manifest_config *config, size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    config->memory[config->memory_count++] = memory;
    return memory;
}

static ProtobufCBinaryData bytes_of(const char *s)
{
    return tm_bytes(s, strlen(s));
}

static enum tm_status make_machines(struct tm_manifest_config *config, const struct tm_intern *names)
{
    size_t text_bytes = 0, len;
    for (uint32_t i = 0; i < names->count; i++) {
        (void)tm_intern_get(names, i, &len);
        text_bytes += len;
    }
    Tracemerge__ConfigMachine *machines = make(config, names->count, sizeof *machines);
    Tracemerge__ConfigMachine **list = make(config, names->count, sizeof *list);
    uint8_t *text = make(config, text_bytes, 1);
    if (machines == NULL || list == NULL || text == NULL)
        return TM_E_SYSTEM;
    for (uint32_t i = 0; i < names->count; i++) {
        const uint8_t *name = tm_intern_get(names, i, &len);
        tracemerge__config_machine__init(&machines[i]);
        machines[i].raw_id = TM_MACHINE_RAW_ID_FIRST + i;
        machines[i].name = tm_bytes(text, len);
        memcpy(text, name, len);
        text += len;
        list[i] = &machines[i];
    }
    config->message.machines = list;
    config->message.n_machines = names->count;
    return TM_OK;
}

static enum tm_status make_entries(struct tm_manifest_config *config, const struct tm_manifest_fields *fields,
                                   struct tm_manifest_resolution *resolution)
{
    size_t id_count = 0;
    for (size_t i = 0; i < fields->file_count; i++)
        id_count += fields->files[i].machine_count;
    Tracemerge__ConfigEntry *entries = make(config, fields->file_count, sizeof *entries);
    Tracemerge__ConfigEntry **list = make(config, fields->file_count, sizeof *list);
    Tracemerge__ConfigMachineId *ids = make(config, id_count, sizeof *ids);
    Tracemerge__ConfigMachineId **id_list = make(config, id_count, sizeof *id_list);
    if (entries == NULL || list == NULL || ids == NULL || id_list == NULL)
        return TM_E_SYSTEM;
    for (size_t i = 0; i < fields->file_count; i++) {
        const struct tm_manifest_file *file = &fields->files[i];
        Tracemerge__ConfigEntry *entry = list[i] = &entries[i];
        tracemerge__config_entry__init(entry);
        entry->path = bytes_of(file->path);
        entry->machine_raw_id = resolution->base_raw[i];
        entry->whole_file = file->machine != NULL;
        entry->has_machines = file->has_machines;
        entry->pinned = file->clocks.given && file->clocks.pins;
        entry->own_clock = resolution->relations[i].own_clock;
        entry->machines = id_list;
        entry->n_machines = file->machine_count;
        for (size_t k = 0; k < file->machine_count; k++, ids++) {
            tracemerge__config_machine_id__init(ids);
            ids->id = file->machines[k].id;
            ids->raw_id = tm_manifest_machine_raw(resolution, file->machines[k].name);
            *id_list++ = ids;
        }
    }
    config->message.entries = list;
    config->message.n_entries = fields->file_count;
    return TM_OK;
}

/* Sets CLOCK. If TAGGED, the clock carries the tag of the file of ENTRY. */
static void set_clock(Tracemerge__ConfigClock *clock, int64_t machine_raw, uint32_t id, bool tagged, size_t entry)
{
    tracemerge__config_clock__init(clock);
    clock->machine_raw_id = machine_raw;
    clock->clock = id;
    clock->has_entry = tagged;
    clock->entry = tagged ? (uint32_t)entry : 0;
}

/* Named clocks are the untagged clocks of their machine. But if an own_clock entry has isolated a file, its clocks have
 * the tag of that file. */
static void set_edge(Tracemerge__ConfigEdge *edge, const struct tm_manifest_fields *fields,
                     const struct tm_manifest_relation *relations, size_t i)
{
    const struct tm_manifest_clocks *clocks = &fields->files[i].clocks;
    const struct tm_manifest_relation *relation = &relations[i];
    size_t other = relation->reference_file;
    bool is_isolated = other != i && relations[other].own_clock &&
                       relations[other].source_raw == relation->reference_raw;
    set_clock(edge->source, relation->source_raw, clocks->clock, clocks->pins || relation->own_clock, i);
    set_clock(edge->reference, relation->reference_raw, clocks->ref_clock,
              clocks->ref_clock == TM_CLOCK_TRACE_FILE || is_isolated, other);
    edge->has_entry = true;
    edge->entry = (uint32_t)i;
    edge->has_reference_entry = true;
    edge->reference_entry = (uint32_t)other;
    edge->source_ns = clocks->offset_ns < 0 ? -clocks->offset_ns : 0;
    edge->reference_ns = clocks->offset_ns > 0 ? clocks->offset_ns : 0;
    edge->has_uncertainty_ns = clocks->points.has_uncertainty;
    edge->uncertainty_ns = (uint64_t)clocks->points.uncertainty_ns;
    edge->has_rule = clocks->points.rule != NULL;
    edge->rule = edge->has_rule ? bytes_of(clocks->points.rule) : tm_bytes(NULL, 0);
}

/* Room for the points of all edges. */
struct point_room {
    Tracemerge__ConfigPoint *points, **list;
};

static void set_points(Tracemerge__ConfigEdge *edge, const struct tm_manifest_points *points, struct point_room *room)
{
    edge->points = room->list;
    edge->n_points = points->count;
    for (size_t i = 0; i < points->count; i++) {
        Tracemerge__ConfigPoint *point = *room->list++ = room->points++;
        tracemerge__config_point__init(point);
        point->source_ns = points->points[i].own_ns;
        point->reference_ns = points->points[i].own_ns + points->points[i].offset_ns;
    }
}

static enum tm_status make_edges(struct tm_manifest_config *config, const struct tm_manifest_fields *fields,
                                 const struct tm_manifest_resolution *resolution)
{
    Tracemerge__ConfigEdge *edges = make(config, fields->file_count, sizeof *edges);
    Tracemerge__ConfigEdge **list = make(config, fields->file_count, sizeof *list);
    Tracemerge__ConfigClock *clocks = make(config, 2 * fields->file_count, sizeof *clocks);
    size_t count = 0, point_count = 0;
    for (size_t i = 0; i < fields->file_count; i++)
        point_count += fields->files[i].clocks.points.count;
    struct point_room room = {.points = make(config, point_count, sizeof *room.points),
                              .list = make(config, point_count, sizeof *room.list)};
    if (edges == NULL || list == NULL || clocks == NULL || room.points == NULL || room.list == NULL)
        return TM_E_SYSTEM;
    for (size_t i = 0; i < fields->file_count; i++) {
        if (!fields->files[i].clocks.given)
            continue;
        Tracemerge__ConfigEdge *edge = list[count] = &edges[count];
        tracemerge__config_edge__init(edge);
        edge->source = &clocks[2 * count];
        edge->reference = &clocks[2 * count + 1];
        set_edge(edge, fields, resolution->relations, i);
        set_points(edge, &fields->files[i].clocks.points, &room);
        config->has_lines |= edge->n_points > 0;
        count++;
    }
    config->message.edges = list;
    config->message.n_edges = count;
    return TM_OK;
}

static enum tm_status make_attributes(struct tm_manifest_config *config, const struct tm_manifest_fields *fields)
{
    static const char prefix[] = "manifest_attribute.";
    size_t text_bytes = 0, prefix_len = sizeof prefix - 1;
    for (size_t i = 0; i < fields->attribute_count; i++)
        text_bytes += prefix_len + strlen(fields->attributes[i].key);
    Tracemerge__Metadata *rows = make(config, fields->attribute_count, sizeof *rows);
    Tracemerge__Metadata **list = make(config, fields->attribute_count, sizeof *list);
    char *text = make(config, text_bytes, 1);
    if (rows == NULL || list == NULL || text == NULL)
        return TM_E_SYSTEM;
    for (size_t i = 0; i < fields->attribute_count; i++) {
        const struct tm_manifest_attribute *attribute = &fields->attributes[i];
        size_t key_len = strlen(attribute->key);
        Tracemerge__Metadata *row = list[i] = &rows[i];
        tracemerge__metadata__init(row);
        memcpy(text, prefix, prefix_len);
        memcpy(text + prefix_len, attribute->key, key_len);
        row->name = tm_bytes(text, prefix_len + key_len);
        text += prefix_len + key_len;
        if (attribute->text) {
            row->value_case = TRACEMERGE__METADATA__VALUE_STR_VALUE;
            row->str_value = bytes_of(attribute->text);
        } else {
            row->value_case = TRACEMERGE__METADATA__VALUE_INT_VALUE;
            row->int_value = attribute->integer;
        }
    }
    config->message.attributes = list;
    config->message.n_attributes = fields->attribute_count;
    return TM_OK;
}

static enum tm_status make_trace_time(struct tm_manifest_config *config, const struct tm_manifest_fields *fields,
                                      int64_t machine_raw)
{
    if (fields->trace_time_clock == 0)
        return TM_OK;
    Tracemerge__ConfigTraceTime *trace_time = make(config, 1, sizeof *trace_time);
    if (trace_time == NULL)
        return TM_E_SYSTEM;
    tracemerge__config_trace_time__init(trace_time);
    trace_time->clock = fields->trace_time_clock;
    trace_time->machine_raw_id = machine_raw;
    trace_time->has_first_machine = true;
    trace_time->first_machine = fields->trace_time_file == NULL;
    config->message.trace_time = trace_time;
    return TM_OK;
}

enum tm_status tm_manifest_config_make(struct tm_manifest_config *config, const struct tm_manifest_fields *fields,
                                       struct tm_manifest_problems *problems)
{
    struct tm_manifest_resolution resolution = {0};
    tracemerge__config__init(&config->message);
    enum tm_status st = tm_manifest_resolve(&resolution, fields, problems);
    if (st < 0 || problems->count > 0)
        goto out;
    st = make_machines(config, &resolution.machines);
    if (st == TM_OK)
        st = make_entries(config, fields, &resolution);
    if (st == TM_OK)
        st = make_edges(config, fields, &resolution);
    if (st == TM_OK)
        st = make_attributes(config, fields);
    if (st == TM_OK)
        st = make_trace_time(config, fields, resolution.trace_time_raw);
out:
    tm_manifest_resolution_release(&resolution);
    return st;
}

void tm_manifest_config_release(struct tm_manifest_config *config)
{
    for (size_t i = 0; i < config->memory_count; i++)
        free(config->memory[i]);
    *config = (struct tm_manifest_config){0};
}

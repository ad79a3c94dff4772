#include "sort/union/config_union.h"

#include "base/table.h"

#include <assert.h>
#include <stdlib.h>

#define FIRST_NAMED_RAW_ID (INT64_C(1) << 32)

/* Replaces *RAW_ID by the raw id that its name has in MACHINES. Raw ids from 2^32 on stand for a name of this config.
 */
static void move_raw_id(int64_t *raw_id, const Tracemerge__Config *config, const struct tm_machine_union *machines)
{
    for (size_t i = 0; i < config->n_machines && *raw_id >= FIRST_NAMED_RAW_ID; i++) {
        const Tracemerge__ConfigMachine *machine = config->machines[i];
        if (machine->raw_id != *raw_id)
            continue;
        for (uint32_t row = 0; row < machines->count; row++) {
            const struct tm_union_machine *m = &machines->rows[row];
            if (m->has_name && m->name_bytes == machine->name.len &&
                (m->name_bytes == 0 || memcmp(m->name, machine->name.data, m->name_bytes) == 0)) {
                *raw_id = m->raw_id;
                return;
            }
        }
    }
}

static void move_clock(Tracemerge__ConfigClock *clock, const Tracemerge__Config *config, uint32_t entry_base,
                       const struct tm_machine_union *machines)
{
    if (clock == NULL)
        return;
    move_raw_id(&clock->machine_raw_id, config, machines);
    clock->entry += clock->has_entry ? entry_base : 0;
}

/* Replaces the raw ids in CONFIG's list of machines. move_raw_id searches this list, so all ids are looked up before
 * the first one changes. */
static enum tm_status move_machines(Tracemerge__Config *config, const struct tm_machine_union *machines,
                                    struct tm_error *err)
{
    int64_t *raw_ids = calloc(config->n_machines + 1, sizeof *raw_ids);
    if (raw_ids == NULL)
        return tm_error_nomem(err);
    for (size_t i = 0; i < config->n_machines; i++) {
        raw_ids[i] = config->machines[i]->raw_id;
        move_raw_id(&raw_ids[i], config, machines);
    }
    for (size_t i = 0; i < config->n_machines; i++)
        config->machines[i]->raw_id = raw_ids[i];
    free(raw_ids);
    return TM_OK;
}

enum tm_status tm_config_union_add(struct tm_config_union *u, Tracemerge__Config *config,
                                   const struct tm_machine_union *machines, struct tm_error *err)
{
    if (tm_array_grow(&u->configs, &u->cap, u->count, sizeof(Tracemerge__Config *), err) < 0) {
        tracemerge__config__free_unpacked(config, NULL);
        return TM_E_SYSTEM;
    }
    u->configs[u->count++] = config;
    for (size_t i = 0; i < config->n_entries; i++) {
        Tracemerge__ConfigEntry *entry = config->entries[i];
        move_raw_id(&entry->machine_raw_id, config, machines);
        for (size_t j = 0; j < entry->n_machines; j++)
            move_raw_id(&entry->machines[j]->raw_id, config, machines);
    }
    for (size_t i = 0; i < config->n_edges; i++) {
        move_clock(config->edges[i]->source, config, u->entry_count, machines);
        move_clock(config->edges[i]->reference, config, u->entry_count, machines);
        config->edges[i]->entry += config->edges[i]->has_entry ? u->entry_count : 0;
    }
    if (config->trace_time)
        move_raw_id(&config->trace_time->machine_raw_id, config, machines);
    u->entry_count += (uint32_t)config->n_entries;
    return move_machines(config, machines, err);
}

static bool is_listed(const Tracemerge__Config *all, const Tracemerge__ConfigMachine *machine)
{
    for (size_t i = 0; i < all->n_machines; i++) {
        assert(all->machines[i]);
        if (all->machines[i]->raw_id == machine->raw_id)
            return true;
    }
    return false;
}

enum tm_status tm_config_union_get(const struct tm_config_union *u, Tracemerge__Config *all, struct tm_error *err)
{
    size_t machines = 1, edges = 1, attributes = 1;
    *all = (Tracemerge__Config)TRACEMERGE__CONFIG__INIT;
    for (size_t i = 0; i < u->count; i++) {
        machines += u->configs[i]->n_machines;
        edges += u->configs[i]->n_edges;
        attributes += u->configs[i]->n_attributes;
    }
    all->entries = calloc((size_t)u->entry_count + 1, sizeof *all->entries);
    all->machines = calloc(machines, sizeof *all->machines);
    all->edges = calloc(edges, sizeof *all->edges);
    all->attributes = calloc(attributes, sizeof *all->attributes);
    if (!all->entries || !all->machines || !all->edges || !all->attributes)
        return tm_error_nomem(err);
    for (size_t i = 0; i < u->count; i++) {
        const Tracemerge__Config *one = u->configs[i];
        for (size_t j = 0; j < one->n_entries; j++)
            all->entries[all->n_entries++] = one->entries[j];
        for (size_t j = 0; j < one->n_machines; j++)
            if (!is_listed(all, one->machines[j]))
                all->machines[all->n_machines++] = one->machines[j];
        for (size_t j = 0; j < one->n_edges; j++)
            all->edges[all->n_edges++] = one->edges[j];
        for (size_t j = 0; j < one->n_attributes; j++)
            all->attributes[all->n_attributes++] = one->attributes[j];
        if (all->trace_time == NULL)
            all->trace_time = one->trace_time;
        all->has_file = one->has_file && u->count == 1;
        all->file = one->file;
    }
    return u->count ? TM_OK : TM_END;
}

void tm_config_union_release(struct tm_config_union *u)
{
    for (size_t i = 0; i < u->count; i++)
        tracemerge__config__free_unpacked(u->configs[i], NULL);
    free(u->configs);
    *u = (struct tm_config_union){0};
}

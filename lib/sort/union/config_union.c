#include "sort/union/config_union.h"

#include "base/table.h"
#include "manifest/config.h"

#include <stdlib.h>

/* The raw ids of a config's machines, and those that the same names have in the union. Raw ids from 2^32 on stand for a
 * name of this config. */
struct moves {
    struct tm_map of_raw_id; /* from a raw id to its index in the list of machines */
    int64_t *raw_ids;        /* of the union, for each machine of the list */
};

static enum tm_status find_moves(struct moves *moves, const Tracemerge__Config *config,
                                 const struct tm_machine_union *machines)
{
    moves->raw_ids = calloc(config->n_machines + 1, sizeof *moves->raw_ids);
    enum tm_status st = moves->raw_ids ? TM_OK : TM_E_SYSTEM;
    for (size_t i = 0; i < config->n_machines && st >= 0; i++) {
        const Tracemerge__ConfigMachine *machine = config->machines[i];
        const uint32_t row = tm_machine_union_find_name(machines, &machine->name);
        const bool moves_it = machine->raw_id >= TM_MACHINE_RAW_ID_FIRST && row < machines->count;
        moves->raw_ids[i] = moves_it ? machines->rows[row].raw_id : machine->raw_id;
        st = tm_map_add(&moves->of_raw_id, (uint64_t)machine->raw_id, (uint32_t)i);
    }
    return st < 0 ? st : TM_OK;
}

static void move_raw_id(int64_t *raw_id, const struct moves *moves)
{
    uint32_t i;
    if (tm_map_find(&moves->of_raw_id, (uint64_t)*raw_id, &i))
        *raw_id = moves->raw_ids[i];
}

static void move_clock(Tracemerge__ConfigClock *clock, const struct moves *moves, uint32_t entry_base)
{
    if (clock == NULL)
        return;
    move_raw_id(&clock->machine_raw_id, moves);
    clock->entry += clock->has_entry ? entry_base : 0;
}

/* Replaces all raw ids in CONFIG, and adds ENTRY_BASE to the numbers of entries. */
static void move_all(Tracemerge__Config *config, const struct moves *moves, uint32_t entry_base)
{
    for (size_t i = 0; i < config->n_entries; i++) {
        Tracemerge__ConfigEntry *entry = config->entries[i];
        move_raw_id(&entry->machine_raw_id, moves);
        for (size_t j = 0; j < entry->n_machines; j++)
            move_raw_id(&entry->machines[j]->raw_id, moves);
    }
    for (size_t i = 0; i < config->n_edges; i++) {
        move_clock(config->edges[i]->source, moves, entry_base);
        move_clock(config->edges[i]->reference, moves, entry_base);
        config->edges[i]->entry += config->edges[i]->has_entry ? entry_base : 0;
    }
    if (config->trace_time)
        move_raw_id(&config->trace_time->machine_raw_id, moves);
    for (size_t i = 0; i < config->n_machines; i++)
        config->machines[i]->raw_id = moves->raw_ids[i];
}

enum tm_status tm_config_union_add(struct tm_config_union *u, Tracemerge__Config *config,
                                   const struct tm_machine_union *machines, struct tm_error *err)
{
    struct moves moves = {.raw_ids = NULL};
    if (tm_array_grow(&u->configs, &u->cap, u->count, sizeof(Tracemerge__Config *), err) < 0) {
        tracemerge__config__free_unpacked(config, NULL);
        return TM_E_SYSTEM;
    }
    u->configs[u->count++] = config;
    enum tm_status st = find_moves(&moves, config, machines);
    if (st == TM_OK)
        move_all(config, &moves, u->entry_count);
    u->entry_count += (uint32_t)config->n_entries;
    tm_map_release(&moves.of_raw_id);
    free(moves.raw_ids);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Adds the machines of ONE to ALL, unless their raw ids are in LISTED already. */
static enum tm_status list_machines(Tracemerge__Config *all, const Tracemerge__Config *one, struct tm_map *listed)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < one->n_machines && st >= 0; i++)
        if ((st = tm_map_add(listed, (uint64_t)one->machines[i]->raw_id, 0)) == TM_OK)
            all->machines[all->n_machines++] = one->machines[i];
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_config_union_get(const struct tm_config_union *u, Tracemerge__Config *all, struct tm_error *err)
{
    size_t machines = 1, edges = 1, attributes = 1;
    struct tm_map listed = {0};
    enum tm_status st = TM_OK;
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
        if (st == TM_OK)
            st = list_machines(all, one, &listed);
        for (size_t j = 0; j < one->n_edges; j++)
            all->edges[all->n_edges++] = one->edges[j];
        for (size_t j = 0; j < one->n_attributes; j++)
            all->attributes[all->n_attributes++] = one->attributes[j];
        if (all->trace_time == NULL)
            all->trace_time = one->trace_time;
        all->has_file = one->has_file && u->count == 1;
        all->file = one->file;
    }
    tm_map_release(&listed);
    if (st < 0)
        return tm_error_nomem(err);
    return u->count ? TM_OK : TM_END;
}

void tm_config_union_release(struct tm_config_union *u)
{
    for (size_t i = 0; i < u->count; i++)
        tracemerge__config__free_unpacked(u->configs[i], NULL);
    free(u->configs);
    *u = (struct tm_config_union){0};
}

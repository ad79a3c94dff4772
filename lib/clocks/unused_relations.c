#include "clocks/unused_relations.h"

#include "base/table.h"
#include "stream/clock_name.h"

#include <stdio.h>
#include <stdlib.h>

enum { CLOCKS_MAX = 64 };

/* Returns the entry that configures FILE, or UINT32_MAX. */
static uint32_t entry_of(const struct tm_clock_file *file)
{
    return file->entry ? file->tag & ~TM_TAG_ENTRY : UINT32_MAX;
}

enum tm_status tm_unused_relations_add(struct tm_unused_relations *known, const struct tm_clock_files *files,
                                   const struct tm_clock_file *file, uint32_t clock, struct tm_error *err)
{
    uint32_t entry = entry_of(file);
    if (files->config == NULL || files->config->n_edges == 0 || clock >= CLOCKS_MAX || entry == UINT32_MAX)
        return TM_OK;
    enum tm_status st = tm_array_grow(&known->of_entry, &known->entry_count, entry, sizeof *known->of_entry, err);
    if (st == TM_OK)
        known->of_entry[entry] |= UINT64_C(1) << clock;
    return st;
}

enum tm_status tm_unused_relations_add_file(struct tm_unused_relations *known, const struct tm_clock_files *files,
                                        const struct tm_clock_file *file, struct tm_clock_registry *registry,
                                        struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (files->config == NULL || files->config->n_edges == 0)
        return TM_OK;
    for (uint32_t i = 0; i < file->scope_count; i++)
        for (uint32_t k = 0; k < file->scopes[i]->record_count && st == TM_OK; k++) {
            uint32_t clock = file->scopes[i]->records[k].clock, index;
            struct tm_clock_key key = tm_clock_scope_key(file->scopes[i], clock, 0);
            st = tm_unused_relations_add(known, files, file, clock, err);
            if (st == TM_OK)
                st = tm_clock_graph_clock(&registry->graph, &key, &index, err);
            if (st == TM_OK && tm_map_set(&known->with_events, index, 1) != TM_OK)
                st = tm_error_nomem(err);
        }
    return st;
}

/* Returns the number of kinds of snapshots and edges that each clock is in. The caller frees it. NULL if out of
 * memory. */
static uint32_t *count_ties(const struct tm_clock_graph *graph)
{
    uint32_t *ties = calloc((size_t)graph->clocks.count + 1, sizeof *ties);
    for (uint32_t i = 0; ties && i < graph->kind_count; i++)
        for (uint32_t k = 0; graph->kinds[i].is_linked && k < graph->kinds[i].width; k++)
            ties[graph->kinds[i].clocks[k]]++;
    return ties;
}

/* Writes the names of the clocks in MASK, joined by commas. */
static void name_clocks(uint64_t mask, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (uint32_t clock = 0; clock < CLOCKS_MAX && len < size; clock++) {
        const char *name = clock == TM_CLOCK_NONE ? "times without a clock" : tm_name_of_clock(clock);
        if (!(mask >> clock & 1))
            continue;
        if (name)
            len += (size_t)snprintf(out + len, size - len, "%s%s", len ? ", " : "", name);
        else
            len += (size_t)snprintf(out + len, size - len, "%sclock %u", len ? ", " : "", clock);
    }
}

static enum tm_status refuse(const Tracemerge__ConfigEntry *entry, uint32_t at, uint32_t clock, uint64_t has,
                             struct tm_error *err)
{
    char names[256];
    if (has >> clock & 1)
        return tm_error_set(err, TM_E_INPUT,
                            "perfetto_manifest: files[%u]: '%.*s' has a %s of its own, because another file is the "
                            "first one of its machine, so relating the machine's has no effect",
                            at, (int)entry->path.len, (const char *)entry->path.data, tm_name_of_clock(clock));
    name_clocks(has, names, sizeof names);
    if (clock == TM_CLOCK_TRACE_FILE)
        return tm_error_set(err, TM_E_INPUT,
                            "perfetto_manifest: files[%u]: '%.*s' has no timeline of its own, so a relation to that "
                            "has no effect; name a clock that it has: %s",
                            at, (int)entry->path.len, (const char *)entry->path.data, names);
    return tm_error_set(err, TM_E_INPUT,
                        "perfetto_manifest: files[%u]: '%.*s' has no %s, so relating that clock has no effect; it "
                        "has %s",
                        at, (int)entry->path.len, (const char *)entry->path.data, tm_name_of_clock(clock), names);
}

struct check {
    const struct tm_unused_relations *known;
    const struct tm_clock_files *files;
    struct tm_clock_registry *registry;
    const uint32_t *ties;
};

/* Checks one side of a relation: CLOCK of the file that entry AT configures. */
static enum tm_status check_side(const struct check *c, const Tracemerge__ConfigClock *clock, uint32_t at,
                                 struct tm_error *err)
{
    struct tm_clock_key key = {.clock = clock->clock, .tag = clock->has_entry ? TM_TAG_ENTRY | clock->entry : 0};
    uint64_t has = at < c->known->entry_count ? c->known->of_entry[at] : 0;
    uint32_t index, there;
    const bool is_own_timeline = clock->clock == TM_CLOCK_TRACE_FILE && has >> TM_CLOCK_TRACE_FILE & 1;
    if (has == 0 || is_own_timeline || tm_name_of_clock(clock->clock) == NULL)
        return TM_OK;
    enum tm_status st = tm_clock_registry_machine(c->registry, clock->machine_raw_id, NULL, &key.machine, err);
    if (st == TM_OK)
        st = tm_clock_graph_clock(&c->registry->graph, &key, &index, err);
    if (st != TM_OK)
        return st;
    if (index == c->registry->trace_time.index || tm_map_find(&c->known->with_events, index, &there) ||
        c->ties[index] != 1)
        return TM_OK;
    return refuse(c->files->config->entries[at], at, clock->clock, has, err);
}

enum tm_status tm_unused_relations_check(const struct tm_unused_relations *known, const struct tm_clock_files *files,
                                     struct tm_clock_registry *registry, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (files->config == NULL || files->config->n_edges == 0)
        return TM_OK;
    uint32_t *ties = count_ties(&registry->graph);
    const struct check c = {known, files, registry, ties};
    if (ties == NULL)
        return tm_error_nomem(err);
    for (size_t i = 0; i < files->config->n_edges && st == TM_OK; i++) {
        const Tracemerge__ConfigEdge *edge = files->config->edges[i];
        if (edge->has_entry && edge->entry < files->config->n_entries)
            st = check_side(&c, edge->source, edge->entry, err);
        if (st == TM_OK && edge->has_reference_entry && edge->reference_entry < files->config->n_entries)
            st = check_side(&c, edge->reference, edge->reference_entry, err);
    }
    free(ties);
    return st;
}

void tm_unused_relations_release(struct tm_unused_relations *known)
{
    free(known->of_entry);
    tm_map_release(&known->with_events);
    *known = (struct tm_unused_relations){0};
}

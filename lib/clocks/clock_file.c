#include "clocks/clock_file.h"

#include "base/table.h"

#include <stdlib.h>

enum { FILE_NAME_MAX = 512, FILES_MAX = 1 << 20 };

enum tm_status tm_clock_files_add(struct tm_clock_files *files, const Tracemerge__File *frame, struct tm_error *err)
{
    char name[FILE_NAME_MAX];
    if (frame->id != files->count || frame->id >= FILES_MAX)
        return tm_error_set(err, TM_E_INPUT, "file %u is out of turn", frame->id);
    if (tm_array_grow(&files->files, &files->cap, files->count, sizeof *files->files, err) < 0)
        return TM_E_SYSTEM;
    struct tm_clock_file *file = calloc(1, sizeof *file);
    if (file == NULL)
        return tm_error_nomem(err);
    files->files[files->count++] = file;
    file->id = frame->id;
    file->tag = tm_clock_file_tag(frame->id);
    const bool is_nameless = frame->has_name && frame->name.len == 0 && frame->has_parent && frame->parent < file->id;
    const char *of_parent = is_nameless ? files->files[frame->parent]->name : NULL; /* the compressed file around it */
    if (!frame->has_name)
        return TM_OK;
    tm_text_escape((const char *)frame->name.data, frame->name.len, name, sizeof name);
    file->name = strdup(of_parent ? of_parent : name);
    return file->name ? TM_OK : tm_error_nomem(err);
}

struct tm_clock_file *tm_clock_files_open(const struct tm_clock_files *files, uint32_t id, struct tm_error *err)
{
    if (id < files->count && files->files[id]->is_open)
        return files->files[id];
    tm_error_set(err, TM_E_INPUT, "a frame of file %u is outside its turn", id);
    return NULL;
}

const char *tm_clock_file_text(const struct tm_clock_file *file)
{
    return file->name && file->name[0] ? file->name : "-";
}

static uint32_t policy_clock(Tracemerge__ClockPolicy policy)
{
    return policy == TRACEMERGE__CLOCK_POLICY__PRIVATE           ? TM_CLOCK_TRACE_FILE
           : policy == TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK ? TM_CLOCK_MONOTONIC
           : policy == TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK  ? TM_CLOCK_REALTIME
           : policy == TRACEMERGE__CLOCK_POLICY__BOOTTIME_CLOCK  ? TM_CLOCK_BOOTTIME
           : policy == TRACEMERGE__CLOCK_POLICY__MONOTONIC_RAW_CLOCK ? TM_CLOCK_MONOTONIC_RAW
                                                                 : TM_CLOCK_NONE;
}

/* Finds or makes the scope of FILE on machine row MACHINE. */
static enum tm_status scope_on(struct tm_clock_file *file, struct tm_clock_registry *registry, uint32_t machine,
                               struct tm_clock_scope **out, struct tm_error *err)
{
    uint32_t index;
    if (tm_map_find(&file->scope_of_machine, machine, &index)) {
        *out = file->scopes[index];
        return TM_OK;
    }
    if (tm_array_grow(&file->scopes, &file->scope_cap, file->scope_count, sizeof *file->scopes, err) < 0)
        return TM_E_SYSTEM;
    struct tm_clock_scope *scope = calloc(1, sizeof *scope);
    if (scope == NULL || tm_map_set(&file->scope_of_machine, machine, file->scope_count) != TM_OK) {
        free(scope);
        return tm_error_nomem(err);
    }
    file->scopes[file->scope_count++] = scope;
    scope->file = file->id;
    scope->file_record_count = &file->record_count;
    scope->file_tag = file->tag;
    scope->machine = machine;
    scope->is_primary = !registry->machines.rows[machine].has_file;
    registry->machines.rows[machine].has_file = true;
    scope->is_pinned = file->entry && file->entry->pinned;
    scope->is_isolated = file->entry && file->entry->own_clock;
    scope->is_proto = file->policy == TRACEMERGE__CLOCK_POLICY__PROTO;
    scope->may_wait = file->may_wait && !scope->is_proto;
    scope->default_clock = scope->is_pinned ? TM_CLOCK_TRACE_FILE
                           : scope->is_proto && file->base ? file->base->default_clock
                                                           : policy_clock(file->policy);
    *out = scope;
    return TM_OK;
}

enum tm_status tm_clock_file_begin(struct tm_clock_file *file, struct tm_clock_registry *registry,
                                   Tracemerge__ClockPolicy policy, struct tm_error *err)
{
    uint32_t machine;
    if (file->is_open)
        return tm_error_set(err, TM_E_INPUT, "%s: the file has two turns", tm_clock_file_text(file));
    file->is_open = true;
    file->policy = policy;
    if (policy == TRACEMERGE__CLOCK_POLICY__NO_CLOCK)
        return TM_OK;
    int64_t raw_id = file->entry ? file->entry->machine_raw_id : 0;
    enum tm_status st = tm_clock_registry_machine(registry, raw_id, NULL, &machine, err);
    if (st == TM_OK)
        st = scope_on(file, registry, machine, &file->base, err);
    if (st == TM_OK && file->base->default_clock != TM_CLOCK_NONE && !file->base->is_proto)
        st = tm_clock_scope_claim(file->base, registry, file->base->default_clock, err);
    return st;
}

/* Decides what packets with an embedded id mean for FILE. Called at the first one. */
static enum tm_status decide(struct tm_clock_file *file, struct tm_clock_registry *registry, uint32_t embedded,
                             struct tm_error *err)
{
    uint32_t row, base = file->base->machine;
    const struct tm_machine *machine = &registry->machines.rows[base];
    file->is_decided = true;
    if (file->entry && file->entry->whole_file)
        return tm_error_set(err, TM_E_INPUT,
                            "perfetto_manifest: machine attributes the whole file to one machine, but it holds "
                            "packets of machine id %u. Replace `machine` with a `machines` block", embedded);
    if (file->entry && file->entry->pinned)
        return tm_error_set(err, TM_E_INPUT,
                            "perfetto_manifest: a `clocks` override applies only to a single-machine file where it "
                            "names no clock, but this one holds packets of machine id %u", embedded);
    if ((file->entry && file->entry->has_machines) || machine->has_data || machine->raw_id != 0 ||
        tm_machine_table_find(&registry->machines, embedded, &row))
        return TM_OK;
    enum tm_status st = tm_machine_table_adopt(&registry->machines, base, embedded, err);
    return st < 0 ? st : tm_clock_registry_announce(registry, base, err);
}

/* Sets *RAW_ID to the raw id of EMBEDDED, by the machines block of the file's entry. */
static enum tm_status raw_of(const struct tm_clock_file *file, uint32_t embedded, int64_t *raw_id,
                             struct tm_error *err)
{
    *raw_id = embedded;
    if (file->entry == NULL || !file->entry->has_machines)
        return TM_OK;
    for (size_t i = 0; i < file->entry->n_machines; i++) {
        if (file->entry->machines[i]->id == embedded) {
            *raw_id = file->entry->machines[i]->raw_id;
            return TM_OK;
        }
    }
    return tm_error_set(err, TM_E_INPUT,
                        "perfetto_manifest: machines: trace has a packet from undeclared machine id %u", embedded);
}

struct tm_clock_scope *tm_clock_file_find(const struct tm_clock_file *file, uint32_t embedded)
{
    uint32_t index;
    if (embedded == 0)
        return file->base;
    return tm_map_find(&file->scope_of_embedded, embedded, &index) ? file->scopes[index] : NULL;
}

enum tm_status tm_clock_file_scope(struct tm_clock_file *file, struct tm_clock_registry *registry, uint32_t embedded,
                                   struct tm_clock_scope **scope, struct tm_error *err)
{
    int64_t raw_id;
    uint32_t machine, index;
    if (file->base == NULL)
        return tm_error_set(err, TM_E_INPUT, "an event in a file without events");
    *scope = tm_clock_file_find(file, embedded);
    if (*scope)
        return TM_OK;
    enum tm_status st = file->is_decided ? TM_OK : decide(file, registry, embedded, err);
    if (st == TM_OK)
        st = raw_of(file, embedded, &raw_id, err);
    if (st == TM_OK)
        st = tm_clock_registry_machine(registry, raw_id, NULL, &machine, err);
    if (st == TM_OK)
        st = scope_on(file, registry, machine, scope, err);
    if (st != TM_OK)
        return st;
    tm_map_find(&file->scope_of_machine, machine, &index);
    if (tm_map_set(&file->scope_of_embedded, embedded, index) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

/* Returns the pending events of FILE. NULL if out of memory. */
static struct tm_deferral *deferral_of(struct tm_clock_file *file)
{
    if (file->deferral == NULL)
        file->deferral = calloc(1, sizeof *file->deferral);
    return file->deferral;
}

enum tm_status tm_clock_file_defer(struct tm_clock_file *file, const struct tm_event *event, const char *temporary_dir,
                                   struct tm_error *err)
{
    struct tm_deferral *deferral = deferral_of(file);
    return deferral ? tm_deferral_add(deferral, event, temporary_dir, err) : tm_error_nomem(err);
}

enum tm_status tm_clock_file_defer_batch(struct tm_clock_file *file, const struct tm_batch *batch,
                                         const char *temporary_dir, struct tm_error *err)
{
    struct tm_deferral *deferral = deferral_of(file);
    return deferral ? tm_deferral_add_batch(deferral, batch, temporary_dir, err) : tm_error_nomem(err);
}

void tm_clock_file_close(struct tm_clock_file *file)
{
    for (uint32_t i = 0; i < file->scope_count; i++) {
        tm_clock_scope_release(file->scopes[i]);
        free(file->scopes[i]);
    }
    free(file->scopes);
    file->scopes = NULL;
    file->scope_count = file->scope_cap = 0;
    file->record_count = 0;
    file->base = NULL;
    file->is_open = false;
    tm_map_release(&file->scope_of_embedded);
    tm_map_release(&file->scope_of_machine);
    if (file->deferral)
        tm_deferral_release(file->deferral);
    free(file->deferral);
    file->deferral = NULL;
}

void tm_clock_files_release(struct tm_clock_files *files)
{
    for (uint32_t i = 0; i < files->count; i++) {
        tm_clock_file_close(files->files[i]);
        free(files->files[i]->name);
        free(files->files[i]);
    }
    free(files->files);
    if (files->config)
        tracemerge__config__free_unpacked(files->config, NULL);
    *files = (struct tm_clock_files){0};
}

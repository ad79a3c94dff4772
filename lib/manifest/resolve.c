#include "manifest/resolve.h"

#include "base/bytes.h"
#include "base/text.h"
#include "manifest/config.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAMES_MAX = 1 << 30, PLACE_MAX = 64 };

static const size_t NO_FILE = SIZE_MAX;

static struct tm_manifest_quoted quote(const char *name)
{
    return tm_manifest_quote(name, strlen(name));
}

/* Gives the next problem the place of ITEM. */
static struct tm_manifest_problems *at(struct tm_manifest_resolution *r, const cJSON *item)
{
    tm_manifest_problems_at(r->problems, tm_json_text_place(r->fields->json, item));
    return r->problems;
}

static enum tm_status index_paths(struct tm_manifest_resolution *r)
{
    for (size_t i = 0; i < r->fields->file_count; i++) {
        const char *path = r->fields->files[i].path;
        uint32_t id;
        bool is_new;
        if (path == NULL)
            continue;
        if (tm_intern_add(&r->paths, path, strlen(path), &id, &is_new) != TM_OK)
            return TM_E_SYSTEM;
        if (is_new) {
            r->file_of_path[id] = i;
            continue;
        }
        tm_manifest_problems_add(at(r, r->fields->files[i].item), "files[%zu]: path '%s' is also that of files[%zu]", i,
                                 quote(path).text, r->file_of_path[id]);
    }
    return TM_OK;
}

static size_t find_file(const struct tm_manifest_resolution *r, const char *path)
{
    uint32_t id;
    return tm_intern_find(&r->paths, path, strlen(path), &id) ? r->file_of_path[id] : NO_FILE;
}

/* Sets the key of the declaration DATA of FILE. KIND distinguishes names from ids. */
static enum tm_status make_key(struct tm_manifest_resolution *r, size_t file, char kind, struct tm_text data)
{
    uint8_t head[9];
    tm_put_le64(head, file);
    head[8] = (uint8_t)kind;
    tm_buf_clear(&r->key);
    enum tm_status st = tm_buf_add(&r->key, head, sizeof head);
    return st == TM_OK ? tm_buf_add(&r->key, data.data, data.len) : st;
}

/* Adds the declaration DATA of FILE. *IS_NEW: true if it was not there. */
static enum tm_status declare(struct tm_manifest_resolution *r, size_t file, char kind, struct tm_text data,
                              bool *is_new)
{
    uint32_t id;
    enum tm_status st = make_key(r, file, kind, data);
    return st == TM_OK ? tm_intern_add(&r->declared, r->key.data, r->key.len, &id, is_new) : st;
}

static enum tm_status name_machine(struct tm_manifest_resolution *r, size_t file, const char *name)
{
    uint32_t id;
    enum tm_status st = tm_intern_add(&r->machines, name, strlen(name), &id, NULL);
    return st != TM_OK ? st : declare(r, file, 'n', tm_text_at(name, strlen(name)), NULL);
}

int64_t tm_manifest_machine_raw(const struct tm_manifest_resolution *r, const char *name)
{
    uint32_t id = 0;
    (void)tm_intern_find(&r->machines, name, strlen(name), &id);
    return TM_MACHINE_RAW_ID_FIRST + id;
}

static enum tm_status name_machines_of(struct tm_manifest_resolution *r, size_t i)
{
    const struct tm_manifest_file *file = &r->fields->files[i];
    enum tm_status st = TM_OK;
    if (file->machine) {
        st = name_machine(r, i, file->machine);
        r->base_raw[i] = tm_manifest_machine_raw(r, file->machine);
    }
    for (size_t k = 0; k < file->machine_count && st == TM_OK; k++) {
        const struct tm_manifest_machine *machine = &file->machines[k];
        uint8_t id[4];
        bool is_new;
        tm_put_le32(id, machine->id);
        if (name_machine(r, i, machine->name) != TM_OK)
            return TM_E_SYSTEM;
        st = declare(r, i, 'i', tm_text_at(id, sizeof id), &is_new);
        if (st == TM_OK && !is_new) {
            tm_manifest_problems_add(at(r, machine->item), "files[%zu].machines[%zu]: id %u is already declared", i, k,
                                     machine->id);
        }
        if (machine->id == 0)
            r->base_raw[i] = tm_manifest_machine_raw(r, machine->name);
    }
    return st;
}

static enum tm_status name_machines(struct tm_manifest_resolution *r)
{
    for (size_t i = 0; i < r->fields->file_count; i++)
        if (name_machines_of(r, i) != TM_OK)
            return TM_E_SYSTEM;
    return TM_OK;
}

/* Whether a machine name, or NULL, chooses a machine of a file. AMBIGUOUS: the file has several machines, and no name
 * chooses one. The caller reports the problem. */
enum choice { CHOSEN, NOT_DECLARED, AMBIGUOUS };

static enum choice choose_machine(struct tm_manifest_resolution *r, size_t file, const char *name, int64_t *raw)
{
    if (name == NULL) {
        *raw = r->base_raw[file];
        return r->fields->files[file].machine_count > 0 ? AMBIGUOUS : CHOSEN;
    }
    uint32_t id;
    bool has_key = make_key(r, file, 'n', tm_text_at(name, strlen(name))) == TM_OK;
    r->no_memory = r->no_memory || !has_key;
    if (!has_key || !tm_intern_find(&r->declared, r->key.data, r->key.len, &id))
        return NOT_DECLARED;
    *raw = tm_manifest_machine_raw(r, name);
    return CHOSEN;
}

/* The place of a relation in the manifest, and how problems name its fields. */
struct place {
    const char *text;
    const cJSON *item;
    const char *file, *machine;
};

static void not_declared(struct tm_manifest_resolution *r, size_t file, const char *machine, struct place place)
{
    const struct tm_manifest_file *f = &r->fields->files[file];
    if (f->has_bad_machine || f->path == NULL)
        return;
    tm_manifest_problems_add(at(r, place.item), "%s '%s' is not a machine declared by file '%s'. (%s)", place.machine,
                             quote(machine).text, quote(f->path).text, place.text);
}

/* Resolves FILE, a path of the manifest, and MACHINE, which may be NULL, to a machine. */
static bool resolve_reference(struct tm_manifest_resolution *r, const char *file, const char *machine,
                              struct place place, struct tm_manifest_relation *found)
{
    found->reference_file = find_file(r, file);
    if (found->reference_file == NO_FILE)
        return false;
    enum choice choice = choose_machine(r, found->reference_file, machine, &found->reference_raw);
    if (choice == NOT_DECLARED) {
        not_declared(r, found->reference_file, machine, place);
    } else if (choice == AMBIGUOUS) {
        tm_manifest_problems_add(at(r, place.item),
                                 "%s '%s' is a multi-machine trace; also name the machine with %s (%s)", place.file,
                                 quote(file).text, place.machine, place.text);
    }
    return choice == CHOSEN;
}

static void resolve_trace_time(struct tm_manifest_resolution *r)
{
    const char *file = r->fields->trace_time_file;
    struct place place = {"trace_time", r->fields->trace_time, "trace_time: file", "trace_time: machine"};
    struct tm_manifest_relation found = {0};
    if (file == NULL)
        return;
    if (find_file(r, file) == NO_FILE) {
        tm_manifest_problems_add(at(r, place.item),
                                 "trace_time: file names unknown file '%s'. It must match the path of an entry in "
                                 "the files array",
                                 quote(file).text);
    } else if (resolve_reference(r, file, r->fields->trace_time_machine, place, &found)) {
        r->trace_time_raw = found.reference_raw;
    }
}

static bool resolve_source(struct tm_manifest_resolution *r, size_t i)
{
    const struct tm_manifest_file *file = &r->fields->files[i];
    char text[PLACE_MAX];
    struct place place = {text, file->clocks.item, "clocks: file", "clocks: machine"};
    snprintf(text, sizeof text, "files[%zu].clocks", i);
    enum choice choice = choose_machine(r, i, file->clocks.machine, &r->relations[i].source_raw);
    if (choice == NOT_DECLARED) {
        not_declared(r, i, file->clocks.machine, place);
    } else if (choice == AMBIGUOUS && file->path) {
        tm_manifest_problems_add(at(r, place.item),
                                 "clocks: file '%s' is a multi-machine trace; name which machine the clock is on (%s)",
                                 quote(file->path).text, place.text);
    }
    return choice == CHOSEN;
}

static void resolve_relation(struct tm_manifest_resolution *r, size_t i)
{
    const struct tm_manifest_clocks *clocks = &r->fields->files[i].clocks;
    struct tm_manifest_relation *relation = &r->relations[i];
    char text[PLACE_MAX];
    struct place place = {text, clocks->sync_to, "clocks: sync_to.file", "clocks: sync_to.machine"};
    bool good = resolve_source(r, i);
    if (clocks->ref_file == NULL)
        return;
    snprintf(text, sizeof text, "files[%zu].clocks.sync_to", i);
    if (find_file(r, clocks->ref_file) == NO_FILE) {
        tm_manifest_problems_add(at(r, place.item),
                                 "clocks: sync_to.file names unknown file '%s'. It must match the path of an entry in "
                                 "the files array (%s)",
                                 quote(clocks->ref_file).text, place.text);
        return;
    }
    if (!resolve_reference(r, clocks->ref_file, clocks->ref_machine, place, relation) || !good)
        return;
    bool same = clocks->clock == clocks->ref_clock && relation->source_raw == relation->reference_raw;
    if (same && clocks->pins && relation->reference_file == i) {
        tm_manifest_problems_add(at(r, clocks->item), "files[%zu]: clocks relate the file's own timeline to itself", i);
        return;
    }
    relation->own_clock = same && !clocks->pins;
    relation->good = true;
}

enum tm_status tm_manifest_resolve(struct tm_manifest_resolution *r, const struct tm_manifest_fields *fields,
                                   struct tm_manifest_problems *problems)
{
    size_t n = fields->file_count + 1;
    r->fields = fields;
    r->problems = problems;
    tm_intern_init(&r->machines, NAMES_MAX, SIZE_MAX / 2);
    tm_intern_init(&r->paths, NAMES_MAX, SIZE_MAX / 2);
    tm_intern_init(&r->declared, NAMES_MAX, SIZE_MAX / 2);
    r->base_raw = calloc(n, sizeof *r->base_raw);
    r->relations = calloc(n, sizeof *r->relations);
    r->file_of_path = calloc(n, sizeof *r->file_of_path);
    if (r->base_raw == NULL || r->relations == NULL || r->file_of_path == NULL || index_paths(r) != TM_OK ||
        name_machines(r) != TM_OK)
        return TM_E_SYSTEM;
    resolve_trace_time(r);
    for (size_t i = 0; i < fields->file_count; i++)
        if (fields->files[i].clocks.given)
            resolve_relation(r, i);
    return r->no_memory ? TM_E_SYSTEM : TM_OK;
}

void tm_manifest_resolution_release(struct tm_manifest_resolution *r)
{
    tm_intern_release(&r->machines);
    tm_intern_release(&r->paths);
    tm_intern_release(&r->declared);
    tm_buf_release(&r->key);
    free(r->base_raw);
    free(r->relations);
    free(r->file_of_path);
    *r = (struct tm_manifest_resolution){0};
}

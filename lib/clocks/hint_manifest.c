#include "clocks/hint_manifest.h"

#include "base/checked.h"
#include "base/index.h"
#include "base/map.h"
#include "base/table.h"
#include "manifest/draft.h"
#include "stream/clock_name.h"

#include <assert.h>
#include <stdlib.h>

static const uint32_t NO_FILE = UINT32_MAX;

struct tm_hint_file {
    uint32_t parent;
    size_t name_at; /* in names, with a NUL after it; empty: none */
    bool is_archive, is_trace;
};

static bool is_one_of(ProtobufCBinaryData type, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (type.len == strlen(names[i]) && memcmp(type.data, names[i], type.len) == 0)
            return true;
    return false;
}

/* True for archives. Names of their members are paths of a manifest; a directory is not part of them. */
static bool is_archive(ProtobufCBinaryData type)
{
    static const char *const names[] = {"tar", "zip"};
    return is_one_of(type, names, sizeof names / sizeof *names);
}

enum tm_status tm_hint_manifest_file(struct tm_hint_manifest *m, const Tracemerge__File *frame, struct tm_error *err)
{
    ProtobufCBinaryData name = frame->has_name ? frame->name : frame->given_name;
    if (!m->is_enabled)
        return TM_OK;
    if (tm_array_grow(&m->files, &m->cap, m->count, sizeof *m->files, err) < 0)
        return TM_E_SYSTEM;
    if (memchr(name.data ? name.data : (const uint8_t *)"", '\0', name.len)) /* no path has it */
        name.len = 0;
    m->files[m->count++] = (struct tm_hint_file){.parent = frame->has_parent ? frame->parent : NO_FILE,
                                                 .name_at = m->names.len,
                                                 .is_archive = is_archive(frame->type)};
    if (tm_buf_add(&m->names, name.data, name.len) != TM_OK || tm_buf_add_byte(&m->names, '\0') != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

void tm_hint_manifest_begin(struct tm_hint_manifest *m, const Tracemerge__FileBegin *frame)
{
    if (!m->is_enabled || frame->id >= m->count)
        return;
    m->files[frame->id].is_archive = is_archive(frame->type);
    m->files[frame->id].is_trace = frame->clock_policy != TRACEMERGE__CLOCK_POLICY__NO_CLOCK;
}

/* Returns the path by which a manifest beside FILE names it: its own name, or that of the compressed file around it.
 * NULL if there is none, or if it is inside a nested archive. */
static const char *path_of(const struct tm_hint_manifest *m, uint32_t file)
{
    const char *path = NULL;
    unsigned archives = 0;
    for (uint32_t at = file; at != NO_FILE && at < m->count; at = m->files[at].parent) {
        assert(m->names.data); /* each file has a name there, which may be empty */
        const char *name = (const char *)m->names.data + m->files[at].name_at;
        archives += at != file && m->files[at].is_archive;
        if (path == NULL && name[0] != '\0' && !m->files[at].is_archive)
            path = name;
    }
    while (path && strncmp(path, "./", 2) == 0 && path[2] != '\0')
        path += 2;
    return archives > 1 ? NULL : path;
}

enum tm_status tm_hint_manifest_configure(struct tm_hint_manifest *m, const Tracemerge__Config *config,
                                          struct tm_error *err)
{
    if (!m->is_enabled)
        return TM_OK;
    m->config = config;
    bool is_from_hints = !config->has_file && config->n_attributes == 0;
    for (size_t i = 0; i < config->n_entries; i++)
        is_from_hints &= !config->entries[i]->has_machines && !memchr(config->entries[i]->path.data, '\0',
                                                                 config->entries[i]->path.len);
    for (size_t i = 0; i < config->n_edges; i++) {
        const Tracemerge__ConfigEdge *edge = config->edges[i];
        is_from_hints &= edge->n_points == 0 && edge->has_entry && edge->has_reference_entry &&
                    edge->entry < config->n_entries && edge->reference_entry < config->n_entries;
    }
    if (is_from_hints)
        return TM_OK;
    return tm_error_set(err, TM_E_INPUT,
                        "the input already has a manifest; hints are written only for input without one");
}

/* States that clock CLOCK of FILE reads T when REFERENCE_CLOCK of REFERENCE reads T + offset_ns. Clocks are ids;
 * TM_CLOCK_TRACE_FILE is the file's own timeline. */
struct relation {
    uint32_t file, reference;
    uint32_t clock, reference_clock;
    int64_t offset_ns;
    uint32_t next; /* relation of the same machine with the same reference clock, plus 1; 0: none */
};

/* What the configuration and the hints say of a file. */
struct facts {
    uint32_t machine;  /* its number */
    uint32_t next;     /* the next trace of the machine with a path, or NO_FILE */
    bool has_relation; /* of the configuration, or one of struct relations */
    bool has_hint;     /* that became an edge */
};

/* Its traces that have a path. */
struct machine {
    uint32_t first; /* or NO_FILE */
    uint32_t free;  /* all before it have a relation or a hint */
};

struct relations {
    const struct tm_hint_manifest *m;
    struct relation *all; /* at most one for each hint */
    uint32_t count;
    struct facts *facts;  /* by file */
    struct machine *machines;
    uint32_t machine_count, machine_cap;
    struct tm_map numbers; /* of machines, by raw id */
    struct tm_map groups;  /* machine << 32 | reference clock, to the last relation with them, plus 1 */
};

/* A draft whose files are found by their paths. */
struct draft_files {
    struct tm_draft draft;
    struct tm_index index; /* by path */
};

static const char *name_of_clock(uint32_t clock)
{
    return clock == TM_CLOCK_TRACE_FILE ? NULL : tm_name_of_clock(clock);
}

/* Checks that a manifest can name CLOCK. TM_OK or TM_E_INPUT. */
static enum tm_status check_name(uint32_t clock, struct tm_error *err)
{
    const char *name = tm_name_of_clock(clock);
    if (tm_clock_has_manifest_name(clock))
        return TM_OK;
    return name ? tm_error_set(err, TM_E_INPUT, "a hint relates the clock %s, which no manifest can name", name)
                : tm_error_set(err, TM_E_INPUT, "a hint relates clock %u, which no manifest can name", clock);
}

/* Returns a trace whose entry can state a relation between clocks of FILE's machine, or NO_FILE. */
static uint32_t find_file_without_relation(struct relations *r, uint32_t file)
{
    uint32_t *free = &r->machines[r->facts[file].machine].free;
    while (*free != NO_FILE && (r->facts[*free].has_relation || r->facts[*free].has_hint))
        *free = r->facts[*free].next;
    return *free;
}

/* Returns another trace of the machine that has a path, or NO_FILE. */
static uint32_t find_other(const struct relations *r, uint32_t file)
{
    const uint32_t first = r->machines[r->facts[file].machine].first;
    return first == file ? r->facts[first].next : first;
}

static uint64_t group_of(const struct relations *r, uint32_t file, uint32_t reference_clock)
{
    return (uint64_t)r->facts[file].machine << 32 | reference_clock;
}

/* Adds relation I, which has a reference clock of a machine, to its group. TM_OK or TM_E_SYSTEM. */
static enum tm_status add_to_group(struct relations *r, uint32_t i, struct tm_error *err)
{
    struct relation *relation = &r->all[i];
    const uint64_t group = group_of(r, relation->file, relation->reference_clock);
    if (relation->reference_clock == TM_CLOCK_TRACE_FILE)
        return TM_OK;
    if (!tm_map_find(&r->groups, group, &relation->next))
        relation->next = 0;
    return tm_map_set(&r->groups, group, i + 1) == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status too_far(struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "the offset that hints state is out of range for a manifest");
}

/* Relates files that refer to the reference clock of STATED to the clock of STATED itself. */
static enum tm_status compose(struct relations *r, const struct relation *stated, struct tm_error *err)
{
    const uint64_t group = group_of(r, stated->file, stated->reference_clock);
    enum tm_status st = TM_OK;
    uint32_t next;
    if (!tm_map_find(&r->groups, group, &next) || next == 0)
        return TM_OK;
    if (tm_map_set(&r->groups, group, 0) != TM_OK)
        return tm_error_nomem(err);
    while (next && st == TM_OK) {
        const uint32_t i = next - 1;
        struct relation *other = &r->all[i];
        next = other->next;
        if (other->file != stated->file) {
            if (!tm_sub_i64(other->offset_ns, stated->offset_ns, &other->offset_ns))
                return too_far(err);
            other->reference = stated->file;
            other->reference_clock = stated->clock;
        }
        st = add_to_group(r, i, err);
    }
    return st;
}

static enum tm_status relate(struct relations *r, const struct tm_clock_hint *hint, struct tm_error *err)
{
    struct relation stated = {.file = hint->file,
                              .reference = hint->file,
                              .clock = hint->from_clock,
                              .reference_clock = hint->to_clock};
    /* A relation between two clocks of one id: FILE's clock is isolated, and the clock of another file stands for that
     * of the machine. */
    if (hint->from_clock == hint->to_clock)
        stated.reference = find_other(r, hint->file);
    if ((name_of_clock(hint->from_clock) && check_name(hint->from_clock, err) < 0) ||
        check_name(hint->to_clock, err) < 0)
        return err->status;
    if (!tm_sub_i64(hint->to_ns, hint->from_ns, &stated.offset_ns))
        return too_far(err);
    if (r->facts[hint->file].has_relation) {
        if ((stated.file = find_file_without_relation(r, hint->file)) == NO_FILE) {
            stated.file = hint->file;
            return compose(r, &stated, err);
        }
        if (!tm_sub_i64(0, stated.offset_ns, &stated.offset_ns))
            return too_far(err);
        stated.clock = hint->to_clock;
        stated.reference_clock = hint->from_clock;
    }
    r->facts[stated.file].has_relation = true;
    r->all[r->count++] = stated;
    return add_to_group(r, r->count - 1, err);
}

/* Adds the file of PATH, which is borrowed. */
static enum tm_status add_file(struct draft_files *files, const char *path, struct tm_error *err)
{
    tm_index_seed(&files->index);
    uint64_t hash = tm_index_hash_bytes(&files->index, path, strlen(path));
    if (tm_index_add(&files->index, hash, (uint32_t)files->draft.count) < 0)
        return tm_error_nomem(err);
    return tm_draft_add(&files->draft, path, path, err);
}

/* Finds or adds FILE and sets *NUMBER to its number in the draft. */
static enum tm_status draft_file(const struct tm_hint_manifest *m, struct draft_files *files, uint32_t file,
                                 size_t *number, struct tm_error *err)
{
    const char *path = path_of(m, file);
    if (path == NULL)
        return tm_error_set(err, TM_E_INPUT, "file %u has a hint, but no path by which a manifest could name it", file);
    struct tm_probe probe = tm_probe(&files->index, tm_index_hash_bytes(&files->index, path, strlen(path)));
    for (uint32_t row; (row = tm_probe_next(&files->index, &probe)) != TM_INDEX_NONE;)
        if (strcmp(files->draft.files[row].name, path) == 0) {
            *number = row;
            return TM_OK;
        }
    *number = files->draft.count;
    return add_file(files, path, err);
}

/* Gives the draft's files, which are the entries of CONFIG, the names of their machines. */
static enum tm_status draft_names(const Tracemerge__Config *config, struct tm_draft *draft, struct tm_error *err)
{
    struct tm_map machines = {0}; /* by raw id */
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st >= 0 && i < config->n_machines; i++)
        st = tm_map_add(&machines, (uint64_t)config->machines[i]->raw_id, i);
    if (st < 0)
        (void)tm_error_nomem(err);
    for (size_t i = 0; st >= 0 && i < config->n_entries; i++) {
        uint32_t machine;
        const bool has_name = tm_map_find(&machines, (uint64_t)config->entries[i]->machine_raw_id, &machine);
        const ProtobufCBinaryData name = has_name ? config->machines[machine]->name : tm_bytes("", 0);
        if (config->entries[i]->whole_file)
            st = tm_draft_name(draft, i, name.data, name.len, err);
    }
    tm_map_release(&machines);
    return st;
}

/* Adds a relation of the configuration. */
static enum tm_status draft_edge(const Tracemerge__ConfigEdge *edge, struct tm_draft *draft, struct tm_error *err)
{
    struct tm_draft_relation relation = {.clock = name_of_clock(edge->source->clock),
                                         .reference_clock = name_of_clock(edge->reference->clock),
                                         .reference = edge->reference_entry,
                                         .offset_ns = edge->reference_ns - edge->source_ns};
    return tm_draft_relate(draft, edge->entry, &relation, err);
}

/* Copies the relations of the configuration. Their paths are strings in TEXT. */
static enum tm_status draft_config(const Tracemerge__Config *config, struct tm_buf *text, struct draft_files *files,
                                   struct tm_error *err)
{
    struct tm_draft *draft = &files->draft;
    enum tm_status st = TM_OK;
    size_t at = 0;
    for (size_t i = 0; i < config->n_entries; i++)
        if (tm_buf_add(text, config->entries[i]->path.data, config->entries[i]->path.len) != TM_OK ||
            tm_buf_add_byte(text, '\0') != TM_OK)
            return tm_error_nomem(err);
    for (size_t i = 0; st >= 0 && i < config->n_entries; i++) {
        const char *path = (const char *)text->data + at;
        at += config->entries[i]->path.len + 1;
        st = add_file(files, path, err);
    }
    if (st >= 0)
        st = draft_names(config, draft, err);
    for (size_t i = 0; st >= 0 && i < config->n_edges; i++)
        st = draft_edge(config->edges[i], draft, err);
    const Tracemerge__ConfigTraceTime *t = config->trace_time;
    if (st < 0 || t == NULL)
        return st;
    for (size_t i = 0; i < config->n_entries; i++)
        if (!t->first_machine && config->entries[i]->machine_raw_id == t->machine_raw_id)
            return tm_draft_set_trace_time(draft, name_of_clock(t->clock), &i, err);
    return tm_draft_set_trace_time(draft, name_of_clock(t->clock), NULL, err);
}

static enum tm_status make_draft(const struct relations *r, struct draft_files *files, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st >= 0 && i < r->count; i++) {
        const struct relation *stated = &r->all[i];
        struct tm_draft_relation relation = {.clock = name_of_clock(stated->clock),
                                             .reference_clock = name_of_clock(stated->reference_clock),
                                             .offset_ns = stated->offset_ns};
        size_t file = 0;
        st = draft_file(r->m, files, stated->file, &file, err);
        if (st >= 0)
            st = draft_file(r->m, files, stated->reference, &relation.reference, err);
        if (st >= 0)
            st = tm_draft_relate(&files->draft, file, &relation, err);
    }
    return st;
}

/* Adds relations for all hints that became edges. The first hint of each file comes first; a later one then knows which
 * files have no relation. */
static enum tm_status relate_all(struct relations *r, const struct tm_clock_hints *hints, struct tm_error *err)
{
    bool *is_related = calloc((size_t)hints->count + 1, sizeof *is_related);
    enum tm_status st = is_related ? TM_OK : tm_error_nomem(err);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; st >= 0 && i < hints->count; i++) {
            const struct tm_clock_hint *hint = &hints->hints[i];
            if (!hint->is_edge || is_related[i] || (pass == 0 && r->facts[hint->file].has_relation))
                continue;
            is_related[i] = true;
            st = relate(r, hint, err);
        }
    free(is_related);
    return st;
}

/* Sets *NUMBER to that of machine RAW_ID, which is added if it is new. TM_OK or TM_E_SYSTEM. */
static enum tm_status number_machine(struct relations *r, int64_t raw_id, uint32_t *number, struct tm_error *err)
{
    if (tm_map_find(&r->numbers, (uint64_t)raw_id, number))
        return TM_OK;
    *number = r->machine_count;
    if (tm_array_grow(&r->machines, &r->machine_cap, r->machine_count, sizeof *r->machines, err) < 0)
        return TM_E_SYSTEM;
    r->machines[r->machine_count++] = (struct machine){.first = NO_FILE};
    return tm_map_set(&r->numbers, (uint64_t)raw_id, *number) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* The entries of a configuration, found by their paths. */
struct entries {
    const Tracemerge__Config *config; /* may be NULL */
    struct tm_index index;
    bool *has_relation; /* by entry */
};

/* Returns the number of the entry with PATH, or TM_INDEX_NONE. */
static uint32_t find_entry(const struct entries *e, ProtobufCBinaryData path)
{
    struct tm_probe probe = tm_probe(&e->index, tm_index_hash_bytes(&e->index, path.data, path.len));
    for (uint32_t i; (i = tm_probe_next(&e->index, &probe)) != TM_INDEX_NONE;) {
        const ProtobufCBinaryData *name = &e->config->entries[i]->path;
        if (name->len == path.len && memcmp(name->data, path.data, path.len) == 0)
            return i;
    }
    return TM_INDEX_NONE;
}

/* Of entries with one path the first is found. */
static enum tm_status index_entries(struct entries *e, struct tm_error *err)
{
    const Tracemerge__Config *config = e->config;
    const size_t count = config ? config->n_entries : 0;
    tm_index_seed(&e->index);
    if ((e->has_relation = calloc(count + 1, sizeof *e->has_relation)) == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < count; i++) {
        const ProtobufCBinaryData path = config->entries[i]->path;
        if (find_entry(e, path) == TM_INDEX_NONE &&
            tm_index_add(&e->index, tm_index_hash_bytes(&e->index, path.data, path.len), i) < 0)
            return tm_error_nomem(err);
    }
    for (size_t i = 0; config && i < config->n_edges; i++)
        if (config->edges[i]->entry < count)
            e->has_relation[config->edges[i]->entry] = true;
    return TM_OK;
}

/* Notes what is known of FILE, in front of the files of its machine. */
static enum tm_status note_file(struct relations *r, const struct entries *e, uint32_t file, struct tm_error *err)
{
    struct facts *facts = &r->facts[file];
    const char *path = path_of(r->m, file);
    const uint32_t entry = path ? find_entry(e, tm_bytes_str(path)) : TM_INDEX_NONE;
    int64_t raw_id = 0;
    if (entry != TM_INDEX_NONE) {
        raw_id = e->config->entries[entry]->machine_raw_id;
        facts->has_relation = e->has_relation[entry];
    }
    if (number_machine(r, raw_id, &facts->machine, err) < 0)
        return err->status;
    struct machine *machine = &r->machines[facts->machine];
    if (path && r->m->files[file].is_trace) {
        facts->next = machine->first;
        machine->first = machine->free = file;
    }
    return TM_OK;
}

/* Notes what is known of all files. */
static enum tm_status note_files(struct relations *r, const struct tm_clock_hints *hints, struct tm_error *err)
{
    struct entries entries = {.config = r->m->config};
    enum tm_status st = index_entries(&entries, err);
    for (uint32_t file = r->m->count; file > 0 && st >= 0; file--)
        st = note_file(r, &entries, file - 1, err);
    for (uint32_t i = 0; st >= 0 && i < hints->count; i++)
        r->facts[hints->hints[i].file].has_hint |= hints->hints[i].is_edge;
    tm_index_release(&entries.index);
    free(entries.has_relation);
    return st;
}

static void release_relations(struct relations *r)
{
    tm_map_release(&r->numbers);
    tm_map_release(&r->groups);
    free(r->machines);
    free(r->facts);
    free(r->all);
}

enum tm_status tm_hint_manifest_make(const struct tm_hint_manifest *m, const struct tm_clock_hints *hints,
                                     struct tm_buf *text, struct tm_error *err)
{
    struct relations r = {.m = m,
                          .all = calloc((size_t)hints->count + 1, sizeof *r.all),
                          .facts = calloc((size_t)m->count + 1, sizeof *r.facts)};
    struct draft_files files = {0};
    struct tm_buf paths = {0};
    enum tm_status st = r.all && r.facts ? note_files(&r, hints, err) : tm_error_nomem(err);
    if (st >= 0)
        st = relate_all(&r, hints, err);
    if (st >= 0 && m->config)
        st = draft_config(m->config, &paths, &files, err);
    if (st >= 0)
        st = make_draft(&r, &files, err);
    if (st >= 0)
        st = tm_draft_manifest(&files.draft, text, err);
    if (st == TM_E_USAGE)
        err->status = st = TM_E_INPUT;
    tm_draft_release(&files.draft);
    tm_index_release(&files.index);
    tm_buf_release(&paths);
    release_relations(&r);
    return st;
}

void tm_hint_manifest_release(struct tm_hint_manifest *m)
{
    free(m->files);
    tm_buf_release(&m->names);
    *m = (struct tm_hint_manifest){0};
}

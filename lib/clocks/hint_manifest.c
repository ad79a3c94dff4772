#include "clocks/hint_manifest.h"

#include "base/checked.h"
#include "base/index.h"
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

/* Returns the configuration's entry for FILE, or NULL. */
static const Tracemerge__ConfigEntry *entry_of(const struct tm_hint_manifest *m, uint32_t file)
{
    const char *path = path_of(m, file);
    for (size_t i = 0; path && m->config && i < m->config->n_entries; i++) {
        const ProtobufCBinaryData *name = &m->config->entries[i]->path;
        if (name->len == strlen(path) && memcmp(name->data, path, name->len) == 0)
            return m->config->entries[i];
    }
    return NULL;
}

static bool is_same_machine(const struct tm_hint_manifest *m, uint32_t a, uint32_t b)
{
    const Tracemerge__ConfigEntry *x = entry_of(m, a), *y = entry_of(m, b);
    return (x ? x->machine_raw_id : 0) == (y ? y->machine_raw_id : 0);
}

/* True if the configuration relates a clock of FILE. */
static bool is_configured(const struct tm_hint_manifest *m, uint32_t file)
{
    const Tracemerge__ConfigEntry *entry = entry_of(m, file);
    for (size_t i = 0; entry && i < m->config->n_edges; i++)
        if (m->config->edges[i]->entry < m->config->n_entries &&
            m->config->entries[m->config->edges[i]->entry] == entry)
            return true;
    return false;
}

/* States that clock CLOCK of FILE reads T when REFERENCE_CLOCK of REFERENCE reads T + offset_ns. A NULL clock is the
 * file's own timeline. */
struct relation {
    uint32_t file, reference;
    const char *clock, *reference_clock;
    int64_t offset_ns;
};

struct relations {
    const struct tm_hint_manifest *m;
    struct relation *all; /* at most one for each hint */
    size_t count;
    bool *is_of_file; /* by file: one of them is the file's */
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

static bool has_relation(const struct relations *r, uint32_t file)
{
    return r->is_of_file[file] || is_configured(r->m, file);
}

static bool has_hint(const struct tm_clock_hints *hints, uint32_t file)
{
    for (uint32_t i = 0; i < hints->count; i++)
        if (hints->hints[i].is_edge && hints->hints[i].file == file)
            return true;
    return false;
}

/* Returns a trace whose entry can state a relation between clocks of FILE's machine, or NO_FILE. */
static uint32_t find_file_without_relation(const struct relations *r, const struct tm_clock_hints *hints, uint32_t file)
{
    for (uint32_t i = 0; i < r->m->count; i++)
        if (r->m->files[i].is_trace && !has_relation(r, i) && !has_hint(hints, i) && path_of(r->m, i) &&
            is_same_machine(r->m, i, file))
            return i;
    return NO_FILE;
}

/* Returns another trace of the machine that has a path, or NO_FILE. */
static uint32_t find_other(const struct tm_hint_manifest *m, uint32_t file)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (i != file && m->files[i].is_trace && path_of(m, i) && is_same_machine(m, i, file))
            return i;
    return NO_FILE;
}

static enum tm_status too_far(struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "the offset that hints state is out of range for a manifest");
}

/* Relates files that refer to the reference clock of STATED to the clock of STATED itself. */
static enum tm_status compose(struct relations *r, const struct relation *stated, struct tm_error *err)
{
    for (size_t i = 0; i < r->count; i++) {
        struct relation *other = &r->all[i];
        if (other->file == stated->file || other->reference_clock == NULL ||
            !is_same_machine(r->m, other->file, stated->file) ||
            strcmp(other->reference_clock, stated->reference_clock) != 0)
            continue;
        if (!tm_sub_i64(other->offset_ns, stated->offset_ns, &other->offset_ns))
            return too_far(err);
        other->reference = stated->file;
        other->reference_clock = stated->clock;
    }
    return TM_OK;
}

static enum tm_status relate(struct relations *r, const struct tm_clock_hints *hints, const struct tm_clock_hint *hint,
                             struct tm_error *err)
{
    struct relation stated = {.file = hint->file,
                              .reference = hint->file,
                              .clock = name_of_clock(hint->from_clock),
                              .reference_clock = name_of_clock(hint->to_clock)};
    /* A relation between two clocks of one id: FILE's clock is isolated, and the clock of another file stands for that
     * of the machine. */
    if (hint->from_clock == hint->to_clock)
        stated.reference = find_other(r->m, hint->file);
    if ((stated.clock && check_name(hint->from_clock, err) < 0) || check_name(hint->to_clock, err) < 0)
        return err->status;
    if (!tm_sub_i64(hint->to_ns, hint->from_ns, &stated.offset_ns))
        return too_far(err);
    if (has_relation(r, hint->file)) {
        const char *clock = stated.clock;
        if ((stated.file = find_file_without_relation(r, hints, hint->file)) == NO_FILE) {
            stated.file = hint->file;
            return compose(r, &stated, err);
        }
        if (!tm_sub_i64(0, stated.offset_ns, &stated.offset_ns))
            return too_far(err);
        stated.clock = stated.reference_clock;
        stated.reference_clock = clock;
    }
    r->is_of_file[stated.file] = true;
    r->all[r->count++] = stated;
    return TM_OK;
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

/* Returns the name of machine RAW_ID of CONFIG, which has it. */
static ProtobufCBinaryData machine_name(const Tracemerge__Config *config, int64_t raw_id)
{
    for (size_t i = 0; i < config->n_machines; i++)
        if (config->machines[i]->raw_id == raw_id)
            return config->machines[i]->name;
    return tm_bytes("", 0);
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
        const Tracemerge__ConfigEntry *entry = config->entries[i];
        const char *path = (const char *)text->data + at;
        at += entry->path.len + 1;
        st = add_file(files, path, err);
        ProtobufCBinaryData name = machine_name(config, entry->machine_raw_id);
        if (st >= 0 && entry->whole_file)
            st = tm_draft_name(draft, i, name.data, name.len, err);
    }
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
    for (size_t i = 0; st >= 0 && i < r->count; i++) {
        const struct relation *stated = &r->all[i];
        struct tm_draft_relation relation = {
            .clock = stated->clock, .reference_clock = stated->reference_clock, .offset_ns = stated->offset_ns};
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
            if (!hint->is_edge || is_related[i] || (pass == 0 && has_relation(r, hint->file)))
                continue;
            is_related[i] = true;
            st = relate(r, hints, hint, err);
        }
    free(is_related);
    return st;
}

enum tm_status tm_hint_manifest_make(const struct tm_hint_manifest *m, const struct tm_clock_hints *hints,
                                     struct tm_buf *text, struct tm_error *err)
{
    struct relations r = {.m = m,
                          .all = calloc((size_t)hints->count + 1, sizeof *r.all),
                          .is_of_file = calloc((size_t)m->count + 1, sizeof *r.is_of_file)};
    struct draft_files files = {0};
    struct tm_buf paths = {0};
    enum tm_status st = r.all && r.is_of_file ? relate_all(&r, hints, err) : tm_error_nomem(err);
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
    free(r.is_of_file);
    free(r.all);
    return st;
}

void tm_hint_manifest_release(struct tm_hint_manifest *m)
{
    free(m->files);
    tm_buf_release(&m->names);
    *m = (struct tm_hint_manifest){0};
}

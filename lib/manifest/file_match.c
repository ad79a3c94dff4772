#include "manifest/file_match.h"

#include "base/path.h"
#include "base/table.h"
#include "stream/field_text.h"
#include "stream/input_type.h"

#include <stdlib.h>

static const uint32_t NO_FILE = UINT32_MAX;

enum file_kind { KIND_TRACE, KIND_UNKNOWN, KIND_COMPRESSED, KIND_ARCHIVE, KIND_DIRECTORY, KIND_MANIFEST };

struct tm_matched_file {
    uint32_t parent; /* NO_FILE: the outermost */
    uint32_t entry;
    size_t name_at; /* in names, with name_len */
    uint32_t name_len;
    uint8_t kind; /* enum file_kind; KIND_TRACE while it is not known */
    bool has_heir; /* a file inside this one has taken its entry over */
    bool has_archive; /* it is a compressed file with an archive inside */
    bool has_rank, is_host_of_several;
    uint16_t host_len; /* of the host that it states, which is stored after its name */
    uint64_t rank, world_size;
};

/* How a path matched. A nearer match hides a farther one. */
enum nearness { EXACT, BESIDE, WITHOUT_DOT, BASE_NAME };

struct tm_path_match {
    uint32_t file; /* NO_FILE: none */
    enum nearness nearness;
    bool is_for_one; /* it relates a clock that each file has for itself, so two files cannot share the entry */
    uint32_t base;   /* number of the path's base name in bases */
};

static enum file_kind kind_of(ProtobufCBinaryData type)
{
    if (type.len == 0)
        return KIND_TRACE;
    switch (tm_input_type_of(tm_text_of(type))) {
    case TM_INPUT_GZIP:
    case TM_INPUT_ZSTD:
    case TM_INPUT_CTRACE: return KIND_COMPRESSED;
    case TM_INPUT_TAR:
    case TM_INPUT_ZIP: return KIND_ARCHIVE;
    case TM_INPUT_DIRECTORY: return KIND_DIRECTORY;
    case TM_INPUT_MANIFEST: return KIND_MANIFEST;
    case TM_INPUT_UNKNOWN: return KIND_UNKNOWN;
    default: return KIND_TRACE;
    }
}

static const char *name_of(const struct tm_file_match *match, const struct tm_matched_file *file)
{
    return file->name_len ? (const char *)match->names.data + file->name_at : "";
}

static struct tm_manifest_quoted quote_path(const struct tm_file_match *match, uint32_t entry)
{
    const char *path = match->manifest->fields.files[entry].path;
    return tm_manifest_quote(path, strlen(path));
}

static bool has_override(const struct tm_file_match *match, uint32_t entry)
{
    const struct tm_manifest_file *file = &match->manifest->fields.files[entry];
    return file->machine || file->has_machines || file->clocks.given;
}

static enum tm_status check_override(const struct tm_file_match *match, const struct tm_matched_file *file,
                                     struct tm_error *err)
{
    bool is_archive = file->kind == KIND_ARCHIVE || file->kind == KIND_DIRECTORY;
    if (file->entry == TM_NO_ENTRY || !(is_archive || file->kind == KIND_MANIFEST))
        return TM_OK;
    if (!has_override(match, file->entry))
        return TM_OK;
    return tm_error_set(err, TM_E_INPUT,
                        "perfetto_manifest: overrides are not supported for trace files which are themselves archives "
                        "or perfetto_manifest files: %s, %s",
                        quote_path(match, file->entry).text,
                        file->kind == KIND_MANIFEST ? "a perfetto_manifest" : "an archive");
}

/* Records that the path of PATH_ENTRY matches FILE. */
static enum tm_status claim(struct tm_file_match *match, uint32_t path_entry, uint32_t file, enum nearness nearness,
                            struct tm_error *err)
{
    struct tm_path_match *m = &match->matches[path_entry];
    struct tm_matched_file *f = &match->files[file];
    if (m->file == file || (m->file != NO_FILE && m->nearness < nearness))
        return TM_OK;
    if (m->file != NO_FILE)
        return tm_error_set(err, TM_E_INPUT, "perfetto_manifest: files[%u]: path '%s' matches two files", path_entry,
                            quote_path(match, path_entry).text);
    if (f->entry != TM_NO_ENTRY)
        return tm_error_set(err, TM_E_INPUT, "perfetto_manifest: paths '%s' and '%s' match the same file",
                            quote_path(match, f->entry).text, quote_path(match, path_entry).text);
    m->file = file;
    m->nearness = nearness;
    f->entry = path_entry;
    return check_override(match, f, err);
}

/* Notes FILE as the one that a path with the same base name may mean, if no path matches FILE itself. The first such
 * file is kept, and before all others one whose name is a path with "./" in front, as `tar cf x.tar .' makes them. */
static enum tm_status note_alike(struct tm_file_match *match, uint32_t file, struct tm_error *err)
{
    const struct tm_matched_file *f = &match->files[file];
    const char *name = name_of(match, f), *base = tm_path_base(name), *bare = tm_path_bare(name);
    uint32_t id, entry;
    if (f->entry != TM_NO_ENTRY || strlen(name) != f->name_len ||
        !tm_intern_find(&match->bases, base, strlen(base), &id) ||
        (match->alike[id] && !tm_intern_find(&match->paths, bare, strlen(bare), &entry)))
        return TM_OK;
    match->alike[id] = match->alike_names.len + 1;
    return tm_buf_add(&match->alike_names, name, f->name_len + 1) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Claims FILE for the entry whose path is its name, or a part of it that NEARNESS allows, if there is one. */
static enum tm_status claim_near(struct tm_file_match *match, uint32_t file, enum nearness nearness,
                                 struct tm_error *err)
{
    const char *name = name_of(match, &match->files[file]);
    const char *start = name, *end = name + match->files[file].name_len;
    size_t beside = match->beside_len;
    if (nearness == BESIDE) {
        const char *manifest = name_of(match, &match->files[match->manifest_file]);
        if (beside == 0 || (size_t)(end - name) <= beside || memcmp(name, manifest, beside) != 0)
            return TM_OK;
        start += beside;
    }
    while (nearness == WITHOUT_DOT && end - start > 2 && memcmp(start, "./", 2) == 0)
        start += 2;
    for (const char *p = name; nearness == BASE_NAME && p < end; p++)
        if (*p == '/')
            start = p + 1;
    uint32_t entry;
    bool is_path = start < end && tm_intern_find(&match->paths, start, (size_t)(end - start), &entry);
    return is_path ? claim(match, entry, file, nearness, err) : TM_OK;
}

/* True if a path can name FILE. In an archive and on a command line that holds for its direct children. In a stream of
 * documents it also holds for what compressed streams and one archive in it contain. */
static bool is_nameable(const struct tm_file_match *match, const struct tm_matched_file *file)
{
    uint32_t parent = match->named_parent, at = file->parent;
    bool is_stream = match->files[parent].kind != KIND_ARCHIVE && match->files[parent].kind != KIND_DIRECTORY;
    unsigned archives = 0;
    while (is_stream && at != NO_FILE && at != parent) {
        enum file_kind kind = (enum file_kind)match->files[at].kind;
        archives += kind == KIND_ARCHIVE;
        if (archives > 1 || (kind != KIND_ARCHIVE && kind != KIND_COMPRESSED))
            return false;
        at = match->files[at].parent;
    }
    return at == parent;
}

/* Gives FILE the entry of the file around it: of a compressed file, or of a trace that FILE follows as another
 * document. Bytes of unknown type after a document get none. */
static enum tm_status inherit(struct tm_file_match *match, uint32_t file, struct tm_error *err)
{
    struct tm_matched_file *f = &match->files[file];
    struct tm_matched_file *around = f->parent == NO_FILE ? NULL : &match->files[f->parent];
    if (around == NULL || around->entry == TM_NO_ENTRY || f->entry != TM_NO_ENTRY || f->kind == KIND_UNKNOWN ||
        (around->kind != KIND_COMPRESSED && around->kind != KIND_TRACE))
        return TM_OK;
    bool is_second = around->has_heir || around->kind == KIND_TRACE;
    if (is_second && match->matches[around->entry].is_for_one)
        return tm_error_set(err, TM_E_INPUT, "perfetto_manifest: files[%u]: path '%s' matches two files", around->entry,
                            quote_path(match, around->entry).text);
    around->has_heir = true;
    f->entry = around->entry;
    return check_override(match, f, err);
}

static enum tm_status reserve(struct tm_file_match *match)
{
    return tm_array_grow(&match->files, &match->file_cap, match->file_count, sizeof *match->files, NULL);
}

enum tm_status tm_file_match_add(struct tm_file_match *match, const Tracemerge__File *file, uint32_t *entry,
                                 struct tm_error *err)
{
    uint32_t id = match->file_count;
    *entry = TM_NO_ENTRY;
    if (file->id != id || id == NO_FILE || (file->has_parent ? file->parent >= id : id != 0))
        return tm_error_set(err, TM_E_INPUT, "file %u: ids of files are not consecutive", file->id);
    if (match->closed) {
        match->file_count++;
        return TM_OK;
    }
    /* The outermost file has no name in an archive, but may have one on the command line. */
    ProtobufCBinaryData name = file->has_name ? file->name : file->given_name;
    ProtobufCBinaryData host = {0};
    if (file->has_host && file->host.len <= UINT8_MAX)
        host = file->host;
    size_t name_at = match->names.len;
    if (reserve(match) != TM_OK || name.len > UINT32_MAX || tm_buf_add(&match->names, name.data, name.len) != TM_OK ||
        tm_buf_add_byte(&match->names, '\0') != TM_OK ||
        (host.len && (tm_buf_add(&match->names, host.data, host.len) != TM_OK ||
                      tm_buf_add_byte(&match->names, '\0') != TM_OK)))
        return tm_error_nomem(err);
    struct tm_matched_file *f = &match->files[id];
    *f = (struct tm_matched_file){.parent = file->has_parent ? file->parent : NO_FILE, .entry = TM_NO_ENTRY,
                                  .name_at = name_at, .name_len = (uint32_t)name.len,
                                  .kind = (uint8_t)kind_of(file->type), .has_archive = file->has_archive,
                                  .host_len = (uint16_t)host.len, .is_host_of_several = file->is_host_of_several,
                                  .has_rank = file->has_rank, .rank = file->rank, .world_size = file->world_size};
    match->file_count++;
    if (match->manifest == NULL)
        return TM_OK;
    enum tm_status st = is_nameable(match, f) ? claim_near(match, id, EXACT, err) : TM_OK;
    if (st == TM_OK && is_nameable(match, f))
        st = note_alike(match, id, err);
    if (match->trace_began)
        tm_buf_clear(&match->names);
    if (st == TM_OK)
        st = inherit(match, id, err);
    *entry = f->entry;
    return st;
}

enum tm_status tm_file_match_type(struct tm_file_match *match, uint32_t file, ProtobufCBinaryData type,
                                  struct tm_error *err)
{
    if (file >= match->file_count)
        return tm_error_set(err, TM_E_INPUT, "file %u begins but is not known", file);
    if (match->closed)
        return TM_OK;
    match->files[file].kind = (uint8_t)kind_of(type);
    return check_override(match, &match->files[file], err);
}

/* Returns the row whose children a manifest in FILE names: the archive or concatenated stream around it. It makes no
 * difference whether the manifest itself is compressed. */
static uint32_t find_named_parent(const struct tm_file_match *match, uint32_t file)
{
    const struct tm_matched_file *files = match->files;
    uint32_t parent = files[file].parent == NO_FILE ? file : files[file].parent;
    while (files[parent].kind == KIND_COMPRESSED && files[parent].parent != NO_FILE)
        parent = files[parent].parent;
    return parent;
}

/* Finds the directory of a manifest that was given by name. Its paths may also name files beside it. */
static void find_beside(struct tm_file_match *match, uint32_t file)
{
    const struct tm_matched_file *f = &match->files[file];
    const char *name = name_of(match, f);
    match->manifest_file = file;
    for (uint32_t i = 0; i < f->name_len; i++)
        if (name[i] == '/')
            match->beside_len = i + 1;
}

static enum tm_status index_paths(struct tm_file_match *match)
{
    const struct tm_manifest_fields *fields = &match->manifest->fields;
    tm_intern_init(&match->paths, 1 << 30, SIZE_MAX / 2);
    tm_intern_init(&match->bases, 1 << 30, SIZE_MAX / 2);
    match->matches = calloc(fields->file_count + 1, sizeof *match->matches);
    match->alike = calloc(fields->file_count + 1, sizeof *match->alike);
    if (match->matches == NULL || match->alike == NULL)
        return TM_E_SYSTEM;
    for (size_t i = 0; i < fields->file_count; i++) {
        uint32_t id;
        const char *path = fields->files[i].path, *base = tm_path_base(path);
        /* Paths are unique, so the number of a path is the index of its entry. */
        if (tm_intern_add(&match->paths, path, strlen(path), &id, NULL) != TM_OK ||
            tm_intern_add(&match->bases, base, strlen(base), &match->matches[i].base, NULL) != TM_OK)
            return TM_E_SYSTEM;
        match->matches[i].file = NO_FILE;
    }
    for (size_t i = 0; i < match->manifest->config.message.n_edges; i++) {
        const Tracemerge__ConfigEdge *edge = match->manifest->config.message.edges[i];
        const Tracemerge__ConfigClock *clocks[] = {edge->source, edge->reference};
        for (int k = 0; k < 2; k++)
            if (clocks[k]->has_entry)
                match->matches[clocks[k]->entry].is_for_one = true;
    }
    return TM_OK;
}

/* Finds the entries of the files known so far. Nearer matches come first. */
static enum tm_status match_known(struct tm_file_match *match, struct tm_error *err)
{
    if (match->file_count == 0)
        return TM_OK;
    enum file_kind kind = (enum file_kind)match->files[match->named_parent].kind;
    /* Children of a directory were given on the command line, and so was a lone trace. */
    enum nearness farthest = kind == KIND_ARCHIVE ? EXACT : BASE_NAME;
    enum tm_status st = TM_OK;
    for (enum nearness near = EXACT; near <= farthest; near++) {
        for (uint32_t i = 0; i < match->file_count && st == TM_OK; i++) {
            const struct tm_matched_file *f = &match->files[i];
            bool outermost = f->parent == NO_FILE && f->kind != KIND_ARCHIVE && f->kind != KIND_DIRECTORY;
            if (outermost || (is_nameable(match, f) && (near == EXACT || kind == KIND_DIRECTORY)))
                st = claim_near(match, i, near, err);
        }
    }
    for (uint32_t i = 0; i < match->file_count && st == TM_OK; i++) {
        st = inherit(match, i, err);
        if (st == TM_OK && is_nameable(match, &match->files[i]))
            st = note_alike(match, i, err);
    }
    return st;
}

enum tm_status tm_file_match_configure(struct tm_file_match *match, const struct tm_manifest *manifest,
                                       const uint32_t *file, struct tm_error *err)
{
    match->manifest = manifest;
    if (file && *file >= match->file_count)
        return tm_error_set(err, TM_E_INPUT, "the manifest's file %u is not known", *file);
    if (index_paths(match) != TM_OK)
        return tm_error_nomem(err);
    match->named_parent = file ? find_named_parent(match, *file) : 0;
    if (file)
        find_beside(match, *file);
    return match_known(match, err);
}

static enum tm_status draft_file(const struct tm_file_match *match, const struct tm_matched_file *f, const char *name,
                                 struct tm_draft *draft, struct tm_error *err)
{
    enum tm_status st = tm_draft_add(draft, name, name, err);
    if (st < 0)
        return st;
    struct tm_draft_file *file = &draft->files[draft->count - 1];
    file->is_archive = f->kind == KIND_ARCHIVE || f->has_archive;
    file->has_rank = f->has_rank;
    file->rank = f->rank;
    file->world_size = f->world_size;
    file->host = f->host_len ? (const char *)match->names.data + f->name_at + f->name_len + 1 : NULL;
    file->is_host_of_several = f->is_host_of_several;
    return TM_OK;
}

enum tm_status tm_file_match_draft(const struct tm_file_match *match, struct tm_draft *draft, struct tm_error *err)
{
    struct tm_intern seen;
    enum tm_status st = TM_OK;
    tm_intern_init(&seen, 1 << 30, SIZE_MAX / 2);
    for (uint32_t i = 1; i < match->file_count && st == TM_OK; i++) {
        const struct tm_matched_file *f = &match->files[i];
        const char *name = name_of(match, f);
        uint32_t id;
        bool is_new = false;
        if (f->kind == KIND_MANIFEST || f->name_len == 0 || strlen(name) != f->name_len || !is_nameable(match, f))
            continue;
        if (tm_intern_add(&seen, name, f->name_len, &id, &is_new) != TM_OK)
            st = tm_error_nomem(err);
        else if (is_new)
            st = draft_file(match, f, name, draft, err);
    }
    tm_intern_release(&seen);
    if (match->file_count == 0 || match->files[0].name_len == 0)
        return st;
    const char *given = name_of(match, &match->files[0]);
    if (draft->count > 0)
        draft->root = given;
    else if (st == TM_OK && strlen(given) == match->files[0].name_len)
        st = draft_file(match, &match->files[0], given, draft, err);
    return st;
}

enum tm_status tm_file_match_names(const struct tm_file_match *match, struct tm_intern *names, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    uint32_t id;
    for (uint32_t i = 0; i < match->file_count && st == TM_OK; i++) {
        const char *name = name_of(match, &match->files[i]);
        const char *end = name + match->files[i].name_len;
        for (const char *p = name; p < end && st == TM_OK; p++)
            if (p == name || p[-1] == '/')
                st = tm_intern_add(names, p, (size_t)(end - p) + 1, &id, NULL); /* with the NUL */
    }
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_file_match_close(struct tm_file_match *match)
{
    tm_buf_release(&match->names);
    match->trace_began = true;
    if (match->manifest)
        return;
    free(match->files);
    match->files = NULL;
    match->file_cap = 0;
    match->closed = true;
}

uint32_t tm_file_match_entry(const struct tm_file_match *match, uint32_t file)
{
    return match->manifest && file < match->file_count ? match->files[file].entry : TM_NO_ENTRY;
}

struct tm_manifest_quoted tm_file_match_path(const struct tm_file_match *match, uint32_t file)
{
    struct tm_manifest_quoted path = {""};
    while (!match->trace_began && file < match->file_count) {
        const struct tm_matched_file *f = &match->files[file];
        struct tm_manifest_quoted name = tm_manifest_quote(name_of(match, f), f->name_len);
        if (f->parent == NO_FILE && f->name_len == 0 && f->kind != KIND_DIRECTORY)
            name = (struct tm_manifest_quoted){"standard input"};
        size_t len = strlen(name.text), inner = strlen(path.text);
        if (len && len + inner + sizeof ": " <= sizeof path.text) {
            size_t gap = inner ? sizeof ": " - 1 : 0;
            memmove(path.text + len + gap, path.text, inner + 1);
            memcpy(path.text, name.text, len);
            memcpy(path.text + len, ": ", gap);
        }
        file = f->parent; /* one that comes before it, or NO_FILE */
    }
    return path;
}

/* True if PATH, of an entry, matched no file. */
static bool is_absent(const struct tm_file_match *match, const char *path)
{
    uint32_t entry;
    return tm_intern_find(&match->paths, path, strlen(path), &entry) && match->matches[entry].file == NO_FILE;
}

void tm_file_match_unresolved(const struct tm_file_match *match, struct tm_manifest_problems *problems)
{
    if (match->manifest == NULL)
        return;
    const struct tm_manifest_fields *fields = &match->manifest->fields;
    for (uint32_t i = 0; i < fields->file_count; i++) {
        const struct tm_manifest_clocks *clocks = &fields->files[i].clocks;
        bool has_effect = clocks->given && match->matches[i].file != NO_FILE;
        if (!has_effect || clocks->ref_clock != TM_CLOCK_TRACE_FILE || !is_absent(match, clocks->ref_file))
            continue;
        tm_manifest_problems_at(problems, tm_json_text_place(fields->json, clocks->sync_to));
        tm_manifest_problems_add(problems, "clocks: sync_to.file '%s' matches no file whose timeline could be the "
                                           "reference (files[%u].clocks.sync_to)",
                                 tm_manifest_quote(clocks->ref_file, strlen(clocks->ref_file)).text, i);
    }
}

/* True if a trace without an entry has no name by which a path could match it. */
static bool has_nameless(const struct tm_file_match *match)
{
    for (uint32_t i = 0; i < match->file_count; i++) {
        const struct tm_matched_file *f = &match->files[i];
        if (f->name_len == 0 && f->kind == KIND_TRACE && f->entry == TM_NO_ENTRY && is_nameable(match, f))
            return true;
    }
    return false;
}

void tm_file_match_unmatched(const struct tm_file_match *match, struct tm_manifest_problems *problems)
{
    if (match->manifest == NULL)
        return;
    const struct tm_manifest_fields *fields = &match->manifest->fields;
    const char *nameless = has_nameless(match) ? "; there is one without a name (zcat loses the names of gzip members, "
                                                 "cat keeps them)"
                                               : "";
    for (uint32_t i = 0; i < fields->file_count; i++) {
        struct tm_manifest_quoted path = quote_path(match, i);
        const struct tm_path_match *m = &match->matches[i];
        if (m->file != NO_FILE)
            continue;
        const size_t alike = match->alike[m->base];
        const char *name = alike ? (const char *)match->alike_names.data + alike - 1 : "";
        tm_manifest_problems_at(problems, tm_json_text_place(fields->json, fields->files[i].item));
        if (alike)
            tm_manifest_problems_add(problems,
                                     "files[%u]: path '%s' matches no file; there is '%s', and paths are exact", i,
                                     path.text, tm_manifest_quote(name, strlen(name)).text);
        else
            tm_manifest_problems_add(problems, "files[%u]: path '%s' matches no file%s", i, path.text, nameless);
    }
}

void tm_file_match_release(struct tm_file_match *match)
{
    free(match->files);
    free(match->matches);
    free(match->alike);
    tm_buf_release(&match->names);
    tm_buf_release(&match->alike_names);
    tm_intern_release(&match->paths);
    tm_intern_release(&match->bases);
    *match = (struct tm_file_match){0};
}

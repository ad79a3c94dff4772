#include "manifest/manifest.h"

#include "manifest/unknown_keys.h"
#include "os/io.h"

#include <stdlib.h>
#include <string.h>

enum { READ_BYTES = 64 << 10 };

enum tm_status tm_manifest_read(struct tm_manifest *manifest, const void *text, size_t len, struct tm_error *err)
{
    manifest->source = text;
    manifest->source_len = len;
    enum tm_status st = tm_json_text_read(&manifest->json, text, len, &manifest->problems);
    if (st == TM_OK)
        st = tm_manifest_fields_read(&manifest->fields, &manifest->json, &manifest->problems);
    if (st == TM_OK)
        st = tm_manifest_config_make(&manifest->config, &manifest->fields, &manifest->problems);
    if (st == TM_OK)
        tm_unknown_keys_find(&manifest->json, &manifest->warnings);
    if (st == TM_E_SYSTEM)
        return tm_error_nomem(err);
    return tm_manifest_problems_status(&manifest->problems, err);
}

enum tm_status tm_manifest_read_fd(struct tm_manifest *manifest, int fd, struct tm_error *err)
{
    struct tm_buf *text = &manifest->text;
    enum tm_status st = TM_OK;
    while (st == TM_OK && text->len <= TM_JSON_TEXT_BYTES_MAX) {
        size_t got;
        if (tm_buf_reserve(text, READ_BYTES) != TM_OK)
            return tm_error_nomem(err);
        st = tm_io_read(fd, text->data + text->len, text->cap - text->len, &got, err);
        text->len += got;
    }
    return st < 0 ? st : tm_manifest_read(manifest, text->data, text->len, err);
}

/* Which entries are kept. */
struct kept_entries {
    struct tm_intern paths; /* of all entries: the number of a path is that of its entry, because paths are unique */
    bool *is_kept;
    uint32_t *todo; /* entries that are kept and whose references have not been followed */
    uint32_t todo_count;
};

/* Keeps the entry of PATH, if there is one and PATH is not NULL. */
static void keep_path(struct kept_entries *k, const char *path)
{
    uint32_t id;
    if (path == NULL || !tm_intern_find(&k->paths, path, strlen(path), &id) || k->is_kept[id])
        return;
    k->is_kept[id] = true;
    k->todo[k->todo_count++] = id;
}

static enum tm_status init_kept(struct kept_entries *k, const struct tm_manifest_fields *fields)
{
    enum tm_status st = TM_OK;
    tm_intern_init(&k->paths, 1 << 30, SIZE_MAX / 2);
    k->is_kept = calloc(fields->file_count + 1, sizeof *k->is_kept);
    k->todo = calloc(fields->file_count + 1, sizeof *k->todo);
    for (size_t i = 0; i < fields->file_count && st == TM_OK; i++)
        st = tm_intern_add(&k->paths, fields->files[i].path, strlen(fields->files[i].path), &(uint32_t){0}, NULL);
    return k->is_kept && k->todo ? st : TM_E_SYSTEM;
}

/* Replaces the source by the text of the entries that are kept. */
static enum tm_status keep_text(struct tm_manifest *manifest, const struct kept_entries *k)
{
    const struct tm_manifest_fields *fields = &manifest->fields;
    struct tm_buf *out = &manifest->kept_text;
    const char *source = manifest->source, *end = source;
    bool is_first = true;
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < fields->file_count && st == TM_OK; i++) {
        const struct tm_json_slice entry = tm_json_text_object(&manifest->json, fields->files[i].item);
        if (i == 0)
            st = tm_buf_add(out, source, (size_t)(entry.text - source));
        end = entry.text + entry.len;
        if (!k->is_kept[i])
            continue;
        if (st == TM_OK && !is_first)
            st = tm_buf_add_str(out, ",\n   ");
        if (st == TM_OK)
            st = tm_buf_add(out, entry.text, entry.len);
        is_first = false;
    }
    if (st == TM_OK)
        st = tm_buf_add(out, end, manifest->source_len - (size_t)(end - source));
    manifest->source = out->data;
    manifest->source_len = out->len;
    return st;
}

enum tm_status tm_manifest_keep(struct tm_manifest *manifest, const struct tm_intern *names, struct tm_error *err)
{
    struct tm_manifest_fields *fields = &manifest->fields;
    struct kept_entries k = {0};
    size_t count = 0;
    enum tm_status st = init_kept(&k, fields);
    for (uint32_t i = 0; i < names->count && st == TM_OK; i++) {
        size_t len;
        const char *name = (const char *)tm_intern_get(names, i, &len);
        keep_path(&k, name);
    }
    if (st == TM_OK)
        keep_path(&k, fields->trace_time_file);
    while (k.todo_count)
        keep_path(&k, fields->files[k.todo[--k.todo_count]].clocks.ref_file);
    if (st == TM_OK)
        st = keep_text(manifest, &k);
    for (size_t i = 0; i < fields->file_count && st == TM_OK; i++)
        if (k.is_kept[i])
            fields->files[count++] = fields->files[i];
        else
            tm_manifest_points_release(&fields->files[i].clocks.points);
    if (st == TM_OK) {
        fields->file_count = count;
        tm_manifest_config_release(&manifest->config);
        st = tm_manifest_config_make(&manifest->config, fields, &manifest->problems);
    }
    tm_intern_release(&k.paths);
    free(k.is_kept);
    free(k.todo);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_manifest_release(struct tm_manifest *manifest)
{
    tm_manifest_config_release(&manifest->config);
    tm_manifest_fields_release(&manifest->fields);
    tm_json_text_release(&manifest->json);
    tm_manifest_problems_release(&manifest->problems);
    tm_manifest_problems_release(&manifest->warnings);
    tm_buf_release(&manifest->text);
    tm_buf_release(&manifest->kept_text);
}

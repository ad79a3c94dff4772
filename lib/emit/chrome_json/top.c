#include "emit/chrome_json/top.h"

#include "base/hash.h"
#include "emit/chrome_json/shared_members.h"
#include "emit/paths.h"
#include "json/scan.h"
#include "stream/kind_name.h"

static void put_member(struct tm_out *out, const struct tm_json_top_member *m)
{
    tm_out_char(out, '"');
    tm_out_bytes(out, m->key.data, m->key.len);
    tm_out_str(out, "\":");
    tm_out_bytes(out, m->value.data, m->value.len);
}

static void put_shared_members(struct tm_json_frames *frames, const struct tm_json_shared_members *shared)
{
    for (uint32_t i = 0; i < shared->count; i++) {
        if (!tm_json_shared_members_is(shared, &shared->members[i]))
            continue;
        tm_out_str(&frames->writer->out, ",\n");
        put_member(&frames->writer->out, &shared->members[i].member);
    }
}

/* Readers search for `metadata` only at the top. If it differs between files, one with the members of all is written;
 * of equal keys the first counts. */
static enum tm_status put_metadata(struct tm_json_frames *frames, const struct tm_json_shared_members *shared,
                                   struct tm_error *err)
{
    struct tm_map keys = {0};
    enum tm_status st = TM_OK;
    uint32_t there;
    for (uint32_t i = 0; st == TM_OK && i < shared->count; i++) {
        const struct tm_json_top_member *m = &shared->members[i].member;
        struct tm_json_value all = {.data = m->value.data, .len = m->value.len, .type = TM_JSON_OBJECT}, key, value;
        struct tm_json_scan scan = tm_json_scan_of(&all);
        if (!tm_text_is(m->key, "metadata") || m->value.len == 0 || m->value.data[0] != '{' ||
            tm_json_shared_members_has(shared, &shared->members[i]))
            continue;
        scan.p++;
        while (st == TM_OK && tm_json_member(&scan, &key, &value) == TM_JSON_OK) {
            size_t quote = value.type == TM_JSON_STRING;
            uint64_t hash = tm_hash64(key.data, key.len);
            if (tm_map_find(&keys, hash, &there))
                continue;
            tm_out_str(&frames->writer->out, keys.count ? "," : ",\n\"metadata\":{");
            st = tm_map_set(&keys, hash, 1);
            put_member(&frames->writer->out,
                       &(struct tm_json_top_member){.key = {key.data, key.len},
                                                    .value = {value.data - quote, value.len + 2 * quote}});
        }
    }
    if (keys.count)
        tm_out_char(&frames->writer->out, '}');
    tm_map_release(&keys);
    return st < 0 ? tm_error_nomem(err) : tm_out_end_row(&frames->writer->out, err);
}

/* True if M is listed under its file. */
static bool is_of_file_alone(const struct tm_json_frames *frames, const struct tm_json_shared_members *shared,
                             const struct tm_json_keyed_member *m)
{
    return !tm_json_shared_members_has(shared, m) && !tm_json_frames_cover(frames, &m->member);
}

/* Puts the member "files": for each file an object of the members that are not shared. */
static enum tm_status put_files(struct tm_json_frames *frames, const struct tm_json_shared_members *shared,
                                struct tm_error *err)
{
    struct tm_out *out = &frames->writer->out;
    char path[TM_PATH_TEXT_MAX];
    uint32_t file = UINT32_MAX; /* of the member before */
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < shared->count; i++) {
        const struct tm_json_keyed_member *m = &shared->members[shared->by_file[i]];
        if (!is_of_file_alone(frames, shared, m))
            continue;
        if (m->member.file == file) {
            tm_out_char(out, ',');
        } else {
            tm_out_str(out, file == UINT32_MAX ? ",\n\"files\":{\n  " : "},\n  ");
            file = m->member.file;
            tm_catalog_path(frames->writer->context->catalog, file, path, sizeof path);
            tm_out_json_str(out, path);
            tm_out_str(out, ":{");
        }
        put_member(out, &m->member);
        st = tm_out_end_row(out, err);
    }
    if (file != UINT32_MAX)
        tm_out_str(out, "}\n}");
    return st;
}

/* Returns the name of the manifest attribute that M states, without the prefix of the stream; data NULL: M states
 * none. */
static struct tm_text attribute_of(const Tracemerge__Metadata *m)
{
    static const char prefix[] = "manifest_attribute.";
    const size_t len = sizeof prefix - 1;
    bool is_one = m->name.len > len && memcmp(m->name.data, prefix, len) == 0;
    return is_one ? (struct tm_text){m->name.data + len, m->name.len - len} : (struct tm_text){0};
}

/* Puts the attributes of the manifest as an object after BEFORE. False: there are none. */
static bool put_attributes(struct tm_out *out, const struct tm_catalog *c, const char *before)
{
    bool has_any = false;
    for (uint32_t i = 0; i < c->metadata_count; i++) {
        const Tracemerge__Metadata *m = c->metadata[i];
        struct tm_text key = attribute_of(m);
        if (key.data == NULL || m->value_case == TRACEMERGE__METADATA__VALUE__NOT_SET)
            continue;
        tm_out_str(out, has_any ? "" : before);
        tm_out_str(out, has_any ? "," : "\"manifest_attributes\":{");
        tm_out_json(out, key);
        tm_out_char(out, ':');
        if (m->value_case == TRACEMERGE__METADATA__VALUE_INT_VALUE)
            tm_out_i64(out, m->int_value);
        else
            tm_out_json(out, tm_text_of(m->str_value));
        has_any = true;
    }
    if (has_any)
        tm_out_char(out, '}');
    return has_any;
}

/* Puts how many events of each kind have no form, by file. */
static void put_left_out(struct tm_json_frames *frames)
{
    const struct tm_unsupported_counts *counts = frames->writer->context->unsupported;
    const struct tm_catalog *catalog = frames->writer->context->catalog;
    struct tm_out *out = &frames->writer->out;
    char path[TM_PATH_TEXT_MAX];
    bool has_files = false;
    for (uint32_t file = 0; counts && file < counts->file_count && file < catalog->file_count; file++) {
        bool has_kinds = false;
        for (uint32_t kind = 0; kind < TM_UNSUPPORTED_COUNTS_KINDS; kind++) {
            const char *name = tm_name_of_kind(kind);
            if (counts->files[file].events[kind] == 0)
                continue;
            if (!has_kinds) {
                tm_catalog_path(catalog, file, path, sizeof path);
                tm_out_str(out, has_files ? "," : ",\"left_out\":{");
                tm_out_json_str(out, path);
                tm_out_char(out, ':');
            }
            tm_out_char(out, has_kinds ? ',' : '{');
            tm_out_json_str(out, name ? name : "unknown");
            tm_out_char(out, ':');
            tm_out_u64(out, counts->files[file].events[kind]);
            has_files = has_kinds = true;
        }
        if (has_kinds)
            tm_out_char(out, '}');
    }
    if (has_files)
        tm_out_char(out, '}');
}

/* Puts the member "tracemerge" with the events that have no form and the attributes of the manifest, if there are
 * any. */
static void put_own_member(struct tm_json_frames *frames)
{
    static const char begin[] = ",\n\"tracemerge\":{";
    struct tm_out *out = &frames->writer->out;
    const uint64_t unsupported = frames->writer->unsupported_count;
    if (unsupported) {
        tm_out_str(out, begin);
        tm_out_str(out, "\"events_without_json_form\":");
        tm_out_u64(out, unsupported);
        put_left_out(frames);
    }
    if (put_attributes(out, frames->writer->context->catalog, unsupported ? "," : begin) || unsupported)
        tm_out_char(out, '}');
}

enum tm_status tm_json_top_write(struct tm_json_frames *frames, struct tm_error *err)
{
    struct tm_json_shared_members shared = {.count = 0};
    enum tm_status st = tm_json_frames_end(frames, err);
    if (st == TM_OK)
        st = tm_json_shared_members_read(&shared, frames, err);
    if (st == TM_OK) {
        put_shared_members(frames, &shared);
        st = put_metadata(frames, &shared, err);
    }
    if (st == TM_OK)
        st = tm_json_frames_write(frames, err);
    if (st == TM_OK)
        st = put_files(frames, &shared, err);
    tm_json_shared_members_release(&shared);
    if (st < 0)
        return st;
    put_own_member(frames);
    return tm_out_end_row(&frames->writer->out, err);
}

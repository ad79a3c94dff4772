#include "emit/chrome_json/top.h"

#include "base/hash.h"
#include "emit/names.h"
#include "json/scan.h"

/* True for members that state the origin of recorded times. It is valid for a file, not for the merged timeline. */
static bool is_about_time(struct tm_text key)
{
    return tm_text_is(key, "baseTimeNanoseconds") || tm_text_is(key, "beginningOfTime") ||
           tm_text_is(key, "viztracer_metadata");
}

/* True for members that state how times are displayed. Only files that have one count when files are compared. */
static bool is_about_display(struct tm_text key)
{
    return tm_text_is(key, "displayTimeUnit");
}

/* True if every Chrome JSON file has M's key with M's value, and M is the first. */
static bool is_shared(const struct tm_json_frames *frames, const struct tm_json_top_member *m)
{
    struct tm_pb pb = tm_json_top_members_all(frames->members);
    struct tm_json_top_member other = {0};
    uint32_t agree = 0;
    if (tm_json_frames_cover(frames, m))
        return false;
    if (is_about_time(m->key))
        return frames->inputs->json_count == 1 && frames->writer->context->catalog->file_count <= 2;
    while (tm_json_top_next(&pb, &other)) {
        if (!tm_text_equal(other.key, m->key))
            continue;
        if (!tm_text_equal(other.value, m->value) || other.file < m->file)
            return false;
        agree++;
    }
    return agree == frames->inputs->json_count || is_about_display(m->key);
}

/* True if the files share a member of M's key, which is written at the top. */
static bool is_shared_member(const struct tm_json_frames *frames, const struct tm_json_top_member *m)
{
    struct tm_pb pb = tm_json_top_members_all(frames->members);
    struct tm_json_top_member other = {0};
    while (tm_json_top_next(&pb, &other))
        if (tm_text_equal(other.key, m->key) && is_shared(frames, &other))
            return true;
    return false;
}

static void put_member(struct tm_out *out, const struct tm_json_top_member *m)
{
    tm_out_char(out, '"');
    tm_out_bytes(out, m->key.data, m->key.len);
    tm_out_str(out, "\":");
    tm_out_bytes(out, m->value.data, m->value.len);
}

static enum tm_status put_file_members(struct tm_json_frames *frames, uint32_t file, bool *has_files,
                                       struct tm_error *err)
{
    struct tm_pb pb = tm_json_top_members_all(frames->members);
    struct tm_json_top_member m = {0};
    bool has_members = false;
    while (tm_json_top_next(&pb, &m)) {
        char path[1024];
        if (m.file != file || tm_json_frames_cover(frames, &m) || is_shared_member(frames, &m))
            continue;
        if (!has_members) {
            tm_catalog_path(frames->writer->context->catalog, file, path, sizeof path);
            tm_out_str(&frames->writer->out, *has_files ? ",\n  " : ",\n\"files\":{\n  ");
            tm_out_json_str(&frames->writer->out, path);
            tm_out_str(&frames->writer->out, ":{");
        } else {
            tm_out_char(&frames->writer->out, ',');
        }
        *has_files = has_members = true;
        put_member(&frames->writer->out, &m);
    }
    if (has_members)
        tm_out_char(&frames->writer->out, '}');
    return tm_out_end_row(&frames->writer->out, err);
}

/* Readers search for `metadata` only at the top. If it differs between files, one with the members of all is written;
 * of equal keys the first counts. */
static enum tm_status put_metadata(struct tm_json_frames *frames, struct tm_error *err)
{
    struct tm_pb pb = tm_json_top_members_all(frames->members);
    struct tm_json_top_member m = {0};
    struct tm_map keys = {0};
    enum tm_status st = TM_OK;
    uint32_t there;
    while (st == TM_OK && tm_json_top_next(&pb, &m)) {
        struct tm_json_value all = {.data = m.value.data, .len = m.value.len, .type = TM_JSON_OBJECT}, key, value;
        struct tm_json_scan scan = tm_json_scan_of(&all);
        if (!tm_text_is(m.key, "metadata") || m.value.len == 0 || m.value.data[0] != '{' ||
            is_shared_member(frames, &m))
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
    char path[1024];
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
    struct tm_pb pb = tm_json_top_members_all(frames->members);
    struct tm_json_top_member m = {0};
    bool has_files = false;
    enum tm_status st = TM_OK;
    while (tm_json_top_next(&pb, &m)) {
        if (is_shared(frames, &m)) {
            tm_out_str(&frames->writer->out, ",\n");
            put_member(&frames->writer->out, &m);
        }
    }
    st = put_metadata(frames, err);
    if (st == TM_OK)
        st = tm_json_frames_write(frames, err);
    for (uint32_t file = 0;
         file < frames->writer->context->catalog->file_count && st == TM_OK && frames->members->bytes.len; file++)
        st = put_file_members(frames, file, &has_files, err);
    if (has_files)
        tm_out_str(&frames->writer->out, "\n}");
    put_own_member(frames);
    return st < 0 ? st : tm_out_end_row(&frames->writer->out, err);
}

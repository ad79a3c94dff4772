#include "emit/chrome_json/internal.h"

#include "base/hash.h"
#include "json/scan.h"

enum { TOP_BYTES_MAX = 64 << 20 };

/* A KEY with escapes is written in the usual form, so that equal names are equal. */
static enum tm_status plain_key(struct tm_json_out *j, struct tm_json_value *key, struct tm_buf *quoted)
{
    const uint8_t *name;
    size_t len;
    if (!key->escaped)
        return TM_OK;
    if (!tm_json_text(key, &j->scratch, &name, &len) || tm_json_put_string(quoted, name, len) != TM_OK)
        return TM_E_SYSTEM;
    key->data = quoted->data + 1;
    key->len = quoted->len - 2;
    return TM_OK;
}

enum tm_status tm_json_out_keep_top(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    struct tm_json_scan scan = {e->raw, e->raw + e->raw_bytes, true, NULL};
    struct tm_json_value key, value;
    size_t mark;
    if (!tm_json_space(&scan) || *scan.p != '"' || tm_json_string(&scan, &key) != TM_JSON_OK || !tm_json_space(&scan) ||
        *scan.p++ != ':' || !tm_json_space(&scan) || tm_json_value(&scan, &value) != TM_JSON_OK)
        return TM_OK;
    size_t quote = value.type == TM_JSON_STRING;
    if (j->top.len + e->raw_bytes > TOP_BYTES_MAX) {
        j->inexpressible++;
        tm_unsupported_counts_event(j->context->unsupported, e);
        return TM_OK;
    }
    struct tm_buf quoted = {0};
    enum tm_status st = plain_key(j, &key, &quoted);
    if (st == TM_OK && (tm_pb_begin(&j->top, 1, &mark) != TM_OK || tm_pb_put_varint(&j->top, 1, e->file) != TM_OK ||
                        tm_pb_put_bytes(&j->top, 2, key.data, key.len) != TM_OK ||
                        tm_pb_put_bytes(&j->top, 3, value.data - quote, value.len + 2 * quote) != TM_OK ||
                        tm_pb_end(&j->top, mark) != TM_OK))
        st = TM_E_SYSTEM;
    tm_buf_release(&quoted);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

static bool same(struct tm_text a, struct tm_text b)
{
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static bool is(struct tm_text a, const char *s)
{
    return a.len == strlen(s) && memcmp(a.data, s, a.len) == 0;
}

/* Members that state the origin of recorded times: valid for a file, not for the merged timeline. */
static bool is_about_time(struct tm_text key)
{
    return is(key, "baseTimeNanoseconds") || is(key, "beginningOfTime") || is(key, "viztracer_metadata");
}

/* True if every Chrome JSON file has M's key with M's value, and M is the first. */
static bool is_shared(const struct tm_json_out *j, const struct tm_json_top_member *m)
{
    struct tm_pb pb = tm_pb_of(j->top.data, j->top.len);
    struct tm_json_top_member other = {0};
    uint32_t agree = 0;
    if (tm_json_frames_take(j, m))
        return false;
    if (is_about_time(m->key))
        return j->json_files == 1 && j->context->catalog->file_count <= 2;
    while (tm_json_top_next(&pb, &other)) {
        if (!same(other.key, m->key))
            continue;
        if (!same(other.value, m->value) || other.file < m->file)
            return false;
        agree++;
    }
    return agree == j->json_files;
}

/* True if the files share a member of M's key, which is written at the top. */
static bool is_said(const struct tm_json_out *j, const struct tm_json_top_member *m)
{
    struct tm_pb pb = tm_pb_of(j->top.data, j->top.len);
    struct tm_json_top_member other = {0};
    while (tm_json_top_next(&pb, &other))
        if (same(other.key, m->key) && is_shared(j, &other))
            return true;
    return false;
}

static void put_member(struct tm_json_out *j, const struct tm_json_top_member *m)
{
    tm_out_char(&j->out, '"');
    tm_out_bytes(&j->out, m->key.data, m->key.len);
    tm_out_str(&j->out, "\":");
    tm_out_bytes(&j->out, m->value.data, m->value.len);
}

static enum tm_status put_file_members(struct tm_json_out *j, uint32_t file, bool *has_files, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(j->top.data, j->top.len);
    struct tm_json_top_member m = {0};
    bool has_members = false;
    while (tm_json_top_next(&pb, &m)) {
        char path[1024];
        if (m.file != file || tm_json_frames_take(j, &m) || is_said(j, &m))
            continue;
        if (!has_members) {
            tm_catalog_path(j->context->catalog, file, path, sizeof path);
            tm_out_str(&j->out, *has_files ? ",\n  " : ",\n\"files\":{\n  ");
            tm_out_json_str(&j->out, path);
            tm_out_str(&j->out, ":{");
        } else {
            tm_out_char(&j->out, ',');
        }
        *has_files = has_members = true;
        put_member(j, &m);
    }
    if (has_members)
        tm_out_char(&j->out, '}');
    return tm_out_end_row(&j->out, err);
}

/* Readers search for `metadata` only at the top. If it differs between files, one with the members of all is written;
 * of equal keys the first counts. */
static enum tm_status put_metadata(struct tm_json_out *j, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(j->top.data, j->top.len);
    struct tm_json_top_member m = {0};
    struct tm_map keys = {0};
    enum tm_status st = TM_OK;
    uint32_t there;
    while (st == TM_OK && tm_json_top_next(&pb, &m)) {
        struct tm_json_value all = {.data = m.value.data, .len = m.value.len, .type = TM_JSON_OBJECT}, key, value;
        struct tm_json_scan scan = tm_json_scan_of(&all);
        if (!is(m.key, "metadata") || m.value.len == 0 || m.value.data[0] != '{' || is_said(j, &m))
            continue;
        scan.p++;
        while (st == TM_OK && tm_json_member(&scan, &key, &value) == TM_JSON_OK) {
            size_t quote = value.type == TM_JSON_STRING;
            uint64_t hash = tm_hash64(key.data, key.len);
            if (tm_map_find(&keys, hash, &there))
                continue;
            tm_out_str(&j->out, keys.count ? "," : ",\n\"metadata\":{");
            st = tm_map_set(&keys, hash, 1);
            put_member(j, &(struct tm_json_top_member){.key = {key.data, key.len},
                                                       .value = {value.data - quote, value.len + 2 * quote}});
        }
    }
    if (keys.count)
        tm_out_char(&j->out, '}');
    tm_map_release(&keys);
    return st < 0 ? tm_error_nomem(err) : tm_out_end_row(&j->out, err);
}

enum tm_status tm_json_out_write_top(struct tm_json_out *j, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(j->top.data, j->top.len);
    struct tm_json_top_member m = {0};
    bool has_files = false;
    enum tm_status st = TM_OK;
    while (tm_json_top_next(&pb, &m)) {
        if (is_shared(j, &m)) {
            tm_out_str(&j->out, ",\n");
            put_member(j, &m);
        }
    }
    st = put_metadata(j, err);
    if (st == TM_OK)
        st = tm_json_out_write_frames(j, err);
    for (uint32_t file = 0; file < j->context->catalog->file_count && st == TM_OK && j->top.len; file++)
        st = put_file_members(j, file, &has_files, err);
    if (has_files)
        tm_out_str(&j->out, "\n}");
    if (j->inexpressible) {
        tm_out_str(&j->out, ",\n\"tracemerge\":{\"events_without_json_form\":");
        tm_out_u64(&j->out, j->inexpressible);
        tm_out_char(&j->out, '}');
    }
    return st < 0 ? st : tm_out_end_row(&j->out, err);
}

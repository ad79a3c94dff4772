#include "emit/chrome_json/frames.h"

#include "base/checked.h"
#include "base/hash.h"
#include "json/number.h"

enum { NS_SCALE = 3 }; /* from microseconds */

static struct tm_json_value value_of(const struct tm_json_top_member *m)
{
    return (struct tm_json_value){
        .data = m->value.data, .len = m->value.len, .type = m->value.data[0] == '{' ? TM_JSON_OBJECT : TM_JSON_ARRAY};
}

static bool is_table(const struct tm_json_top_member *m)
{
    return tm_text_is(m->key, "stackFrames") && m->value.len && m->value.data[0] == '{';
}

/* Finds the offset that was added to the times of FILE. False: it is not the same for all of them. */
static bool offset_of(const struct tm_json_frames *frames, uint32_t file, int64_t *offset_ns)
{
    const struct tm_catalog *c = frames->writer->context->catalog;
    const struct tm_by_file *placements = &frames->placements;
    bool is_found = false;
    *offset_ns = 0;
    for (uint32_t i = placements->starts[file]; i < placements->starts[file + 1]; i++) {
        const Tracemerge__Placement *p = c->placements[placements->order[i]];
        if (p->first_offset_ns != p->last_offset_ns || (is_found && p->first_offset_ns != *offset_ns))
            return false;
        is_found = true;
        *offset_ns = p->first_offset_ns;
    }
    return is_found || !frames->inputs->are_several;
}

static bool is_samples(const struct tm_json_frames *frames, const struct tm_json_top_member *m)
{
    int64_t offset_ns;
    return tm_text_is(m->key, "samples") && m->value.len && m->value.data[0] == '[' &&
           offset_of(frames, m->file, &offset_ns);
}

bool tm_json_frames_cover(const struct tm_json_frames *frames, const struct tm_json_top_member *m)
{
    return is_table(m) || is_samples(frames, m);
}

/* Notes the ids of M's table. *COLLIDES: another table has one of them. */
static enum tm_status note_ids(const struct tm_json_top_member *m, struct tm_map *ids, bool *collides)
{
    struct tm_json_value table = value_of(m), key, frame;
    struct tm_json_scan scan = tm_json_scan_of(&table);
    scan.p++;
    while (tm_json_member(&scan, &key, &frame) == TM_JSON_OK) {
        uint64_t id = tm_hash64(key.data, key.len);
        uint32_t file;
        *collides |= tm_map_find(ids, id, &file) && file != m->file;
        if (tm_map_set(ids, id, m->file) < 0)
            return TM_E_SYSTEM;
    }
    return TM_OK;
}

enum tm_status tm_json_frames_read(struct tm_json_frames *frames, struct tm_error *err)
{
    struct tm_pb pb = tm_json_top_members_all(frames->members);
    struct tm_json_top_member m = {0};
    struct tm_map tables = {0}, ids = {0};
    enum tm_status st = TM_OK;
    if (frames->is_ready)
        return TM_OK;
    frames->is_ready = true;
    while (st == TM_OK && tm_json_top_next(&pb, &m)) {
        uint64_t hash = is_table(&m) ? tm_hash64(m.value.data, m.value.len) : 0;
        uint32_t first = m.file;
        if (!is_table(&m))
            continue;
        if (!tm_map_find(&tables, hash, &first)) {
            st = tm_map_set(&tables, hash, m.file) < 0 ? TM_E_SYSTEM : note_ids(&m, &ids, &frames->are_renamed);
            frames->table_count++;
        }
        if (st == TM_OK)
            st = tm_map_set(&frames->table_of, m.file, first + 1);
    }
    tm_map_release(&tables);
    tm_map_release(&ids);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_json_frames_end(struct tm_json_frames *frames, struct tm_error *err)
{
    enum tm_status st = tm_json_frames_read(frames, err);
    if (st == TM_OK && tm_by_file_placements(&frames->placements, frames->writer->context->catalog) != TM_OK)
        return tm_error_nomem(err);
    return st;
}

bool tm_json_frames_renames(const struct tm_json_frames *frames, uint32_t file)
{
    uint32_t table;
    return frames->table_count && (frames->are_renamed || !tm_map_find(&frames->table_of, file, &table));
}

void tm_json_frames_put_id(const struct tm_json_frames *frames, uint32_t file, const struct tm_json_value *id)
{
    uint32_t table;
    bool has_table = tm_map_find(&frames->table_of, file, &table);
    tm_out_char(&frames->writer->out, '"');
    tm_out_u64(&frames->writer->out,
               frames->writer->context->catalog->files[has_table ? table - 1 : file].processing_order);
    tm_out_str(&frames->writer->out,
               has_table ? ":" : "::"); /* a file without a table gets an id that no merged file has */
    tm_out_bytes(&frames->writer->out, id->data, id->len);
    tm_out_char(&frames->writer->out, '"');
}

/* Writes OBJECT, a frame or a sample of FILE. If RENAMES, renames the frame that its member NAME refers to; adds
 * OFFSET_NS to its ts. */
static void put_object(struct tm_json_frames *frames, uint32_t file, const struct tm_json_value *object,
                       const char *name, int64_t offset_ns)
{
    bool renames = tm_json_frames_renames(frames, file), is_sample = name[0] == 's';
    struct tm_json_scan scan = tm_json_scan_of(object);
    struct tm_json_value key, v;
    const uint8_t *from = object->data;
    int64_t ns;
    scan.p++;
    while (object->type == TM_JSON_OBJECT && tm_json_member(&scan, &key, &v) == TM_JSON_OK) {
        size_t quote = v.type == TM_JSON_STRING;
        bool is_frame = renames && tm_json_is(&key, name) && tm_json_is_scalar(&v);
        bool is_time = is_sample && offset_ns && tm_json_is(&key, "ts") &&
                       tm_json_decimal(&v, NS_SCALE, &ns) == TM_OK && tm_add_i64(ns, offset_ns, &ns);
        if (!is_frame && !is_time)
            continue;
        tm_out_bytes(&frames->writer->out, from, (size_t)(v.data - quote - from));
        if (is_frame)
            tm_json_frames_put_id(frames, file, &v);
        else
            tm_json_writer_micros(frames->writer, ns);
        from = v.data + v.len + quote;
    }
    tm_out_bytes(&frames->writer->out, from, (size_t)(object->data + object->len - from));
}

/* Writes the frames of M's table after others. */
static enum tm_status put_table(struct tm_json_frames *frames, const struct tm_json_top_member *m, bool *has_frames,
                                struct tm_error *err)
{
    struct tm_json_value table = value_of(m), key, frame;
    struct tm_json_scan scan = tm_json_scan_of(&table);
    enum tm_status st = TM_OK;
    if (frames->table_count == 1) {
        tm_out_str(&frames->writer->out, ",\n\"stackFrames\":");
        tm_out_bytes(&frames->writer->out, table.data, table.len);
        return tm_out_end_row(&frames->writer->out, err);
    }
    scan.p++;
    while (st == TM_OK && tm_json_member(&scan, &key, &frame) == TM_JSON_OK) {
        tm_out_str(&frames->writer->out, *has_frames ? ",\n  " : ",\n\"stackFrames\":{\n  ");
        *has_frames = true;
        if (frames->are_renamed) {
            tm_json_frames_put_id(frames, m->file, &key);
        } else {
            tm_out_char(&frames->writer->out, '"');
            tm_out_bytes(&frames->writer->out, key.data, key.len);
            tm_out_char(&frames->writer->out, '"');
        }
        tm_out_char(&frames->writer->out, ':');
        put_object(frames, m->file, &frame, "parent", 0);
        st = tm_out_end_row(&frames->writer->out, err);
    }
    return st;
}

static enum tm_status put_samples(struct tm_json_frames *frames, const struct tm_json_top_member *m, bool *has_samples,
                                  struct tm_error *err)
{
    struct tm_json_value list = value_of(m), sample;
    struct tm_json_scan scan = tm_json_scan_of(&list);
    int64_t offset_ns;
    enum tm_status st = TM_OK;
    (void)offset_of(frames, m->file, &offset_ns);
    if (!tm_sub_i64(offset_ns, frames->writer->base_ns, &offset_ns))
        offset_ns = 0;
    scan.p++;
    while (st == TM_OK && tm_json_element(&scan, &sample) == TM_JSON_OK) {
        size_t quote = sample.type == TM_JSON_STRING;
        struct tm_json_value whole = {.data = sample.data - quote, .len = sample.len + 2 * quote, .type = sample.type};
        tm_out_str(&frames->writer->out, *has_samples ? ",\n  " : ",\n\"samples\":[\n  ");
        *has_samples = true;
        put_object(frames, m->file, &whole, "sf", offset_ns);
        st = tm_out_end_row(&frames->writer->out, err);
    }
    return st;
}

enum tm_status tm_json_frames_write(struct tm_json_frames *frames, struct tm_error *err)
{
    struct tm_pb pb = tm_json_top_members_all(frames->members);
    struct tm_json_top_member m = {0};
    enum tm_status st = TM_OK;
    bool has_frames = false, has_samples = false;
    uint32_t table;
    while (st == TM_OK && tm_json_top_next(&pb, &m)) /* of equal tables, only the first */
        if (is_table(&m) && tm_map_find(&frames->table_of, m.file, &table) && table == m.file + 1)
            st = put_table(frames, &m, &has_frames, err);
    if (has_frames)
        tm_out_str(&frames->writer->out, "\n}");
    pb = tm_json_top_members_all(frames->members);
    while (st == TM_OK && tm_json_top_next(&pb, &m))
        if (is_samples(frames, &m))
            st = put_samples(frames, &m, &has_samples, err);
    if (has_samples)
        tm_out_str(&frames->writer->out, "\n]");
    return st;
}

void tm_json_frames_release(struct tm_json_frames *frames)
{
    tm_map_release(&frames->table_of);
    tm_by_file_release(&frames->placements);
}

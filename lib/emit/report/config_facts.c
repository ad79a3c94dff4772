#include "emit/report/config_facts.h"

#include "base/utf8.h"

enum { DEPTH_MAX = 32 };

static enum tm_status add_file(struct tm_config_facts *f, const Tracemerge__File *file, struct tm_error *err)
{
    if (file->id != 0 || !file->has_given_name || f->given_name.len)
        return TM_OK;
    return tm_buf_add(&f->given_name, file->given_name.data, file->given_name.len) == TM_OK ? TM_OK
                                                                                            : tm_error_nomem(err);
}

static enum tm_status add_snapshot(struct tm_config_facts *f, const Tracemerge__Snapshot *snapshot,
                                   struct tm_error *err)
{
    uint64_t key = (uint64_t)snapshot->file << 32 | snapshot->machine;
    uint32_t clocks = tm_config_facts_clocks(f, snapshot->file, snapshot->machine), before = clocks;
    for (size_t i = 0; i < snapshot->n_readings; i++)
        if (snapshot->readings[i]->clock < TM_CONFIG_FACTS_CLOCKS)
            clocks |= UINT32_C(1) << snapshot->readings[i]->clock;
    if (clocks == before && before)
        return TM_OK;
    return tm_map_set(&f->clocks_of, key, clocks) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Indexes the manifest by machine and by entry. Of several machines with one raw id the first counts. */
static enum tm_status index_config(struct tm_config_facts *f)
{
    for (size_t i = 0; i < f->config->n_machines; i++)
        if (tm_map_add(&f->machine_of, (uint64_t)f->config->machines[i]->raw_id, (uint32_t)i) < 0)
            return TM_E_SYSTEM;
    for (size_t i = 0; i < f->config->n_edges; i++)
        if (f->config->edges[i]->has_entry && tm_map_set(&f->is_related, f->config->edges[i]->entry, 1) < 0)
            return TM_E_SYSTEM;
    return TM_OK;
}

static enum tm_status add_message(struct tm_config_facts *f, uint32_t type, ProtobufCMessage **message,
                                  struct tm_error *err)
{
    const Tracemerge__FileConfig *m = (const Tracemerge__FileConfig *)*message;
    switch (type) {
    case TM_FRAME_FILE: return add_file(f, (const Tracemerge__File *)*message, err);
    case TM_FRAME_SNAPSHOT: return add_snapshot(f, (const Tracemerge__Snapshot *)*message, err);
    case TM_FRAME_FILE_CONFIG:
        return tm_map_set(&f->entry_of, m->file, m->entry) == TM_OK ? TM_OK : tm_error_nomem(err);
    default:
        if (f->config == NULL) {
            f->config = (Tracemerge__Config *)*message;
            *message = NULL;
            return index_config(f) == TM_OK ? TM_OK : tm_error_nomem(err);
        }
        return TM_OK;
    }
}

enum tm_status tm_config_facts_add(struct tm_config_facts *f, const struct tm_frame *frame, struct tm_error *err)
{
    static const struct {
        uint32_t type;
        const ProtobufCMessageDescriptor *descriptor;
    } known[] = {
        {TM_FRAME_FILE, &tracemerge__file__descriptor},
        {TM_FRAME_CONFIG, &tracemerge__config__descriptor},
        {TM_FRAME_FILE_CONFIG, &tracemerge__file_config__descriptor},
        {TM_FRAME_SNAPSHOT, &tracemerge__snapshot__descriptor},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].type != frame->type)
            continue;
        ProtobufCMessage *message = tm_frame_message(frame, known[i].descriptor, err);
        if (message == NULL)
            return err->status;
        enum tm_status st = add_message(f, frame->type, &message, err);
        protobuf_c_message_free_unpacked(message, NULL);
        return st;
    }
    return TM_OK;
}

const Tracemerge__ConfigEntry *tm_config_facts_entry(const struct tm_config_facts *f, uint32_t file)
{
    uint32_t entry;
    if (f->config == NULL || !tm_map_find(&f->entry_of, file, &entry) || entry >= f->config->n_entries)
        return NULL;
    return f->config->entries[entry];
}

static bool is_archive(const struct tm_catalog_file *file)
{
    return file->input_type == TM_INPUT_TAR || file->input_type == TM_INPUT_ZIP ||
           file->input_type == TM_INPUT_DIRECTORY;
}

bool tm_config_facts_path(const struct tm_config_facts *f, const struct tm_catalog *c, uint32_t file,
                          struct tm_text *path)
{
    int archives = 0;
    *path = (struct tm_text){0};
    for (int depth = 0; depth < DEPTH_MAX && file < c->file_count; depth++) {
        const struct tm_catalog_file *row = &c->files[file];
        archives += depth > 0 && is_archive(row);
        if (path->len == 0 && row->name.len && archives == 0)
            *path = row->name;
        if (!row->has_parent)
            break;
        file = row->parent;
    }
    if (path->len == 0 && archives == 0)
        *path = (struct tm_text){f->given_name.data, f->given_name.len};
    while (path->len > 2 && memcmp(path->data, "./", 2) == 0)
        *path = (struct tm_text){path->data + 2, path->len - 2};
    return path->len > 0 && archives <= 1 && tm_utf8_valid(path->data, path->len);
}

struct tm_text tm_config_facts_machine(const struct tm_config_facts *f, int64_t raw_id)
{
    uint32_t i;
    if (!tm_map_find(&f->machine_of, (uint64_t)raw_id, &i))
        return (struct tm_text){0};
    return (struct tm_text){f->config->machines[i]->name.data, f->config->machines[i]->name.len};
}

uint32_t tm_config_facts_clocks(const struct tm_config_facts *f, uint32_t file, uint32_t machine)
{
    uint32_t clocks;
    return tm_map_find(&f->clocks_of, (uint64_t)file << 32 | machine, &clocks) ? clocks : 0;
}

bool tm_config_facts_is_related(const struct tm_config_facts *f, uint32_t file)
{
    uint32_t entry, related;
    return tm_config_facts_entry(f, file) && tm_map_find(&f->entry_of, file, &entry) &&
           tm_map_find(&f->is_related, entry, &related);
}

void tm_config_facts_release(struct tm_config_facts *f)
{
    if (f->config)
        tracemerge__config__free_unpacked(f->config, NULL);
    tm_buf_release(&f->given_name);
    tm_map_release(&f->entry_of);
    tm_map_release(&f->machine_of);
    tm_map_release(&f->is_related);
    tm_map_release(&f->clocks_of);
    *f = (struct tm_config_facts){0};
}

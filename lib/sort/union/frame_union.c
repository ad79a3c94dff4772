#include "sort/union/frame_union.h"

#include "sort/union/frame_renumber.h"
#include "stream/event_sink.h"
#include "stream/reader.h"

#include <stdlib.h>

enum { FRAMES_PENDING_BYTES = 4 << 20, METADATA_MAX = 1 << 14, METADATA_BYTES_MAX = 4 << 20 };

static const char root_type[] = "directory";
static const char trace_time_name[] = "trace_time_clock_id";

/* A frame's message that is being renumbered. Handlers return TM_OK if it is to be written, TM_END if not. A handler
 * can take over MESSAGE by setting it to NULL. */
struct passage {
    struct tm_frame_union *all;
    struct tm_stream_ids *ids;
    uint32_t type;
    ProtobufCMessage *message;
    struct tm_error *err;
};

static enum tm_status store_message(struct tm_frame_union *u, struct tm_frame_file *file, enum tm_frame_type type,
                                    const ProtobufCMessage *message, struct tm_error *err)
{
    size_t len = protobuf_c_message_get_packed_size(message);
    tm_buf_clear(&u->scratch);
    if (tm_buf_reserve(&u->scratch, len + 1) != TM_OK)
        return tm_error_nomem(err);
    protobuf_c_message_pack(message, u->scratch.data);
    return tm_frame_file_add(file, &(struct tm_frame){.type = type, .body = u->scratch.data, .body_bytes = len}, err);
}

static enum tm_status too_many(const char *what, struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "all streams together have more %s than can be numbered", what);
}

/* Removes file 0 of a stream that was merged before, which is its directory. The directory of this merge replaces it.
 */
static enum tm_status dissolve(struct passage *p)
{
    p->ids->is_merge = true;
    p->ids->file_base--;
    p->ids->order_base--;
    p->ids->file_count++;
    return TM_END;
}

static enum tm_status set_bytes(ProtobufCBinaryData *field, protobuf_c_boolean *has, const char *text,
                                struct tm_error *err)
{
    /* The message owns its bytes. */
    size_t len = strlen(text);
    field->data = malloc(len + 1);
    if (field->data == NULL)
        return tm_error_nomem(err);
    memcpy(field->data, text, len);
    field->len = len;
    *has = true;
    return TM_OK;
}

/* Sets the parent and the name of the outermost file of a stream. The file of a stream that is alone keeps the name for
 * a later merge, so the result does not depend on how often streams are merged. */
static enum tm_status on_outermost(struct passage *p, Tracemerge__File *m)
{
    if (!p->all->has_root) {
        bool needs_name = !m->has_name && !m->is_merge && !m->has_merged_as;
        return needs_name ? set_bytes(&m->merged_as, &m->has_merged_as, p->all->name, p->err) : TM_OK;
    }
    m->has_parent = true;
    m->parent = 0;
    p->all->root_bytes += m->size_bytes;
    if (m->has_name)
        return TM_OK;
    if (!m->has_merged_as)
        return set_bytes(&m->name, &m->has_name, p->all->name, p->err);
    m->name = m->merged_as;
    m->has_name = true;
    m->merged_as = (ProtobufCBinaryData){0};
    m->has_merged_as = false;
    return TM_OK;
}

static enum tm_status on_file(struct passage *p)
{
    Tracemerge__File *m = (Tracemerge__File *)p->message;
    if (m->id != p->ids->file_count)
        return tm_error_set(p->err, TM_E_INPUT, "file %u where file %u should follow", m->id, p->ids->file_count);
    if (m->id >= (uint32_t)TM_FILE_ORDER_IDS_MAX - p->ids->file_base)
        return too_many("files", p->err);
    if (m->has_parent && m->parent >= m->id)
        return tm_error_set(p->err, TM_E_INPUT, "file %u lies in file %u, which is not known yet", m->id, m->parent);
    if (p->all->has_root && m->is_merge && m->id == 0)
        return dissolve(p);
    m->id += p->ids->file_base;
    p->ids->file_count++;
    if (!m->has_parent)
        return on_outermost(p, m);
    if (p->ids->is_merge && m->parent == 0)
        p->all->root_bytes += m->size_bytes;
    return tm_stream_ids_file(p->ids, &m->parent, p->err);
}

static enum tm_status on_file_begin(struct passage *p)
{
    Tracemerge__FileBegin *m = (Tracemerge__FileBegin *)p->message;
    enum tm_status st = tm_stream_ids_begin(p->ids, m->id, p->err);
    if (st == TM_OK && p->ids->is_merge && m->id == 0)
        return TM_END;
    if (st == TM_OK && p->ids->is_merge && m->processing_order == 0)
        return tm_error_set(p->err, TM_E_INPUT, "file %u is processed when the merge's own directory is", m->id);
    if (st == TM_OK)
        st = tm_stream_ids_file(p->ids, &m->id, p->err);
    if (st < 0)
        return st;
    if (m->processing_order >= UINT32_MAX - p->ids->order_base - 1)
        return too_many("files", p->err);
    m->processing_order += p->ids->order_base;
    if (m->processing_order >= p->ids->order_end)
        p->ids->order_end = m->processing_order + 1;
    return tm_file_order_set(&p->all->orders, m->id, m->processing_order, p->err);
}

static enum tm_status on_file_end(struct passage *p)
{
    if (p->ids->is_merge && ((Tracemerge__FileEnd *)p->message)->id == 0)
        return TM_END;
    return tm_frame_renumber(p->type, p->message, p->ids, p->err);
}

static enum tm_status on_config(struct passage *p)
{
    Tracemerge__Config *m = (Tracemerge__Config *)p->message;
    if (m->has_file) {
        enum tm_status st = tm_stream_ids_file(p->ids, &m->file, p->err);
        if (st < 0)
            return st;
    }
    p->message = NULL;
    enum tm_status st = tm_config_union_add(&p->all->configs, m, &p->all->machines, p->err);
    return st < 0 ? st : TM_END;
}

static enum tm_status on_file_config(struct passage *p)
{
    Tracemerge__FileConfig *m = (Tracemerge__FileConfig *)p->message;
    enum tm_status st = tm_stream_ids_file(p->ids, &m->file, p->err);
    if (st < 0)
        return st;
    if (m->entry >= p->all->configs.entry_count - p->ids->entry_base)
        return tm_error_set(p->err, TM_E_INPUT, "a FileConfig frame refers to a file or entry that is not known");
    m->entry += p->ids->entry_base;
    /* The joined config precedes everything that refers to it. */
    st = store_message(p->all, &p->all->file_configs, TM_FRAME_FILE_CONFIG, &m->base, p->err);
    return st < 0 ? st : TM_END;
}

/* Writes a frame of the strings that are new. */
static enum tm_status on_strings(struct passage *p)
{
    Tracemerge__Strings *m = (Tracemerge__Strings *)p->message;
    struct tm_string_union *strings = &p->all->strings;
    size_t fresh = 0;
    uint32_t first = strings->sent + 1;
    if (m->first != tm_stream_ids_string_count(p->ids) + 1)
        return tm_error_set(p->err, TM_E_INPUT, "strings from %u where string %u should follow", m->first,
                            tm_stream_ids_string_count(p->ids) + 1);
    for (size_t i = 0; i < m->n_text; i++) {
        uint32_t number = 0;
        enum tm_status st = tm_string_union_add(strings, m->text[i].data, m->text[i].len, &number, p->err);
        if (st == TM_OK)
            st = tm_stream_ids_add_string(p->ids, number, p->err);
        if (st < 0)
            return st;
        if (!(number & TM_STRING_INLINE) && number > strings->sent) {
            ProtobufCBinaryData swap = m->text[fresh];
            m->text[fresh++] = m->text[i];
            m->text[i] = swap;
            strings->sent = number;
        }
    }
    if (fresh == 0)
        return TM_END;
    Tracemerge__Strings news = TRACEMERGE__STRINGS__INIT;
    news.first = first;
    news.n_text = fresh;
    news.text = m->text;
    enum tm_status st = store_message(p->all, &p->all->frames, TM_FRAME_STRINGS, &news.base, p->err);
    return st < 0 ? st : TM_END;
}

static enum tm_status on_metadata(struct passage *p)
{
    Tracemerge__Metadata *m = (Tracemerge__Metadata *)p->message;
    enum tm_status st = tm_frame_renumber(p->type, p->message, p->ids, p->err);
    if (st < 0)
        return st;
    /* All streams share one trace time. It is written once. */
    bool is_clock =
        m->name.len == sizeof trace_time_name - 1 && memcmp(m->name.data, trace_time_name, m->name.len) == 0;
    size_t len = is_clock ? m->name.len : protobuf_c_message_get_packed_size(p->message);
    uint32_t id;
    bool is_new;
    tm_buf_clear(&p->all->scratch);
    if (tm_buf_reserve(&p->all->scratch, len + 1) != TM_OK)
        return tm_error_nomem(p->err);
    if (is_clock)
        memcpy(p->all->scratch.data, m->name.data, len);
    else
        protobuf_c_message_pack(p->message, p->all->scratch.data);
    st = tm_intern_add(&p->all->metadata, p->all->scratch.data, len, &id, &is_new);
    if (st < 0)
        return tm_error_nomem(p->err);
    return st == TM_OK && !is_new ? TM_END : TM_OK;
}

/* Renumbers the names of M. Names that are no longer in a table go after the texts that the frame has. */
static enum tm_status renumber_names(struct passage *p, Tracemerge__Dropped *m)
{
    struct tm_buf texts = {0};
    enum tm_status st = tm_buf_add(&texts, m->texts.data, m->texts.len) == TM_OK ? TM_OK : tm_error_nomem(p->err);
    for (size_t i = 0; i < m->n_name && st == TM_OK; i++) {
        uint32_t old = m->name[i];
        st = tm_stream_ids_string(p->ids, &m->name[i], p->err);
        if (st == TM_OK && !(old & TM_STRING_INLINE) && m->name[i] & TM_STRING_INLINE)
            st = tm_string_union_extra(&p->all->strings, m->name[i], &texts, &m->name[i], p->err);
    }
    if (st == TM_OK && texts.len > m->texts.len) {
        free(m->texts.data);
        m->texts = (ProtobufCBinaryData){.len = texts.len, .data = texts.data};
        m->has_texts = true;
        texts = (struct tm_buf){0};
    }
    tm_buf_release(&texts);
    return st;
}

static enum tm_status on_dropped(struct passage *p)
{
    Tracemerge__Dropped *m = (Tracemerge__Dropped *)p->message;
    enum tm_status st = tm_stream_ids_file(p->ids, &m->file, p->err);
    if (st == TM_OK)
        st = tm_stream_ids_machine(p->ids, &m->machine, p->err);
    return st < 0 ? st : renumber_names(p, m);
}

/* Handles messages in which only numbers change. */
static enum tm_status renumber(struct passage *p)
{
    return tm_frame_renumber(p->type, p->message, p->ids, p->err);
}

/* Adds the counts to those of the other streams. */
static enum tm_status on_event_counts(struct passage *p)
{
    const Tracemerge__EventCounts *m = (const Tracemerge__EventCounts *)p->message;
    enum tm_status st = tm_event_counts_add_message(&p->all->counts, m, p->err);
    p->all->has_counts = true;
    return st < 0 ? st : TM_END;
}

static enum tm_status drop(struct passage *p)
{
    (void)p;
    return TM_END;
}

static const struct kind {
    uint32_t type;
    const ProtobufCMessageDescriptor *descriptor;
    enum tm_status (*pass)(struct passage *passage);
} kinds[] = {
    {TM_FRAME_FILE, &tracemerge__file__descriptor, on_file},
    {TM_FRAME_FILE_BEGIN, &tracemerge__file_begin__descriptor, on_file_begin},
    {TM_FRAME_FILE_END, &tracemerge__file_end__descriptor, on_file_end},
    {TM_FRAME_MANIFEST, &tracemerge__manifest__descriptor, renumber},
    {TM_FRAME_CONFIG, &tracemerge__config__descriptor, on_config},
    {TM_FRAME_FILE_CONFIG, &tracemerge__file_config__descriptor, on_file_config},
    {TM_FRAME_MACHINE, &tracemerge__machine__descriptor, drop},
    {TM_FRAME_SNAPSHOT, &tracemerge__snapshot__descriptor, renumber},
    {TM_FRAME_REMOTE_CLOCK_SYNC, &tracemerge__remote_clock_sync__descriptor, renumber},
    {TM_FRAME_CLOCK_HINT, &tracemerge__clock_hint__descriptor, renumber},
    {TM_FRAME_TRACE_TIME, &tracemerge__trace_time__descriptor, drop},
    {TM_FRAME_STRINGS, &tracemerge__strings__descriptor, on_strings},
    {TM_FRAME_SEQUENCE, &tracemerge__sequence__descriptor, renumber},
    {TM_FRAME_SOURCE, &tracemerge__source__descriptor, renumber},
    {TM_FRAME_COMPACT_MESSAGES, &tracemerge__compact_messages__descriptor, renumber},
    {TM_FRAME_CLOCK_LINES, &tracemerge__clock_lines__descriptor, renumber},
    {TM_FRAME_CLOCK_ROW, &tracemerge__clock_row__descriptor, renumber},
    {TM_FRAME_PLACEMENT, &tracemerge__placement__descriptor, renumber},
    {TM_FRAME_ACCOUNT, &tracemerge__account__descriptor, renumber},
    {TM_FRAME_STAT, &tracemerge__stat__descriptor, renumber},
    {TM_FRAME_METADATA, &tracemerge__metadata__descriptor, on_metadata},
    {TM_FRAME_DROPPED, &tracemerge__dropped__descriptor, on_dropped},
    {TM_FRAME_EVENT_COUNTS, &tracemerge__event_counts__descriptor, on_event_counts},
};

void tm_frame_union_init(struct tm_frame_union *u, bool has_root, const char *dir)
{
    *u = (struct tm_frame_union){.dir = dir, .has_root = has_root, .file_count = has_root, .order_end = has_root};
    u->frames = (struct tm_frame_file){.memory_bytes = FRAMES_PENDING_BYTES, .file.dir = dir};
    u->file_configs = u->frames;
    tm_string_union_init(&u->strings, TM_SINK_STRINGS_MAX, TM_SINK_STRING_BYTES_MAX, dir);
    tm_intern_init(&u->metadata, METADATA_MAX, METADATA_BYTES_MAX);
}

void tm_frame_union_begin(struct tm_frame_union *u, struct tm_stream_ids *ids, const char *name)
{
    u->name = name;
    ids->file_base = u->file_count;
    ids->order_base = ids->order_end = u->order_end;
    ids->generation_base = u->generation_count;
    ids->snapshot_base = ids->snapshot_end = u->snapshot_end;
    ids->entry_base = u->configs.entry_count;
}

enum tm_status tm_frame_union_machine(struct tm_frame_union *u, struct tm_stream_ids *ids,
                                      const Tracemerge__Machine *machine, struct tm_error *err)
{
    uint32_t row;
    enum tm_status st =
        tm_machine_union_add(&u->machines, machine->raw_id, machine->has_name ? &machine->name : NULL, &row, err);
    return st < 0 ? st : tm_stream_ids_add_machine(ids, row, err);
}

enum tm_status tm_frame_union_add(struct tm_frame_union *u, struct tm_stream_ids *ids, const struct tm_frame *frame,
                                  struct tm_error *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].type != frame->type)
            continue;
        struct passage p = {u, ids, frame->type, tm_frame_message(frame, kinds[i].descriptor, err), err};
        if (p.message == NULL)
            return err->status;
        enum tm_status st = kinds[i].pass(&p);
        if (st == TM_OK)
            st = store_message(u, &u->frames, (enum tm_frame_type)frame->type, p.message, err);
        if (p.message)
            protobuf_c_message_free_unpacked(p.message, NULL);
        return st == TM_E_INPUT ? tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset)
               : st < 0         ? st
                                : TM_OK;
    }
    return tm_frame_file_add(&u->frames, frame, err);
}

void tm_frame_union_end(struct tm_frame_union *u, const struct tm_stream_ids *ids)
{
    u->file_count = ids->file_base + ids->file_count;
    u->order_end = ids->order_end;
    u->generation_count += ids->generation_count;
    u->snapshot_end = ids->snapshot_end;
}

static enum tm_status write_root(const struct tm_frame_union *u, struct tm_stream_writer *writer, struct tm_error *err)
{
    Tracemerge__File file = TRACEMERGE__FILE__INIT;
    Tracemerge__FileBegin begin = TRACEMERGE__FILE_BEGIN__INIT;
    file.type = begin.type = tm_bytes(root_type, sizeof root_type - 1);
    file.size_bytes = u->root_bytes;
    file.is_container = true;
    file.has_is_merge = file.is_merge = true;
    enum tm_status st = tm_stream_write_message(writer, TM_FRAME_FILE, &file.base, err);
    return st < 0 ? st : tm_stream_write_message(writer, TM_FRAME_FILE_BEGIN, &begin.base, err);
}

/* Writes all machines before any frame that could name one. So the order of frames does not depend on how often the
 * streams were merged. */
static enum tm_status write_machines(const struct tm_frame_union *u, struct tm_stream_writer *writer,
                                     struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t row = 0; row < u->machines.count && st == TM_OK; row++) {
        const struct tm_union_machine *machine = &u->machines.rows[row];
        Tracemerge__Machine m = TRACEMERGE__MACHINE__INIT;
        m.id = row;
        m.raw_id = machine->raw_id;
        m.has_name = machine->has_name;
        m.name = (ProtobufCBinaryData){machine->name_bytes, machine->name};
        st = tm_stream_write_message(writer, TM_FRAME_MACHINE, &m.base, err);
    }
    return st;
}

static enum tm_status write_config(const struct tm_frame_union *u, struct tm_stream_writer *writer,
                                   struct tm_error *err)
{
    Tracemerge__Config config;
    enum tm_status st = tm_config_union_get(&u->configs, &config, err);
    if (st == TM_OK)
        st = tm_stream_write_message(writer, TM_FRAME_CONFIG, &config.base, err);
    free(config.entries);
    free(config.machines);
    free(config.edges);
    free(config.attributes);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_frame_union_write(struct tm_frame_union *u, struct tm_stream_writer *writer, struct tm_error *err)
{
    Tracemerge__FileEnd end = TRACEMERGE__FILE_END__INIT;
    enum tm_status st = write_machines(u, writer, err);
    if (st == TM_OK && u->has_root)
        st = write_root(u, writer, err);
    if (st == TM_OK)
        st = tm_frame_file_write(&u->frames, writer, err);
    end.size_bytes = u->root_bytes;
    if (st == TM_OK && u->has_root)
        st = tm_stream_write_message(writer, TM_FRAME_FILE_END, &end.base, err);
    if (st == TM_OK)
        st = write_config(u, writer, err);
    if (st == TM_OK)
        st = tm_frame_file_write(&u->file_configs, writer, err);
    if (st == TM_OK && u->has_trace_time)
        st = tm_stream_write_message(writer, TM_FRAME_TRACE_TIME, &u->trace_time.base, err);
    if (st == TM_OK && u->has_counts)
        st = tm_event_counts_write(&u->counts, writer, err);
    return st;
}

void tm_frame_union_release(struct tm_frame_union *u)
{
    tm_machine_union_release(&u->machines);
    tm_string_union_release(&u->strings);
    tm_file_order_release(&u->orders);
    tm_frame_file_release(&u->frames);
    tm_frame_file_release(&u->file_configs);
    tm_config_union_release(&u->configs);
    tm_event_counts_release(&u->counts);
    tm_intern_release(&u->metadata);
    tm_buf_release(&u->scratch);
}

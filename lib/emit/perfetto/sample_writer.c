#include "emit/perfetto/sample_writer.h"

#include "base/hex.h"
#include "emit/perfetto/sample_timebase.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

enum {
    ENTRIES_MAX = 1 << 16,
    TABLE_BYTES_MAX = 4 << 20,
    SAMPLE_CPU = 1,
    SAMPLE_PID = 2,
    SAMPLE_TID = 3,
    SAMPLE_STACK = 4,
    SAMPLE_CPU_MODE = 5,
    SAMPLE_COUNT = 6
};

enum { BUILD_ID_MAX = 64 };

/* A frame as in the detail. */
struct frame {
    const uint8_t *function, *mapping, *file;
    size_t function_len, mapping_len, file_len;
    uint32_t line; /* 0: unknown */
    uint8_t build_id[BUILD_ID_MAX];
    size_t build_id_len;
    uint64_t rel_pc, mapping_start, mapping_end;
};

static void init_tables(struct tm_sample_sequence *s)
{
    tm_intern_init(&s->functions, ENTRIES_MAX, TABLE_BYTES_MAX);
    tm_intern_init(&s->paths, ENTRIES_MAX, TABLE_BYTES_MAX);
    tm_intern_init(&s->files, ENTRIES_MAX, TABLE_BYTES_MAX);
    tm_intern_init(&s->build_ids, ENTRIES_MAX, TABLE_BYTES_MAX);
    tm_intern_init(&s->mappings, ENTRIES_MAX, TABLE_BYTES_MAX);
    tm_intern_init(&s->frames, ENTRIES_MAX, TABLE_BYTES_MAX);
    tm_intern_init(&s->stacks, ENTRIES_MAX, TABLE_BYTES_MAX);
    tm_intern_init(&s->recorded_frames, ENTRIES_MAX, TABLE_BYTES_MAX);
}

static void release_tables(struct tm_sample_sequence *s)
{
    tm_intern_release(&s->functions);
    tm_intern_release(&s->paths);
    tm_intern_release(&s->files);
    tm_intern_release(&s->build_ids);
    tm_intern_release(&s->mappings);
    tm_intern_release(&s->frames);
    tm_intern_release(&s->stacks);
    tm_intern_release(&s->recorded_frames);
    free(s->iids);
    s->iids = NULL;
    s->iid_cap = 0;
}

/* Sets *NAME to the number in w->names, plus 1, of the event that E counted; 0: none. */
static enum tm_status name_of(struct tm_sample_writer *w, const struct tm_event *e, uint32_t *name)
{
    struct tm_text text = tm_catalog_string(w->packets->catalog, e->name, e);
    uint32_t id;
    *name = 0;
    if (!(e->flags & TM_EVENT_HAS_VALUE) || e->flags & TM_EVENT_VALUE_DOUBLE || text.data == NULL || text.len == 0)
        return TM_OK;
    if (w->names.count_max == 0)
        tm_intern_init(&w->names, TM_SAMPLE_EVENTS_MAX, TABLE_BYTES_MAX);
    enum tm_status st = tm_intern_add(&w->names, text.data, text.len, &id, NULL);
    if (st == TM_OK)
        *name = id + 1;
    else if (st == TM_END)
        tm_unsupported_counts_add(w->packets->unsupported, e->file, TM_UNSUPPORTED_FACTS, 1);
    return st < 0 ? st : TM_OK;
}

static enum tm_status sequence_of(struct tm_sample_writer *w, const struct tm_event *e, uint32_t name,
                                  struct tm_sample_sequence **sequence, struct tm_error *err)
{
    uint64_t key = (uint64_t)e->machine << 32 | name;
    uint32_t i;
    if (!tm_map_find(&w->by_machine, key, &i)) {
        i = w->sequence_count;
        if (tm_array_grow(&w->sequences, &w->sequence_cap, i, sizeof *w->sequences, err) != TM_OK ||
            tm_map_set(&w->by_machine, key, i) != TM_OK)
            return tm_error_nomem(err);
        w->sequences[i] = (struct tm_sample_sequence){.number = i};
        init_tables(&w->sequences[i]);
        w->sequence_count++;
    }
    *sequence = &w->sequences[i];
    return TM_OK;
}

/* Finds the iid of a string. The InternedString of a new one goes to w->interned as field FIELD. All functions that
 * intern return TM_END if a table is full. */
static enum tm_status intern_string(struct tm_sample_writer *w, struct tm_intern *table, uint32_t field,
                                    struct tm_text text, uint64_t *iid)
{
    uint32_t id;
    bool is_new;
    size_t mark;
    enum tm_status st = tm_intern_add(table, text.data, text.len, &id, &is_new);
    if (st != TM_OK)
        return st;
    *iid = (uint64_t)id + 1;
    if (!is_new)
        return TM_OK;
    return tm_pb_begin(&w->interned, field, &mark) == TM_OK &&
                   tm_pb_put_varint(&w->interned, TM_INTERNED_IID, *iid) == TM_OK &&
                   tm_pb_put_bytes(&w->interned, TM_INTERNED_TEXT, text.data, text.len) == TM_OK &&
                   tm_pb_end(&w->interned, mark) == TM_OK
               ? TM_OK
               : TM_E_SYSTEM;
}

/* Finds the iid of F's mapping: a path, a build id and addresses, as far as they are known. An unknown path is left
 * out, because readers would show an empty one as "/". */
static enum tm_status intern_mapping(struct tm_sample_writer *w, struct tm_sample_sequence *s, const struct frame *f,
                                     uint64_t *iid)
{
    uint64_t path = 0, build_id = 0;
    uint8_t key[32];
    uint32_t id;
    bool is_new;
    size_t mark;
    enum tm_status st = TM_OK;
    if (f->mapping_len)
        st = intern_string(w, &s->paths, TM_INTERNED_MAPPING_PATHS, tm_text_at(f->mapping, f->mapping_len), &path);
    if (st == TM_OK && f->build_id_len)
        st =
            intern_string(w, &s->build_ids, TM_INTERNED_BUILD_IDS, tm_text_at(f->build_id, f->build_id_len), &build_id);
    if (st != TM_OK)
        return st;
    tm_put_le64(key, path);
    tm_put_le64(key + 8, build_id);
    tm_put_le64(key + 16, f->mapping_start);
    tm_put_le64(key + 24, f->mapping_end);
    if ((st = tm_intern_add(&s->mappings, key, sizeof key, &id, &is_new)) != TM_OK)
        return st;
    *iid = (uint64_t)id + 1;
    if (!is_new)
        return TM_OK;
    struct tm_buf *out = &w->interned;
    return tm_pb_begin(out, TM_INTERNED_MAPPINGS, &mark) == TM_OK &&
                   tm_pb_put_varint(out, TM_INTERNED_IID, *iid) == TM_OK &&
                   (build_id == 0 || tm_pb_put_varint(out, TM_MAPPING_BUILD_ID, build_id) == TM_OK) &&
                   tm_pb_put_varint(out, TM_MAPPING_START, f->mapping_start) == TM_OK &&
                   tm_pb_put_varint(out, TM_MAPPING_END, f->mapping_end) == TM_OK &&
                   (path == 0 || tm_pb_put_varint(out, TM_MAPPING_PATH, path) == TM_OK) && tm_pb_end(out, mark) == TM_OK
               ? TM_OK
               : TM_E_SYSTEM;
}

/* True if F has a place in memory. Readers distinguish two frames at one place only by their functions. */
static bool has_place(const struct frame *f)
{
    return f->mapping_len > 0 || f->build_id_len > 0 || f->mapping_start > 0 || f->rel_pc > 0;
}

static enum tm_status intern_frame(struct tm_sample_writer *w, struct tm_sample_sequence *s, const struct frame *f,
                                   uint64_t *iid)
{
    uint64_t function = 0, mapping = 0, file = 0;
    uint8_t key[32];
    uint32_t id;
    bool is_new;
    size_t mark;
    enum tm_status st = intern_string(w, &s->functions, TM_INTERNED_FUNCTION_NAMES,
                                      tm_text_at(f->function, f->function_len), &function);
    if (st == TM_OK && has_place(f))
        st = intern_mapping(w, s, f, &mapping);
    if (st == TM_OK && f->file_len)
        st = intern_string(w, &s->files, TM_INTERNED_SOURCE_PATHS, tm_text_at(f->file, f->file_len), &file);
    if (st != TM_OK)
        return st;
    tm_put_le64(key, function);
    tm_put_le64(key + 8, mapping);
    tm_put_le64(key + 16, f->rel_pc);
    tm_put_le64(key + 24, file << 32 | f->line); /* a table has less than 2^32 entries */
    if ((st = tm_intern_add(&s->frames, key, sizeof key, &id, &is_new)) != TM_OK)
        return st;
    *iid = (uint64_t)id + 1;
    if (!is_new)
        return TM_OK;
    return tm_pb_begin(&w->interned, TM_INTERNED_FRAMES, &mark) == TM_OK &&
                   tm_pb_put_varint(&w->interned, TM_INTERNED_IID, *iid) == TM_OK &&
                   tm_pb_put_varint(&w->interned, TM_FRAME_FUNCTION, function) == TM_OK &&
                   (mapping == 0 || (tm_pb_put_varint(&w->interned, TM_FRAME_MAPPING, mapping) == TM_OK &&
                                     tm_pb_put_varint(&w->interned, TM_FRAME_REL_PC, f->rel_pc) == TM_OK)) &&
                   (file == 0 || tm_pb_put_varint(&w->interned, TM_FRAME_PATH, file) == TM_OK) &&
                   (f->line == 0 || tm_pb_put_varint(&w->interned, TM_FRAME_LINE, f->line) == TM_OK) &&
                   tm_pb_end(&w->interned, mark) == TM_OK
               ? TM_OK
               : TM_E_SYSTEM;
}

/* Reads TEXT, a build id in hexadecimal, up to the first character that is not a digit. */
static void read_build_id(struct frame *f, const uint8_t *text, size_t len)
{
    for (size_t i = 0; i + 1 < len && i / 2 < BUILD_ID_MAX; i += 2) {
        int high = tm_hex_value_lower(text[i]), low = tm_hex_value_lower(text[i + 1]);
        if (high < 0 || low < 0)
            return;
        f->build_id[i / 2] = (uint8_t)(high << 4 | low);
        f->build_id_len = i / 2 + 1;
    }
}

static struct frame read_frame(const struct tm_pb_field *field)
{
    struct frame f = {.function = (const uint8_t *)"", .mapping = (const uint8_t *)"", .mapping_end = UINT64_MAX};
    struct tm_pb pb = tm_pb_of(field->data, field->len);
    struct tm_pb_field g;
    while (tm_pb_next(&pb, &g) == TM_OK) {
        if (g.id == TM_STACK_FRAME_FUNCTION && g.type == TM_PB_LEN) {
            f.function = g.data;
            f.function_len = g.len;
        } else if (g.id == TM_STACK_FRAME_MAPPING && g.type == TM_PB_LEN) {
            size_t slash = g.len > 0 && g.data[0] == '/'; /* readers put a slash before each part of a path */
            f.mapping = g.data + slash;
            f.mapping_len = g.len - slash;
        } else if (g.id == TM_STACK_FRAME_FILE && g.type == TM_PB_LEN) {
            f.file = g.data;
            f.file_len = g.len;
        } else if (g.id == TM_STACK_FRAME_LINE && g.type == TM_PB_VARINT) {
            f.line = g.value <= UINT32_MAX ? (uint32_t)g.value : 0;
        } else if (g.id == TM_STACK_FRAME_REL_PC) {
            f.rel_pc = g.value;
        } else if (g.id == TM_STACK_FRAME_BUILD_ID && g.type == TM_PB_LEN) {
            read_build_id(&f, g.data, g.len);
        } else if (g.id == TM_STACK_FRAME_MAPPING_START && g.type == TM_PB_VARINT) {
            f.mapping_start = g.value;
        } else if (g.id == TM_STACK_FRAME_MAPPING_END && g.type == TM_PB_VARINT) {
            f.mapping_end = g.value;
        }
    }
    return f;
}

/* Finds the iid of the frame in FIELD. A frame that occurred before with the same bytes is not read again. */
static enum tm_status intern_recorded(struct tm_sample_writer *w, struct tm_sample_sequence *s,
                                      const struct tm_pb_field *field, uint64_t *iid)
{
    uint32_t id;
    bool is_new;
    enum tm_status st = tm_intern_add(&s->recorded_frames, field->data, field->len, &id, &is_new);
    if (st == TM_OK && !is_new) {
        *iid = s->iids[id];
        return TM_OK;
    }
    if (st == TM_OK && tm_array_grow(&s->iids, &s->iid_cap, id, sizeof *s->iids, NULL) < 0)
        st = TM_E_SYSTEM;
    if (st < 0)
        return st;
    bool is_kept = st == TM_OK;
    struct frame f = read_frame(field);
    st = intern_frame(w, s, &f, iid);
    if (st == TM_OK && is_kept)
        s->iids[id] = (uint32_t)*iid;
    return st;
}

/* Adds the frames of E to STACK, which has the first ones. */
static enum tm_status intern_frames(struct tm_sample_writer *w, struct tm_sample_sequence *s, const struct tm_event *e,
                                    struct tm_recent_stack *stack)
{
    const size_t known = tm_recent_stack_end(stack);
    struct tm_pb pb = tm_pb_of(known ? e->detail + known : e->detail, e->detail_bytes - known);
    struct tm_pb_field field;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &field) == TM_OK) {
        uint64_t frame_iid = 0;
        if (field.id != TM_DETAIL_FRAMES || field.type != TM_PB_LEN)
            continue;
        if ((st = intern_recorded(w, s, &field, &frame_iid)) == TM_OK)
            st = tm_recent_stack_add(stack, (size_t)(field.end - e->detail), frame_iid);
    }
    return st;
}

/* Finds the iid of the stack with FRAMES, fields of a Callstack. */
static enum tm_status intern_callstack(struct tm_sample_writer *w, struct tm_sample_sequence *s,
                                       const struct tm_buf *frames, uint64_t *iid)
{
    uint32_t id;
    bool is_new;
    size_t mark;
    enum tm_status st = tm_intern_add(&s->stacks, frames->data, frames->len, &id, &is_new);
    if (st != TM_OK)
        return st;
    *iid = (uint64_t)id + 1;
    if (!is_new)
        return TM_OK;
    return tm_pb_begin(&w->interned, TM_INTERNED_CALLSTACKS, &mark) == TM_OK &&
                   tm_pb_put_varint(&w->interned, TM_INTERNED_IID, *iid) == TM_OK &&
                   tm_buf_add(&w->interned, frames->data, frames->len) == TM_OK &&
                   tm_pb_end(&w->interned, mark) == TM_OK
               ? TM_OK
               : TM_E_SYSTEM;
}

/* Finds the iid of the whole stack of E; 0: it has none. */
static enum tm_status intern_stack(struct tm_sample_writer *w, struct tm_sample_sequence *s, const struct tm_event *e,
                                   uint64_t *iid)
{
    const struct tm_text detail = tm_text_at(e->detail, e->detail_bytes);
    struct tm_recent_stack *stack = tm_recent_stacks_find(&w->recent, s->number, e->tid, detail);
    tm_buf_clear(&w->interned);
    *iid = stack->iid;
    if (stack->is_known)
        return TM_OK;
    *iid = 0;
    enum tm_status st = intern_frames(w, s, e, stack);
    if (st == TM_OK && stack->frames.len)
        st = intern_callstack(w, s, &stack->frames, iid);
    return st == TM_OK ? tm_recent_stack_complete(stack, detail, *iid) : st;
}

static bool process_key(uint32_t machine, int64_t tid, uint64_t *key)
{
    *key = (uint64_t)machine << 32 | (uint32_t)tid;
    return tid >= 0 && tid <= UINT32_MAX;
}

enum tm_status tm_sample_note_task(struct tm_sample_writer *w, const struct tm_event *e)
{
    int64_t pid = e->pid;
    uint64_t key;
    if (e->kind == TM_KIND_TASK_NEW) {
        uint32_t of_maker;
        if (!tm_event_makes_thread(e))
            pid = e->tid;
        else if (process_key(e->machine, pid, &key) && tm_map_find(&w->processes, key, &of_maker))
            pid = of_maker;
    } else if (e->kind == TM_KIND_PROCESS || !(e->flags & TM_EVENT_HAS_PID) || !(e->flags & TM_EVENT_HAS_TID)) {
        return TM_OK;
    }
    if (pid < 0 || pid > UINT32_MAX || !process_key(e->machine, e->tid, &key))
        return TM_OK;
    return tm_map_set(&w->processes, key, (uint32_t)pid);
}

/* Returns the process of E, a sample with a thread. */
static uint64_t process_of(const struct tm_sample_writer *w, const struct tm_event *e)
{
    uint32_t pid;
    uint64_t key;
    if (e->flags & TM_EVENT_HAS_PID)
        return tm_packet_pid(e->pid);
    return process_key(e->machine, e->tid, &key) && tm_map_find(&w->processes, key, &pid) ? pid : (uint64_t)e->tid;
}

/* Returns the mode of E's cpu; 0: unknown. */
static uint64_t mode_of(const struct tm_event *e)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field field;
    while (tm_pb_next(&pb, &field) == TM_OK && field.id != TM_DETAIL_FRAMES)
        if (field.id == TM_DETAIL_CPU_MODE && field.type == TM_PB_VARINT)
            return field.value;
    return 0;
}

/* Sets *COUNT to the count of sequence S's event on E's cpu so far, including E. Packets state the total. */
static enum tm_status add_count(struct tm_sample_writer *w, const struct tm_sample_sequence *s,
                                const struct tm_event *e, int64_t *count, struct tm_error *err)
{
    struct tm_key key = {s->number, e->flags & TM_EVENT_HAS_CPU ? e->cpu : 0, 0};
    int64_t before = tm_table_find(&w->counts, &key);
    *count = 0;
    if (before == TM_TABLE_NONE) {
        if (w->counts.count == TM_SAMPLE_COUNTS_MAX) {
            tm_unsupported_counts_add(w->packets->unsupported, e->file, TM_UNSUPPORTED_FACTS, 1);
            return TM_OK;
        }
        before = 0;
    }
    *count = e->value > (uint64_t)(INT64_MAX - before) ? INT64_MAX : before + (int64_t)e->value;
    return tm_table_set(&w->counts, &key, *count, err);
}

/* Puts the fields before a sequence's first sample: the packet's sequence and its state. NAME is the result of
 * name_of. */
static bool put_state(struct tm_sample_writer *w, struct tm_sample_sequence *s, uint32_t name, struct tm_buf *out)
{
    uint64_t flags = TM_SEQUENCE_NEEDS_STATE;
    size_t mark, len;
    if (s->id == 0) {
        s->id = tm_packet_new_sequence(w->packets);
        flags |= TM_SEQUENCE_CLEARED;
    }
    if (tm_pb_put_varint(out, TM_PACKET_SEQUENCE_ID, s->id) != TM_OK ||
        tm_pb_put_varint(out, TM_PACKET_SEQUENCE_FLAGS, flags) != TM_OK ||
        (w->interned.len && tm_pb_put_bytes(out, TM_PACKET_INTERNED_DATA, w->interned.data, w->interned.len) != TM_OK))
        return false;
    if (name == 0 || !(flags & TM_SEQUENCE_CLEARED))
        return true;
    const uint8_t *text = tm_intern_get(&w->names, name - 1, &len);
    return tm_pb_begin(out, TM_PACKET_DEFAULTS, &mark) == TM_OK && tm_sample_timebase_put(out, text, len) &&
           tm_pb_end(out, mark) == TM_OK;
}

/* A sample with the numbers of its texts. */
struct sample {
    const struct tm_event *event;
    uint32_t name; /* what is counted; 0: nothing */
    uint64_t stack_iid;
};

static enum tm_status put_sample(struct tm_sample_writer *w, struct tm_sample_sequence *s, const struct sample *sample,
                                 struct tm_error *err)
{
    const struct tm_event *e = sample->event;
    struct tm_buf *out = &w->packets->out;
    size_t mark;
    int64_t count = 0;
    uint64_t mode = mode_of(e);
    enum tm_status st = sample->name ? add_count(w, s, e, &count, err) : TM_OK;
    if (st < 0 || (st = tm_packet_begin(w->packets, e->machine, err)) < 0)
        return st;
    bool good = tm_pb_put_varint(out, TM_PACKET_TIMESTAMP, (uint64_t)e->time_ns) == TM_OK &&
                put_state(w, s, sample->name, out) && tm_pb_begin(out, TM_PACKET_PERF_SAMPLE, &mark) == TM_OK &&
                (!(e->flags & TM_EVENT_HAS_CPU) || tm_pb_put_varint(out, SAMPLE_CPU, e->cpu) == TM_OK) &&
                tm_pb_put_varint(out, SAMPLE_PID, process_of(w, e)) == TM_OK &&
                tm_pb_put_varint(out, SAMPLE_TID, (uint64_t)e->tid) == TM_OK &&
                (mode == 0 || tm_pb_put_varint(out, SAMPLE_CPU_MODE, mode) == TM_OK) &&
                (count == 0 || tm_pb_put_varint(out, SAMPLE_COUNT, (uint64_t)count) == TM_OK) &&
                (sample->stack_iid == 0 || tm_pb_put_varint(out, SAMPLE_STACK, sample->stack_iid) == TM_OK) &&
                tm_pb_end(out, mark) == TM_OK;
    return good ? tm_packet_end(w->packets, err) : tm_error_nomem(err);
}

enum tm_status tm_sample_write(struct tm_sample_writer *w, const struct tm_event *e, struct tm_error *err)
{
    struct tm_sample_sequence *s = NULL;
    struct sample sample = {.event = e};
    if (name_of(w, e, &sample.name) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = sequence_of(w, e, sample.name, &s, err);
    if (st < 0)
        return st;
    if ((st = intern_stack(w, s, e, &sample.stack_iid)) == TM_END) {
        release_tables(s); /* a table is full: continue on a sequence with new tables */
        init_tables(s);
        tm_recent_stacks_forget(&w->recent, s->number);
        s->id = 0;
        st = intern_stack(w, s, e, &sample.stack_iid);
    }
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "event %llu: the sample's stack is too large",
                            (unsigned long long)e->position);
    return st < 0 ? tm_error_nomem(err) : put_sample(w, s, &sample, err);
}

void tm_sample_writer_release(struct tm_sample_writer *w)
{
    for (uint32_t i = 0; i < w->sequence_count; i++)
        release_tables(&w->sequences[i]);
    free(w->sequences);
    tm_intern_release(&w->names);
    tm_map_release(&w->by_machine);
    tm_table_release(&w->counts);
    tm_buf_release(&w->interned);
    tm_recent_stacks_release(&w->recent);
    tm_map_release(&w->processes);
    *w = (struct tm_sample_writer){0};
}

#include "format/simpleperf/simpleperf.h"

#include "base/table.h"
#include "base/bytes.h"
#include "base/map.h"
#include "base/pb.h"
#include "os/paged_file.h"
#include "stream/clock_id.h"
#include "stream/detail_fields.h"
#include "stream/task_description.h"

#include <stdlib.h>

enum { TEMPORARY_MEMORY = 4 << 20 };
enum { MAGIC_LEN = 10, HEADER_LEN = 12, VERSION = 1, ENTRY_LEN = 12 };
/* Fields of the report's messages. */
enum { RECORD_SAMPLE = 1, RECORD_LOST, RECORD_FILE, RECORD_THREAD, RECORD_META, RECORD_SWITCH };
enum { SAMPLE_TIME = 1, SAMPLE_TID, SAMPLE_FRAME, SAMPLE_COUNT, SAMPLE_EVENT_TYPE };
enum { FRAME_ADDRESS = 1, FRAME_FILE, FRAME_SYMBOL };
enum { FILE_ID = 1, FILE_PATH, FILE_NAME };
enum { TASK_TID = 1, TASK_PID, TASK_NAME };
enum { META_EVENT_TYPE = 1, LOST_COUNT = 2 };

static const char magic[] = "SIMPLEPERF";

/* A text in names: its offset and length. */
struct name {
    uint32_t at, len;
};

struct file {
    uint32_t id;
    struct name path;
    uint32_t first_symbol, symbol_count;
};

struct frame {
    uint64_t address;
    uint32_t file;
    int32_t symbol; /* -1: none */
};

struct simpleperf {
    struct tm_format_context context;
    bool has_header, is_read;
    struct tm_buf names;
    struct file *files;
    uint32_t file_count, file_cap;
    struct tm_map file_of_id; /* the latest file with each id */
    struct name *symbols;
    uint32_t symbol_count, symbol_cap;
    struct name *event_types;
    uint32_t event_type_count, event_type_cap;
    /* records of samples and threads: their place in the input, their length, their bytes */
    struct tm_paged_file record_file;
    uint64_t at;                /* offset in record_file of the next record to add */
    struct tm_buf record, detail;
    struct frame frames[TM_SIMPLEPERF_FRAMES_MAX]; /* of one sample, innermost first */
    uint32_t frame_count;
    uint64_t lost;
    uint64_t stacks_cut; /* stacks with more bytes than the limit */
};

static enum tm_status simpleperf_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct simpleperf *s = calloc(1, sizeof *s);
    if (s == NULL)
        return tm_error_nomem(err);
    s->context = *context;
    tm_paged_file_init(&s->record_file, context->temporary_dir, TEMPORARY_MEMORY);
    *state = s;
    return TM_OK;
}

/* Returns an error if COUNT has reached MAX. */
static enum tm_status limit(uint32_t count, uint32_t max, const char *what, struct tm_error *err)
{
    return count < max ? TM_OK : tm_error_set(err, TM_E_INPUT, "more than the limit of %u %s", max, what);
}

static enum tm_status store_name(struct simpleperf *s, const struct tm_pb_field *f, struct name *name,
                                 struct tm_error *err)
{
    if (f->len > TM_SIMPLEPERF_NAMES_MAX - s->names.len)
        return tm_error_set(err, TM_E_INPUT, "names of files and symbols exceed the limit of %d bytes",
                            TM_SIMPLEPERF_NAMES_MAX);
    *name = (struct name){(uint32_t)s->names.len, (uint32_t)f->len};
    return tm_buf_add(&s->names, f->data, f->len) == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status store_symbol(struct simpleperf *s, const struct tm_pb_field *f, struct tm_error *err)
{
    enum tm_status st = limit(s->symbol_count, TM_SIMPLEPERF_SYMBOLS_MAX, "symbols", err);
    if (st == TM_OK)
        st = tm_array_grow(&s->symbols, &s->symbol_cap, s->symbol_count, sizeof *s->symbols, err);
    return st == TM_OK ? store_name(s, f, &s->symbols[s->symbol_count++], err) : st;
}

/* Stores a file with its symbols. TM_OK; TM_END: it is damaged, and what precedes the damage is stored; or an error. */
static enum tm_status store_file(struct simpleperf *s, struct tm_pb pb, struct tm_error *err)
{
    struct file file = {.first_symbol = s->symbol_count};
    struct tm_pb_field f;
    enum tm_status next = TM_OK, st = limit(s->file_count, TM_SIMPLEPERF_FILES_MAX, "files", err);
    if (st == TM_OK)
        st = tm_array_grow(&s->files, &s->file_cap, s->file_count, sizeof *s->files, err);
    while (st == TM_OK && (next = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id == FILE_ID && f.type == TM_PB_VARINT)
            file.id = (uint32_t)f.value;
        else if (f.id == FILE_PATH && f.type == TM_PB_LEN)
            st = store_name(s, &f, &file.path, err);
        else if (f.id == FILE_NAME && f.type == TM_PB_LEN)
            st = store_symbol(s, &f, err);
    }
    file.symbol_count = s->symbol_count - file.first_symbol;
    if (st < 0)
        return st;
    s->files[s->file_count] = file;
    if (tm_map_set(&s->file_of_id, file.id, s->file_count++) != TM_OK)
        return tm_error_nomem(err);
    return next < 0 ? TM_END : TM_OK;
}

/* Stores the names of the types of events. TM_OK; TM_END: damage follows those that are stored; or an error. */
static enum tm_status store_meta(struct simpleperf *s, struct tm_pb pb, struct tm_error *err)
{
    struct tm_pb_field f;
    enum tm_status next = TM_OK, st = TM_OK;
    while (st == TM_OK && (next = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id != META_EVENT_TYPE || f.type != TM_PB_LEN)
            continue;
        if (f.len > TM_SIMPLEPERF_TYPE_NAME_MAX)
            return tm_error_set(err, TM_E_INPUT, "the name of a type of events exceeds the limit of %d bytes",
                                TM_SIMPLEPERF_TYPE_NAME_MAX);
        st = limit(s->event_type_count, TM_SIMPLEPERF_FILES_MAX, "types of events", err);
        if (st == TM_OK)
            st = tm_array_grow(&s->event_types, &s->event_type_cap, s->event_type_count, sizeof *s->event_types, err);
        if (st == TM_OK)
            st = store_name(s, &f, &s->event_types[s->event_type_count++], err);
    }
    return st == TM_OK && next < 0 ? TM_END : st;
}

static const struct file *find_file(const struct simpleperf *s, uint32_t id)
{
    uint32_t at;
    return tm_map_find(&s->file_of_id, id, &at) ? &s->files[at] : NULL;
}

static enum tm_status account(struct simpleperf *s, enum tm_drop_reason reason, uint64_t byte, struct tm_error *err)
{
    return tm_event_sink_account(s->context.sink, (struct tm_loss){reason, TM_CLOCK_MONOTONIC, 1, byte}, err);
}

/* Reads a frame. False: it is damaged. */
static bool read_frame(struct tm_pb pb, struct frame *frame)
{
    struct tm_pb_field f;
    enum tm_status st;
    *frame = (struct frame){.file = UINT32_MAX, .symbol = -1};
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.type != TM_PB_VARINT)
            continue;
        if (f.id == FRAME_ADDRESS)
            frame->address = f.value;
        else if (f.id == FRAME_FILE)
            frame->file = (uint32_t)f.value;
        else if (f.id == FRAME_SYMBOL)
            frame->symbol = (int32_t)(uint32_t)f.value;
    }
    return st == TM_END;
}

static bool put_name(struct simpleperf *s, uint32_t field, struct name name)
{
    return tm_pb_put_bytes(&s->detail, field, (const char *)s->names.data + name.at, name.len) == TM_OK;
}

static bool put_frame(struct simpleperf *s, struct frame frame)
{
    const struct file *file = find_file(s, frame.file);
    size_t mark;
    if (tm_pb_begin(&s->detail, TM_DETAIL_FRAMES, &mark) != TM_OK)
        return false;
    if (file && frame.symbol >= 0 && (uint32_t)frame.symbol < file->symbol_count &&
        !put_name(s, TM_STACK_FRAME_FUNCTION, s->symbols[file->first_symbol + (uint32_t)frame.symbol]))
        return false;
    if (file && !put_name(s, TM_STACK_FRAME_MAPPING, file->path))
        return false;
    return tm_pb_put_varint(&s->detail, TM_STACK_FRAME_REL_PC, frame.address) == TM_OK &&
           tm_pb_end(&s->detail, mark) == TM_OK;
}

/* Reads a sample into ROW, s->frames and *EVENT_TYPE, the index of its type. Returns why it cannot be shown, or
 * TM_DROP_NONE if it can. */
static enum tm_drop_reason read_sample(struct simpleperf *s, struct tm_pb pb, struct tm_event *row,
                                       uint32_t *event_type)
{
    struct tm_pb_field f;
    enum tm_status st;
    bool has_time = false;
    s->frame_count = 0;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id == SAMPLE_TIME && f.type == TM_PB_VARINT) {
            has_time = f.value <= INT64_MAX;
            row->time_ns = (int64_t)f.value;
        } else if (f.id == SAMPLE_TID && f.type == TM_PB_VARINT) {
            row->tid = (int32_t)(uint32_t)f.value;
        } else if (f.id == SAMPLE_FRAME && f.type == TM_PB_LEN) {
            if (s->frame_count == TM_SIMPLEPERF_FRAMES_MAX ||
                !read_frame(tm_pb_of(f.data, f.len), &s->frames[s->frame_count++]))
                return TM_DROP_DAMAGED;
        } else if (f.id == SAMPLE_COUNT && f.type == TM_PB_VARINT) {
            row->value = f.value;
            row->flags |= TM_EVENT_HAS_VALUE;
        } else if (f.id == SAMPLE_EVENT_TYPE && f.type == TM_PB_VARINT) {
            *event_type = (uint32_t)f.value;
        }
    }
    return st < 0 ? TM_DROP_DAMAGED : has_time ? TM_DROP_NONE : TM_DROP_NO_TIME;
}

/* Puts s->frames into the detail, the outermost first, up to the one that would exceed the limit of bytes. */
static enum tm_status put_stack(struct simpleperf *s, struct tm_error *err)
{
    const size_t bytes_max = tm_detail_budget_left(&s->context.sink->budget, TM_SIMPLEPERF_STACK_BYTES_MAX);
    for (uint32_t left = s->frame_count; left > 0; left--) {
        const size_t before = s->detail.len;
        if (!put_frame(s, s->frames[left - 1]))
            return tm_error_nomem(err);
        if (s->detail.len > bytes_max) {
            s->detail.len = before;
            s->stacks_cut++;
            break;
        }
    }
    return TM_OK;
}

static enum tm_status add_sample(struct simpleperf *s, struct tm_pb pb, uint64_t byte, struct tm_error *err)
{
    struct tm_event e = {.kind = TM_KIND_SAMPLE, .clock = TM_CLOCK_MONOTONIC,
                         .flags = tm_event_scope_flags(TM_SCOPE_THREAD) | TM_EVENT_HAS_TID};
    uint32_t event_type = 0;
    enum tm_drop_reason reason = read_sample(s, pb, &e, &event_type);
    if (reason)
        return account(s, reason, byte, err);
    tm_buf_clear(&s->detail);
    enum tm_status st = TM_OK;
    if (event_type < s->event_type_count) {
        const struct name *name = &s->event_types[event_type];
        st = tm_event_sink_string(s->context.sink, tm_text_at(s->names.data + name->at, name->len),
                                  &s->detail, &e.name, err);
    }
    if (st == TM_OK)
        st = put_stack(s, err);
    e.detail = s->detail.data;
    e.detail_bytes = (uint32_t)s->detail.len;
    return st < 0 ? st : tm_event_sink_add(s->context.sink, &e, err);
}

/* Adds the definition of a thread, which states its process. Number 0 is no thread of a program. */
static enum tm_status add_thread(struct simpleperf *s, struct tm_pb pb, uint64_t byte, struct tm_error *err)
{
    struct tm_event e = {.kind = TM_KIND_THREAD, .flags = TM_EVENT_HAS_TID | TM_EVENT_HAS_PID | TM_EVENT_UNTIMED |
                                                          TM_EVENT_DEFINITION};
    struct tm_pb_field f, name = {0};
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id == TASK_TID && f.type == TM_PB_VARINT)
            e.tid = (uint32_t)f.value;
        else if (f.id == TASK_PID && f.type == TM_PB_VARINT)
            e.pid = (uint32_t)f.value;
        else if (f.id == TASK_NAME && f.type == TM_PB_LEN)
            name = f;
    }
    if (st < 0)
        return account(s, TM_DROP_DAMAGED, byte, err);
    if (e.tid == 0 || e.pid == 0)
        return TM_OK;
    tm_buf_clear(&s->detail);
    if (tm_task_description_put(&s->detail, &e, tm_text_at(name.data, name.len)) != TM_OK)
        return tm_error_nomem(err);
    e.detail = s->detail.data;
    e.detail_bytes = (uint32_t)s->detail.len;
    return tm_event_sink_add(s->context.sink, &e, err);
}

static enum tm_status store_record(struct simpleperf *s, const uint8_t *data, size_t len, uint64_t byte,
                                   struct tm_error *err)
{
    uint8_t head[ENTRY_LEN];
    tm_put_le64(head, byte);
    tm_put_le32(head + 8, (uint32_t)len);
    enum tm_status st = tm_paged_file_write(&s->record_file, s->record_file.end, head, sizeof head, err);
    return st < 0 ? st : tm_paged_file_write(&s->record_file, s->record_file.end, data, len, err);
}

/* Counts lost samples. TM_OK; TM_END: the record is damaged. */
static enum tm_status take_lost(struct simpleperf *s, struct tm_pb pb)
{
    struct tm_pb_field f;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK)
        if (f.id == LOST_COUNT && f.type == TM_PB_VARINT)
            s->lost = f.value > INT64_MAX - s->lost ? INT64_MAX : s->lost + f.value;
    return st < 0 ? TM_END : TM_OK;
}

/* Handles the record DATA. Samples and threads become pending; what other records state is stored. */
static enum tm_status take_record(struct simpleperf *s, const uint8_t *data, size_t len, uint64_t byte,
                                  struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    enum tm_status st;
    if (tm_pb_next(&pb, &f) != TM_OK || f.type != TM_PB_LEN)
        return account(s, TM_DROP_DAMAGED, byte, err);
    switch (f.id) {
    case RECORD_SAMPLE:
    case RECORD_THREAD:
        return store_record(s, data, len, byte, err);
    case RECORD_FILE:
        st = store_file(s, tm_pb_of(f.data, f.len), err);
        break;
    case RECORD_META:
        st = store_meta(s, tm_pb_of(f.data, f.len), err);
        break;
    case RECORD_LOST:
        st = take_lost(s, tm_pb_of(f.data, f.len));
        break;
    default:
        return account(s, TM_DROP_NOT_SHOWN, byte, err);
    }
    return st == TM_END ? account(s, TM_DROP_DAMAGED, byte, err) : st;
}

/* Adds the row of the next pending record. TM_END: there is none. */
static enum tm_status next_row(struct simpleperf *s, struct tm_error *err)
{
    uint8_t head[ENTRY_LEN];
    struct tm_pb_field f = {0};
    if (s->at >= s->record_file.end)
        return TM_END;
    enum tm_status st = tm_paged_file_read(&s->record_file, s->at, head, sizeof head, err);
    if (st < 0)
        return st;
    size_t len = tm_get_le32(head + 8);
    tm_buf_clear(&s->record);
    if (tm_buf_reserve(&s->record, len) != TM_OK)
        return tm_error_nomem(err);
    if ((st = tm_paged_file_read(&s->record_file, s->at + sizeof head, s->record.data, len, err)) < 0)
        return st;
    s->at += sizeof head + len;
    struct tm_pb pb = tm_pb_of(s->record.data, len);
    (void)tm_pb_next(&pb, &f);
    struct tm_pb part = tm_pb_of(f.data, f.len);
    return (f.id == RECORD_SAMPLE ? add_sample : add_thread)(s, part, tm_get_le64(head), err);
}

static enum tm_status read_header(struct simpleperf *s, struct tm_error *err)
{
    struct tm_input *in = s->context.input;
    enum tm_status st = tm_input_fill(in, HEADER_LEN, err);
    if (st < 0)
        return st;
    if (in->len < HEADER_LEN)
        return tm_error_at(err, in->offset + in->len, "cut short within the header");
    unsigned version = in->data[MAGIC_LEN] | (unsigned)in->data[MAGIC_LEN + 1] << 8;
    if (version != VERSION)
        return tm_error_at(err, in->offset + MAGIC_LEN, "a simpleperf report of version %u; only 1 is known", version);
    tm_input_skip(in, HEADER_LEN);
    s->has_header = true;
    return TM_OK;
}

/* Reads the next record, or the end mark: a record of no bytes. */
static enum tm_status read_record(struct simpleperf *s, struct tm_error *err)
{
    struct tm_input *in = s->context.input;
    uint64_t byte = in->offset;
    enum tm_status st = tm_input_fill(in, 4, err);
    uint32_t len = st == TM_OK ? tm_get_le32(in->data) : 0;
    if (st == TM_OK && len > 0)
        st = tm_input_fill(in, (size_t)len + 4, err);
    if (st < 0)
        return st;
    if (st == TM_END) {
        if (s->context.options->on_damage == TM_DAMAGE_HALT) {
            tm_error_at(err, byte, "cut short, without the end mark of a report");
            return tm_error_recoverable(err);
        }
        tm_input_skip(in, in->len);
        s->is_read = true;
        return account(s, TM_DROP_DAMAGED, byte, err);
    }
    s->is_read = len == 0;
    if (len)
        st = take_record(s, in->data + 4, len, byte, err);
    tm_input_skip(in, (size_t)len + 4);
    return st == TM_E_INPUT ? tm_error_prefix(err, "byte %llu", (unsigned long long)byte) : st;
}

/* Writes the statistics. TM_END or an error. */
static enum tm_status end(struct simpleperf *s, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (s->lost)
        st = tm_event_sink_stat(s->context.sink, "simpleperf_lost_samples", TRACEMERGE__SEVERITY__DATA_LOSS,
                                (int64_t)s->lost, err);
    if (st == TM_OK && s->stacks_cut)
        st = tm_event_sink_stat(s->context.sink, "simpleperf_stacks_cut", TRACEMERGE__SEVERITY__DATA_LOSS,
                                (int64_t)s->stacks_cut, err);
    return st < 0 ? st : TM_END;
}

static enum tm_status simpleperf_read(void *state, struct tm_error *err)
{
    struct simpleperf *s = state;
    if (!s->has_header)
        return read_header(s, err);
    if (!s->is_read)
        return read_record(s, err);
    enum tm_status st = next_row(s, err);
    return st == TM_END ? end(s, err) : st;
}

static void simpleperf_close(void *state)
{
    struct simpleperf *s = state;
    if (s == NULL)
        return;
    tm_buf_release(&s->names);
    tm_buf_release(&s->record);
    tm_buf_release(&s->detail);
    tm_paged_file_release(&s->record_file);
    tm_map_release(&s->file_of_id);
    free(s->files);
    free(s->symbols);
    free(s->event_types);
    free(s);
}

static bool simpleperf_sniff(const uint8_t *head, size_t len)
{
    return len >= MAGIC_LEN && memcmp(head, magic, MAGIC_LEN) == 0;
}

const struct tm_format tm_format_simpleperf = {
    .type = TM_INPUT_SIMPLEPERF,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK,
    .sniff = simpleperf_sniff,
    .open = simpleperf_open,
    .read = simpleperf_read,
    .close = simpleperf_close,
};

#include "stream/splice.h"

#include "stream/frame_ids.h"
#include "stream/input_type.h"

/* Columns whose elements are the same in the run, and those of them from which the writer counts the events of messages
 * that stand for several. */
#define BIT(column) (UINT32_C(1) << (column))
#define UNREAD (~(BIT(TM_COL_FILE) | BIT(TM_COL_GENERATION) | BIT(TM_COL_NAME) | BIT(TM_COL_CATEGORY) | \
                  BIT(TM_COL_ARG_KEYS)))
#define COUNTED (BIT(TM_COL_KIND) | BIT(TM_COL_VALUE))

void tm_splice_begin(struct tm_splice *splice, uint32_t files_from)
{
    splice->frame_count = 0;
    splice->files_from = files_from;
    splice->file_shift = splice->file_count - files_from;
    splice->order_from = splice->order;
    splice->generations_from = splice->sink->generations;
    splice->is_same = true;
    splice->has_strings = false;
    tm_buf_clear(&splice->strings);
}

static uint32_t file_number(const struct tm_splice *splice, uint32_t file)
{
    return file < splice->files_from ? file : file + splice->file_shift;
}

/* Returns the run's number for V, a string. */
static uint32_t string_number(const struct tm_splice *splice, uint32_t v)
{
    const uint32_t known = (uint32_t)(splice->strings.len / 4), at = v - 1; /* 0 and inline strings are no numbers */
    return at < known ? tm_get_le32(splice->strings.data + (size_t)4 * at) : v;
}

uint32_t tm_splice_string(const struct tm_splice *splice, uint32_t string)
{
    return string_number(splice, string);
}

/* Adds the next string of the other sink to the run's sink. TM_END: there is no room for it. */
static enum tm_status add_string(struct tm_splice *splice, const void *s, size_t len, struct tm_error *err)
{
    uint32_t id;
    enum tm_status st = tm_intern_add(&splice->sink->strings, s, len, &id, NULL);
    splice->is_full |= st == TM_END;
    if (st == TM_OK)
        st = tm_buf_reserve(&splice->strings, 4);
    if (st != TM_OK)
        return st < 0 ? tm_error_nomem(err) : st;
    splice->is_same = splice->is_same && id == splice->strings.len / 4;
    tm_put_le32(splice->strings.data + splice->strings.len, id + 1);
    splice->strings.len += 4;
    return TM_OK;
}

static enum tm_status add_strings(struct tm_splice *splice, const Tracemerge__Strings *frame, struct tm_error *err)
{
    uint32_t known = (uint32_t)(splice->strings.len / 4);
    for (size_t i = 0; i < frame->n_text; i++) {
        if (frame->first + i <= known)
            continue;
        enum tm_status st = add_string(splice, frame->text[i].data, frame->text[i].len, err);
        if (st != TM_OK)
            return st;
    }
    return TM_OK;
}

enum tm_status tm_splice_add_strings(struct tm_splice *splice, const struct tm_event_sink *other, struct tm_error *err)
{
    for (uint32_t i = (uint32_t)(splice->strings.len / 4); i < other->strings.count; i++) {
        size_t len;
        const uint8_t *s = tm_intern_get(&other->strings, i, &len);
        enum tm_status st = add_string(splice, s, len, err);
        if (st != TM_OK)
            return st;
    }
    return TM_OK;
}

/* Renumbers BEGIN. TM_END: the file would get another number, and its parser derives other numbers from the file's. */
static enum tm_status begin_file(struct tm_splice *splice, Tracemerge__FileBegin *begin)
{
    enum tm_input_type type = tm_input_type_of((struct tm_text){begin->type.data, begin->type.len});
    bool is_named_by_number = type == TM_INPUT_GECKO || type == TM_INPUT_NSIGHT || type == TM_INPUT_XSPACE ||
                              type == TM_INPUT_CPUPROFILE;
    if (is_named_by_number && file_number(splice, begin->id) != begin->id)
        return TM_END;
    begin->id = file_number(splice, begin->id);
    begin->processing_order += splice->order_from;
    splice->order++;
    return TM_OK;
}

static enum tm_status add_file(struct tm_splice *splice, Tracemerge__File *file)
{
    if (splice->file_count >= splice->files_max)
        return TM_END;
    file->id = file_number(splice, file->id);
    file->parent = file_number(splice, file->parent);
    splice->file_count++;
    return TM_OK;
}

static enum tm_status renumber(struct tm_splice *splice, uint32_t type, ProtobufCMessage *message)
{
    switch (type) {
    case TM_FRAME_FILE:
        return add_file(splice, (Tracemerge__File *)message);
    case TM_FRAME_FILE_BEGIN:
        return begin_file(splice, (Tracemerge__FileBegin *)message);
    case TM_FRAME_SEQUENCE:
        ((Tracemerge__Sequence *)message)->generation += splice->generations_from;
        splice->sink->generations++;
        break;
    default:
        break;
    }
    return TM_OK;
}

/* Returns the descriptor of the message in frames of TYPE. NULL: the message has no number to convert. */
static const ProtobufCMessageDescriptor *descriptor_of(uint32_t type)
{
    return type == TM_FRAME_FILE         ? &tracemerge__file__descriptor
           : type == TM_FRAME_FILE_BEGIN ? &tracemerge__file_begin__descriptor
                                         : tm_frame_ids_descriptor(type);
}

/* True if the numbers in frames of TYPE can be others in the run. */
static bool differs(const struct tm_splice *splice, uint32_t type)
{
    return type == TM_FRAME_FILE || type == TM_FRAME_FILE_BEGIN || type == TM_FRAME_SEQUENCE || splice->file_shift != 0;
}

static enum tm_status copy_message(struct tm_splice *splice, const struct tm_frame *frame, struct tm_error *err)
{
    const ProtobufCMessageDescriptor *descriptor = descriptor_of(frame->type);
    if (descriptor == NULL || !differs(splice, frame->type))
        return tm_stream_forward(splice->sink->writer, frame, NULL, err);
    ProtobufCMessage *message = protobuf_c_message_unpack(descriptor, NULL, frame->body_bytes, frame->body);
    if (message == NULL)
        return tm_error_nomem(err);
    uint32_t *file = tm_frame_ids_file(frame->type, message);
    if (file)
        *file = file_number(splice, *file);
    enum tm_status st = renumber(splice, frame->type, message);
    if (st == TM_OK)
        st = tm_stream_write_message(splice->sink->writer, (enum tm_frame_type)frame->type, message, err);
    protobuf_c_message_free_unpacked(message, NULL);
    return st;
}

static uint32_t generation_number(const struct tm_splice *splice, uint32_t v)
{
    return v ? v + splice->generations_from : 0;
}

/* Writes the COUNT numbers of a column at FROM to TO as the run's. True if one differs. There are no branches on the
 * numbers, because they would be mispredicted. */
static inline bool renumber_elements(const struct tm_splice *splice, const uint8_t *from, uint8_t *to, uint32_t count,
                                     uint32_t (*number)(const struct tm_splice *, uint32_t))
{
    uint32_t differing = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = tm_get_le32(from + (size_t)4 * i), after = number(splice, v);
        differing |= after ^ v;
        tm_put_le32(to + (size_t)4 * i, after);
    }
    return differing != 0;
}

/* Converts the numbers in COLUMN to those of the run. Sets *CHANGED if a row has another number now. */
static enum tm_status renumber_column(struct tm_splice *splice, struct tm_batch *batch, enum tm_column column,
                                      bool *changed)
{
    struct tm_buf *to = &splice->columns[column];
    const uint8_t *from = batch->cols[column].data;
    uint32_t n = tm_batch_is_constant(batch, column) ? 1 : batch->count;
    bool differs;
    tm_buf_clear(to);
    if (tm_buf_reserve(to, (size_t)4 * n) != TM_OK)
        return TM_E_SYSTEM;
    if (column == TM_COL_FILE)
        differs = renumber_elements(splice, from, to->data, n, file_number);
    else if (column == TM_COL_GENERATION)
        differs = renumber_elements(splice, from, to->data, n, generation_number);
    else
        differs = renumber_elements(splice, from, to->data, n, string_number);
    if (differs)
        tm_batch_set_column(batch, column, to->data, n);
    *changed |= differs;
    return TM_OK;
}

static enum tm_status copy_batch(struct tm_splice *splice, const struct tm_frame *frame, struct tm_error *err)
{
    const struct {
        enum tm_column column;
        bool differs;
    } columns[] = {{TM_COL_FILE, splice->file_shift != 0},
                   {TM_COL_GENERATION, splice->generations_from > 0},
                   {TM_COL_NAME, !splice->is_same},
                   {TM_COL_CATEGORY, !splice->is_same},
                   {TM_COL_ARG_KEYS, !splice->is_same}};
    struct tm_batch batch;
    bool changed = false;
    splice->store.unread = splice->sink->want_compact_messages ? UNREAD & ~COUNTED : UNREAD;
    enum tm_status st = tm_batch_decode(&batch, &splice->store, frame->body, frame->body_bytes, err);
    for (size_t i = 0; i < sizeof columns / sizeof *columns && st == TM_OK; i++)
        if (columns[i].differs && (st = renumber_column(splice, &batch, columns[i].column, &changed)) < 0)
            tm_error_nomem(err);
    if (st < 0)
        return st;
    return changed ? tm_stream_write_batch(splice->sink->writer, &batch, err)
                   : tm_stream_forward(splice->sink->writer, frame, &batch, err);
}

static enum tm_status copy_strings(struct tm_splice *splice, const struct tm_frame *frame, struct tm_error *err)
{
    Tracemerge__Strings *strings = tracemerge__strings__unpack(NULL, frame->body_bytes, frame->body);
    if (strings == NULL)
        return tm_error_nomem(err);
    enum tm_status st = add_strings(splice, strings, err);
    splice->has_strings = true;
    tracemerge__strings__free_unpacked(strings, NULL);
    return st;
}

static enum tm_status copy_frame(struct tm_splice *splice, const struct tm_frame *frame, struct tm_error *err)
{
    /* A sink writes new strings just before the frame that needs them. The copy does the same. */
    enum tm_status st = TM_OK;
    if (frame->type == TM_FRAME_STRINGS)
        return copy_strings(splice, frame, err);
    if (splice->has_strings)
        st = tm_event_sink_flush(splice->sink, err);
    splice->has_strings = false;
    if (st == TM_OK)
        st = frame->type == TM_FRAME_BATCH ? copy_batch(splice, frame, err) : copy_message(splice, frame, err);
    splice->frame_count += st == TM_OK;
    return st;
}

enum tm_status tm_splice_copy(struct tm_splice *splice, const uint8_t *data, size_t len, struct tm_error *err)
{
    const uint8_t *p = data, *end = data + len;
    struct tm_frame frame;
    enum tm_status st;
    while ((st = tm_frame_next(&p, end, &frame)) == TM_OK)
        if ((st = copy_frame(splice, &frame, err)) != TM_OK)
            return st;
    return TM_OK;
}

void tm_splice_release(struct tm_splice *splice)
{
    tm_buf_release(&splice->strings);
    for (int c = 0; c < TM_COL_COUNT; c++)
        tm_buf_release(&splice->columns[c]);
    tm_batch_store_release(&splice->store);
}

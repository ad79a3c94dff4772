#include "stream/writer.h"

#include "base/pb.h"
#include "stream/internal.h"

enum { HEAD_MAX = 5 * TM_VARINT_MAX /* bytes before the elements of a column */ };

/* The pieces of a batch's frame. Each column is a head and its elements. */
struct batch_pieces {
    uint8_t heads[TM_COL_COUNT + 1][HEAD_MAX];
    struct tm_narrow narrow[TM_COL_COUNT];
    struct tm_piece pieces[2 * (TM_COL_COUNT + 1)];
    size_t count;
};

/* True if the next frame is not to be written because the stream has it already. Counts it then. */
static bool passes_over(struct tm_stream_writer *writer)
{
    if (writer->passed_over == 0)
        return false;
    writer->passed_over--;
    return true;
}

enum tm_status tm_stream_write_message(struct tm_stream_writer *writer, enum tm_frame_type type,
                                       const ProtobufCMessage *message, struct tm_error *err)
{
    if (passes_over(writer))
        return TM_OK;
    size_t len = protobuf_c_message_get_packed_size(message);
    tm_buf_clear(&writer->scratch);
    writer->has_compact_messages |= type == TM_FRAME_COMPACT_MESSAGES;
    if (tm_buf_reserve(&writer->scratch, len + 1) != TM_OK)
        return tm_error_nomem(err);
    len = protobuf_c_message_pack(message, writer->scratch.data);
    struct tm_piece piece = {writer->scratch.data, len};
    return tm_frame_write(&writer->frames, type, &piece, 1, err);
}

enum tm_status tm_stream_writer_open(struct tm_stream_writer *writer, int fd, const char *producer,
                                     const struct tm_stream_header *header, struct tm_error *err)
{
    const struct tm_time_part *part = &header->part;
    Tracemerge__Header message = TRACEMERGE__HEADER__INIT;
    *writer = (struct tm_stream_writer){0};
    tm_frame_writer_init(&writer->frames, fd);
    message.version = TM_STREAM_VERSION;
    message.producer = tm_bytes(producer, strlen(producer));
    message.stage = header->stage;
    message.sorted = header->sorted;
    message.has_from_ns = part->has_from;
    message.from_ns = part->from_ns;
    message.has_to_ns = part->has_to;
    message.to_ns = part->to_ns;
    return tm_stream_write_message(writer, TM_FRAME_HEADER, &message.base, err);
}

enum tm_status tm_stream_write_frame(struct tm_stream_writer *writer, const struct tm_frame *frame,
                                     struct tm_error *err)
{
    struct tm_piece piece = {frame->body, frame->body_bytes};
    if (passes_over(writer))
        return TM_OK;
    writer->has_compact_messages |= frame->type == TM_FRAME_COMPACT_MESSAGES;
    return tm_frame_write(&writer->frames, frame->type, &piece, 1, err);
}

static void count_events(struct tm_stream_writer *writer, const struct tm_batch *batch)
{
    writer->event_count += batch->count;
    tm_progress_events(&writer->frames.progress, writer->has_compact_messages ? tm_batch_events(batch) : batch->count);
}

enum tm_status tm_stream_forward(struct tm_stream_writer *writer, const struct tm_frame *frame,
                                 const struct tm_batch *batch, struct tm_error *err)
{
    if (passes_over(writer))
        return TM_OK;
    if (frame->type == TM_FRAME_BATCH)
        count_events(writer, batch);
    writer->has_compact_messages |= frame->type == TM_FRAME_COMPACT_MESSAGES;
    return tm_frame_forward(&writer->frames, frame, err);
}

static void add_piece(struct batch_pieces *b, const void *data, size_t len)
{
    b->pieces[b->count++] = (struct tm_piece){data, len};
}

/* Chooses the form of each column. Packs columns that become narrow. */
static enum tm_status narrow_columns(struct tm_stream_writer *writer, struct batch_pieces *b,
                                     const struct tm_batch *batch)
{
    size_t bytes = 0;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        b->narrow[c] = (struct tm_narrow){0};
        if (tm_batch_is_constant(batch, (enum tm_column)c))
            continue;
        b->narrow[c] = tm_batch_narrow(batch, (enum tm_column)c);
        bytes += b->narrow[c].data == NULL ? (size_t)b->narrow[c].width * batch->count : 0;
    }
    tm_buf_clear(&writer->scratch);
    if (tm_buf_reserve(&writer->scratch, bytes) != TM_OK)
        return TM_E_SYSTEM;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        struct tm_narrow *n = &b->narrow[c];
        if (n->width == 0 || n->data)
            continue;
        uint8_t *to = writer->scratch.data + writer->scratch.len;
        tm_narrow_pack(n, to, batch->cols[c].data, tm_column_width((enum tm_column)c), batch->count);
        n->data = to;
        writer->scratch.len += (size_t)n->width * batch->count;
    }
    return TM_OK;
}

static void add_narrow(struct batch_pieces *b, enum tm_column c, uint32_t count)
{
    const struct tm_narrow *n = &b->narrow[c];
    uint8_t inner[HEAD_MAX], *p = inner, *head = b->heads[c];
    size_t len = (size_t)n->width * count;
    p = tm_varint_put(tm_pb_tag_put(p, TM_NARROW_FIELD_COLUMN, TM_PB_VARINT), tm_column_field(c));
    p = tm_varint_put(tm_pb_tag_put(p, TM_NARROW_FIELD_WIDTH, TM_PB_VARINT), n->width);
    p = tm_pb_tag_put(p, TM_NARROW_FIELD_LOW, TM_PB_I64);
    tm_put_le64(p, n->low);
    p = tm_varint_put(tm_pb_tag_put(p + 8, TM_NARROW_FIELD_ELEMENTS, TM_PB_LEN), len);
    size_t inner_len = (size_t)(p - inner);
    p = tm_varint_put(tm_pb_tag_put(head, TM_BATCH_FIELD_NARROW, TM_PB_LEN), inner_len + len);
    memcpy(p, inner, inner_len);
    add_piece(b, head, (size_t)(p - head) + inner_len);
    add_piece(b, n->data, len);
}

static void add_column(struct batch_pieces *b, const struct tm_batch *batch, enum tm_column c)
{
    size_t width = tm_column_width(c);
    const struct tm_batch_col *col = &batch->cols[c];
    size_t elements = col->mask == 0 ? 1 : batch->count;
    if (elements == 1 && memcmp(col->data, (const uint8_t[8]){0}, width) == 0)
        return;
    if (b->narrow[c].width) {
        add_narrow(b, c, batch->count);
        return;
    }
    uint8_t *p = tm_varint_put(tm_pb_tag_put(b->heads[c], tm_column_field(c), TM_PB_LEN), elements * width);
    add_piece(b, b->heads[c], (size_t)(p - b->heads[c]));
    add_piece(b, col->data, elements * width);
}

enum tm_status tm_stream_write_batch(struct tm_stream_writer *writer, const struct tm_batch *batch,
                                     struct tm_error *err)
{
    struct batch_pieces b;
    uint8_t *head;
    b.count = 0;
    if (batch->count == 0 || passes_over(writer))
        return TM_OK;
    if (narrow_columns(writer, &b, batch) != TM_OK)
        return tm_error_nomem(err);
    head = b.heads[0];
    uint8_t *p = tm_varint_put(tm_pb_tag_put(head, TM_BATCH_FIELD_COUNT, TM_PB_VARINT), batch->count);
    add_piece(&b, head, (size_t)(p - head));
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        add_column(&b, batch, (enum tm_column)c);
    head = b.heads[TM_COL_COUNT];
    p = tm_varint_put(tm_pb_tag_put(head, TM_BATCH_FIELD_PAYLOAD, TM_PB_LEN), batch->payload_bytes);
    add_piece(&b, head, (size_t)(p - head));
    add_piece(&b, batch->payload, batch->payload_bytes);
    count_events(writer, batch);
    return tm_frame_write(&writer->frames, TM_FRAME_BATCH, b.pieces, b.count, err);
}

static enum tm_status write_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    return tm_stream_write_batch(self, batch, err);
}

struct tm_batch_receiver tm_stream_writer_receiver(struct tm_stream_writer *writer)
{
    return (struct tm_batch_receiver){write_batch, writer};
}

enum tm_status tm_stream_writer_end(struct tm_stream_writer *writer, struct tm_error *err)
{
    Tracemerge__End end = TRACEMERGE__END__INIT;
    end.frame_count = writer->frames.count;
    end.event_count = writer->event_count;
    enum tm_status st = tm_stream_write_message(writer, TM_FRAME_END, &end.base, err);
    return st < 0 ? st : tm_frame_flush(&writer->frames, err);
}

void tm_stream_writer_release(struct tm_stream_writer *writer)
{
    tm_frame_writer_release(&writer->frames);
    tm_buf_release(&writer->scratch);
}

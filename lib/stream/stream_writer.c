#include "stream/stream_writer.h"

enum { STREAM_VERSION = 1, BATCH_FIELD_COUNT = 1, BATCH_FIELD_PAYLOAD = 21 };

enum tm_status tm_stream_write_message(struct tm_stream_writer *writer, enum tm_frame_type type,
                                       const ProtobufCMessage *message, struct tm_error *err)
{
    size_t len = protobuf_c_message_get_packed_size(message);
    tm_buf_clear(&writer->scratch);
    if (tm_buf_reserve(&writer->scratch, len + 1) != TM_OK)
        return tm_error_nomem(err);
    len = protobuf_c_message_pack(message, writer->scratch.data);
    struct tm_piece piece = {writer->scratch.data, len};
    return tm_frame_write(&writer->frames, type, &piece, 1, err);
}

enum tm_status tm_stream_writer_open(struct tm_stream_writer *writer, int fd, const char *producer,
                                     Tracemerge__Stage stage, bool sorted, struct tm_error *err)
{
    Tracemerge__Header header = TRACEMERGE__HEADER__INIT;
    *writer = (struct tm_stream_writer){0};
    tm_frame_writer_init(&writer->frames, fd);
    header.version = STREAM_VERSION;
    header.producer = tm_bytes(producer, strlen(producer));
    header.stage = stage;
    header.sorted = sorted;
    return tm_stream_write_message(writer, TM_FRAME_HEADER, &header.base, err);
}

enum tm_status tm_stream_write_frame(struct tm_stream_writer *writer, const struct tm_frame *frame,
                                     struct tm_error *err)
{
    struct tm_piece piece = {frame->body, frame->body_bytes};
    return tm_frame_write(&writer->frames, frame->type, &piece, 1, err);
}

static void count_events(struct tm_stream_writer *writer, const struct tm_batch *batch)
{
    writer->event_count += batch->count;
    tm_progress_events(&writer->frames.progress, batch->count);
}

enum tm_status tm_stream_forward(struct tm_stream_writer *writer, const struct tm_frame *frame,
                                 const struct tm_batch *batch, struct tm_error *err)
{
    if (frame->type == TM_FRAME_BATCH)
        count_events(writer, batch);
    return tm_frame_forward(&writer->frames, frame, err);
}

enum tm_status tm_stream_write_batch(struct tm_stream_writer *writer, const struct tm_batch *batch,
                                     struct tm_error *err)
{
    enum { HEAD_MAX = 2 * TM_VARINT_MAX };
    uint8_t heads[TM_COL_COUNT + 1][HEAD_MAX];
    struct tm_piece pieces[2 * (TM_COL_COUNT + 1)];
    size_t n = 0;
    if (batch->count == 0)
        return TM_OK;
    uint8_t *p = tm_varint_put(heads[0], BATCH_FIELD_COUNT << 3);
    p = tm_varint_put(p, batch->count);
    pieces[n++] = (struct tm_piece){heads[0], (size_t)(p - heads[0])};
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        size_t width = tm_column_width((enum tm_column)c);
        const struct tm_batch_col *col = &batch->cols[c];
        size_t elements = col->mask == 0 ? 1 : batch->count;
        if (elements == 1 && memcmp(col->data, (const uint8_t[8]){0}, width) == 0)
            continue;
        p = tm_varint_put(heads[c], (uint64_t)c << 3 | 2);
        p = tm_varint_put(p, elements * width);
        pieces[n++] = (struct tm_piece){heads[c], (size_t)(p - heads[c])};
        pieces[n++] = (struct tm_piece){col->data, elements * width};
    }
    p = tm_varint_put(heads[TM_COL_COUNT], BATCH_FIELD_PAYLOAD << 3 | 2);
    p = tm_varint_put(p, batch->payload_bytes);
    pieces[n++] = (struct tm_piece){heads[TM_COL_COUNT], (size_t)(p - heads[TM_COL_COUNT])};
    pieces[n++] = (struct tm_piece){batch->payload, batch->payload_bytes};
    count_events(writer, batch);
    return tm_frame_write(&writer->frames, TM_FRAME_BATCH, pieces, n, err);
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

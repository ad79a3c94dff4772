#include "sort/sort_stream.h"

#include "sort/order_check.h"
#include "stream/reader.h"

enum tm_status tm_sort_check(int in, struct tm_error *err)
{
    struct tm_stream_reader reader;
    struct tm_order_check check = {0};
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st = tm_stream_reader_open(&reader, in, err);
    reader.takes_compact_messages = true;
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, err)) == TM_OK)
        st = tm_order_check_next(&check, &frame, &batch, err);
    tm_order_check_release(&check);
    tm_stream_reader_release(&reader);
    return st < 0 ? st : TM_OK;
}

/* Copies a stream that is in order. Only its batches are divided anew. */
static enum tm_status pass(struct tm_stream_reader *reader, struct tm_stream_writer *writer, struct tm_error *err)
{
    struct tm_order_check check = {0};
    struct tm_collector collector;
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st = TM_OK;
    tm_collector_init(&collector, tm_stream_writer_receiver(writer), TM_BATCH_BYTES);
    while (st == TM_OK && (st = tm_stream_reader_next(reader, &frame, &batch, err)) == TM_OK) {
        st = tm_order_check_next(&check, &frame, &batch, err);
        if (st == TM_OK && frame.type != TM_FRAME_BATCH) {
            st = tm_stream_write_frame(writer, &frame, err);
        } else if (st == TM_OK) {
            struct tm_block block = tm_block_of(&batch);
            struct tm_block_rows rows = tm_block_rows_of(&block);
            st = tm_collector_add(&collector, &rows, err);
            if (st == TM_OK)
                st = tm_collector_copy_noted(&collector, err);
        }
    }
    if (st == TM_END)
        st = tm_collector_flush(&collector, err);
    tm_collector_release(&collector);
    tm_order_check_release(&check);
    return st;
}

/* Sorts the stream of READER and writes it to OUT. */
static enum tm_status sort(struct tm_stream_reader *reader, int out, const struct tm_sort_options *options,
                           struct tm_error *err)
{
    const struct tm_stream_header header = {.stage = reader->header.stage, .sorted = true};
    struct tm_sorter sorter;
    struct tm_stream_writer writer = {0};
    tm_sorter_init(&sorter, options);
    enum tm_status st = tm_sorter_read(&sorter, reader, err);
    /* Frees the buffer, which is as large as the largest frame. */
    tm_stream_reader_release(reader);
    if (st == TM_OK)
        st = tm_stream_writer_open(&writer, out, "tm-sort", &header, err);
    if (st == TM_OK)
        st = tm_sorter_write(&sorter, &writer, err);
    if (st == TM_OK)
        st = tm_stream_writer_end(&writer, err);
    tm_sorter_release(&sorter);
    tm_stream_writer_release(&writer);
    return st;
}

enum tm_status tm_sort_stream(int in, int out, const struct tm_sort_options *options, struct tm_error *err)
{
    struct tm_stream_reader reader;
    struct tm_stream_writer writer = {0};
    enum tm_status st = tm_stream_reader_open(&reader, in, err);
    reader.takes_compact_messages = true;
    if (st == TM_OK && !reader.header.sorted) {
        st = sort(&reader, out, options, err);
    } else if (st == TM_OK) {
        st = tm_stream_writer_open(&writer, out, "tm-sort", &reader.header, err);
        if (st == TM_OK)
            st = pass(&reader, &writer, err);
        if (st == TM_OK)
            st = tm_stream_writer_end(&writer, err);
    }
    tm_stream_writer_release(&writer);
    tm_stream_reader_release(&reader);
    return st;
}

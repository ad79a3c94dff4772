/* Divides the batches of a stream in another way, for tests: the result of a stage does not depend on batches.
 *
 *     rebatch ROWS <STREAM >STREAM
 *
 * No batch has more than ROWS rows. Rows stay between the same frames. */
#include "base/status.h"
#include "stream/batch_builder.h"
#include "stream/reader.h"
#include "stream/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static enum tm_status send(struct tm_stream_writer *writer, struct tm_batch_builder *rows, struct tm_error *err)
{
    struct tm_batch batch;
    tm_batch_builder_view(rows, &batch);
    enum tm_status st = tm_stream_write_batch(writer, &batch, err);
    tm_batch_builder_clear(rows);
    return st;
}

static enum tm_status divide(struct tm_stream_writer *writer, const struct tm_batch *batch, uint32_t max,
                             struct tm_error *err)
{
    struct tm_batch_builder rows = {0};
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event event;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_batch_next(&walk, &event)) {
        if (tm_batch_builder_add(&rows, &event) != TM_OK)
            st = tm_error_nomem(err);
        if (st == TM_OK && rows.count == max)
            st = send(writer, &rows, err);
    }
    if (st == TM_OK)
        st = send(writer, &rows, err);
    tm_batch_builder_release(&rows);
    return st;
}

int main(int argc, char **argv)
{
    struct tm_stream_reader reader;
    struct tm_stream_writer writer;
    struct tm_frame frame;
    struct tm_batch batch;
    struct tm_error err = {0};
    uint32_t max = argc == 2 ? (uint32_t)atoi(argv[1]) : 0;
    if (max == 0) {
        fputs("usage: rebatch ROWS\n", stderr);
        return 2;
    }
    enum tm_status st = tm_stream_reader_open(&reader, STDIN_FILENO, &err);
    reader.takes_compact_messages = true;
    if (st == TM_OK) {
        st = tm_stream_writer_open(&writer, STDOUT_FILENO, "rebatch", &reader.header, &err);
        while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, &err)) == TM_OK)
            st = frame.type == TM_FRAME_BATCH ? divide(&writer, &batch, max, &err)
                                              : tm_stream_forward(&writer, &frame, NULL, &err);
        if (st == TM_END)
            st = tm_stream_writer_end(&writer, &err);
        tm_stream_writer_release(&writer);
    }
    tm_stream_reader_release(&reader);
    if (st < 0)
        fprintf(stderr, "rebatch: %s\n", err.text);
    return st < 0 ? 1 : 0;
}

/* Moves batches past a stage that does not use them. Between pipes they go from input to output unread and unchecked.
 * In a merge they stay in the memory from which the next stage takes them. */
#ifndef TM_STREAM_PASS_H
#define TM_STREAM_PASS_H

#include "stream/reader.h"
#include "stream/writer.h"

/* Opens IN as tm_stream_reader_open_copied does, for a stage whose batches may pass to OUT. Where passing is possible
 * it reads in small portions; batches are then still in the pipe when they are reached. */
enum tm_status tm_stream_pass_open(struct tm_stream_reader *reader, int in, int out, struct tm_error *err);

/* Passes the next frame to WRITER if it is a large batch. TM_OK: it was passed. TM_END: the frame must be read with
 * tm_stream_reader_next. Errors are those of tm_stream_reader_next. */
enum tm_status tm_stream_pass_batch(struct tm_stream_reader *reader, struct tm_stream_writer *writer,
                                    struct tm_error *err);

#endif

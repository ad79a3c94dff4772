/* Batches that go by a stage which does not look at them: they are moved from its input to its output, unread and
 * unchecked, where both are pipes. */
#ifndef TM_STREAM_PASS_H
#define TM_STREAM_PASS_H

#include "stream/reader.h"
#include "stream/writer.h"

/* Opens IN for a stage whose batches may pass to OUT: as tm_stream_reader_open, but where passing is possible reads in
 * small portions, so that batches are still in the pipe when their turn comes. */
enum tm_status tm_stream_pass_open(struct tm_stream_reader *reader, int in, int out, struct tm_error *err);

/* TM_OK: the next frame was a large batch and is with WRITER. TM_END: it is to be read with tm_stream_reader_next.
 * Errors as there. */
enum tm_status tm_stream_pass_batch(struct tm_stream_reader *reader, struct tm_stream_writer *writer,
                                    struct tm_error *err);

#endif

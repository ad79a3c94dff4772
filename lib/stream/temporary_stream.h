/* A stream in a temporary file without a name: batches are written to it, and then read again in the same order. */
#ifndef TM_STREAM_TEMPORARY_STREAM_H
#define TM_STREAM_TEMPORARY_STREAM_H

#include "stream/reader.h"
#include "stream/writer.h"

/* Zero-initialise. */
struct tm_temporary_stream {
    struct tm_stream_writer writer; /* from begin to read */
    struct tm_stream_reader reader; /* from read to the next begin */
    bool has_begun;
    bool is_reading;
    /* private */
    int fd;
    bool has_fd;
};

/* Begins an empty stream of stage CONFIGURED, whose frames are written with STREAM->writer. This drops the frames
 * of an earlier stream. DIR is as for tm_io_temporary. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_temporary_stream_begin(struct tm_temporary_stream *stream, const char *dir, struct tm_error *err);

/* Ends writing. The frames can be read with STREAM->reader. TM_OK or an error. */
enum tm_status tm_temporary_stream_read(struct tm_temporary_stream *stream, struct tm_error *err);

/* Ends reading. The stream can begin again, in the same file. */
void tm_temporary_stream_end(struct tm_temporary_stream *stream);

void tm_temporary_stream_release(struct tm_temporary_stream *stream);

#endif

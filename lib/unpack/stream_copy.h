/* A second copy of the stream in a file. It can be read again without unpacking again. */
#ifndef TM_UNPACK_STREAM_COPY_H
#define TM_UNPACK_STREAM_COPY_H

#include "stream/writer.h"

/* Zero-initialise with fd -1. */
struct tm_stream_copy {
    int fd; /* the file; -1: there is no copy, or it was given up */
    bool without_packets; /* the copy is given up if the stream has a Perfetto trace */
    struct tm_stream_writer *writer; /* borrowed */
    uint64_t room; /* this many more bytes may be written; at first half of what is free, because others need temporary
                    * files too */
};

/* Opens the regular file PATH and empties it. TM_OK; TM_E_INPUT if PATH is no regular file; TM_E_SYSTEM. */
enum tm_status tm_stream_copy_open(struct tm_stream_copy *copy, const char *path, struct tm_error *err);

/* Makes WRITER send everything to the file too, if one is open. Must follow the opening of WRITER. COPY must outlive
 * WRITER. If the file cannot be written, or would take more than half of what its file system had free, it is emptied,
 * and the stream goes on without a copy. */
void tm_stream_copy_attach(struct tm_stream_copy *copy, struct tm_stream_writer *writer);

/* Empties the file unless ST, the status of the whole stream, is TM_OK. Closes the file. */
void tm_stream_copy_close(struct tm_stream_copy *copy, enum tm_status st);

#endif

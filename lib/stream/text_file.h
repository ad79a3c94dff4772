/* A file for text whose source cannot be read again, such as a pipe or a compressed file. Without it the text would
 * have to go through the stream. Events refer to it (json_ref.h) as they refer to a file that was read in place. */
#ifndef TM_STREAM_TEXT_FILE_H
#define TM_STREAM_TEXT_FILE_H

#include "os/async_writer.h"
#include "base/buf.h"

#include <stdint.h>

struct tm_text_file {
    int fd;                 /* for reading too */
    const char *path;       /* borrowed, for messages */
    uint64_t device, inode; /* its identity */
    /* private */
    uint64_t written; /* bytes in FD or handed to the async writer */
    struct tm_buf out;
    struct tm_async_writer *async; /* NULL: not started yet, or not possible */
};

/* Opens PATH, an existing regular file, and empties it. TM_OK; TM_E_INPUT: it is not a regular file; TM_E_SYSTEM. */
enum tm_status tm_text_file_open(struct tm_text_file *file, const char *path, struct tm_error *err);

/* Appends LEN bytes. *OFFSET is where they begin. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_text_file_add(struct tm_text_file *file, const void *text, size_t len, uint64_t *offset,
                                struct tm_error *err);

/* Appends LEN bytes without buffering them: FD has them when the call returns, and they can be read from it. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_text_file_write(struct tm_text_file *file, const void *data, size_t len, uint64_t *offset,
                                  struct tm_error *err);

/* Writes the buffered bytes. Call it before the end of the stream that refers to them. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_text_file_flush(struct tm_text_file *file, struct tm_error *err);

/* Closes the file. Set fd to -1 if it may not have been opened. */
void tm_text_file_release(struct tm_text_file *file);

#endif

/* Frames that are kept until all events have been read. They are in memory while they are few, and in an unlinked
 * temporary file beyond that. Calls return TM_OK, TM_E_SYSTEM, or the error of SHOW or WRITER. */
#ifndef TM_SORT_FRAME_FILE_H
#define TM_SORT_FRAME_FILE_H

#include "os/temporary_file.h"
#include "stream/writer.h"

typedef enum tm_status tm_frame_file_fn(void *to, const struct tm_frame *frame, struct tm_error *err);

/* Set memory_bytes and file.dir, the rest zero. */
struct tm_frame_file {
    size_t memory_bytes; /* frames beyond this size go to the file */
    struct tm_temporary_file file;
    /* private */
    struct tm_buf pending;
};

/* Adds a copy of FRAME, which must not be a batch. */
enum tm_status tm_frame_file_add(struct tm_frame_file *file, const struct tm_frame *frame, struct tm_error *err);

/* Passes all frames to SHOW in the order they were added, with the offsets they had in their stream. May be called
 * once; nothing can be added afterwards. */
enum tm_status tm_frame_file_each(struct tm_frame_file *file, tm_frame_file_fn *show, void *to, struct tm_error *err);

/* Passes all frames to WRITER in the order they were added. May be called once; nothing can be added afterwards. */
enum tm_status tm_frame_file_write(struct tm_frame_file *file, struct tm_stream_writer *writer, struct tm_error *err);

void tm_frame_file_release(struct tm_frame_file *file);

#endif

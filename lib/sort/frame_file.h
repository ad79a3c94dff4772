/* Frames that are kept until all events have been read: in memory while they are few, in an
 * unlinked temporary file beyond that. */
#ifndef TM_SORT_FRAME_FILE_H
#define TM_SORT_FRAME_FILE_H

#include "stream/writer.h"

typedef enum tm_status tm_frame_file_fn(void *to, const struct tm_frame *frame, struct tm_error *err);

/* Set memory_bytes and dir, fd = -1, the rest zero. */
struct tm_frame_file {
    size_t memory_bytes; /* so much is held before it goes to the file */
    const char *dir;     /* borrowed; NULL: as tm_io_spool */
    int fd;
    /* private */
    struct tm_buf held;
    uint64_t file_bytes;
};

/* Keeps a copy of FRAME, which is no batch. */
enum tm_status tm_frame_file_add(struct tm_frame_file *spool, const struct tm_frame *frame, struct tm_error *err);

/* Shows all frames in the order they came, with the offsets they had in their stream. To be called
 * once, when nothing is added any more. */
enum tm_status tm_frame_file_each(struct tm_frame_file *spool, tm_frame_file_fn *show, void *to, struct tm_error *err);

/* Passes all frames to WRITER likewise. */
enum tm_status tm_frame_file_write(struct tm_frame_file *spool, struct tm_stream_writer *writer, struct tm_error *err);

void tm_frame_file_release(struct tm_frame_file *spool);

#endif

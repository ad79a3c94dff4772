/* Frames that are kept until all events have been read: in memory while they are few, in an
 * unlinked temporary file beyond that. */
#ifndef TM_SORT_FRAME_SPOOL_H
#define TM_SORT_FRAME_SPOOL_H

#include "stream/stream_writer.h"

typedef enum tm_status tm_frame_spool_fn(void *to, const struct tm_frame *frame, struct tm_error *err);

/* Set memory_bytes and dir, fd = -1, the rest zero. */
struct tm_frame_spool {
    size_t memory_bytes; /* so much is held before it goes to the file */
    const char *dir;     /* borrowed; NULL: as tm_io_spool */
    int fd;
    /* private */
    struct tm_buf held;
    uint64_t file_bytes;
};

/* Keeps a copy of FRAME, which is no batch. */
enum tm_status tm_frame_spool_add(struct tm_frame_spool *spool, const struct tm_frame *frame, struct tm_error *err);

/* Shows all frames in the order they came, with the offsets they had in their stream. To be called
 * once, when nothing is added any more. */
enum tm_status tm_frame_spool_each(struct tm_frame_spool *spool, tm_frame_spool_fn *show, void *to,
                                   struct tm_error *err);

/* Passes all frames to WRITER likewise. */
enum tm_status tm_frame_spool_write(struct tm_frame_spool *spool, struct tm_stream_writer *writer,
                                    struct tm_error *err);

void tm_frame_spool_release(struct tm_frame_spool *spool);

#endif

/* Private to the room: the version of the stream, and how frames go through a pipe (frame_pipe.c) or through shared
 * memory (frame_ring.c). frame.c knows what a frame looks like and chooses the way. */
#ifndef TM_STREAM_INTERNAL_H
#define TM_STREAM_INTERNAL_H

#include "base/bytes.h"
#include "stream/frame.h"

#include <sys/uio.h>

enum { TM_STREAM_VERSION = 1 }; /* Header.version */

enum {
    TM_FRAME_TAG = 0x0a,          /* field 1, length-delimited */
    TM_FRAME_CHECKSUM_FIELD = 15, /* of message Frame; all its other fields are bodies */
    TM_FRAME_CHECKSUM_TAG = TM_FRAME_CHECKSUM_FIELD << 3 | 1, /* fixed64 */
    TM_FRAME_CHECKSUM_BYTES = 9,  /* with its tag */
    TM_FRAME_WRITE_BYTES = 256 << 10, /* so many bytes of small frames are written together */
    TM_FRAME_PIECES_MAX = 64      /* a frame of more pieces is copied before it is written */
};

/* The bytes of a frame before the pieces of its body. */
struct tm_frame_head {
    uint8_t bytes[1 + 3 * TM_VARINT_MAX];
    size_t len;
    size_t length_bytes; /* bytes of these that the checksum does not cover */
    size_t whole_bytes;  /* bytes of the whole frame */
};

/* The pieces of a frame to be written. */
struct tm_frame_parts {
    const struct tm_frame_head *head;
    const struct tm_piece *pieces; /* of the body */
    size_t count;
};

/* frame_pipe.c */

/* Reads until READER has at least NEED unread bytes. TM_OK, TM_E_SYSTEM, or TM_END with fewer. */
enum tm_status tm_frame_pipe_want(struct tm_frame_reader *reader, size_t need, struct tm_error *err);

/* Writes LEN bytes at DATA at once. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_frame_pipe_write(struct tm_frame_writer *writer, const void *data, size_t len, struct tm_error *err);

/* Writes what is buffered. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_frame_pipe_flush(struct tm_frame_writer *writer, struct tm_error *err);

/* Writes the COUNT pieces ALL, one frame, from where they are. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_frame_pipe_put(struct tm_frame_writer *writer, struct iovec *all, size_t count,
                                 struct tm_error *err);

/* Moves LEN bytes of READER's pipe to WRITER's. READER has no unread bytes in memory. TM_OK; TM_END: the pipe ends
 * before; TM_E_SYSTEM. */
enum tm_status tm_frame_pipe_move(struct tm_frame_reader *reader, const struct tm_frame_writer *writer, size_t len,
                                  struct tm_error *err);

/* frame_ring.c */

/* Prepares READER, which has a ring, for its next frame: gives back what was read before, or, at TM_RING_MARK or a note
 * in the pipe, changes to the ring. TM_OK, also at the end; TM_END: the pipe ends inside a note; or an error. */
enum tm_status tm_frame_ring_find(struct tm_frame_reader *reader, struct tm_error *err);

/* Returns READER to its pipe if its frames were passed on in a ring. Gives these back. */
void tm_frame_ring_leave(struct tm_frame_reader *reader);

/* Does for a reader that uses its ring what tm_frame_pipe_want does. Frames are used where they are. */
enum tm_status tm_frame_ring_want(struct tm_frame_reader *reader, size_t need, struct tm_error *err);

/* Passes the next WHOLE bytes of READER, which are one frame in its ring, on to the stage that reads from WRITER. TM_OK
 * or TM_E_SYSTEM. */
enum tm_status tm_frame_ring_pass(struct tm_frame_reader *reader, struct tm_frame_writer *writer, size_t whole,
                                  struct tm_error *err);

/* Changes to the ring, whose reader is there. All frames before must be written. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_frame_ring_enter(struct tm_frame_writer *writer, struct tm_error *err);

/* True if WRITER uses its ring, and a frame of LEN bytes fits. */
bool tm_frame_ring_takes(const struct tm_frame_writer *writer, size_t len);

/* Writes LEN bytes of any number. The reader sees them at once. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_frame_ring_write(struct tm_frame_writer *writer, const void *data, size_t len, struct tm_error *err);

/* Writes a frame that the ring takes. The reader sees it once there are TM_FRAME_WRITE_BYTES. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_frame_ring_put(struct tm_frame_writer *writer, const struct tm_frame_parts *parts,
                                 struct tm_error *err);

/* Writes FRAME, which the ring takes, as it was read. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_frame_ring_forward(struct tm_frame_writer *writer, const struct tm_frame *frame,
                                     struct tm_error *err);

/* Shows the reader all frames. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_frame_ring_show(struct tm_frame_writer *writer, struct tm_error *err);

#endif

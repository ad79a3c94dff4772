/* Frames on a file descriptor, the outermost layer of the stream (tm-stream(5)).
 *
 *     0x0a  varint length  { tag  varint body length  body  0x79  8 bytes checksum }
 *
 * The reader checks length and checksum of each frame before it shows it. No byte of a damaged frame is used. It does
 * not interpret bodies. In a ring (os/shared_ring.h) the checksum is 0 and not checked: the bytes are not copied or
 * stored there, so they are as safe as the memory of the two stages. A frame gets its checksum when it leaves the ring
 * for a pipe. */
#ifndef TM_STREAM_FRAME_H
#define TM_STREAM_FRAME_H

#include "base/buf.h"
#include "os/progress.h"
#include "os/shared_ring.h"

#include <stdbool.h>

/* Body types: field numbers of message Frame. Types from 64 on are optional. */
enum tm_frame_type {
    TM_FRAME_HEADER = 1,
    TM_FRAME_FILE = 2,
    TM_FRAME_FILE_BEGIN = 3,
    TM_FRAME_FILE_END = 4,
    TM_FRAME_MANIFEST = 5,
    TM_FRAME_CONFIG = 6,
    TM_FRAME_FILE_CONFIG = 7,
    TM_FRAME_MACHINE = 8,
    TM_FRAME_SNAPSHOT = 9,
    TM_FRAME_REMOTE_CLOCK_SYNC = 10,
    TM_FRAME_TRACE_TIME = 11,
    TM_FRAME_STRINGS = 12,
    TM_FRAME_BATCH = 13,
    TM_FRAME_END = 14,
    TM_FRAME_SEQUENCE = 16,
    TM_FRAME_CLOCK_HINT = 17,
    TM_FRAME_SOURCE = 18,
    TM_FRAME_COMPACT_MESSAGES = 19,
    TM_FRAME_CLOCK_LINES = 20,
    TM_FRAME_CLOCK_ROW = 64,
    TM_FRAME_PLACEMENT = 65,
    TM_FRAME_ACCOUNT = 66,
    TM_FRAME_STAT = 67,
    TM_FRAME_METADATA = 68,
    TM_FRAME_DROPPED = 69,
    TM_FRAME_EVENT_COUNTS = 70
};

enum { TM_FRAME_OPTIONAL_FIRST = 64 };

/* The largest frame that is written or accepted. */
#define TM_FRAME_BYTES_MAX ((size_t)768 << 20)

/* A checked frame. body is borrowed from the reader until its next call. */
struct tm_frame {
    uint32_t type;       /* enum tm_frame_type, or a number this version does not know */
    const uint8_t *body;
    size_t body_bytes;
    uint64_t offset;     /* offset of the frame's first byte in the stream */
    const uint8_t *whole; /* all its bytes as read, with a checksum, borrowed as body is; NULL: there are none */
    size_t whole_bytes;
};

struct tm_frame_reader {
    int fd;              /* borrowed */
    uint64_t offset;     /* bytes consumed */
    uint64_t count;      /* frames read */
    size_t chunk_bytes;  /* reads at least this much at once; can be lowered before the first read */
    struct tm_progress progress; /* progress of this stage's input, if this is it */
    bool copies_shared;  /* frames in a ring are copied before they are checked; can be set before the first read */
    /* private */
    struct tm_ring ring; /* of standard input, if it has one */
    uint8_t *mem;
    size_t cap, start, end;
    bool ended;
    bool is_shared; /* frames come through the ring; mem is in it, except for a frame that is larger */
    bool is_copied; /* mem is a copy of what the ring had */
    bool is_taking; /* mem is part.bytes, which the stage before passed on */
    struct tm_ring_part part;
    struct {
        uint8_t *mem;
        size_t start, end;
    } pipe; /* what was read from the pipe after the note about part */
    struct tm_frame_writer *passes_to; /* the writer that frames were passed to in the ring; NULL: none */
    uint64_t told; /* position in the ring up to which the next stage knows of the bytes */
    struct tm_buf copy; /* of the last frame, if copies_shared */
};

/* Reads FD from its current position. A pipe is enlarged where the kernel can. */
void tm_frame_reader_init(struct tm_frame_reader *reader, int fd);

/* Reads the next frame. TM_OK with *FRAME set. TM_END at the end of the bytes, between frames. TM_E_INPUT "byte N: …"
 * if the stream ends inside a frame, a length is impossible or a checksum is wrong. TM_E_SYSTEM if reading fails.
 * After an error only release may be called. */
enum tm_status tm_frame_read(struct tm_frame_reader *reader, struct tm_frame *frame, struct tm_error *err);

/* Sets *TYPE to the type of the next frame. Only its first bytes have been read; it is not checked yet. Returns what
 * tm_frame_read does. */
enum tm_status tm_frame_peek(struct tm_frame_reader *reader, uint32_t *type, struct tm_error *err);

/* The next frame, as far as it is known before it is read. Nothing of it is checked yet. */
struct tm_frame_sight {
    uint32_t type;
    size_t whole_bytes;  /* bytes of the whole frame */
    const uint8_t *body; /* its first bytes, valid until the reader's next call */
    size_t body_seen;    /* number of these bytes; at least 16 if the body has them */
};

/* Looks at the next frame without reading it. Returns what tm_frame_read does. */
enum tm_status tm_frame_preview(struct tm_frame_reader *reader, struct tm_frame_sight *sight, struct tm_error *err);

void tm_frame_reader_release(struct tm_frame_reader *reader);

/* A piece of a body, which is written from where it is. */
struct tm_piece {
    const void *data;
    size_t len;
};

/* Sets FRAME to the next frame of the bytes from *P to END. A tm_frame_writer of this process has made them, so they
 * are not checked. The body is borrowed from there. *P moves past it. TM_OK; TM_END: there is none. */
enum tm_status tm_frame_next(const uint8_t **p, const uint8_t *end, struct tm_frame *frame);

/* Takes whole frames out of BUF, which is empty afterwards. */
typedef enum tm_status tm_frame_put(void *arg, struct tm_buf *buf, struct tm_error *err);

struct tm_frame_writer {
    int fd;          /* borrowed */
    tm_frame_put *put; /* gets the frames in place of fd; NULL: fd does. Set in a zero-initialised writer */
    void *arg;         /* argument of put */
    uint64_t offset; /* bytes written or buffered */
    uint64_t count;  /* frames written */
    struct tm_progress progress; /* progress of this stage's output, if this is it */
    /* private */
    struct tm_ring ring; /* of standard output, if it has one */
    bool is_shared;      /* frames go through the ring */
    struct tm_buf out;
};

/* Initialises WRITER for FD, which is borrowed. Standard output is written through its ring, if it has one. */
void tm_frame_writer_init(struct tm_frame_writer *writer, int fd);

/* Writes a frame whose body is the COUNT pieces in order. Small frames are buffered until flush. TM_OK; TM_E_INPUT if
 * it exceeds TM_FRAME_BYTES_MAX; TM_E_SYSTEM. */
enum tm_status tm_frame_write(struct tm_frame_writer *writer, uint32_t type, const struct tm_piece *pieces,
                              size_t count, struct tm_error *err);

/* Writes FRAME as it was read, with its checksum. Nothing is computed, and a large frame is not copied. A frame without
 * whole is written as by tm_frame_write. Returns what that does. */
enum tm_status tm_frame_forward(struct tm_frame_writer *writer, const struct tm_frame *frame, struct tm_error *err);

/* Moves the next frame of READER to WRITER without reading it. From pipe to pipe the kernel moves its pages. A frame in
 * READER's ring stays where it is if the next stage takes it from there; WRITER must then exist as long as READER. Only
 * its head is checked; its reader checks the rest. Must follow tm_frame_preview. Returns what tm_frame_read does. If
 * the stream ends inside the frame, the bytes up to there have been moved. */
enum tm_status tm_frame_pass(struct tm_frame_reader *reader, struct tm_frame_writer *writer, struct tm_error *err);

/* True if the frames that tm_frame_pass moves from READER to WRITER stay where they are. */
bool tm_frame_passes_in_place(const struct tm_frame_reader *reader, const struct tm_frame_writer *writer);

/* Writes what is buffered. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_frame_flush(struct tm_frame_writer *writer, struct tm_error *err);

void tm_frame_writer_release(struct tm_frame_writer *writer);

#endif

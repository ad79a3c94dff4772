/* Reads a whole stream from a descriptor: the header first, the END frame last, counts that agree. Shows every frame
 * but the header. Optional frames of unknown type are shown unchanged. */
#ifndef TM_STREAM_READER_H
#define TM_STREAM_READER_H

#include "stream/batch.h"
#include "stream/frame.h"
#include "stream/header.h"

struct tm_stream_reader {
    struct tm_stream_header header; /* once opened */
    uint64_t event_count;    /* rows seen so far */
    bool takes_compact_messages; /* set between open and next; if false, a stream that has them is refused */
    bool has_compact_messages;   /* rows may be of kind COMPACT_SCHED */
    uint32_t unread; /* as that of struct tm_batch_store; may be set at any time. The kind must be read */
    struct tm_frame_reader frames;
    /* private */
    struct tm_batch_store store;
    bool ended;
};

/* Reads the header. FD is borrowed. TM_OK. TM_E_USAGE if FD is a terminal. TM_E_INPUT if FD holds no stream (or
 * nothing), or one of an unknown version. */
enum tm_status tm_stream_reader_open(struct tm_stream_reader *reader, int fd, struct tm_error *err);

/* Opens as tm_stream_reader_open does, but reads at least CHUNK_BYTES at once instead of a megabyte. For many streams
 * at a time. */
enum tm_status tm_stream_reader_open_chunked(struct tm_stream_reader *reader, int fd, size_t chunk_bytes,
                                             struct tm_error *err);

/* Opens as tm_stream_reader_open does, for the stages after tm-unpack. Reads at least CHUNK_BYTES at once; 0: a
 * megabyte. tm-unpack parses traces that anyone may have written. So a frame that it wrote into shared memory is copied
 * before it is checked, and it cannot change the frame later. */
enum tm_status tm_stream_reader_open_copied(struct tm_stream_reader *reader, int fd, size_t chunk_bytes,
                                            struct tm_error *err);

/* Reads the next frame. TM_OK with *FRAME set; if it is a TM_FRAME_BATCH, *BATCH is a view of it, valid until the
 * next call. TM_END after a good END frame with nothing after it. TM_E_INPUT if the stream is cut or damaged, or has
 * a required frame of unknown type. */
enum tm_status tm_stream_reader_next(struct tm_stream_reader *reader, struct tm_frame *frame, struct tm_batch *batch,
                                     struct tm_error *err);

void tm_stream_reader_release(struct tm_stream_reader *reader);

/* Decodes LEN bytes at DATA with protobuf-c and DESCRIPTOR (&tracemerge__file__descriptor, …). NULL with ERR set:
 * TM_E_INPUT "Type is damaged", or TM_E_SYSTEM if there is no memory. The caller frees it with
 * protobuf_c_message_free_unpacked(message, NULL). */
ProtobufCMessage *tm_message_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *data, size_t len,
                                    struct tm_error *err);

/* Decodes the message in a frame's body as tm_message_unpack does. TM_E_INPUT is "byte N: frame of type Type is
 * damaged". */
ProtobufCMessage *tm_frame_message(const struct tm_frame *frame, const ProtobufCMessageDescriptor *descriptor,
                                   struct tm_error *err);

#endif

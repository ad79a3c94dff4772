/* A whole stream read from a descriptor: the header first, the END frame last, counts that agree.
 * Shows every frame in between but the header; optional frames it does not know come as they are. */
#ifndef TM_STREAM_READER_H
#define TM_STREAM_READER_H

#include "stream/batch.h"
#include "stream/frame.h"
#include "tm_stream.pb-c.h"

struct tm_stream_reader {
    Tracemerge__Stage stage; /* from the header, once opened */
    bool sorted;
    uint64_t event_count;    /* rows seen so far */
    bool takes_compact_messages; /* to be set between open and next; else a stream that has them is refused */
    bool has_compact_messages;   /* rows may be of kind COMPACT_SCHED */
    struct tm_frame_reader frames;
    /* private */
    struct tm_batch_store store;
    bool ended;
};

/* Reads the header. TM_OK; TM_E_INPUT when FD does not hold a stream (also an empty one), or one
 * of a version this program does not know. FD stays the caller's. */
enum tm_status tm_stream_reader_open(struct tm_stream_reader *reader, int fd, struct tm_error *err);

/* The same, reading at least CHUNK_BYTES at once instead of a megabyte: for many streams at a time. */
enum tm_status tm_stream_reader_open_chunked(struct tm_stream_reader *reader, int fd, size_t chunk_bytes,
                                             struct tm_error *err);

/* TM_OK with *FRAME set; when it is a TM_FRAME_BATCH, *BATCH is a view of it, valid until the next
 * call. TM_END after a good END frame with nothing behind it. TM_E_INPUT: cut, damaged, or a
 * required frame of a type this version does not know. */
enum tm_status tm_stream_reader_next(struct tm_stream_reader *reader, struct tm_frame *frame, struct tm_batch *batch,
                                     struct tm_error *err);

void tm_stream_reader_release(struct tm_stream_reader *reader);

/* LEN bytes at DATA decoded by protobuf-c with DESCRIPTOR (&tracemerge__file__descriptor, …), or NULL
 * with ERR set: TM_E_INPUT "Type is damaged" when they are no such message, TM_E_SYSTEM when there is
 * no memory. The caller frees it with protobuf_c_message_free_unpacked(message, NULL). */
ProtobufCMessage *tm_message_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *data, size_t len,
                                    struct tm_error *err);

/* The message in a frame's body likewise; TM_E_INPUT is "byte N: frame of type Type is damaged". */
ProtobufCMessage *tm_frame_message(const struct tm_frame *frame, const ProtobufCMessageDescriptor *descriptor,
                                   struct tm_error *err);

#endif

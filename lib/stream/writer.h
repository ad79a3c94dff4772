/* Writes a whole stream to a descriptor: header, frames, END. The calls return TM_OK, TM_E_INPUT if a frame is larger
 * than TM_FRAME_BYTES_MAX, or TM_E_SYSTEM. */
#ifndef TM_STREAM_WRITER_H
#define TM_STREAM_WRITER_H

#include "stream/batch.h"
#include "stream/field_text.h"
#include "stream/frame.h"
#include "stream/header.h"

struct tm_stream_writer {
    struct tm_frame_writer frames;
    uint64_t event_count; /* rows */
    uint64_t passed_over; /* this many of the next frames are neither written nor counted, whichever call gets them,
                           * because the stream has them already */
    /* private */
    bool has_compact_messages;
    struct tm_buf scratch; /* a message, or the narrow columns of a batch */
};

/* Writes the header. FD stays the caller's. PRODUCER is the program's name. */
enum tm_status tm_stream_writer_open(struct tm_stream_writer *writer, int fd, const char *producer,
                                     const struct tm_stream_header *header, struct tm_error *err);

/* Writes MESSAGE, a small one, as a frame. MESSAGE stays the caller's. */
enum tm_status tm_stream_write_message(struct tm_stream_writer *writer, enum tm_frame_type type,
                                       const ProtobufCMessage *message, struct tm_error *err);

/* Passes on a frame as it was read, for a stage that changes nothing in it. BATCH is its view if it is a batch, else
 * ignored. Nothing is encoded again. */
enum tm_status tm_stream_forward(struct tm_stream_writer *writer, const struct tm_frame *frame,
                                 const struct tm_batch *batch, struct tm_error *err);

/* Writes a frame with the type and the body of FRAME. Batches must go through write_batch or forward, which count them.
 */
enum tm_status tm_stream_write_frame(struct tm_stream_writer *writer, const struct tm_frame *frame,
                                     struct tm_error *err);

/* Writes BATCH as a frame. Writes nothing if it is empty. */
enum tm_status tm_stream_write_batch(struct tm_stream_writer *writer, const struct tm_batch *batch,
                                     struct tm_error *err);

/* Returns a receiver that writes each batch by tm_stream_write_batch. WRITER must outlive it. */
struct tm_batch_receiver tm_stream_writer_receiver(struct tm_stream_writer *writer);

/* Writes the END frame and all buffered bytes. A reader takes a stream without END as cut short. */
enum tm_status tm_stream_writer_end(struct tm_stream_writer *writer, struct tm_error *err);

void tm_stream_writer_release(struct tm_stream_writer *writer);

#endif

/* A whole stream written to a descriptor: header, frames, END. */
#ifndef TM_STREAM_WRITER_H
#define TM_STREAM_WRITER_H

#include "stream/batch.h"
#include "stream/field_text.h"
#include "stream/frame.h"
#include "stream/time_part.h"
#include "tm_stream.pb-c.h"

struct tm_stream_writer {
    struct tm_frame_writer frames;
    uint64_t event_count; /* rows */
    uint64_t passed_over; /* so many frames that come next are not written: the stream has them already */
    /* private */
    bool has_compact_messages;
    struct tm_buf scratch; /* a message, or the narrow columns of a batch */
};

/* Writes the header. FD stays the caller's. PRODUCER is the program's name. */
enum tm_status tm_stream_writer_open(struct tm_stream_writer *writer, int fd, const char *producer,
                                     Tracemerge__Stage stage, bool sorted, struct tm_error *err);

/* Opens as tm_stream_writer_open does, for events that are placed, in order, and those of PART. */
enum tm_status tm_stream_writer_open_part(struct tm_stream_writer *writer, int fd, const char *producer,
                                          const struct tm_time_part *part, struct tm_error *err);

/* One frame of a small message. MESSAGE stays the caller's. */
enum tm_status tm_stream_write_message(struct tm_stream_writer *writer, enum tm_frame_type type,
                                       const ProtobufCMessage *message, struct tm_error *err);

/* Passes on a frame as it was read, for a stage that changes nothing in it. BATCH is its view if it is a batch, else
 * ignored. Nothing is encoded again. */
enum tm_status tm_stream_forward(struct tm_stream_writer *writer, const struct tm_frame *frame,
                                 const struct tm_batch *batch, struct tm_error *err);

/* Writes a frame of this body. Batches must go through write_batch or forward, which count them. */
enum tm_status tm_stream_write_frame(struct tm_stream_writer *writer, const struct tm_frame *frame,
                                     struct tm_error *err);

/* One frame of a batch; nothing is written for an empty one. */
enum tm_status tm_stream_write_batch(struct tm_stream_writer *writer, const struct tm_batch *batch,
                                     struct tm_error *err);

/* The END frame, and everything is sent. Without this call the stream is one that was cut. */
enum tm_status tm_stream_writer_end(struct tm_stream_writer *writer, struct tm_error *err);

void tm_stream_writer_release(struct tm_stream_writer *writer);

#endif

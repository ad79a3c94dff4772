/* Sequence and Stat frames that name a machine by an embedded id. They may overtake the events of
 * that machine, and which row an id means is decided by its first packet; so they wait for it. */
#ifndef TM_CLOCKS_PENDING_FRAMES_H
#define TM_CLOCKS_PENDING_FRAMES_H

#include "clocks/clock_file.h"

struct tm_pending_frame {
    enum tm_frame_type type;
    ProtobufCMessage *message; /* owned */
    uint32_t file, embedded;
};

/* Zero-initialise. Bounded by the number of sequences that have begun without an event yet. */
struct tm_pending_frames {
    struct tm_pending_frame *frames;
    size_t count;
    /* private */
    size_t cap;
};

/* Takes over the message in FRAME, a Sequence or a Stat. */
enum tm_status tm_pending_frames_add(struct tm_pending_frames *pending, const struct tm_frame *frame,
                                     struct tm_error *err);

/* Writes those whose machine is known by now, in their order, with Machine.id in place of the
 * embedded id. With ENDING, a file whose turn ends, also the rest of its: on its base machine. */
enum tm_status tm_pending_frames_write(struct tm_pending_frames *pending, const struct tm_clock_files *files,
                                       const struct tm_clock_file *ending, struct tm_stream_writer *writer,
                                       struct tm_error *err);

void tm_pending_frames_release(struct tm_pending_frames *pending);

#endif

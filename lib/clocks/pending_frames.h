/* Sequence, Stat and Metadata frames: they name a machine by an embedded id. They may overtake the
 * events of that machine, and which row an id means is decided by its first packet; so they wait until the
 * events before them have been seen. */
#ifndef TM_CLOCKS_PENDING_FRAMES_H
#define TM_CLOCKS_PENDING_FRAMES_H

#include "clocks/clock_file.h"

/* A writer of batches announces at most one batch ahead, and at most one generation an event. */
enum { TM_PENDING_FRAMES_MAX = 1 << 17 };

struct tm_pending_frame {
    enum tm_frame_type type;
    ProtobufCMessage *message; /* owned */
    uint32_t file, embedded;
    uint32_t generation; /* of a Sequence; else 0 */
};

/* Zero-initialise with files, registry and writer set. */
struct tm_pending_frames {
    struct tm_clock_files *files;    /* borrowed */
    struct tm_clock_registry *registry;  /* borrowed */
    struct tm_stream_writer *writer; /* borrowed */
    /* private */
    struct tm_pending_frame *frames;
    uint32_t count, cap;
};

/* Takes in FRAME, of one of the three types. TM_E_INPUT past TM_PENDING_FRAMES_MAX. */
enum tm_status tm_pending_frames_add(struct tm_pending_frames *pending, const struct tm_frame *frame,
                                     struct tm_error *err);

/* Writes, with Machine.id in place of the embedded id, the Sequence frames up to GENERATION, and
 * the others whose machine is known. To be called when all events before the first one of
 * GENERATION have been converted, before they are written. */
enum tm_status tm_pending_frames_write(struct tm_pending_frames *pending, uint32_t generation, struct tm_error *err);

/* Writes all: a file's turn ends, or the stream. */
enum tm_status tm_pending_frames_finish(struct tm_pending_frames *pending, struct tm_error *err);

void tm_pending_frames_release(struct tm_pending_frames *pending);

#endif

/* Sequence, Stat and Metadata frames, which name a machine by an embedded id. They may come before the events of that
 * machine, but the first packet with an id decides which row it means. So they are pending until all events before them
 * have been seen. */
#ifndef TM_CLOCKS_PENDING_FRAMES_H
#define TM_CLOCKS_PENDING_FRAMES_H

#include "clocks/clock_file.h"

/* The largest number of frames that can be pending. A writer of batches announces at most one batch in advance, and at
 * most one generation for each event. */
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

/* Adds FRAME, which has one of the three types. TM_OK, TM_E_INPUT beyond TM_PENDING_FRAMES_MAX, or TM_E_SYSTEM. */
enum tm_status tm_pending_frames_add(struct tm_pending_frames *pending, const struct tm_frame *frame,
                                     struct tm_error *err);

/* Writes the Sequence frames up to GENERATION, and those other frames whose machine is known. Machine.id replaces the
 * embedded id. Call it after the events before GENERATION's first event have been converted, and before they are
 * written. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_pending_frames_write(struct tm_pending_frames *pending, uint32_t generation, struct tm_error *err);

/* Writes all frames. Call it at the end of a file's turn and at the end of the stream. Returns what
 * tm_pending_frames_write returns. */
enum tm_status tm_pending_frames_finish(struct tm_pending_frames *pending, struct tm_error *err);

void tm_pending_frames_release(struct tm_pending_frames *pending);

#endif

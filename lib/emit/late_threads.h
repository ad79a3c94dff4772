/* Threads of packet sequences that are stated after the first events of the sequence. Definitions come first in a
 * sorted stream, so the thread is known before the events. As in the reference importer (its IncrementalState), the
 * last descriptor of the stretch between two clearings of a sequence's state counts. */
#ifndef TM_EMIT_LATE_THREADS_H
#define TM_EMIT_LATE_THREADS_H

#include "base/map.h"
#include "emit/unsupported_counts.h"
#include "stream/batch.h"

/* Stretches with such a thread. Events of further ones stay on the default track. */
enum { TM_LATE_THREADS_MAX = 1 << 20 };

/* Zero-initialise. */
struct tm_late_threads {
    /* private */
    struct tm_map by_start; /* generation of a stretch's first event to the number in rows */
    struct tm_late_thread {
        int64_t pid, tid;
        uint64_t position; /* of the descriptor */
    } *rows;
    uint32_t count, cap;
};

/* Notes the threads that definitions in BATCH state for events before them. Descriptors beyond the limit are counted in
 * UNSUPPORTED, which may be NULL. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_late_threads_note(struct tm_late_threads *threads, const struct tm_batch *batch,
                                    struct tm_unsupported_counts *unsupported, struct tm_error *err);

/* True if rows of BATCH may be on a noted thread. */
bool tm_late_threads_are_in(const struct tm_late_threads *threads, const struct tm_batch *batch);

/* Puts E, which has TM_EVENT_LATE_THREAD, on its noted thread. A packet with a legacy phase becomes an event of that
 * phase. Without a thread E stays on the default track, or a packet. */
void tm_late_threads_place(const struct tm_late_threads *threads, struct tm_event *e);

void tm_late_threads_release(struct tm_late_threads *threads);

#endif

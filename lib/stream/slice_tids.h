/* The threads of one file that may have slices made of kernel events, lines of text among them (FileEnd.slice_tids). */
#ifndef TM_STREAM_SLICE_TIDS_H
#define TM_STREAM_SLICE_TIDS_H

#include "base/map.h"
#include "stream/event.h"

enum { TM_SLICE_TIDS_MAX = 1 << 16 }; /* a file with more has no list */

/* Zero-initialise. */
struct tm_slice_tids {
    int64_t *tids;
    uint32_t count;
    bool is_full; /* there were more */
    /* private */
    uint32_t cap;
    struct tm_map known;
};

/* True if an event with FLAGS and KIND may be or make such a slice on its thread. */
static inline bool tm_makes_kernel_slice(uint32_t flags, uint32_t kind)
{
    const bool is_slice = kind - TM_KIND_SLICE_BEGIN <= TM_KIND_INSTANT - TM_KIND_SLICE_BEGIN &&
                          tm_event_scope(flags) == TM_SCOPE_THREAD;
    const bool is_of_kernel = flags & TM_EVENT_DERIVED || tm_event_is_of_kernel(flags);
    return kind == TM_KIND_BINDER || kind == TM_KIND_KERNEL || (is_slice && is_of_kernel);
}

/* Adds TID. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_slice_tids_add(struct tm_slice_tids *set, int64_t tid);

/* Sorts the threads, so that the list does not depend on the order of events. */
void tm_slice_tids_sort(struct tm_slice_tids *set);

void tm_slice_tids_clear(struct tm_slice_tids *set);

void tm_slice_tids_release(struct tm_slice_tids *set);

#endif

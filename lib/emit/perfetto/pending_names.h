/* Names in Chrome JSON of threads and processes that a Perfetto trace of the same machine shows too. A name gives way
 * to one of more trust (doc/model.md). A track descriptor has more trust than the scheduler, Chrome JSON less. So the
 * name of such a thread is written at the end, if nothing else named the thread. The name of a process in Chrome JSON
 * has more trust than a descriptor's and is repeated after each descriptor. */
#ifndef TM_EMIT_PERFETTO_PENDING_NAMES_H
#define TM_EMIT_PERFETTO_PENDING_NAMES_H

#include "base/buf.h"
#include "emit/track_owners.h"
#include "stream/event.h"

struct tm_kept_name {
    struct tm_event who; /* file, machine, pid, tid, time, where they are */
    int64_t raw_id;      /* of the machine */
    struct tm_track_task task;
    uint64_t uuid;
    /* private */
    uint64_t thread; /* whatever its process */
    size_t text, len;
};

/* Zero-initialise; set is_kept where such names are. */
struct tm_pending_names {
    bool is_kept;
    /* private */
    struct tm_kept_name *threads, *processes;
    uint32_t thread_count, thread_cap, process_count, process_cap;
    uint32_t next;
    struct tm_map by_process; /* task -> number in processes, plus 1 */
    struct tm_buf texts;
    struct tm_map named; /* threads that something else named */
};

/* TEXT is to be said later (a thread's), or again (a process's). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pending_names_add(struct tm_pending_names *names, const struct tm_track_owners *owners,
                                    struct tm_kept_name name, const uint8_t *text, size_t len);

/* Thread TID of the machine with RAW_ID has a name from elsewhere. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pending_names_note(struct tm_pending_names *names, const struct tm_track_owners *owners,
                                     int64_t raw_id, int64_t tid);

/* One after another the names of threads that nothing else named; NULL: no more. */
const struct tm_kept_name *tm_pending_names_next(struct tm_pending_names *names);

/* The name that TASK, a process, has; NULL: none. */
const struct tm_kept_name *tm_pending_names_process(const struct tm_pending_names *names, struct tm_track_task task);

const uint8_t *tm_pending_names_text(const struct tm_pending_names *names, const struct tm_kept_name *name,
                                     size_t *len);

void tm_pending_names_release(struct tm_pending_names *names);

#endif

/* Names of threads and processes in files that are no protos, such as Chrome JSON and profiles, if other files may
 * name the same ones. A name replaces one of less precedence (doc/model.md). A track descriptor has more precedence
 * than the scheduler, these files less. So the name of such a thread is written at the end, if nothing else named the
 * thread. The name of a process in most of these files has more precedence than a descriptor's and is repeated after
 * each descriptor; that of a profile has less and is written at the end, like a thread's. Names are chosen here by what
 * a reader of the merged trace concludes; emit/task_names.h is for outputs that state one name. */
#ifndef TM_EMIT_PERFETTO_PENDING_NAMES_H
#define TM_EMIT_PERFETTO_PENDING_NAMES_H

#include "base/buf.h"
#include "emit/track_owners.h"
#include "stream/event.h"

enum { TM_PENDING_NAMES_MAX = 1 << 20 }; /* names that are written at the end, and names that are repeated */

struct tm_pending_name {
    struct tm_event owner; /* file, machine, pid, tid and time, as far as known */
    int64_t raw_id;      /* of the machine */
    struct tm_track_task task;
    struct tm_track_owner own; /* the track of the task */
    bool is_repeated; /* after each descriptor; else it is written at the end */
    /* private */
    uint64_t number; /* key of the process, or of the thread in any process */
    size_t text, len;
};

/* Zero-initialise; set is_enabled if there are such names. */
struct tm_pending_names {
    bool is_enabled;
    /* private */
    struct tm_pending_name *last, *repeated;
    uint32_t last_count, last_cap, repeated_count, repeated_cap;
    uint32_t next;
    struct tm_map by_process; /* from a task to its number in repeated plus 1 */
    struct tm_buf texts;
    struct tm_map named; /* threads and processes that something else named */
};

/* Adds TEXT, a name that is written at the end or again. TM_OK; TM_END: it is left out, because there are
 * TM_PENDING_NAMES_MAX; TM_E_SYSTEM. */
enum tm_status tm_pending_names_add(struct tm_pending_names *names, const struct tm_track_owners *owners,
                                    struct tm_pending_name name, const uint8_t *text, size_t len);

/* Notes that the process (IS_THREAD: the thread) with NUMBER, of the machine with RAW_ID, has a name from another
 * source. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pending_names_note(struct tm_pending_names *names, const struct tm_track_owners *owners,
                                     int64_t raw_id, bool is_thread, int64_t number);

/* Returns the names, to be written at the end, of tasks that nothing else named, one at each call; NULL: no more. */
const struct tm_pending_name *tm_pending_names_next(struct tm_pending_names *names);

/* Returns the name of TASK, a process, that is repeated; NULL: none. */
const struct tm_pending_name *tm_pending_names_process(const struct tm_pending_names *names, struct tm_track_task task);

/* Returns the bytes of NAME and their number *LEN. They are valid until the next name is noted. */
const uint8_t *tm_pending_names_text(const struct tm_pending_names *names, const struct tm_pending_name *name,
                                     size_t *len);

void tm_pending_names_release(struct tm_pending_names *names);

#endif

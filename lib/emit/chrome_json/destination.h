/* The process and thread in the output of objects of Chrome JSON.
 *
 * The slices of two files on one thread are two stacks. If several files have events, each event of a thread's slices
 * goes to the lane of its file's stack (lanes.h). Other stacks avoid that lane while a reader has slices of it open
 * (reading.h). If only one file has events, threads stay as they are. The last threads are cached, because every object
 * needs a destination and threads alternate. */
#ifndef TM_EMIT_CHROME_JSON_DESTINATION_H
#define TM_EMIT_CHROME_JSON_DESTINATION_H

#include "emit/chrome_json/reading.h"
#include "emit/chrome_json/threads.h"

enum { TM_JSON_RECENT = 256 }; /* a power of two */

/* The place where a thread of a file was found last. */
struct tm_json_recent {
    int64_t pid, tid, out_pid;
    uint32_t file, machine, changes;
    uint32_t stack; /* index in stacks plus 1; 0: unknown */
    bool is_valid;
};

/* Zero-initialise, and set threads. */
struct tm_json_destinations {
    struct tm_json_threads *threads; /* borrowed */
    /* private */
    struct tm_json_reading reading; /* of stacks, by index */
    struct tm_map by_key; /* file, machine, pid, tid to an index of stacks plus 1 */
    struct tm_json_stack *stacks;
    uint32_t stack_count, stack_cap;
    struct tm_json_recent recent[TM_JSON_RECENT];
};

struct tm_json_destination {
    int64_t pid, tid;
    bool has_tid; /* the event goes to TID instead of its own thread */
};

/* Sets *DESTINATION to the destination of E. TM_OK or an error. */
enum tm_status tm_json_destinations_find(struct tm_json_destinations *d, const struct tm_event *e,
                                         struct tm_json_destination *destination, struct tm_error *err);

void tm_json_destinations_release(struct tm_json_destinations *d);

#endif

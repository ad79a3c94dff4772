/* Requests of Windows' threads to file systems. A request is a slice of the thread that makes it, until another event
 * states that it is done. That may be an event of another thread.
 *
 * KERNEL rows with these effects (kernel/effect.h) are converted here, in order of time. Rules:
 * importers/etw/file_io_tracker.cc of Perfetto. Each file has requests of its own for its machine. */
#ifndef TM_MODEL_FILE_REQUESTS_H
#define TM_MODEL_FILE_REQUESTS_H

#include "base/buf.h"
#include "base/table.h"
#include "kernel/effect.h"
#include "model/settled_rows.h"

/* Limit of requests that are not done. Ends of further requests are treated as those of unknown requests. */
enum { TM_FILE_REQUESTS_MAX = 1 << 18 };

/* Zero-initialise. */
struct tm_file_requests {
    uint32_t open; /* number of requests that are not done */
    uint64_t left_out; /* requests beyond TM_FILE_REQUESTS_MAX */
    /* private */
    struct tm_file_request *requests;
    uint32_t count, cap, free_first; /* free_first: the first unused one, plus 1 */
    struct tm_table by_number;
    struct tm_buf detail;
};

/* True for rows that are converted here. */
static inline bool tm_file_requests_has(uint64_t effect)
{
    return effect == TM_KERNEL_FILE_REQUEST || effect == TM_KERNEL_FILE_REQUEST_DONE;
}

/* Converts ROW into OUT. A request with the number of an open one shows that the end of that was lost: a SLICE_ARGS row
 * states that its slice has no length. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_file_requests_take(struct tm_file_requests *requests, const struct tm_event *row,
                                     struct tm_settled_rows *out, struct tm_error *err);

/* Removes an open request at the end of the stream, whose last time is NOW_NS. *ROW states that its slice has no
 * length; it is valid until the next call. TM_OK; TM_END: there is none; TM_E_SYSTEM. */
enum tm_status tm_file_requests_pop(struct tm_file_requests *requests, int64_t now_ns, struct tm_event *row,
                                    struct tm_error *err);

void tm_file_requests_release(struct tm_file_requests *requests);

#endif

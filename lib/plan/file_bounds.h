/* The range of time in which each file has events, and whether the rows of a plan cover it. */
#ifndef TM_PLAN_FILE_BOUNDS_H
#define TM_PLAN_FILE_BOUNDS_H

#include "base/map.h"
#include "stream/event.h"

struct tm_file_bound {
    struct tm_event like; /* an event of the file, without payload */
    int64_t first_ns, last_ns;
    bool has_kept;
    int64_t kept_first_ns, kept_last_ns; /* of the plan's rows */
};

/* Zero-initialise. */
struct tm_file_bounds {
    struct tm_file_bound *files; /* in the order of their first events */
    uint32_t count;
    /* private */
    uint32_t cap, last;
    struct tm_map of_file;
};

/* Adds EVENT, which lasts until END_NS. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_file_bounds_add(struct tm_file_bounds *bounds, const struct tm_event *event, int64_t end_ns,
                                  struct tm_error *err);

/* Notes that the plan has ROW, which lasts until END_NS. Its file has been added. */
void tm_file_bounds_keep(struct tm_file_bounds *bounds, const struct tm_event *row, int64_t end_ns);

/* True if the rows of the plan cover all of FILE's range. */
bool tm_file_bound_is_kept(const struct tm_file_bound *file);

void tm_file_bounds_release(struct tm_file_bounds *bounds);

#endif

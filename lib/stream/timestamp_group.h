/* Events of one moment in the order in which they nest. Chrome JSON does not promise that of two
 * objects with one time the outer one stands first: there ends come before begins, then longer
 * slices before shorter. Other formats are taken in the order they have. Holds the events of one
 * moment, up to a bound past which they go on in their own order. */
#ifndef TM_STREAM_TIMESTAMP_GROUP_H
#define TM_STREAM_TIMESTAMP_GROUP_H

#include "base/buf.h"
#include "stream/event.h"

enum { TM_TIMESTAMP_GROUP_EVENTS_MAX = 1 << 18, TM_TIMESTAMP_GROUP_BYTES_MAX = 64 << 20 };

/* Zero-initialise. */
struct tm_timestamp_group {
    uint32_t count;
    /* private */
    struct tm_timestamp_group_event *events;
    uint32_t cap, next;
    struct tm_buf detail;
    bool is_sorted;
};

/* Keeps a copy of EVENT and its detail, without its raw bytes. Lower RANK comes first. */
enum tm_status tm_timestamp_group_add(struct tm_timestamp_group *group, const struct tm_event *event, int64_t rank,
                                      struct tm_error *err);

/* True if the pending events should be taken before more are added. */
bool tm_timestamp_group_full(const struct tm_timestamp_group *group);

/* Sorts by rank, then by coming, and shows one after another; false and empty again after the last. */
bool tm_timestamp_group_take(struct tm_timestamp_group *group, struct tm_event *event);

void tm_timestamp_group_release(struct tm_timestamp_group *group);

#endif

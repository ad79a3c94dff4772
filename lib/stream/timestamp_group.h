/* Events of one time in the order in which they nest. In Chrome JSON with complete events, the outer of two objects of
 * one time need not come first. Ends are therefore put before begins, and longer slices before shorter ones
 * (doc/rules.md section 6). Begins and ends alone, and other formats, keep their order. */
#ifndef TM_STREAM_TIMESTAMP_GROUP_H
#define TM_STREAM_TIMESTAMP_GROUP_H

#include "base/buf.h"
#include "stream/event.h"

enum { TM_TIMESTAMP_GROUP_EVENTS_MAX = 1 << 18, TM_TIMESTAMP_GROUP_BYTES_MAX = 64 << 20 };

/* The rank of an event, or of a group of rows, among those of its time; INDEX decides between equal ranks. */
struct tm_timestamp_rank {
    int64_t rank;
    uint32_t index;
};

/* Returns the rank of EVENT. FILE_IS_JSON: its file is Chrome JSON. Lines of ftrace text in such a file keep their
 * order. */
static inline int64_t tm_timestamp_rank(const struct tm_event *event, bool file_is_json)
{
    if (!file_is_json || tm_event_raw(event->flags) == TM_RAW_LINE)
        return INT64_MAX;
    bool is_end = event->kind == TM_KIND_SLICE_END && !(event->flags & TM_EVENT_ASYNC);
    if (is_end || event->flags & TM_EVENT_IN_ORDER)
        return INT64_MIN;
    return event->kind == TM_KIND_SLICE_COMPLETE && event->dur_ns > 0 ? INT64_MAX - event->dur_ns : INT64_MAX;
}

/* Sorts RANKS into the order of their events. */
void tm_timestamp_ranks_sort(struct tm_timestamp_rank *ranks, uint32_t count);

/* Holds copies of the events of one time. There is a bound: if it is reached, the group is taken before its time is
 * over. Zero-initialise. */
struct tm_timestamp_group {
    uint32_t count;
    /* private */
    struct tm_timestamp_group_event *events;
    struct tm_timestamp_rank *ranks;
    uint32_t cap, rank_cap, next;
    struct tm_buf detail;
    bool is_sorted;
};

/* Adds a copy of EVENT with its detail, and of the raw bytes of an ftrace event, but of no other raw bytes. Lower RANK
 * comes first. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_timestamp_group_add(struct tm_timestamp_group *group, const struct tm_event *event, int64_t rank,
                                      struct tm_error *err);

/* True if the pending events should be taken before more are added. */
bool tm_timestamp_group_full(const struct tm_timestamp_group *group);

/* Takes the next event of the group. The first call sorts by rank, then by order of arrival. False after the last
 * event; the group is then empty again. */
bool tm_timestamp_group_take(struct tm_timestamp_group *group, struct tm_event *event);

void tm_timestamp_group_release(struct tm_timestamp_group *group);

#endif

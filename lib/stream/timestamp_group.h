/* Events of one time in the order in which they nest. In Chrome JSON with complete events, the outer of two objects of
 * one time need not come first. Ends are therefore put before begins, and longer slices before shorter ones
 * (doc/rules.md section 6). Begins and ends alone, and other formats, keep their order. */
#ifndef TM_STREAM_TIMESTAMP_GROUP_H
#define TM_STREAM_TIMESTAMP_GROUP_H

#include "base/buf.h"
#include "stream/event.h"

enum { TM_TIMESTAMP_GROUP_EVENTS_MAX = 1 << 18, TM_TIMESTAMP_GROUP_BYTES_MAX = 64 << 20 };

/* What rule an event follows. */
enum tm_timestamp_rule {
    TM_TIMESTAMP_KEPT,  /* it keeps its place */
    TM_TIMESTAMP_EARLY, /* it is IN_ORDER: the same, unless its file has a RANKED event of the same time */
    TM_TIMESTAMP_RANKED /* rank decides */
};

/* The rank of an event, or of a group of rows, among those of its time; INDEX decides between equal ranks. */
struct tm_timestamp_rank {
    int64_t rank;
    uint32_t index;
    uint32_t file;
    enum tm_timestamp_rule rule;
};

/* True for an end that no object of the file states: its slice ends with one around it (doc/selecting.md). */
static inline bool tm_timestamp_is_made_end(const struct tm_event *event)
{
    return event->kind == TM_KIND_SLICE_END && event->flags & TM_EVENT_DERIVED;
}

/* Returns the rank of EVENT, number INDEX. FILE_IS_JSON: its file is Chrome JSON. Lines of ftrace text in such a file
 * keep their order. So do ends that were made: they may end a slice that begins at their time. */
static inline struct tm_timestamp_rank tm_timestamp_rank(const struct tm_event *event, bool file_is_json,
                                                         uint32_t index)
{
    struct tm_timestamp_rank r = {INT64_MAX, index, event->file, TM_TIMESTAMP_KEPT};
    if (!file_is_json || tm_event_raw(event->flags) == TM_RAW_LINE || tm_timestamp_is_made_end(event))
        return r;
    r.rule = event->flags & TM_EVENT_IN_ORDER ? TM_TIMESTAMP_EARLY : TM_TIMESTAMP_RANKED;
    if (event->kind == TM_KIND_SLICE_END && !(event->flags & TM_EVENT_ASYNC))
        r.rank = INT64_MIN;
    else if (event->kind == TM_KIND_SLICE_COMPLETE && event->dur_ns > 0)
        r.rank -= event->dur_ns;
    return r;
}

/* True if events of rank A and then B, both of one time, may have to be sorted. */
static inline bool tm_timestamp_ranks_differ(const struct tm_timestamp_rank *a, const struct tm_timestamp_rank *b)
{
    return a->rank > b->rank || a->rule == TM_TIMESTAMP_EARLY || b->rule == TM_TIMESTAMP_EARLY;
}

/* Sorts RANKS, in which those of one file are adjacent, into the order of their events. */
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

/* Adds a copy of EVENT with its detail, and of the raw bytes of an ftrace event, but of no other raw bytes. RANK is
 * that of EVENT, or of the row of which it is a part; its index does not matter. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_timestamp_group_add(struct tm_timestamp_group *group, const struct tm_event *event,
                                      struct tm_timestamp_rank rank, struct tm_error *err);

/* True if the pending events should be taken before more are added. */
bool tm_timestamp_group_full(const struct tm_timestamp_group *group);

/* Takes the next event of the group. The first call sorts by rank, then by order of arrival. False after the last
 * event; the group is then empty again. */
bool tm_timestamp_group_take(struct tm_timestamp_group *group, struct tm_event *event);

void tm_timestamp_group_release(struct tm_timestamp_group *group);

#endif

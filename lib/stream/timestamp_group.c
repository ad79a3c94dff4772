#include "stream/timestamp_group.h"

#include "base/table.h"

#include <stdlib.h>

struct tm_timestamp_group_event {
    struct tm_event event;
    int64_t rank;
    uint32_t order;
    size_t detail; /* offset of its detail */
};

enum tm_status tm_timestamp_group_add(struct tm_timestamp_group *group, const struct tm_event *event, int64_t rank,
                                      struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&group->events, &group->cap, group->count, sizeof *group->events, err);
    if (st < 0)
        return st;
    struct tm_timestamp_group_event *e = &group->events[group->count];
    *e = (struct tm_timestamp_group_event){*event, rank, group->count, group->detail.len};
    e->event.raw = NULL;
    e->event.raw_bytes = 0;
    if (tm_buf_add(&group->detail, event->detail, event->detail_bytes) < 0)
        return tm_error_nomem(err);
    group->count++;
    group->is_sorted = false;
    return TM_OK;
}

bool tm_timestamp_group_full(const struct tm_timestamp_group *group)
{
    return group->count >= TM_TIMESTAMP_GROUP_EVENTS_MAX || group->detail.len >= TM_TIMESTAMP_GROUP_BYTES_MAX;
}

static int compare(const void *a, const void *b)
{
    const struct tm_timestamp_group_event *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

bool tm_timestamp_group_take(struct tm_timestamp_group *group, struct tm_event *event)
{
    if (group->next == group->count) {
        group->next = group->count = 0;
        tm_buf_clear(&group->detail);
        return false;
    }
    if (!group->is_sorted && group->count > 1)
        qsort(group->events, group->count, sizeof *group->events, compare);
    group->is_sorted = true;
    const struct tm_timestamp_group_event *e = &group->events[group->next++];
    *event = e->event;
    event->detail = event->detail_bytes ? group->detail.data + e->detail : NULL;
    return true;
}

void tm_timestamp_group_release(struct tm_timestamp_group *group)
{
    free(group->events);
    tm_buf_release(&group->detail);
    *group = (struct tm_timestamp_group){0};
}

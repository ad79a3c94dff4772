#include "stream/timestamp_group.h"

#include "base/table.h"

#include <stdlib.h>

struct tm_timestamp_group_event {
    struct tm_event event;
    int64_t rank;
    uint32_t order;
    size_t detail; /* where its detail starts */
};

enum tm_status tm_timestamp_group_add(struct tm_timestamp_group *moment, const struct tm_event *event, int64_t rank,
                                      struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&moment->events, &moment->cap, moment->count, sizeof *moment->events, err);
    if (st < 0)
        return st;
    struct tm_timestamp_group_event *e = &moment->events[moment->count];
    *e = (struct tm_timestamp_group_event){*event, rank, moment->count, moment->detail.len};
    e->event.raw = NULL;
    e->event.raw_bytes = 0;
    if (tm_buf_add(&moment->detail, event->detail, event->detail_bytes) < 0)
        return tm_error_nomem(err);
    moment->count++;
    moment->is_sorted = false;
    return TM_OK;
}

bool tm_timestamp_group_full(const struct tm_timestamp_group *moment)
{
    return moment->count >= TM_TIMESTAMP_GROUP_EVENTS_MAX || moment->detail.len >= TM_TIMESTAMP_GROUP_BYTES_MAX;
}

static int compare(const void *a, const void *b)
{
    const struct tm_timestamp_group_event *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

bool tm_timestamp_group_take(struct tm_timestamp_group *moment, struct tm_event *event)
{
    if (moment->next == moment->count) {
        moment->next = moment->count = 0;
        tm_buf_clear(&moment->detail);
        return false;
    }
    if (!moment->is_sorted && moment->count > 1)
        qsort(moment->events, moment->count, sizeof *moment->events, compare);
    moment->is_sorted = true;
    const struct tm_timestamp_group_event *e = &moment->events[moment->next++];
    *event = e->event;
    event->detail = event->detail_bytes ? moment->detail.data + e->detail : NULL;
    return true;
}

void tm_timestamp_group_release(struct tm_timestamp_group *moment)
{
    free(moment->events);
    tm_buf_release(&moment->detail);
    *moment = (struct tm_timestamp_group){0};
}

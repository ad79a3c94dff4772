#include "stream/timestamp_group.h"

#include "base/table.h"

#include <stdlib.h>

struct tm_timestamp_group_event {
    struct tm_event event;
    size_t detail; /* offset of its detail; its raw bytes follow */
};

enum tm_status tm_timestamp_group_add(struct tm_timestamp_group *group, const struct tm_event *event,
                                      struct tm_timestamp_rank rank, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&group->events, &group->cap, group->count, sizeof *group->events, err);
    if (st < 0 ||
        (st = tm_array_grow(&group->ranks, &group->rank_cap, group->count, sizeof *group->ranks, err)) < 0)
        return st;
    struct tm_timestamp_group_event *e = &group->events[group->count];
    *e = (struct tm_timestamp_group_event){*event, group->detail.len};
    if (tm_event_raw(event->flags) != TM_RAW_FTRACE_EVENT)
        e->event.raw_bytes = 0;
    if (tm_buf_add(&group->detail, event->detail, event->detail_bytes) < 0 ||
        tm_buf_add(&group->detail, event->raw, e->event.raw_bytes) < 0)
        return tm_error_nomem(err);
    rank.index = group->count;
    group->ranks[group->count] = rank;
    group->is_sorted = group->count == 0 ||
                       (group->is_sorted && !tm_timestamp_ranks_differ(&group->ranks[group->count - 1], &rank));
    group->count++;
    return TM_OK;
}

bool tm_timestamp_group_full(const struct tm_timestamp_group *group)
{
    return group->count >= TM_TIMESTAMP_GROUP_EVENTS_MAX || group->detail.len >= TM_TIMESTAMP_GROUP_BYTES_MAX;
}

static int compare(const void *a, const void *b)
{
    const struct tm_timestamp_rank *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Ranks EARLY events in front of all others, where their file has no RANKED event. */
static void rank_early(struct tm_timestamp_rank *ranks, uint32_t count)
{
    for (uint32_t i = 0, end; i < count; i = end) {
        bool is_ranked = false;
        for (end = i; end < count && ranks[end].file == ranks[i].file; end++)
            is_ranked |= ranks[end].rule == TM_TIMESTAMP_RANKED;
        for (; !is_ranked && i < end; i++)
            if (ranks[i].rule == TM_TIMESTAMP_EARLY)
                ranks[i].rank = INT64_MIN;
    }
}

/* Uses insertion for small groups, which are the most frequent and for which qsort is slow. */
void tm_timestamp_ranks_sort(struct tm_timestamp_rank *ranks, uint32_t count)
{
    enum { FEW = 16 };
    rank_early(ranks, count);
    if (count > FEW) {
        qsort(ranks, count, sizeof *ranks, compare);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct tm_timestamp_rank r = ranks[i];
        uint32_t at = i;
        for (; at > 0 && compare(&ranks[at - 1], &r) > 0; at--)
            ranks[at] = ranks[at - 1];
        ranks[at] = r;
    }
}

bool tm_timestamp_group_take(struct tm_timestamp_group *group, struct tm_event *event)
{
    if (group->next == group->count) {
        group->next = group->count = 0;
        tm_buf_clear(&group->detail);
        return false;
    }
    if (!group->is_sorted)
        tm_timestamp_ranks_sort(group->ranks, group->count);
    group->is_sorted = true;
    const struct tm_timestamp_group_event *e = &group->events[group->ranks[group->next++].index];
    *event = e->event;
    event->detail = event->detail_bytes ? group->detail.data + e->detail : NULL;
    event->raw = event->raw_bytes ? group->detail.data + e->detail + event->detail_bytes : NULL;
    return true;
}

void tm_timestamp_group_release(struct tm_timestamp_group *group)
{
    free(group->events);
    free(group->ranks);
    tm_buf_release(&group->detail);
    *group = (struct tm_timestamp_group){0};
}

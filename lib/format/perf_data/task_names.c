#include "format/perf_data/task_names.h"

#include "base/table.h"

#include <stdlib.h>

#define NONE UINT32_MAX

/* The name of TID from TIME on. */
struct tm_perf_task_name {
    int64_t tid, maker;
    uint64_t time;
    uint32_t order; /* order in which it was added */
    uint32_t name;  /* in texts; NONE: the name of the maker, which may be unknown */
};

void tm_perf_task_names_init(struct tm_perf_task_names *n)
{
    tm_intern_init(&n->texts, TM_PERF_TASK_NAMES_MAX, TM_PERF_TASK_NAME_BYTES_MAX);
}

static enum tm_status add(struct tm_perf_task_names *n, struct tm_perf_task_name entry, struct tm_error *err)
{
    if (n->count == TM_PERF_TASK_NAMES_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than the limit of %d names of threads", TM_PERF_TASK_NAMES_MAX);
    enum tm_status st = tm_array_grow(&n->list, &n->cap, n->count, sizeof *n->list, err);
    if (st < 0)
        return st;
    entry.order = n->count;
    n->list[n->count++] = entry;
    return TM_OK;
}

enum tm_status tm_perf_task_names_add(struct tm_perf_task_names *n, int64_t tid, uint64_t time, struct tm_text name,
                                      struct tm_error *err)
{
    uint32_t number = NONE;
    enum tm_status st = tm_intern_add(&n->texts, name.data, name.len, &number, NULL);
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "names of threads exceed the limit of %d bytes",
                            TM_PERF_TASK_NAME_BYTES_MAX);
    if (st < 0)
        return tm_error_nomem(err);
    return add(n, (struct tm_perf_task_name){.tid = tid, .maker = tid, .time = time, .name = number}, err);
}

enum tm_status tm_perf_task_names_inherit(struct tm_perf_task_names *n, int64_t tid, int64_t maker, uint64_t time,
                                          struct tm_error *err)
{
    return add(n, (struct tm_perf_task_name){.tid = tid, .maker = maker, .time = time, .name = NONE}, err);
}

static int by_time(const void *left, const void *right)
{
    const struct tm_perf_task_name *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int by_tid(const void *left, const void *right)
{
    const struct tm_perf_task_name *a = left, *b = right;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    return by_time(left, right);
}

enum tm_status tm_perf_task_names_settle(struct tm_perf_task_names *n, struct tm_error *err)
{
    struct tm_map now = {0}; /* the name of each thread at the current time */
    enum tm_status st = TM_OK;
    if (n->count == 0)
        return TM_OK;
    qsort(n->list, n->count, sizeof *n->list, by_time);
    for (uint32_t i = 0; i < n->count && st == TM_OK; i++) {
        struct tm_perf_task_name *e = &n->list[i];
        if (e->name == NONE && !tm_map_find(&now, (uint64_t)e->maker, &e->name))
            e->name = NONE;
        st = tm_map_set(&now, (uint64_t)e->tid, e->name);
    }
    tm_map_release(&now);
    qsort(n->list, n->count, sizeof *n->list, by_tid);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

struct tm_text tm_perf_task_names_find(const struct tm_perf_task_names *n, int64_t tid, uint64_t time)
{
    uint32_t low = 0, high = n->count;
    struct tm_text name = tm_text_str("");
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct tm_perf_task_name *e = &n->list[middle];
        if (e->tid < tid || (e->tid == tid && e->time <= time))
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && n->list[low - 1].tid == tid && n->list[low - 1].name != NONE)
        name.data = tm_intern_get(&n->texts, n->list[low - 1].name, &name.len);
    return name;
}

void tm_perf_task_names_release(struct tm_perf_task_names *n)
{
    free(n->list);
    tm_intern_release(&n->texts);
    *n = (struct tm_perf_task_names){0};
}

/* Makes rows of heap profiles: one for each dump, and one for what each call stack added to it. */
#include "base/checked.h"
#include "base/secret.h"
#include "model/internal.h"

static enum tm_status process_of(struct tm_model_tasks *tasks, const struct tm_model_event *ev, uint32_t *upid,
                                 struct tm_error *err)
{
    int64_t id;
    enum tm_status st = tm_processes_process(&tasks->processes, ev->place.machine, ev->e->pid, &id, err);
    *upid = (uint32_t)id;
    return st;
}

enum tm_status tm_model_heap_dump(struct tm_model_heaps *heaps, struct tm_model_tasks *tasks,
                                  struct tm_model_output *out, struct tm_model_event *ev, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct tm_heap_dump_row row = {
        .ts = tm_sub_saturate_i64(e->time_ns, e->dur_ns), .dur = e->dur_ns, .heap = ev->name};
    enum tm_status st = process_of(tasks, ev, &row.upid, err);
    if (st < 0 || out->rows->heap_dump == NULL)
        return st;
    /* The hash is keyed, so no input can have two heaps of one hash. */
    struct tm_key key = {row.upid, (uint64_t)e->time_ns, tm_keyed_bytes(tm_secret(), ev->name.data, ev->name.len)};
    if (tm_table_find(&heaps->dumps, &key) != TM_TABLE_NONE) /* another packet of the dump made the row */
        return TM_OK;
    if ((st = tm_table_set(&heaps->dumps, &key, 0, err)) < 0)
        return st;
    return out->rows->heap_dump(out->rows->self, &row, err);
}

static int64_t count_of(const struct tm_event *e)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f, part;
    int64_t count = 0;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_DETAIL_ARGS && f.type == TM_PB_LEN)
            for (struct tm_pb arg = tm_pb_of(f.data, f.len); tm_pb_next(&arg, &part) == TM_OK;)
                if (part.id == TM_ARG_INT && part.type == TM_PB_VARINT)
                    count = tm_unzigzag(part.value);
    return count;
}

enum tm_status tm_model_allocation(struct tm_stacks *stacks, struct tm_model_tasks *tasks, struct tm_model_output *out,
                                   struct tm_model_event *ev, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct tm_allocation_row row = {.ts = e->time_ns, .heap = ev->name, .bytes = (int64_t)e->value};
    enum tm_status st = process_of(tasks, ev, &row.upid, err);
    if (st < 0 || out->rows->allocation == NULL)
        return st;
    if ((st = tm_stacks_add(stacks, e->detail, e->detail_bytes, &row.callsite, err)) < 0)
        return st;
    row.count = count_of(e);
    tm_row_bounds_add(&out->bounds, e->time_ns);
    return out->rows->allocation(out->rows->self, &row, err);
}

#include "select/hidden_tasks.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

struct tm_task_name {
    uint32_t machine, file, cpu;
    uint32_t name, written; /* string ids; with TM_STRING_INLINE numbers in own; 0 none */
    bool has_cpu, has_pid, is_pid_written;
    int64_t tid, pid;
};

void tm_hidden_tasks_init(struct tm_hidden_tasks *n, const struct tm_catalog *catalog)
{
    *n = (struct tm_hidden_tasks){.catalog = catalog};
    tm_intern_init(&n->own, TM_HIDDEN_TASKS_MAX, TM_TASK_NAME_BYTES_MAX);
}

/* Finds or adds the row of a thread. TM_END if there are too many threads. */
static enum tm_status row_of(struct tm_hidden_tasks *n, uint32_t machine, int64_t tid, struct tm_task_name **row,
                             struct tm_error *err)
{
    struct tm_key key = {machine, (uint64_t)tid, 0};
    int64_t i = tm_table_find(&n->by_tid, &key);
    enum tm_status st;
    if (i == TM_TABLE_NONE) {
        if (n->count >= TM_HIDDEN_TASKS_MAX)
            return TM_END;
        i = n->count;
        if ((st = tm_array_grow(&n->rows, &n->cap, n->count, sizeof *n->rows, err)) < 0 ||
            (st = tm_table_set(&n->by_tid, &key, i, err)) < 0)
            return st;
        n->rows[n->count++] = (struct tm_task_name){.machine = machine, .tid = tid};
    }
    *row = &n->rows[i];
    return TM_OK;
}

static bool is_due(const struct tm_task_name *row)
{
    return (row->name && row->name != row->written) || (row->has_pid && !row->is_pid_written);
}

/* Replaces *NAME, a string of E, by its number in the catalog or, for an inline string, in own. 0: none. */
static enum tm_status number_of(struct tm_hidden_tasks *n, const struct tm_event *e, uint32_t *name,
                                struct tm_error *err)
{
    uint32_t id;
    if (!(*name & TM_STRING_INLINE))
        return TM_OK;
    struct tm_text text = tm_catalog_string(n->catalog, *name, e);
    *name = 0;
    if (text.data == NULL)
        return TM_OK;
    enum tm_status st = tm_intern_add(&n->own, text.data, text.len, &id, NULL);
    if (st != TM_OK)
        return st < 0 ? tm_error_nomem(err) : TM_OK;
    *name = TM_STRING_INLINE | id;
    return TM_OK;
}

/* Thread TID, about which E states something. */
struct stated_thread {
    const struct tm_event *e;
    int64_t tid;
    bool is_written; /* to the output */
};

/* Notes the name STRING of a thread. */
static enum tm_status take_name(struct tm_hidden_tasks *n, struct stated_thread of, uint32_t string,
                                struct tm_error *err)
{
    const struct tm_event *e = of.e;
    struct tm_task_name *row;
    if (of.tid == 0 || string == 0)
        return TM_OK;
    enum tm_status st = row_of(n, e->machine, of.tid, &row, err);
    if (st != TM_OK || (st = number_of(n, e, &string, err)) < 0 || string == 0)
        return st < 0 ? st : TM_OK;
    n->due_count -= is_due(row);
    if (of.is_written) {
        row->written = string;
    } else {
        row->name = string;
        row->file = e->file;
        row->cpu = e->cpu;
        row->has_cpu = e->flags & TM_EVENT_HAS_CPU;
    }
    n->due_count += is_due(row);
    return TM_OK;
}

static enum tm_status take_process(struct tm_hidden_tasks *n, struct stated_thread of, int64_t pid,
                                   struct tm_error *err)
{
    const struct tm_event *e = of.e;
    struct tm_task_name *row;
    enum tm_status st = row_of(n, e->machine, of.tid, &row, err);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    n->due_count -= is_due(row);
    if (of.is_written) {
        row->is_pid_written = row->has_pid && row->pid == pid;
    } else {
        row->is_pid_written = row->is_pid_written && row->pid == pid;
        row->has_pid = true;
        row->pid = pid;
        if (row->name == 0)
            row->file = e->file;
    }
    n->due_count += is_due(row);
    return TM_OK;
}

/* Forgets the thread of TID. The number belongs to another thread from now on, or to none. */
static void remove_task(struct tm_hidden_tasks *n, uint32_t machine, int64_t tid)
{
    struct tm_key key = {machine, (uint64_t)tid, 0};
    int64_t i = tm_table_find(&n->by_tid, &key);
    if (i == TM_TABLE_NONE)
        return;
    n->due_count -= is_due(&n->rows[i]);
    n->rows[i].has_pid = n->rows[i].is_pid_written = false;
    n->rows[i].name = n->rows[i].written = 0;
}

uint32_t tm_hidden_tasks_lifetime(const struct tm_hidden_tasks *n, uint32_t machine, int64_t tid)
{
    const struct tm_key key = {machine, (uint64_t)tid, 0};
    int64_t lifetime = n->lifetimes.count ? tm_table_find(&n->lifetimes, &key) : TM_TABLE_NONE;
    return lifetime == TM_TABLE_NONE ? 0 : (uint32_t)lifetime;
}

/* Ends the lifetime of TID. Beyond the limit of threads, numbers keep their lifetime. */
static enum tm_status end_lifetime(struct tm_hidden_tasks *n, uint32_t machine, int64_t tid, struct tm_error *err)
{
    const struct tm_key key = {machine, (uint64_t)tid, 0};
    uint32_t lifetime = tm_hidden_tasks_lifetime(n, machine, tid);
    remove_task(n, machine, tid);
    if (lifetime == 0 && n->lifetimes.count >= TM_HIDDEN_TASKS_MAX)
        return TM_OK;
    return tm_table_set(&n->lifetimes, &key, lifetime + 1, err);
}

/* True with *PID if the process of E, a task that starts, is known. */
static bool process_of_new(const struct tm_hidden_tasks *n, const struct tm_event *e, int64_t *pid)
{
    struct tm_key maker = {e->machine, (uint64_t)e->pid, 0};
    int64_t i = tm_table_find(&n->by_tid, &maker);
    *pid = e->tid;
    if (!tm_event_makes_thread(e))
        return true;
    if (i == TM_TABLE_NONE || !n->rows[i].has_pid)
        return false;
    *pid = n->rows[i].pid;
    return true;
}

static enum tm_status take_new_task(struct tm_hidden_tasks *n, const struct tm_event *e, bool is_written,
                                    struct tm_error *err)
{
    const struct stated_thread thread = {e, e->tid, is_written};
    int64_t pid;
    enum tm_status st = is_written ? TM_OK : end_lifetime(n, e->machine, e->tid, err);
    if (st == TM_OK && process_of_new(n, e, &pid))
        st = take_process(n, thread, pid, err);
    return st < 0 ? st : take_name(n, thread, e->name, err);
}

static enum tm_status take(struct tm_hidden_tasks *n, const struct tm_event *e, bool is_written, struct tm_error *err)
{
    const uint32_t both = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    const struct stated_thread thread = {e, e->tid, is_written}, other = {e, e->pid, is_written};
    enum tm_status st = TM_OK;
    switch (e->kind) {
    case TM_KIND_SCHED_SWITCH:
        if (e->flags & TM_EVENT_HAS_TID)
            st = take_name(n, thread, e->category, err);
        return st < 0 ? st : take_name(n, other, e->name, err);
    case TM_KIND_SCHED_WAKING: return take_name(n, thread, e->name, err);
    case TM_KIND_TASK_RENAME:
        if (e->flags & TM_EVENT_DERIVED && e->flags & TM_EVENT_HAS_PID)
            st = take_process(n, thread, e->pid, err);
        return st < 0 ? st : take_name(n, thread, e->name, err);
    case TM_KIND_TASK_NEW: return take_new_task(n, e, is_written, err);
    case TM_KIND_PROCESS_EXIT: return is_written ? TM_OK : end_lifetime(n, e->machine, e->tid, err);
    case TM_KIND_THREAD:
    case TM_KIND_TRACK: return (e->flags & both) == both ? take_process(n, thread, e->pid, err) : TM_OK;
    case TM_KIND_PROCESS: return e->flags & TM_EVENT_HAS_PID ? take_process(n, other, e->pid, err) : TM_OK;
    default:
        return TM_OK;
    }
}

enum tm_status tm_hidden_tasks_learn(struct tm_hidden_tasks *n, const struct tm_event *e, struct tm_error *err)
{
    return take(n, e, false, err);
}

enum tm_status tm_hidden_tasks_shown(struct tm_hidden_tasks *n, const struct tm_event *e, struct tm_error *err)
{
    return take(n, e, true, err);
}

static struct tm_task_name *find(const struct tm_hidden_tasks *n, uint32_t machine, int64_t tid)
{
    struct tm_key key = {machine, (uint64_t)tid, 0};
    int64_t i = tm_table_find(&n->by_tid, &key);
    return i == TM_TABLE_NONE ? NULL : &n->rows[i];
}

/* Returns a derived task_rename, with the process of TASK if that is known. */
static struct tm_event row_about(const struct tm_task_name *task, int64_t time_ns)
{
    struct tm_event row = {.time_ns = time_ns,
                           .kind = TM_KIND_TASK_RENAME,
                           .flags = TM_EVENT_DERIVED | TM_EVENT_CONTEXT | TM_EVENT_HAS_TID,
                           .file = task->file,
                           .machine = task->machine,
                           .cpu = task->cpu,
                           .tid = task->tid};
    if (task->has_cpu)
        row.flags |= TM_EVENT_HAS_CPU;
    if (task->has_pid) {
        row.flags |= TM_EVENT_HAS_PID;
        row.pid = task->pid;
    }
    return row;
}

enum tm_status tm_hidden_tasks_process_row(struct tm_hidden_tasks *n, const struct tm_event *before, int64_t tid,
                                           struct tm_event *row)
{
    struct tm_task_name *task = find(n, before->machine, tid);
    if (task == NULL || !task->has_pid || task->is_pid_written)
        return TM_END;
    *row = row_about(task, before->time_ns);
    n->due_count -= is_due(task);
    task->is_pid_written = true;
    n->due_count += is_due(task);
    return TM_OK;
}

enum tm_status tm_hidden_tasks_name_row(struct tm_hidden_tasks *n, const struct tm_event *before, int64_t tid,
                                        struct tm_event *row, struct tm_error *err)
{
    struct tm_task_name *task = find(n, before->machine, tid);
    if (task == NULL || !is_due(task))
        return TM_END;
    *row = row_about(task, before->time_ns);
    row->name = task->name;
    n->due_count--;
    task->written = task->name;
    task->is_pid_written = task->has_pid;
    if (!(task->name & TM_STRING_INLINE))
        return TM_OK;
    size_t len;
    const uint8_t *text = tm_intern_get(&n->own, task->name & ~TM_STRING_INLINE, &len);
    tm_buf_clear(&n->detail);
    if (tm_pb_put_bytes(&n->detail, TM_DETAIL_TEXT, text, len) != TM_OK)
        return tm_error_nomem(err);
    row->name = TM_STRING_INLINE | 1; /* after the one-byte tag */
    row->detail = n->detail.data;
    row->detail_bytes = (uint32_t)n->detail.len;
    return TM_OK;
}

void tm_hidden_tasks_release(struct tm_hidden_tasks *n)
{
    tm_table_release(&n->lifetimes);
    tm_table_release(&n->by_tid);
    free(n->rows);
    tm_intern_release(&n->own);
    tm_buf_release(&n->detail);
    *n = (struct tm_hidden_tasks){0};
}

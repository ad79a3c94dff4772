#include "model/processes.h"

#include "model/tid_lists.h"

#include <stdlib.h>

void tm_processes_release(struct tm_processes *p)
{
    free(p->threads);
    free(p->processes);
    tm_intern_release(&p->names);
    tm_task_numbers_release(&p->numbers);
    tm_index_release(&p->pairs);
    tm_table_release(&p->idle);
    *p = (struct tm_processes){0};
}

static uint64_t pair_hash(const struct tm_processes *p, int64_t tid, int64_t upid)
{
    return tm_index_hash_more(&p->pairs, tm_index_hash_u64(&p->pairs, (uint64_t)tid), (uint64_t)upid);
}

/* Returns the thread TID that joined process UPID last, or TM_NO_ID. */
static int64_t find_pair(const struct tm_processes *p, int64_t tid, int64_t upid)
{
    struct tm_probe probe = tm_probe(&p->pairs, pair_hash(p, tid, upid));
    for (uint32_t utid; (utid = tm_probe_next(&p->pairs, &probe)) != TM_INDEX_NONE;)
        if (p->threads[utid].tid == tid && p->threads[utid].upid == upid)
            return utid;
    return TM_NO_ID;
}

/* Notes that thread UTID has joined its process. */
static enum tm_status put_pair(struct tm_processes *p, int64_t utid, struct tm_error *err)
{
    const struct tm_thread_row *t = &p->threads[utid];
    tm_index_seed(&p->pairs);
    uint64_t hash = pair_hash(p, t->tid, t->upid);
    int64_t before = find_pair(p, t->tid, t->upid);
    if (before != TM_NO_ID)
        tm_index_change(&p->pairs, hash, (uint32_t)before, (uint32_t)utid);
    else if (tm_index_add(&p->pairs, hash, (uint32_t)utid) < 0)
        return tm_error_nomem(err);
    return TM_OK;
}

static bool is_alive(const struct tm_processes *p, const struct tm_thread_row *t)
{
    return !t->has_end && (t->upid == TM_NO_ID || p->processes[t->upid].is_current);
}

bool tm_processes_is_alive(const struct tm_processes *p, int64_t utid)
{
    return is_alive(p, &p->threads[utid]);
}

/* Updates the thread that a bare TID refers to. Ended threads stay ended and are removed from the list. */
static void refresh_live(struct tm_processes *p, uint32_t machine, int64_t tid)
{
    struct tm_task_number *number = tm_task_numbers_find(&p->numbers, machine, tid);
    if (number == NULL)
        return;
    while (number->newest != TM_NO_ID && !is_alive(p, &p->threads[number->newest]))
        tm_tid_list_remove(p, number->newest);
    number->live = number->newest;
}

static void refresh_process(struct tm_processes *p, int64_t upid)
{
    for (int64_t t = p->processes[upid].threads; t != TM_NO_ID; t = p->threads[t].next_in_process)
        refresh_live(p, p->threads[t].machine, p->threads[t].tid);
    p->changes++;
}

/* Notes that thread T, which is on the list of its tid, has got a process or has ended. */
static void remove_orphan(struct tm_processes *p, const struct tm_thread_row *t)
{
    struct tm_task_number *number = tm_task_numbers_find(&p->numbers, t->machine, t->tid);
    if (number && number->orphans)
        number->orphans--;
}

static enum tm_status new_thread(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t *utid,
                                 struct tm_error *err)
{
    if (p->thread_count >= TM_THREADS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d threads (TM_THREADS_MAX)", TM_THREADS_MAX);
    enum tm_status st = tm_array_grow(&p->threads, &p->thread_cap, p->thread_count, sizeof *p->threads, err);
    if (st < 0)
        return st;
    *utid = p->thread_count++;
    p->threads[*utid] = (struct tm_thread_row){.tid = tid,
                                               .machine = machine,
                                               .upid = TM_NO_ID,
                                               .arg_set = TM_NO_ID,
                                               .older = TM_NO_ID,
                                               .newer = TM_NO_ID,
                                               .ring_next = (int32_t)*utid,
                                               .next_in_process = TM_NO_ID,
                                               .children = TM_NO_ID};
    p->changes++;
    return TM_OK;
}

static enum tm_status new_process(struct tm_processes *p, uint32_t machine, int64_t pid, int64_t *upid,
                                  struct tm_error *err)
{
    if (p->process_count >= TM_PROCESSES_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d processes (TM_PROCESSES_MAX)", TM_PROCESSES_MAX);
    enum tm_status st = tm_array_grow(&p->processes, &p->process_cap, p->process_count, sizeof *p->processes, err);
    if (st < 0)
        return st;
    *upid = p->process_count++;
    p->processes[*upid] = (struct tm_process){.pid = pid,
                                              .machine = machine,
                                              .parent = TM_NO_ID,
                                              .arg_set = TM_NO_ID,
                                              .threads = TM_NO_ID,
                                              .next_child = TM_NO_ID};
    p->changes++;
    return TM_OK;
}

enum tm_status tm_processes_start_thread(struct tm_processes *p, struct tm_task_start start, int64_t *utid,
                                         struct tm_error *err)
{
    struct tm_task_number *number;
    enum tm_status st = new_thread(p, start.machine, start.id, utid, err);
    if (st < 0)
        return st;
    if (start.time_ns) {
        p->threads[*utid].has_start = true;
        p->threads[*utid].start_ns = *start.time_ns;
    }
    if ((st = tm_tid_list_add(p, *utid, err)) < 0 ||
        (st = tm_task_numbers_get(&p->numbers, start.machine, start.id, &number, err)) < 0)
        return st;
    number->orphans++;
    number->live = (int32_t)*utid;
    return TM_OK;
}

int64_t tm_processes_find_thread(const struct tm_processes *p, uint32_t machine, int64_t tid)
{
    const struct tm_task_number *number = tm_task_numbers_find(&p->numbers, machine, tid);
    return number ? number->live : TM_NO_ID;
}

enum tm_status tm_processes_thread(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t *utid,
                                   struct tm_error *err)
{
    *utid = tm_processes_find_thread(p, machine, tid);
    if (*utid != TM_NO_ID)
        return TM_OK;
    return tm_processes_start_thread(p, (struct tm_task_start){machine, tid, NULL}, utid, err);
}

/* Makes thread UTID, whose process was unknown, a thread of process UPID. */
static enum tm_status adopt(struct tm_processes *p, int64_t utid, int64_t upid, struct tm_error *err)
{
    struct tm_thread_row *t = &p->threads[utid];
    if (t->listed)
        remove_orphan(p, t);
    t->upid = (int32_t)upid;
    t->is_main = t->tid == p->processes[upid].pid;
    t->next_in_process = p->processes[upid].threads;
    p->processes[upid].threads = (int32_t)utid;
    for (int64_t child = t->children; child != TM_NO_ID; child = p->processes[child].next_child)
        p->processes[child].parent = (int32_t)upid;
    t->children = TM_NO_ID;
    p->changes++;
    return put_pair(p, utid, err);
}

/* Makes UTID and all threads that are known to share its process threads of process UPID. */
static enum tm_status adopt_ring(struct tm_processes *p, int64_t utid, int64_t upid, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    int64_t t = utid;
    do {
        int64_t next = p->threads[t].ring_next;
        p->threads[t].ring_next = (int32_t)t;
        if (p->threads[t].upid == TM_NO_ID)
            st = adopt(p, t, upid, err);
        t = next;
    } while (t != utid && st == TM_OK);
    return st;
}

enum tm_status tm_processes_join(struct tm_processes *p, int64_t a, int64_t b, struct tm_error *err)
{
    struct tm_thread_row *x = &p->threads[a], *y = &p->threads[b];
    if (x->upid != TM_NO_ID && y->upid != TM_NO_ID)
        return TM_OK;
    if (x->upid != TM_NO_ID)
        return adopt_ring(p, b, x->upid, err);
    if (y->upid != TM_NO_ID)
        return adopt_ring(p, a, y->upid, err);
    /* Two rings are joined by swapping their links. Within one ring this would split it. A new thread is usually a ring
     * of its own. */
    if (y->ring_next != b) {
        for (int64_t t = y->ring_next; t != b; t = p->threads[t].ring_next)
            if (t == a)
                return TM_OK;
    }
    if (a != b) {
        int32_t ring_next = x->ring_next;
        x->ring_next = y->ring_next;
        y->ring_next = ring_next;
    }
    return TM_OK;
}

void tm_processes_set_parent(struct tm_processes *p, int64_t upid, int64_t utid)
{
    struct tm_thread_row *t = &p->threads[utid];
    if (t->upid != TM_NO_ID) {
        p->processes[upid].parent = t->upid;
        return;
    }
    p->processes[upid].next_child = t->children;
    t->children = (int32_t)upid;
}

/* Returns the current thread TID in process UPID or in an unknown process; TM_NO_ID: none. */
static int64_t find_in(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t upid)
{
    const struct tm_task_number *number = tm_task_numbers_find(&p->numbers, machine, tid);
    if (number == NULL || number->orphans == 0) {
        int64_t t = find_pair(p, tid, upid);
        return t != TM_NO_ID && p->threads[t].listed && is_alive(p, &p->threads[t]) ? t : TM_NO_ID;
    }
    for (int64_t t = number->newest, older; t != TM_NO_ID; t = older) {
        older = p->threads[t].older;
        if (!is_alive(p, &p->threads[t]))
            tm_tid_list_remove(p, t);
        else if (p->threads[t].upid == TM_NO_ID || p->threads[t].upid == upid)
            return t;
    }
    return TM_NO_ID;
}

/* Makes the tid of thread UTID, which is on its list, mean this thread from now on. */
static enum tm_status make_current(struct tm_processes *p, int64_t utid, struct tm_error *err)
{
    const struct tm_thread_row *t = &p->threads[utid];
    tm_tid_list_remove(p, utid);
    enum tm_status st = tm_tid_list_add(p, utid, err);
    if (st == TM_OK)
        tm_task_numbers_find(&p->numbers, t->machine, t->tid)->live = (int32_t)utid;
    p->changes++;
    return st;
}

/* Sets *UTID to the current thread TID of process UPID, which is made if there is none. */
static enum tm_status thread_of(struct tm_processes *p, int64_t upid, int64_t tid, int64_t *utid, struct tm_error *err)
{
    uint32_t machine = p->processes[upid].machine;
    enum tm_status st = TM_OK;
    *utid = find_in(p, machine, tid, upid);
    if (*utid == TM_NO_ID)
        st = tm_processes_start_thread(p, (struct tm_task_start){machine, tid, NULL}, utid, err);
    else if (tm_processes_find_thread(p, machine, tid) != *utid || p->threads[*utid].newer != TM_NO_ID)
        st = make_current(p, *utid, err);
    if (st == TM_OK && p->threads[*utid].upid == TM_NO_ID)
        st = adopt_ring(p, *utid, upid, err);
    return st;
}

enum tm_status tm_processes_process_without_main(struct tm_processes *p, uint32_t machine, int64_t pid, int64_t *upid,
                                                 struct tm_error *err)
{
    struct tm_task_number *number;
    enum tm_status st = tm_task_numbers_get(&p->numbers, machine, pid, &number, err);
    if (st < 0)
        return st;
    *upid = number->process;
    if (*upid != TM_NO_ID)
        return TM_END;
    if ((st = new_process(p, machine, pid, upid, err)) < 0)
        return st;
    p->processes[*upid].is_current = true;
    number->process = (int32_t)*upid;
    return TM_OK;
}

enum tm_status tm_processes_process(struct tm_processes *p, uint32_t machine, int64_t pid, int64_t *upid,
                                    struct tm_error *err)
{
    int64_t utid;
    enum tm_status st = tm_processes_process_without_main(p, machine, pid, upid, err);
    if (st == TM_OK)
        st = thread_of(p, *upid, pid, &utid, err);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_processes_thread_in(struct tm_processes *p, struct tm_thread_id id, int64_t *utid,
                                      struct tm_error *err)
{
    int64_t upid;
    enum tm_status st = tm_processes_process(p, id.machine, id.pid, &upid, err);
    return st == TM_OK ? thread_of(p, upid, id.tid, utid, err) : st;
}

enum tm_status tm_processes_start_process(struct tm_processes *p, struct tm_task_start start, int64_t *upid,
                                          struct tm_error *err)
{
    const uint32_t machine = start.machine;
    const int64_t pid = start.id;
    struct tm_task_number *number;
    int64_t before, utid;
    enum tm_status st = tm_task_numbers_get(&p->numbers, machine, pid, &number, err);
    if (st < 0)
        return st;
    if ((before = number->process) != TM_NO_ID)
        p->processes[before].is_current = false;
    tm_tid_list_clear(p, number);
    number->process = number->live = TM_NO_ID;
    number->orphans = 0;
    if ((st = tm_processes_start_thread(p, start, &utid, err)) < 0 ||
        (st = tm_processes_process_without_main(p, machine, pid, upid, err)) < 0 ||
        (st = thread_of(p, *upid, pid, &utid, err)) < 0)
        return st;
    if (start.time_ns) {
        p->processes[*upid].has_start = true;
        p->processes[*upid].start_ns = *start.time_ns;
    }
    if (before != TM_NO_ID)
        refresh_process(p, before);
    return TM_OK;
}

void tm_processes_end_thread(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t time_ns)
{
    int64_t utid = tm_processes_find_thread(p, machine, tid);
    if (utid == TM_NO_ID)
        return;
    struct tm_thread_row *t = &p->threads[utid];
    t->has_end = true;
    t->end_ns = time_ns;
    if (t->upid == TM_NO_ID && t->listed)
        remove_orphan(p, t);
    tm_tid_list_remove(p, utid);
    refresh_live(p, machine, tid);
    p->changes++;
    if (t->upid == TM_NO_ID || p->processes[t->upid].pid != tid)
        return;
    struct tm_process *process = &p->processes[t->upid];
    process->has_end = true;
    process->end_ns = time_ns;
    process->is_current = false;
    tm_task_numbers_find(&p->numbers, machine, tid)->process = TM_NO_ID;
    refresh_process(p, t->upid);
}

enum tm_status tm_processes_machine(struct tm_processes *p, uint32_t machine, int64_t *utid, struct tm_error *err)
{
    struct tm_key key = {machine, 0, 0};
    int64_t upid = TM_NO_ID;
    enum tm_status st;
    if ((*utid = tm_table_find(&p->idle, &key)) != TM_NO_ID)
        return TM_OK;
    if ((st = new_process(p, machine, 0, &upid, err)) < 0 || (st = new_thread(p, machine, 0, utid, err)) < 0)
        return st;
    p->threads[*utid].upid = (int32_t)upid;
    p->threads[*utid].is_main = p->threads[*utid].is_idle = p->threads[*utid].is_stateless = true;
    return tm_table_set(&p->idle, &key, *utid, err);
}

enum tm_status tm_processes_idle(struct tm_processes *p, uint32_t machine, struct tm_error *err)
{
    static const char idle_name[] = "swapper";
    struct tm_task_number *number;
    int64_t utid;
    enum tm_status st = tm_processes_machine(p, machine, &utid, err);
    if (st < 0 || p->threads[utid].listed || (st = tm_task_numbers_get(&p->numbers, machine, 0, &number, err)) < 0)
        return st;
    int32_t upid = p->threads[utid].upid;
    tm_tid_list_clear(p, number);
    number->orphans = 0;
    number->process = upid;
    number->live = (int32_t)utid;
    p->processes[upid].is_current = true;
    p->processes[upid].threads = (int32_t)utid;
    if ((st = tm_tid_list_add(p, utid, err)) < 0 || (st = put_pair(p, utid, err)) < 0)
        return st;
    p->changes++;
    struct tm_text name = {(const uint8_t *)idle_name, sizeof idle_name - 1};
    return tm_processes_name_thread(p, utid, name, TM_THREAD_NAME_MODEL, err);
}

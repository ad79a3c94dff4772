#include "model/processes.h"

#include "model/tid_lists.h"

#include <stdlib.h>

void tm_processes_release(struct tm_processes *p)
{
    free(p->threads);
    free(p->processes);
    tm_intern_release(&p->names);
    tm_table_release(&p->pids);
    tm_table_release(&p->tids);
    tm_table_release(&p->live);
    tm_table_release(&p->pairs);
    tm_table_release(&p->orphans);
    *p = (struct tm_processes){0};
}

/* The key in pairs: thread TID of the process with row UPID. */
static struct tm_key pair_key(int64_t tid, int64_t upid)
{
    return (struct tm_key){(uint64_t)upid, (uint64_t)tid, 1};
}

static bool is_alive(const struct tm_processes *p, const struct tm_thread_row *t)
{
    return !t->has_end && (t->upid == TM_NO_ID || p->processes[t->upid].is_current);
}

/* Updates the thread that a bare TID refers to. Ended threads stay ended and are removed from the list. */
static enum tm_status refresh_live(struct tm_processes *p, uint32_t machine, int64_t tid, struct tm_error *err)
{
    struct tm_key key = tm_number_key(machine, tid);
    enum tm_status st;
    for (int64_t utid; (utid = tm_table_find(&p->tids, &key)) != TM_NO_ID;) {
        if (is_alive(p, &p->threads[utid]))
            return tm_table_set(&p->live, &key, utid, err);
        if ((st = tm_tid_list_remove(p, utid, err)) < 0)
            return st;
    }
    tm_table_remove(&p->live, &key);
    return TM_OK;
}

static enum tm_status refresh_process(struct tm_processes *p, int64_t upid, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (int64_t t = p->processes[upid].threads; t != TM_NO_ID && st == TM_OK; t = p->threads[t].next_in_process)
        st = refresh_live(p, p->threads[t].machine, p->threads[t].tid, err);
    p->changes++;
    return st;
}

static enum tm_status orphan_count(struct tm_processes *p, const struct tm_thread_row *t, int by, struct tm_error *err)
{
    struct tm_key key = tm_number_key(t->machine, t->tid);
    int64_t count = tm_table_find(&p->orphans, &key);
    count = (count == TM_TABLE_NONE ? 0 : count) + by;
    if (count > 0)
        return tm_table_set(&p->orphans, &key, count, err);
    tm_table_remove(&p->orphans, &key);
    return TM_OK;
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
                                               .older = TM_NO_ID,
                                               .newer = TM_NO_ID,
                                               .kin = *utid,
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

enum tm_status tm_processes_start_thread(struct tm_processes *p, uint32_t machine, int64_t tid, const int64_t *time_ns,
                                         int64_t *utid, struct tm_error *err)
{
    struct tm_key key = tm_number_key(machine, tid);
    enum tm_status st = new_thread(p, machine, tid, utid, err);
    if (st < 0)
        return st;
    if (time_ns) {
        p->threads[*utid].has_start = true;
        p->threads[*utid].start_ns = *time_ns;
    }
    if ((st = tm_tid_list_add(p, *utid, err)) < 0 || (st = orphan_count(p, &p->threads[*utid], 1, err)) < 0)
        return st;
    return tm_table_set(&p->live, &key, *utid, err);
}

int64_t tm_processes_find_thread(const struct tm_processes *p, uint32_t machine, int64_t tid)
{
    struct tm_key key = tm_number_key(machine, tid);
    return tm_table_find(&p->live, &key);
}

enum tm_status tm_processes_thread(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t *utid,
                                   struct tm_error *err)
{
    *utid = tm_processes_find_thread(p, machine, tid);
    return *utid != TM_NO_ID ? TM_OK : tm_processes_start_thread(p, machine, tid, NULL, utid, err);
}

/* Thread UTID, whose process was unknown, belongs to process UPID. */
static enum tm_status adopt(struct tm_processes *p, int64_t utid, int64_t upid, struct tm_error *err)
{
    struct tm_thread_row *t = &p->threads[utid];
    struct tm_key key = pair_key(t->tid, upid);
    enum tm_status st = t->listed ? orphan_count(p, t, -1, err) : TM_OK;
    if (st < 0)
        return st;
    t->upid = upid;
    t->is_main = t->tid == p->processes[upid].pid;
    t->next_in_process = p->processes[upid].threads;
    p->processes[upid].threads = utid;
    for (int64_t child = t->children; child != TM_NO_ID; child = p->processes[child].next_child)
        p->processes[child].parent = upid;
    t->children = TM_NO_ID;
    p->changes++;
    return tm_table_set(&p->pairs, &key, utid, err);
}

/* UTID and all threads known to share its process belong to process UPID. */
static enum tm_status adopt_kin(struct tm_processes *p, int64_t utid, int64_t upid, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    int64_t t = utid;
    do {
        int64_t next = p->threads[t].kin;
        p->threads[t].kin = t;
        if (p->threads[t].upid == TM_NO_ID)
            st = adopt(p, t, upid, err);
        t = next;
    } while (t != utid && st == TM_OK);
    return st;
}

enum tm_status tm_processes_same(struct tm_processes *p, int64_t a, int64_t b, struct tm_error *err)
{
    struct tm_thread_row *x = &p->threads[a], *y = &p->threads[b];
    if (x->upid != TM_NO_ID && y->upid != TM_NO_ID) {
        p->conflicts += x->upid != y->upid;
        return TM_OK;
    }
    if (x->upid != TM_NO_ID)
        return adopt_kin(p, b, x->upid, err);
    if (y->upid != TM_NO_ID)
        return adopt_kin(p, a, y->upid, err);
    /* Two rings are joined by swapping their links. Within one ring the same would split it. A new thread is usually a
     * ring of its own. */
    if (y->kin != b) {
        for (int64_t t = y->kin; t != b; t = p->threads[t].kin)
            if (t == a)
                return TM_OK;
    }
    if (a != b) {
        int64_t kin = x->kin;
        x->kin = y->kin;
        y->kin = kin;
    }
    return TM_OK;
}

void tm_processes_child(struct tm_processes *p, int64_t upid, int64_t utid)
{
    struct tm_thread_row *t = &p->threads[utid];
    if (t->upid != TM_NO_ID) {
        p->processes[upid].parent = t->upid;
        return;
    }
    p->processes[upid].next_child = t->children;
    t->children = upid;
}

/* Finds the current thread TID in process UPID or in an unknown process; TM_NO_ID: none. */
static enum tm_status find_in(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t upid, int64_t *utid,
                              struct tm_error *err)
{
    struct tm_key tid_key = tm_number_key(machine, tid), pair = pair_key(tid, upid);
    if (tm_table_find(&p->orphans, &tid_key) == TM_TABLE_NONE) {
        int64_t t = tm_table_find(&p->pairs, &pair);
        *utid = t != TM_NO_ID && p->threads[t].listed && is_alive(p, &p->threads[t]) ? t : TM_NO_ID;
        return TM_OK;
    }
    for (int64_t t = tm_table_find(&p->tids, &tid_key), older; t != TM_NO_ID; t = older) {
        older = p->threads[t].older;
        if (!is_alive(p, &p->threads[t])) {
            enum tm_status st = tm_tid_list_remove(p, t, err);
            if (st < 0)
                return st;
        } else if (p->threads[t].upid == TM_NO_ID || p->threads[t].upid == upid) {
            *utid = t;
            return TM_OK;
        }
    }
    *utid = TM_NO_ID;
    return TM_OK;
}

static enum tm_status thread_of(struct tm_processes *p, int64_t upid, int64_t tid, int64_t *utid, struct tm_error *err)
{
    uint32_t machine = p->processes[upid].machine;
    enum tm_status st = find_in(p, machine, tid, upid, utid, err);
    if (st < 0)
        return st;
    if (*utid == TM_NO_ID) {
        st = tm_processes_start_thread(p, machine, tid, NULL, utid, err);
    } else if (tm_processes_find_thread(p, machine, tid) != *utid || p->threads[*utid].newer != TM_NO_ID) {
        struct tm_key key = tm_number_key(machine, tid);
        if ((st = tm_tid_list_remove(p, *utid, err)) == TM_OK && (st = tm_tid_list_add(p, *utid, err)) == TM_OK)
            st = tm_table_set(&p->live, &key, *utid, err);
        p->changes++;
    }
    if (st == TM_OK && p->threads[*utid].upid == TM_NO_ID)
        st = adopt_kin(p, *utid, upid, err);
    return st;
}

static enum tm_status process_alone(struct tm_processes *p, uint32_t machine, int64_t pid, int64_t *upid,
                                    bool *is_new, struct tm_error *err)
{
    struct tm_key key = tm_number_key(machine, pid);
    *is_new = (*upid = tm_table_find(&p->pids, &key)) == TM_NO_ID;
    if (!*is_new)
        return TM_OK;
    enum tm_status st = new_process(p, machine, pid, upid, err);
    if (st < 0)
        return st;
    p->processes[*upid].is_current = true;
    return tm_table_set(&p->pids, &key, *upid, err);
}

enum tm_status tm_processes_process(struct tm_processes *p, uint32_t machine, int64_t pid, int64_t *upid,
                                    struct tm_error *err)
{
    bool is_new;
    int64_t utid;
    enum tm_status st = process_alone(p, machine, pid, upid, &is_new, err);
    return st == TM_OK && is_new ? thread_of(p, *upid, pid, &utid, err) : st;
}

enum tm_status tm_processes_thread_in(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t pid,
                                      int64_t *utid, struct tm_error *err)
{
    int64_t upid;
    enum tm_status st = tm_processes_process(p, machine, pid, &upid, err);
    return st == TM_OK ? thread_of(p, upid, tid, utid, err) : st;
}

enum tm_status tm_processes_start_process(struct tm_processes *p, uint32_t machine, int64_t pid,
                                          const int64_t *time_ns, int64_t *upid, struct tm_error *err)
{
    struct tm_key key = tm_number_key(machine, pid);
    int64_t before = tm_table_find(&p->pids, &key), utid;
    bool is_new;
    enum tm_status st;
    if (before != TM_NO_ID)
        p->processes[before].is_current = false;
    tm_table_remove(&p->pids, &key);
    tm_tid_list_clear(p, machine, pid);
    tm_table_remove(&p->live, &key);
    tm_table_remove(&p->orphans, &key);
    if ((st = tm_processes_start_thread(p, machine, pid, time_ns, &utid, err)) < 0 ||
        (st = process_alone(p, machine, pid, upid, &is_new, err)) < 0 ||
        (st = thread_of(p, *upid, pid, &utid, err)) < 0)
        return st;
    if (time_ns) {
        p->processes[*upid].has_start = true;
        p->processes[*upid].start_ns = *time_ns;
    }
    return before != TM_NO_ID ? refresh_process(p, before, err) : TM_OK;
}

enum tm_status tm_processes_end_thread(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t time_ns,
                                       struct tm_error *err)
{
    int64_t utid = tm_processes_find_thread(p, machine, tid);
    enum tm_status st;
    if (utid == TM_NO_ID)
        return TM_OK;
    struct tm_thread_row *t = &p->threads[utid];
    t->has_end = true;
    t->end_ns = time_ns;
    if ((t->upid == TM_NO_ID && t->listed && (st = orphan_count(p, t, -1, err)) < 0) ||
        (st = tm_tid_list_remove(p, utid, err)) < 0 || (st = refresh_live(p, machine, tid, err)) < 0)
        return st;
    p->changes++;
    if (t->upid == TM_NO_ID || p->processes[t->upid].pid != tid)
        return TM_OK;
    struct tm_process *process = &p->processes[t->upid];
    struct tm_key key = tm_number_key(machine, tid);
    process->has_end = true;
    process->end_ns = time_ns;
    process->is_current = false;
    tm_table_remove(&p->pids, &key);
    return refresh_process(p, t->upid, err);
}

enum tm_status tm_processes_machine(struct tm_processes *p, uint32_t machine, int64_t *utid, struct tm_error *err)
{
    struct tm_key key = {machine, 0, 2};
    int64_t upid = TM_NO_ID;
    enum tm_status st;
    if ((*utid = tm_table_find(&p->pairs, &key)) != TM_NO_ID)
        return TM_OK;
    if ((st = new_process(p, machine, 0, &upid, err)) < 0 || (st = new_thread(p, machine, 0, utid, err)) < 0)
        return st;
    p->threads[*utid].upid = upid;
    p->threads[*utid].is_main = p->threads[*utid].is_idle = true;
    return tm_table_set(&p->pairs, &key, *utid, err);
}

enum tm_status tm_processes_idle(struct tm_processes *p, uint32_t machine, struct tm_error *err)
{
    static const char idle_name[] = "swapper";
    struct tm_key key = tm_number_key(machine, 0);
    int64_t utid;
    enum tm_status st = tm_processes_machine(p, machine, &utid, err);
    if (st < 0 || p->threads[utid].listed)
        return st;
    int64_t upid = p->threads[utid].upid;
    struct tm_key pair = pair_key(0, upid);
    tm_tid_list_clear(p, machine, 0);
    tm_table_remove(&p->orphans, &key);
    p->processes[upid].is_current = true;
    p->processes[upid].threads = utid;
    if ((st = tm_table_set(&p->pids, &key, upid, err)) < 0 || (st = tm_tid_list_add(p, utid, err)) < 0 ||
        (st = tm_table_set(&p->live, &key, utid, err)) < 0 || (st = tm_table_set(&p->pairs, &pair, utid, err)) < 0)
        return st;
    p->changes++;
    struct tm_text name = {(const uint8_t *)idle_name, sizeof idle_name - 1};
    return tm_processes_name_thread(p, utid, name, TM_TRUST_MODEL, err);
}

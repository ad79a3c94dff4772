#include "emit/chrome_json/internal.h"

#include "base/hash.h"

#include <stdlib.h>

enum { TEXT_PID_FIRST = 0x40000000, MOVED_PID_FIRST = 0x50000000, TASK_NAMES_MAX = 1 << 20 };

static uint64_t key_of(uint64_t a, uint64_t b, uint64_t c)
{
    return tm_hash_u64(a ^ tm_hash_u64(b ^ tm_hash_u64(c + 1)));
}

/* A pid nobody has, for a process whose own is another's. */
static enum tm_status move_pid(struct tm_json_out *j, int64_t pid, uint32_t *number, struct tm_error *err)
{
    uint32_t owner;
    if (j->next_pid == 0)
        j->next_pid = MOVED_PID_FIRST;
    while (tm_map_find(&j->pid_owners, (uint64_t)j->next_pid, &owner))
        j->next_pid++;
    if (j->moved_count == j->moved_cap) {
        uint32_t cap = j->moved_cap ? j->moved_cap * 2 : 64;
        struct tm_json_pid *moved = realloc(j->moved, cap * sizeof *moved);
        if (moved == NULL)
            return tm_error_nomem(err);
        j->moved = moved;
        j->moved_cap = cap;
    }
    j->moved[j->moved_count] = (struct tm_json_pid){j->next_pid, pid};
    *number = ++j->moved_count;
    return tm_map_set(&j->pid_owners, (uint64_t)j->next_pid, *number) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* *NUMBER, in moved plus 1, of the pid that PID on MACHINE has in its present life; 0 where that is its own. */
static enum tm_status number_of(struct tm_json_out *j, uint32_t machine, int64_t pid, uint32_t *number,
                                struct tm_error *err)
{
    uint32_t life = j->lives.lives.count ? tm_track_task_of(&j->lives, machine, false, pid, 0).life : 0;
    uint64_t key = key_of(machine, (uint64_t)pid, life ? UINT64_MAX - life : 0);
    enum tm_status st = TM_OK;
    uint32_t taken;
    if (tm_map_find(&j->pids, key, number))
        return TM_OK;
    *number = 0;
    if (tm_map_find(&j->pid_owners, (uint64_t)pid, &taken))
        st = move_pid(j, pid, number, err);
    else if (tm_map_set(&j->pid_owners, (uint64_t)pid, 0) != TM_OK)
        st = tm_error_nomem(err);
    if (st == TM_OK && tm_map_set(&j->pids, key, *number) != TM_OK)
        st = tm_error_nomem(err);
    return st;
}

enum tm_status tm_json_out_pid(struct tm_json_out *j, uint32_t machine, int64_t pid, int64_t *out, struct tm_error *err)
{
    uint32_t number;
    enum tm_status st = number_of(j, machine, pid, &number, err);
    if (st == TM_OK)
        *out = number ? j->moved[number - 1].pid : pid;
    return st;
}

enum tm_status tm_json_out_pid_of(struct tm_json_out *j, const struct tm_event *e, int64_t pid, int64_t *out,
                                  struct tm_error *err)
{
    uint64_t key = key_of(e->file, e->track, (uint64_t)INT64_MAX);
    uint32_t number;
    if (tm_event_scope(e->flags) != TM_SCOPE_TRACK)
        return tm_json_out_pid(j, e->machine, pid, out, err);
    if (!tm_map_find(&j->pids, key, &number)) {
        enum tm_status st = number_of(j, e->machine, pid, &number, err);
        if (st < 0)
            return st;
        if (tm_map_set(&j->pids, key, number) != TM_OK)
            return tm_error_nomem(err);
    }
    *out = number ? j->moved[number - 1].pid : pid;
    return TM_OK;
}

static void put_metadata(struct tm_json_out *j, const char *what, int64_t pid, int64_t tid)
{
    tm_json_out_next(j);
    tm_out_str(&j->out, "{\"ph\":\"M\",\"name\":\"");
    tm_out_str(&j->out, what);
    tm_out_str(&j->out, "\",\"pid\":");
    tm_out_i64(&j->out, pid);
    tm_out_str(&j->out, ",\"tid\":");
    tm_out_i64(&j->out, tid);
    tm_out_str(&j->out, ",\"args\":{");
}

static bool is_text(int64_t pid)
{
    return pid >= TEXT_PID_FIRST && pid < MOVED_PID_FIRST;
}

/* A string as pid names its process; in its place there is a number. */
static void put_text_name(struct tm_json_out *j, const struct tm_event *e, int64_t out_pid)
{
    struct tm_event_task place;
    tm_task_names_find(&j->said, e, &place);
    if (place.process.data == NULL)
        return;
    put_metadata(j, "process_name", out_pid, 0);
    tm_out_str(&j->out, "\"name\":");
    tm_out_json(&j->out, place.process);
    tm_out_str(&j->out, "}}");
}

enum tm_status tm_json_out_source(struct tm_json_out *j, const struct tm_event *e, int64_t out_pid,
                                  struct tm_error *err)
{
    const struct tm_catalog *c = j->context->catalog;
    uint64_t process = key_of(0, (uint64_t)out_pid, 1), source = key_of(0, (uint64_t)out_pid, (uint64_t)e->file + 2);
    char path[1024];
    uint32_t said, moved = 0;
    (void)tm_map_find(&j->pid_owners, (uint64_t)out_pid, &moved);
    if ((!j->names_sources && !moved) || tm_map_find(&j->labelled, source, &said))
        return TM_OK;
    bool is_first = !tm_map_find(&j->labelled, process, &said);
    if (tm_map_set(&j->labelled, source, 1) != TM_OK || tm_map_set(&j->labelled, process, 1) != TM_OK)
        return tm_error_nomem(err);
    tm_catalog_path(c, e->file, path, sizeof path);
    put_metadata(j, "process_labels", out_pid, 0);
    tm_out_str(&j->out, "\"labels\":");
    tm_buf_clear(&j->scratch);
    struct tm_text machine = e->machine < c->machine_count ? c->machines[e->machine].name : (struct tm_text){0};
    if ((machine.data &&
         (tm_buf_add(&j->scratch, machine.data, machine.len) < 0 || tm_buf_add_str(&j->scratch, ", ") < 0)) ||
        tm_buf_add_str(&j->scratch, path) < 0 ||
        (moved && !is_text(j->moved[moved - 1].was) &&
         tm_buf_addf(&j->scratch, ", pid %lld", (long long)j->moved[moved - 1].was) < 0))
        return tm_error_nomem(err);
    tm_out_json(&j->out, (struct tm_text){j->scratch.data, j->scratch.len});
    tm_out_str(&j->out, "}}");
    if (moved && is_text(j->moved[moved - 1].was))
        put_text_name(j, e, out_pid);
    if (is_first) {
        put_metadata(j, "process_sort_index", out_pid, 0);
        tm_out_str(&j->out, "\"sort_index\":");
        tm_out_u64(&j->out, c->files[e->file].processing_order);
        tm_out_str(&j->out, "}}");
    }
    return tm_out_end_row(&j->out, err);
}

enum tm_status tm_json_out_name(struct tm_json_out *j, int64_t pid, const int64_t *tid, struct tm_text name,
                                struct tm_error *err)
{
    uint64_t key = key_of((uint64_t)pid, tid ? (uint64_t)*tid : 0, tid ? 1 : 2);
    uint32_t last, hash = (uint32_t)tm_hash64(name.data ? (const void *)name.data : "", name.len);
    if (name.data == NULL || (tm_map_find(&j->named, key, &last) ? last == hash : j->named.count >= TASK_NAMES_MAX))
        return TM_OK;
    if (tm_map_set(&j->named, key, hash) != TM_OK)
        return tm_error_nomem(err);
    put_metadata(j, tid ? "thread_name" : "process_name", pid, tid ? *tid : 0);
    tm_out_str(&j->out, "\"name\":");
    tm_out_json(&j->out, name);
    tm_out_str(&j->out, "}}");
    return tm_out_end_row(&j->out, err);
}

enum tm_status tm_json_out_late_names(struct tm_json_out *j, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < j->spans.lanes.count && st == TM_OK; i++) {
        const struct tm_json_thread *t = &j->spans.lanes.threads[i];
        uint32_t said;
        if (!tm_map_find(&j->named, key_of((uint64_t)t->pid, (uint64_t)t->tid, 1), &said) &&
            tm_task_names_thread(&j->said, t->machine, t->tid).data == NULL)
            st = tm_json_out_name(j, t->pid, &t->tid, tm_task_names_thread(&j->who, t->machine, t->tid), err);
    }
    return st;
}

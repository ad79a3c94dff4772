#include "emit/chrome_json/internal.h"

#include "base/table.h"
#include "base/hash.h"


enum { TASK_NAMES_MAX = 1 << 20 };

static uint64_t key_of(uint64_t a, uint64_t b, uint64_t c)
{
    return tm_hash_u64(a ^ tm_hash_u64(b ^ tm_hash_u64(c + 1)));
}

/* A free pid, for a process whose own pid belongs to another. */
static enum tm_status move_pid(struct tm_json_out *j, int64_t pid, uint32_t *number, struct tm_error *err)
{
    uint32_t owner;
    if (j->next_pid == 0)
        j->next_pid = TM_JSON_MOVED_PID_FIRST;
    while (tm_map_find(&j->pid_owners, (uint64_t)j->next_pid, &owner))
        j->next_pid++;
    if (tm_array_grow(&j->moved, &j->moved_cap, j->moved_count, sizeof *j->moved, err) < 0)
        return TM_E_SYSTEM;
    j->moved[j->moved_count] = (struct tm_json_pid){j->next_pid, pid};
    *number = ++j->moved_count;
    return tm_map_set(&j->pid_owners, (uint64_t)j->next_pid, *number) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Sets *NUMBER to the place, plus 1, in moved of PID on MACHINE in its present lifetime; 0: it keeps its own pid. */
static enum tm_status number_of(struct tm_json_out *j, uint32_t machine, int64_t pid, uint32_t *number,
                                struct tm_error *err)
{
    uint32_t life = j->lifetimes.lifetimes.count ? tm_track_task_of(&j->lifetimes, machine, false, pid, 0).life : 0;
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
        (moved && !tm_json_is_text_number(j->moved[moved - 1].was) &&
         tm_buf_addf(&j->scratch, ", pid %lld", (long long)j->moved[moved - 1].was) < 0))
        return tm_error_nomem(err);
    tm_out_json(&j->out, (struct tm_text){j->scratch.data, j->scratch.len});
    tm_out_str(&j->out, "}}");
    if (is_first && tm_array_grow(&j->groups, &j->group_cap, j->group_count, sizeof *j->groups, err) < 0)
        return TM_E_SYSTEM;
    if (is_first)
        j->groups[j->group_count++] = (struct tm_json_group){out_pid, c->files[e->file].processing_order};
    return tm_out_end_row(&j->out, err);
}

enum tm_status tm_json_out_note_sorted(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    enum { PROCESS = 6, SORT_INDEX = 8 };
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f, g;
    int64_t pid = 0;
    enum tm_status st = TM_OK;
    while (st == TM_OK && e->kind == TM_KIND_PROCESS && tm_pb_next(&pb, &f) == TM_OK) {
        struct tm_pb within = tm_pb_of(f.data, f.id == PROCESS && f.type == TM_PB_LEN ? f.len : 0);
        while (st == TM_OK && tm_pb_next(&within, &g) == TM_OK)
            if (g.id == SORT_INDEX && (st = tm_json_out_pid(j, e->machine, e->pid, &pid, err)) == TM_OK)
                st = tm_map_set(&j->sorted, (uint64_t)pid, 1) < 0 ? tm_error_nomem(err) : TM_OK;
    }
    return st;
}

enum tm_status tm_json_out_groups(struct tm_json_out *j, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    uint32_t there;
    for (uint32_t i = 0; i < j->group_count && st == TM_OK; i++) {
        if (tm_map_find(&j->sorted, (uint64_t)j->groups[i].pid, &there))
            continue;
        put_metadata(j, "process_sort_index", j->groups[i].pid, 0);
        tm_out_str(&j->out, "\"sort_index\":");
        tm_out_u64(&j->out, j->groups[i].order);
        tm_out_str(&j->out, "}}");
        st = tm_out_end_row(&j->out, err);
    }
    return st;
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

/* Forgets the last name of a process (TID NULL) or thread. */
static bool forget_name(struct tm_json_out *j, int64_t pid, const int64_t *tid)
{
    uint64_t key = key_of((uint64_t)pid, tid ? (uint64_t)*tid : 0, tid ? 1 : 2);
    uint32_t last;
    return !tm_map_find(&j->named, key, &last) || tm_map_set(&j->named, key, ~last) == TM_OK;
}

enum tm_status tm_json_out_text_name(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    enum { PROCESS = 6, THREAD = 7, NAME = 3 };
    bool is_thread = e->kind == TM_KIND_THREAD;
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f, g;
    int64_t pid = 0;
    if ((!is_thread && e->kind != TM_KIND_PROCESS) || !tm_json_is_text_number(is_thread ? e->tid : e->pid))
        return TM_OK;
    enum tm_status st = tm_json_out_pid(j, e->machine, e->pid, &pid, err);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        struct tm_pb within = tm_pb_of(f.data, f.type == TM_PB_LEN ? f.len : 0);
        if (f.id != (is_thread ? THREAD : PROCESS))
            continue;
        while (st == TM_OK && tm_pb_next(&within, &g) == TM_OK) {
            if (g.id != NAME || g.type != TM_PB_LEN)
                continue;
            if (tm_event_raw(e->flags) == TM_RAW_JSON && !forget_name(j, pid, is_thread ? &e->tid : NULL))
                return tm_error_nomem(err); /* the object gave another name */
            st = tm_json_out_name(j, pid, is_thread ? &e->tid : NULL, (struct tm_text){g.data, g.len}, err);
        }
    }
    return st;
}

enum tm_status tm_json_out_late_names(struct tm_json_out *j, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < j->spans.lanes.count && st == TM_OK; i++) {
        const struct tm_json_thread *t = &j->spans.lanes.threads[i];
        uint32_t said;
        if (!tm_map_find(&j->named, key_of((uint64_t)t->pid, (uint64_t)t->tid, 1), &said) &&
            tm_task_names_thread(&j->said, t->machine, t->tid).data == NULL)
            st = tm_json_out_name(j, t->pid, &t->tid, tm_task_names_thread(&j->task_names, t->machine, t->tid), err);
    }
    return st;
}

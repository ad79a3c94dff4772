#include "emit/perfetto/line_tasks.h"

#include "base/hash.h"
#include "emit/perfetto/line_text.h"
#include "model/binder_rows.h"
#include "perfetto/message_fields.h"

static uint64_t key_of(const struct tm_event *e, int64_t id)
{
    return (uint64_t)e->machine << 32 | (uint32_t)id;
}

static bool is_known(const struct tm_line_tasks *t, const struct tm_event *e, int64_t pid)
{
    uint32_t any;
    return tm_map_find(&t->processes, key_of(e, pid), &any);
}

static enum tm_status add_process(struct tm_line_tasks *t, const struct tm_event *e, int64_t pid)
{
    return is_known(t, e, pid) ? TM_OK : tm_map_set(&t->processes, key_of(e, pid), 1);
}

/* True if E is a marker that moves its thread to a process. */
static bool moves_thread(const struct tm_event *e)
{
    return e->kind >= TM_KIND_SLICE_BEGIN && e->kind <= TM_KIND_INSTANT && !(e->flags & TM_EVENT_ASYNC) &&
           tm_event_raw(e->flags) == TM_RAW_LINE;
}

enum tm_status tm_line_tasks_note_other(struct tm_line_tasks *t, const struct tm_event *e)
{
    uint32_t known;
    if (e->flags & TM_EVENT_ASYNC || tm_map_find(&t->others, key_of(e, e->tid), &known))
        return TM_OK;
    return tm_map_set(&t->others, key_of(e, e->tid), (uint32_t)e->pid);
}

enum tm_status tm_line_tasks_note(struct tm_line_tasks *t, const struct tm_event *e)
{
    enum tm_binder_event binder = tm_binder_event_of(e);
    enum tm_status st = e->flags & TM_EVENT_HAS_PID ? add_process(t, e, e->pid) : TM_OK;
    if (st == TM_OK && e->flags & TM_EVENT_HAS_PID && moves_thread(e))
        st = tm_map_set(&t->owners, key_of(e, e->tid), (uint32_t)e->pid);
    if (binder == TM_BINDER_TRANSACTION || binder == TM_BINDER_ASYNC || binder == TM_BINDER_REPLY) {
        const char *line = (const char *)e->raw, *to = tm_line_after(line, e->raw_bytes, " dest_proc=");
        if (st == TM_OK && to)
            st = add_process(t, e, (int64_t)tm_line_number(to, line + e->raw_bytes, 10));
    }
    return st;
}

enum { BOTH = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID };
enum { IS_CERTAIN = 1 }; /* bit of a hash in named */
static const uint32_t no_process = UINT32_MAX;

static bool find_process(const struct tm_map *map, uint64_t key, uint32_t *pid)
{
    return tm_map_find(map, key, pid) && *pid != no_process;
}

static enum tm_status note_new(struct tm_line_tasks *t, const struct tm_event *e)
{
    uint32_t pid = tm_event_makes_thread(e) ? no_process : (uint32_t)e->tid;
    if (tm_event_makes_thread(e))
        (void)tm_map_find(&t->stated, key_of(e, e->pid), &pid);
    enum tm_status st = tm_map_set(&t->placed, key_of(e, e->tid), no_process);
    return st == TM_OK ? tm_map_set(&t->stated, key_of(e, e->tid), pid) : st;
}

enum tm_status tm_line_tasks_note_lifetime(struct tm_line_tasks *t, const struct tm_event *e)
{
    uint32_t hash;
    if (!tm_map_find(&t->named, key_of(e, e->tid), &hash))
        return TM_OK;
    return tm_map_set(&t->named, key_of(e, e->tid), hash | IS_CERTAIN);
}

enum tm_status tm_line_tasks_note_thread(struct tm_line_tasks *t, const struct tm_event *e, bool is_marker)
{
    uint32_t known;
    if (e->kind == TM_KIND_TASK_NEW)
        return note_new(t, e);
    if (e->kind == TM_KIND_PROCESS || (e->flags & BOTH) != BOTH)
        return TM_OK;
    if (is_marker && find_process(&t->stated, key_of(e, e->tid), &known))
        return TM_OK;
    return tm_map_set(&t->stated, key_of(e, e->tid), (uint32_t)e->pid);
}

enum tm_status tm_line_tasks_place(struct tm_line_tasks *t, struct tm_event *e)
{
    uint32_t pid = (uint32_t)e->tid;
    if ((e->flags & BOTH) != TM_EVENT_HAS_TID || tm_event_scope(e->flags) != TM_SCOPE_THREAD)
        return TM_OK;
    if (!find_process(&t->placed, key_of(e, e->tid), &pid)) {
        if (!find_process(&t->stated, key_of(e, e->tid), &pid))
            (void)find_process(&t->others, key_of(e, e->tid), &pid);
        if (pid == no_process)
            pid = (uint32_t)e->tid;
        if (tm_map_set(&t->placed, key_of(e, e->tid), pid) != TM_OK)
            return TM_E_SYSTEM;
    }
    e->pid = pid;
    e->flags |= TM_EVENT_HAS_PID;
    return TM_OK;
}

/* A thread of the process tree. */
struct tree_thread {
    int64_t tid, pid;
    struct tm_text name; /* without data: none */
};

/* Returns E, or a moment before it. */
static struct tm_event before(const struct tm_event *e, int64_t ns)
{
    struct tm_event copy = *e;
    copy.time_ns -= copy.time_ns > ns ? ns : copy.time_ns;
    return copy;
}

/* Puts thread OF into the process tree at the time of E. */
static enum tm_status write_tree(struct tm_line_tasks *t, const struct tm_event *e, const struct tree_thread *of,
                                 struct tm_error *err)
{
    struct tm_buf *out = &t->packets->out;
    size_t tree, thread;
    enum tm_status st = tm_packet_begin(t->packets, e->machine, err);
    if (st < 0)
        return st;
    if (tm_pb_put_varint(out, TM_PACKET_TIMESTAMP, (uint64_t)e->time_ns) != TM_OK ||
        tm_pb_begin(out, TM_PACKET_PROCESS_TREE, &tree) != TM_OK ||
        tm_pb_begin(out, TM_PROCESS_TREE_THREADS, &thread) != TM_OK ||
        tm_pb_put_varint(out, TM_TREE_THREAD_TID, (uint64_t)of->tid) != TM_OK ||
        tm_pb_put_varint(out, TM_TREE_THREAD_TGID, (uint64_t)of->pid) != TM_OK ||
        (of->name.data && tm_pb_put_bytes(out, TM_TREE_THREAD_NAME, of->name.data, of->name.len) != TM_OK) ||
        tm_pb_end(out, thread) != TM_OK || tm_pb_end(out, tree) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_end(t->packets, err);
}

static uint32_t hash_of(struct tm_text name)
{
    return (uint32_t)tm_hash64(name.data, name.len) & ~(uint32_t)IS_CERTAIN;
}

/* Names main thread TID in the tree. The parts before may have named it later, by events that the state lacks. */
static enum tm_status name_main(struct tm_line_tasks *t, const struct tm_event *e, int64_t tid, struct tm_text name,
                                struct tm_error *err)
{
    const uint32_t certain = t->is_in_state ? 0 : IS_CERTAIN;
    if (tm_map_set(&t->named, key_of(e, tid), hash_of(name) | certain) != TM_OK ||
        tm_map_set(&t->owners, key_of(e, tid), (uint32_t)tid) != TM_OK ||
        tm_map_set(&t->processes, key_of(e, tid), 1) != TM_OK)
        return tm_error_nomem(err);
    return write_tree(t, e, &(struct tree_thread){tid, tid, name}, err);
}

/* Writes the process of a thread that E, the head of a line, states. NAME is the name of the thread if it has none from
 * a cpu. */
static enum tm_status write_process(struct tm_line_tasks *t, const struct tm_event *e, struct tm_text name,
                                    struct tm_error *err)
{
    const struct tree_thread thread = {e->tid, e->pid, name};
    return tm_line_tasks_note(t, e) == TM_OK ? write_tree(t, e, &thread, err) : tm_error_nomem(err);
}

enum tm_status tm_line_tasks_name(struct tm_line_tasks *t, const struct tm_event *e, struct tm_error *err)
{
    struct tm_text name = tm_catalog_string(t->packets->catalog, e->name, e), none = {0};
    bool has_process = e->flags & TM_EVENT_HAS_PID, has_cpu = e->flags & TM_EVENT_HAS_CPU;
    uint32_t owner = no_process;
    enum tm_status st = TM_OK;
    if (e->tid == 0) /* readers name the idle thread themselves, and give its process no name */
        return TM_OK;
    /* First the head's name is that of the thread that had the tid before. Then the head states the process, then
     * follows the line's event. Of packets of one time a reader may take those of the kernel first. */
    const bool is_of_other = !tm_map_find(&t->owners, key_of(e, e->tid), &owner) &&
                             tm_map_find(&t->others, key_of(e, e->tid), &owner);
    bool moves = has_process && has_cpu && owner != (uint32_t)e->pid;
    bool leaves = moves && owner != no_process && owner != (uint32_t)e->tid;
    const struct tm_event named = before(e, leaves ? 2 : 0), placed = before(e, moves);
    if (has_process && tm_map_set(&t->owners, key_of(e, e->tid), (uint32_t)e->pid) != TM_OK)
        return tm_error_nomem(err);
    bool is_main = name.data && (has_process             ? e->pid == e->tid
                                 : owner == no_process ? is_known(t, e, e->tid)
                                                       : owner == (uint32_t)e->tid);
    if (is_main ? leaves : !has_process || (name.data && has_cpu))
        st = tm_ftrace_write_line(t->ftrace, &named, err);
    if (st == TM_OK && is_main)
        return name_main(t, &placed, e->tid, name, err);
    if (st == TM_OK && has_process)
        st = write_process(t, &placed, has_cpu ? none : name, err);
    /* The lines of the text, which know nothing of the other thread, do not name this one again. */
    return st == TM_OK && leaves && is_of_other && name.data ? tm_ftrace_write_line(t->ftrace, e, err) : st;
}

/* If the tree names TID otherwise than STRING, or may do so, names it again. */
static enum tm_status repeat_name(struct tm_line_tasks *t, const struct tm_event *e, int64_t tid, uint32_t string,
                                  struct tm_error *err)
{
    uint32_t hash;
    if (string == 0 || !tm_map_find(&t->named, key_of(e, tid), &hash))
        return TM_OK;
    struct tm_text name = tm_catalog_string(t->packets->catalog, string, e);
    if (name.data == NULL)
        return TM_OK;
    return hash == (hash_of(name) | IS_CERTAIN) ? TM_OK : name_main(t, e, tid, name, err);
}

enum tm_status tm_line_tasks_rename(struct tm_line_tasks *t, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (e->kind == TM_KIND_SCHED_WAKING)
        return tm_event_raw(e->flags) == TM_RAW_COMPACT_SCHED ? TM_OK : repeat_name(t, e, e->tid, e->name, err);
    if (e->flags & TM_EVENT_HAS_TID)
        st = repeat_name(t, e, e->tid, e->category, err);
    return st == TM_OK && e->flags & TM_EVENT_HAS_PID ? repeat_name(t, e, e->pid, e->name, err) : st;
}

void tm_line_tasks_release(struct tm_line_tasks *t)
{
    tm_map_release(&t->processes);
    tm_map_release(&t->named);
    tm_map_release(&t->owners);
    tm_map_release(&t->others);
    tm_map_release(&t->stated);
    tm_map_release(&t->placed);
}

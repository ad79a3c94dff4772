#include "emit/task_names.h"

#include "base/decimal.h"
#include "emit/out.h"

#include <stdlib.h>

enum { NAMES_MAX = 1 << 24 };

void tm_task_names_init(struct tm_task_names *names, const struct tm_catalog *catalog)
{
    *names = (struct tm_task_names){.catalog = catalog, .due_ns = INT64_MAX};
    tm_intern_init(&names->names, NAMES_MAX, TM_TASK_NAMES_NAME_BYTES_MAX);
}

static struct tm_task_names_row *find(const struct tm_task_names_table *t, uint64_t scope, uint64_t id)
{
    int64_t row = tm_table_find(&t->row_of, &(struct tm_key){scope, id, 0});
    return row == TM_TABLE_NONE ? NULL : &t->rows[row];
}

static void note_change(struct tm_task_names *names, const struct tm_task_names_row *row)
{
    names->counts.counts[row->count]++;
}

/* Finds or makes the row of KEY in T, a table of NAMES. */
static enum tm_status find_or_add(struct tm_task_names *names, struct tm_task_names_table *t,
                                  const struct tm_key *key, struct tm_task_names_row **row, struct tm_error *err)
{
    if ((*row = find(t, key->a, key->b)) != NULL)
        return TM_OK;
    if (t->count == TM_TASK_NAMES_ROWS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d threads, processes or tracks (TM_TASK_NAMES_ROWS_MAX)",
                            TM_TASK_NAMES_ROWS_MAX);
    enum tm_status st = tm_array_grow(&t->rows, &t->cap, t->count, sizeof *t->rows, err);
    if (st < 0 || (st = tm_table_set(&t->row_of, key, t->count, err)) < 0)
        return st;
    *row = &t->rows[t->count++];
    **row = (struct tm_task_names_row){.scope = key->a, .id = key->b};
    (*row)->count = t == &names->tracks ? tm_task_names_track_count((uint32_t)key->a)
                                        : tm_task_names_task_count((uint32_t)key->a, (int64_t)key->b);
    note_change(names, *row);
    return TM_OK;
}

static enum tm_status find_or_add_thread(struct tm_task_names *names, uint32_t machine, int64_t tid,
                                         struct tm_task_names_row **row, struct tm_error *err)
{
    return find_or_add(names, &names->threads, &(struct tm_key){machine, (uint64_t)tid, 0}, row, err);
}

static enum tm_status find_or_add_process(struct tm_task_names *names, uint32_t machine, int64_t pid,
                                          struct tm_task_names_row **row, struct tm_error *err)
{
    return find_or_add(names, &names->processes, &(struct tm_key){machine, (uint64_t)pid, 0}, row, err);
}

struct tm_text tm_task_names_text(const struct tm_task_names *names, uint32_t number)
{
    size_t len;
    if (number == 0)
        return (struct tm_text){0};
    const uint8_t *data = tm_intern_get(&names->names, number - 1, &len);
    return (struct tm_text){data, len};
}

static struct tm_text name_of(const struct tm_task_names *names, const struct tm_task_names_row *row)
{
    return tm_task_names_text(names, row ? row->name : 0);
}

static enum tm_status set_name(struct tm_task_names *names, struct tm_task_names_row *row, struct tm_text name,
                               unsigned priority, struct tm_error *err)
{
    uint32_t id;
    if (name.len == 0 || priority < row->priority)
        return TM_OK;
    enum tm_status st = tm_intern_add(&names->names, name.data, name.len, &id, NULL);
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "more than %d names of threads, processes and tracks, or %d bytes of them "
                            "(TM_TASK_NAMES_NAME_BYTES_MAX)", NAMES_MAX, TM_TASK_NAMES_NAME_BYTES_MAX);
    if (st < 0)
        return tm_error_nomem(err);
    if (row->name != id + 1 || row->priority != priority)
        note_change(names, row);
    row->name = id + 1;
    row->string = 0;
    row->priority = (uint8_t)priority;
    return TM_OK;
}

static enum tm_input_type type_of(const struct tm_task_names *names, const struct tm_event *e)
{
    return names->catalog->files[e->file].input_type;
}

/* True if E is from a process tree or the like. */
static bool is_of_tree(const struct tm_task_names *names, const struct tm_event *e)
{
    return e->flags & TM_EVENT_DERIVED && type_of(names, e) != TM_INPUT_JSON;
}

static unsigned thread_priority(const struct tm_task_names *names, const struct tm_event *e,
                                const Tracemerge__ThreadDescription *d)
{
    if (d->has_name_priority)
        return d->name_priority;
    if (is_of_tree(names, e))
        return TM_THREAD_NAME_PROCESS_TREE;
    return type_of(names, e) == TM_INPUT_PROTO ? TM_THREAD_NAME_DESCRIPTOR : TM_THREAD_NAME_OTHER;
}

static unsigned process_priority(const struct tm_task_names *names, const struct tm_event *e,
                                 const Tracemerge__ProcessDescription *d)
{
    if (d->has_name_priority)
        return d->name_priority;
    return is_of_tree(names, e) || type_of(names, e) != TM_INPUT_PROTO ? TM_PROCESS_NAME_SYSTEM
                                                                       : TM_PROCESS_NAME_DESCRIPTOR;
}

/* True if D is a name that ROW has now. */
static bool is_name_of(const struct tm_task_names_defined *d, const struct tm_task_names_row *row)
{
    return d->machine == row->scope && d->tid == (int64_t)row->id && d->name == row->name - 1 &&
           d->priority == row->priority;
}

/* Keeps the name of ROW, which definition E has just given it, until the time of E. Sequences describe their tracks
 * again and again: of the times at which a thread is given one name in succession, the first and the last are kept. */
static enum tm_status keep_defined(struct tm_task_names *names, const struct tm_event *e,
                                   struct tm_task_names_row *row, struct tm_error *err)
{
    struct tm_task_names_defined *last = row->defined ? &names->defined[row->defined - 1] : NULL;
    const int64_t time_ns = e->flags & TM_EVENT_UNTIMED ? INT64_MIN : e->time_ns;
    const bool is_repeated = last && is_name_of(last, row);
    if (!(e->flags & TM_EVENT_DEFINITION))
        return TM_OK;
    if (is_repeated && last->is_repeated) {
        last->time_ns = last->time_ns > time_ns ? last->time_ns : time_ns;
        return TM_OK;
    }
    if (names->defined_count == TM_TASK_NAMES_DEFINED_MAX)
        return TM_OK;
    if (tm_array_grow(&names->defined, &names->defined_cap, names->defined_count, sizeof *names->defined, err) < 0)
        return TM_E_SYSTEM;
    names->defined[names->defined_count] = (struct tm_task_names_defined){.time_ns = time_ns,
                                                                          .tid = (int64_t)row->id,
                                                                          .position = names->defined_count,
                                                                          .machine = e->machine,
                                                                          .name = row->name - 1,
                                                                          .priority = row->priority,
                                                                          .is_repeated = is_repeated};
    row->defined = ++names->defined_count;
    names->due_ns = INT64_MIN;
    return TM_OK;
}

static int compare_defined(const void *a, const void *b)
{
    const struct tm_task_names_defined *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Gives the thread of D its name; if ONLY_LOST, only if a task that began there has taken an earlier one. */
static enum tm_status give_defined(struct tm_task_names *names, const struct tm_task_names_defined *d, bool only_lost,
                                   struct tm_error *err)
{
    struct tm_task_names_row *row;
    enum tm_status st = find_or_add_thread(names, d->machine, d->tid, &row, err);
    if (st < 0)
        return st;
    row->has_lost_name |= only_lost && row->priority < d->priority;
    return only_lost && !row->has_lost_name
               ? TM_OK
               : set_name(names, row, tm_task_names_text(names, d->name + 1), d->priority, err);
}

/* Puts the definitions into the order of time. The last one is the thread's name from the start, as in the database. */
static enum tm_status order_defined(struct tm_task_names *names, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    qsort(names->defined + names->next_defined, names->defined_count - names->next_defined, sizeof *names->defined,
          compare_defined);
    for (uint32_t i = names->next_defined; i < names->defined_count && st == TM_OK; i++)
        st = give_defined(names, &names->defined[i], false, err);
    return st;
}

/* Gives threads that have lost their names those of definitions up to TIME_NS. */
static enum tm_status repeat_defined(struct tm_task_names *names, int64_t time_ns, struct tm_error *err)
{
    enum tm_status st = names->due_ns == INT64_MIN ? order_defined(names, err) : TM_OK;
    names->due_ns = INT64_MAX;
    while (st == TM_OK && names->next_defined < names->defined_count) {
        const struct tm_task_names_defined *d = &names->defined[names->next_defined];
        if (d->time_ns > time_ns) {
            names->due_ns = d->time_ns;
            break;
        }
        names->next_defined++;
        st = give_defined(names, d, true, err);
    }
    return st;
}

static enum tm_status learn_thread(struct tm_task_names *names, const struct tm_event *e,
                                   const Tracemerge__ThreadDescription *d, struct tm_error *err)
{
    struct tm_task_names_row *row;
    bool has_tid = d->has_tid || (e->flags & TM_EVENT_HAS_TID);
    if (!has_tid)
        return TM_OK;
    int64_t tid = d->has_tid ? d->tid : e->tid;
    enum tm_status st = find_or_add_thread(names, e->machine, tid, &row, err);
    if (st < 0)
        return st;
    note_change(names, row);
    if (d->has_pid || (e->flags & TM_EVENT_HAS_PID)) {
        row->has_pid = true;
        row->pid = d->has_pid ? d->pid : e->pid;
    }
    const struct tm_text name = d->has_name ? tm_text_of(d->name) : (struct tm_text){0};
    const unsigned priority = thread_priority(names, e, d);
    if ((st = set_name(names, row, name, priority, err)) < 0 || name.len == 0 || priority < row->priority)
        return st;
    return keep_defined(names, e, row, err);
}

static enum tm_status learn_process(struct tm_task_names *names, const struct tm_event *e,
                                    const Tracemerge__ProcessDescription *d, struct tm_error *err)
{
    struct tm_task_names_row *row;
    if (!d->has_pid && !(e->flags & TM_EVENT_HAS_PID))
        return TM_OK;
    enum tm_status st = find_or_add_process(names, e->machine, d->has_pid ? d->pid : e->pid, &row, err);
    if (st < 0)
        return st;
    const struct tm_text name = d->has_name ? tm_text_of(d->name) : (struct tm_text){0};
    return set_name(names, row, name, process_priority(names, e, d), err);
}

/* Tracks of one uuid on two machines of a file are different tracks. */
static uint64_t scope_of_track(const struct tm_event *e)
{
    return (uint64_t)e->machine << 32 | e->file;
}

enum { MERGE_BY_NAME = 1, MERGE_NONE = 2, MERGE_BY_KEY = 3 };

static uint8_t merge_of(const Tracemerge__TrackDescription *d)
{
    const uint32_t merge = d->sibling_merge_behavior;
    return (uint8_t)(merge && merge <= MERGE_BY_KEY ? merge : MERGE_BY_NAME);
}

static bool is_of_task(const Tracemerge__TrackDescription *d)
{
    return d->has_pid && (d->is_process || d->is_thread);
}

/* Adds what D states of the place of track ROW. */
static void place_track(struct tm_task_names_row *row, const Tracemerge__TrackDescription *d)
{
    row->is_described = true;
    row->is_counter = d->is_counter;
    row->is_task = is_of_task(d);
    row->merge = merge_of(d);
    row->has_parent = d->has_parent_uuid;
    row->parent = d->parent_uuid;
    if (d->has_pid) {
        row->has_pid = true;
        row->pid = d->pid;
    }
    if (d->has_tid) {
        row->has_tid = true;
        row->tid = d->tid;
    }
}

/* True if D may describe ROW, a described track. Readers ignore a description of another track with its uuid. */
static bool is_same_track(const struct tm_task_names_row *row, const Tracemerge__TrackDescription *d)
{
    if (row->parent != d->parent_uuid || row->is_counter != (bool)d->is_counter || row->merge != merge_of(d) ||
        row->is_task != is_of_task(d))
        return false;
    return !row->is_task || (row->pid == d->pid && (!row->has_tid || row->tid == d->tid));
}

/* The first name counts, or, on a track that is not merged with others, the last. */
static enum tm_status learn_track(struct tm_task_names *names, const struct tm_event *e,
                                  const Tracemerge__TrackDescription *d, struct tm_error *err)
{
    struct tm_task_names_row *row;
    const struct tm_key key = {scope_of_track(e), d->has_uuid ? d->uuid : e->track, 0};
    enum tm_status st = find_or_add(names, &names->tracks, &key, &row, err);
    if (st < 0 || (row->is_described && !is_same_track(row, d)))
        return st;
    note_change(names, row);
    place_track(row, d);
    if (row->name && row->merge != MERGE_NONE)
        return TM_OK;
    return set_name(names, row, d->has_name ? tm_text_of(d->name) : (struct tm_text){0}, TM_THREAD_NAME_DESCRIPTOR,
                    err);
}

static enum tm_status learn_detail(struct tm_task_names *names, const struct tm_event *e, struct tm_error *err)
{
    if (e->detail_bytes == 0)
        return TM_OK;
    Tracemerge__Detail *d =
        (Tracemerge__Detail *)tm_message_unpack(&tracemerge__detail__descriptor, e->detail, e->detail_bytes, err);
    if (d == NULL)
        return err->status;
    enum tm_status st = TM_OK;
    if (d->thread)
        st = learn_thread(names, e, d->thread, err);
    if (st == TM_OK && d->process)
        st = learn_process(names, e, d->process, err);
    if (st == TM_OK && d->track)
        st = learn_track(names, e, d->track, err);
    tracemerge__detail__free_unpacked(d, NULL);
    return st;
}

/* Sets the name of thread ROW to STRING, a column of E. */
static enum tm_status set_comm(struct tm_task_names *names, const struct tm_event *e, struct tm_task_names_row *row,
                               uint32_t string, struct tm_error *err)
{
    unsigned priority = type_of(names, e) == TM_INPUT_PERF_SCRIPT ? TM_THREAD_NAME_OTHER : TM_THREAD_NAME_SCHED;
    if (row->priority > priority || row->string == string)
        return TM_OK;
    enum tm_status st = set_name(names, row, tm_catalog_string(names->catalog, string, e), priority, err);
    row->string = string & TM_STRING_INLINE ? 0 : string;
    return st;
}

/* Sets the name of thread TID to STRING. Most events repeat what an earlier one has stated; then this costs no look-up.
 */
static enum tm_status learn_comm(struct tm_task_names *names, const struct tm_event *e, int64_t tid, uint32_t string,
                                 struct tm_error *err)
{
    const uint16_t index = tm_task_names_task_count(e->machine, tid);
    struct tm_task_names_repeated *last = &names->repeated[index];
    struct tm_task_names_row *row;
    if (tid == 0 || string == 0 ||
        (last->count == names->counts.counts[index] + 1 && last->tid == tid && last->string == string &&
         last->machine == e->machine))
        return TM_OK;
    enum tm_status st = find_or_add_thread(names, e->machine, tid, &row, err);
    if (st < 0 || (st = set_comm(names, e, row, string, err)) < 0)
        return st;
    if (!(string & TM_STRING_INLINE) && tid == (int32_t)tid)
        *last = (struct tm_task_names_repeated){.machine = e->machine,
                                                .string = string,
                                                .tid = (int32_t)tid,
                                                .count = names->counts.counts[index] + 1};
    return TM_OK;
}

/* Learns that the thread of E, an event of the kernel, belongs to the process that E states. Most events repeat what an
 * earlier one has stated; then this costs no look-up. */
static enum tm_status learn_owner(struct tm_task_names *names, const struct tm_event *e, struct tm_error *err)
{
    const uint32_t both = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    const uint16_t index = tm_task_names_task_count(e->machine, e->tid);
    struct tm_task_names_owned *last = &names->owned[index];
    struct tm_task_names_row *row;
    if ((e->flags & both) != both || e->tid == 0 ||
        (last->count == names->counts.counts[index] + 1 && last->tid == e->tid && last->pid == e->pid &&
         last->machine == e->machine))
        return TM_OK;
    enum tm_status st = find_or_add_thread(names, e->machine, e->tid, &row, err);
    if (st < 0)
        return st;
    if (!row->has_pid || row->pid != e->pid)
        note_change(names, row);
    row->has_pid = true;
    row->pid = e->pid;
    if (e->tid == (int32_t)e->tid && e->pid == (int32_t)e->pid)
        *last = (struct tm_task_names_owned){.machine = e->machine,
                                             .tid = (int32_t)e->tid,
                                             .pid = (int32_t)e->pid,
                                             .count = names->counts.counts[index] + 1};
    return TM_OK;
}

/* True for what a thread of the kernel's trace wrote itself. It states the process of the thread. */
static bool is_of_own_thread(const struct tm_event *e)
{
    return tm_event_is_of_kernel(e->flags) && !(e->flags & TM_EVENT_ASYNC) &&
           tm_event_scope(e->flags) == TM_SCOPE_THREAD;
}

static enum tm_status name_process(struct tm_task_names *names, const struct tm_event *e, struct tm_task_names_row *row,
                                   struct tm_error *err)
{
    return set_name(names, row, tm_catalog_string(names->catalog, e->name, e), TM_PROCESS_NAME_SYSTEM, err);
}

/* Finds the process of thread TID. False: it is unknown, and *PID is TID. */
static bool process_of(const struct tm_task_names *names, uint32_t machine, int64_t tid, int64_t *pid)
{
    const struct tm_task_names_row *row = find(&names->threads, machine, (uint64_t)tid);
    *pid = row && row->has_pid ? row->pid : tid;
    return (row && row->has_pid) || (tid && find(&names->processes, machine, (uint64_t)tid));
}

static enum tm_status learn_new_process(struct tm_task_names *names, const struct tm_event *e, struct tm_error *err)
{
    struct tm_task_names_row *row;
    enum tm_status st = find_or_add_process(names, e->machine, e->tid, &row, err);
    if (st < 0)
        return st;
    row->name = row->priority = 0;
    note_change(names, row);
    return name_process(names, e, row, err);
}

/* Learns from E that a new task began. What is known of an earlier task with its number no longer applies. */
static enum tm_status learn_new(struct tm_task_names *names, const struct tm_event *e, struct tm_error *err)
{
    struct tm_task_names_row *row;
    if (e->tid == 0)
        return TM_OK;
    enum tm_status st = find_or_add_thread(names, e->machine, e->tid, &row, err);
    if (st < 0)
        return st;
    *row = (struct tm_task_names_row){.scope = row->scope, .id = row->id, .count = row->count};
    note_change(names, row);
    if (tm_event_makes_thread(e))
        row->has_pid = process_of(names, e->machine, e->pid, &row->pid);
    else
        st = learn_new_process(names, e, err);
    return st < 0 ? st : learn_comm(names, e, e->tid, e->name, err);
}

/* Learns the new name of a thread. The name of a main thread is that of its process, too. */
static enum tm_status learn_rename(struct tm_task_names *names, const struct tm_event *e, struct tm_error *err)
{
    struct tm_task_names_row *row =
        e->flags & TM_EVENT_DERIVED ? NULL : find(&names->processes, e->machine, (uint64_t)e->tid);
    enum tm_status st = row ? name_process(names, e, row, err) : TM_OK;
    st = st < 0 ? st : learn_owner(names, e, err);
    return st < 0 ? st : learn_comm(names, e, e->tid, e->name, err);
}

enum tm_status tm_task_names_learn(struct tm_task_names *names, const struct tm_event *e, struct tm_error *err)
{
    /* compact_sched repeats an earlier name of the task that is woken or ran before. */
    const bool is_compact = tm_event_raw(e->flags) == TM_RAW_COMPACT_SCHED;
    enum tm_status st;
    if (e->time_ns >= names->due_ns && !(e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED)) &&
        (st = repeat_defined(names, e->time_ns, err)) < 0)
        return st;
    switch (e->kind) {
    case TM_KIND_PROCESS:
    case TM_KIND_THREAD:
    case TM_KIND_TRACK:
        return learn_detail(names, e, err);
    case TM_KIND_SCHED_SWITCH:
        st = is_compact ? TM_OK : learn_comm(names, e, e->tid, e->category, err);
        return st < 0 ? st : learn_comm(names, e, e->pid, e->name, err);
    case TM_KIND_SCHED_WAKING:
        return is_compact ? TM_OK : learn_comm(names, e, e->tid, e->name, err);
    case TM_KIND_TASK_RENAME:
        return learn_rename(names, e, err);
    case TM_KIND_TASK_NEW:
        return learn_new(names, e, err);
    case TM_KIND_SLICE_BEGIN:
    case TM_KIND_SLICE_END:
    case TM_KIND_INSTANT:
        return is_of_own_thread(e) ? learn_owner(names, e, err) : TM_OK;
    default:
        return TM_OK;
    }
}

/* Finds the owner of the track of E, or of its nearest parent that has one. */
static void find_track_owner(const struct tm_task_names *names, const struct tm_event *e, struct tm_event_task *place)
{
    const struct tm_task_names_row *row = find(&names->tracks, scope_of_track(e), e->track);
    place->track = name_of(names, row);
    for (int depth = 0; row && depth < TM_TASK_NAMES_DEPTH_MAX; depth++) {
        if (row->has_pid || row->has_tid) {
            place->has_pid = row->has_pid;
            place->pid = row->pid;
            place->has_tid = row->has_tid;
            place->tid = row->tid;
            place->is_below = depth > 0;
            return;
        }
        row = row->has_parent ? find(&names->tracks, scope_of_track(e), row->parent) : NULL;
    }
}

void tm_task_names_find(const struct tm_task_names *names, const struct tm_event *e, struct tm_event_task *place)
{
    *place = (struct tm_event_task){.has_pid = (e->flags & TM_EVENT_HAS_PID) != 0,
                                    .has_tid = (e->flags & TM_EVENT_HAS_TID) != 0,
                                    .pid = e->pid,
                                    .tid = e->tid};
    if (tm_task_names_has_other(e))
        place->has_pid = false;
    if (tm_event_scope(e->flags) == TM_SCOPE_TRACK)
        find_track_owner(names, e, place);
    if (place->has_tid) {
        const struct tm_task_names_row *row = find(&names->threads, e->machine, (uint64_t)place->tid);
        place->thread = place->tid == 0 && row == NULL && tm_task_names_is_of_kernel(e) ? tm_text_str("swapper")
                                                                                        : name_of(names, row);
        if (!place->has_pid && row && row->has_pid) {
            place->has_pid = true;
            place->pid = row->pid;
        } else if (!place->has_pid && place->tid && find(&names->processes, e->machine, (uint64_t)place->tid)) {
            place->has_pid = true; /* it is the main thread */
            place->pid = place->tid;
        }
    }
    if (place->has_pid)
        place->process = name_of(names, find(&names->processes, e->machine, (uint64_t)place->pid));
}

static size_t task_width(struct tm_text name, int64_t id)
{
    size_t width = tm_decimal_length(tm_magnitude(id)) + (id < 0);
    return width + tm_out_width(name) + (name.len > 0);
}

size_t tm_task_names_width(const struct tm_task_names *names)
{
    size_t most = 0;
    for (uint32_t i = 0; i < names->threads.count; i++) {
        const struct tm_task_names_row *row = &names->threads.rows[i];
        const struct tm_task_names_row *process = find(&names->processes, row->scope, (uint64_t)row->pid);
        size_t width = task_width(name_of(names, row), (int64_t)row->id);
        if (row->has_pid)
            width = task_width(name_of(names, process), row->pid) + ((uint64_t)row->pid == row->id ? 0 : 1 + width);
        most = width > most ? width : most;
    }
    return most;
}

uint32_t tm_task_names_track(const struct tm_task_names *names, const struct tm_event *e)
{
    const struct tm_task_names_row *row = find(&names->tracks, scope_of_track(e), e->track);
    return row ? row->name : 0;
}

struct tm_text tm_task_names_thread(const struct tm_task_names *names, uint32_t machine, int64_t tid)
{
    return name_of(names, find(&names->threads, machine, (uint64_t)tid));
}

static void table_release(struct tm_task_names_table *t)
{
    free(t->rows);
    tm_table_release(&t->row_of);
}

void tm_task_names_release(struct tm_task_names *names)
{
    table_release(&names->threads);
    table_release(&names->processes);
    table_release(&names->tracks);
    tm_intern_release(&names->names);
    free(names->defined);
}

#include "emit/chrome_json/threads.h"

#include "base/hash.h"

#include <stdlib.h>

enum tm_status tm_json_threads_init(struct tm_json_threads *threads, struct tm_json_metadata *metadata,
                                    struct tm_error *err)
{
    const struct tm_catalog *catalog = metadata->writer->context->catalog;
    /* not aligned_alloc: unused entries cost nothing */
    uint8_t *memory = calloc(TM_JSON_NAMED + 1, TM_CPU_CACHE_LINE);
    if (memory == NULL)
        return tm_error_nomem(err);
    *threads = (struct tm_json_threads){.metadata = metadata, .named_memory = memory};
    _Static_assert(sizeof *threads->named == TM_CPU_CACHE_LINE, "an entry fills a cache line");
    threads->named = (struct tm_json_named *)(void *)(memory + TM_CPU_CACHE_LINE -
                                                      (uintptr_t)memory % TM_CPU_CACHE_LINE);
    tm_task_names_init(&threads->names, catalog);
    tm_task_names_init(&threads->json_names, catalog);
    return TM_OK;
}

void tm_json_threads_release(struct tm_json_threads *threads)
{
    tm_json_lanes_release(&threads->lanes);
    tm_task_names_release(&threads->names);
    tm_task_names_release(&threads->json_names);
    tm_buf_release(&threads->scratch);
    free(threads->named_memory);
}

enum tm_status tm_json_threads_note(struct tm_json_threads *threads, const struct tm_event *e, struct tm_error *err)
{
    struct tm_json_metadata *metadata = threads->metadata;
    enum tm_input_type type = metadata->writer->context->catalog->files[e->file].input_type;
    enum tm_raw raw = tm_event_raw(e->flags);
    if (type != TM_INPUT_JSON)
        return TM_OK;
    if (e->kind == TM_KIND_THREAD) /* an input that tracemerge wrote defines its lanes first */
        tm_json_lanes_avoid(&threads->lanes, e->tid);
    if (metadata->inputs->are_named && tm_json_metadata_note_sorted(metadata, e, err) < 0)
        return err->status;
    bool names = metadata->inputs->are_several && (raw == TM_RAW_JSON || raw == TM_RAW_NONE);
    return names ? tm_task_names_learn(&threads->json_names, e, err) : TM_OK;
}

static bool fits(int64_t number)
{
    return number == (int32_t)number;
}

static uint64_t pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* True if E is on the process that it states. The kernel's thread that recorded it may be of another process. */
static bool is_of_process(const struct tm_event *e)
{
    return tm_event_scope(e->flags) == TM_SCOPE_PROCESS && e->flags & TM_EVENT_HAS_PID &&
           tm_event_is_of_kernel(e->flags);
}

/* Sets the key in *KEY to that of E. False: its numbers do not fit, or its owner depends on more than the key. */
static bool key_of(const struct tm_event *e, struct tm_json_named *key)
{
    enum { HAS_TRACK = 1, IS_OF_KERNEL = 2, IS_OF_PROCESS = 4 };
    const uint32_t has = e->flags & (TM_EVENT_HAS_TID | (tm_task_names_has_other(e) ? 0 : TM_EVENT_HAS_PID));
    const bool has_track = tm_event_scope(e->flags) == TM_SCOPE_TRACK;
    const int64_t pid = has & TM_EVENT_HAS_PID ? e->pid : 0;
    key->track = has_track ? e->track : 0;
    key->source = pair(e->file, e->machine);
    key->task = pair((uint32_t)pid, (uint32_t)e->tid);
    key->traits = has | (has_track ? HAS_TRACK : 0) | (tm_task_names_is_of_kernel(e) ? IS_OF_KERNEL : 0) |
                  (is_of_process(e) ? IS_OF_PROCESS : 0);
    return fits(e->tid) && fits(pid);
}

/* Returns the entry for events with KEY. */
static struct tm_json_named *named_of(struct tm_json_threads *threads, const struct tm_json_named *key)
{
    const uint64_t other = (key->track ^ key->source) * UINT64_C(0x9e3779b97f4a7c15);
    return &threads->named[tm_hash_u64(key->task ^ other) & (TM_JSON_NAMED - 1)];
}

static bool is_same(const struct tm_json_named *x, const struct tm_json_named *y)
{
    return x->task == y->task && x->source == y->source && x->track == y->track && x->traits == y->traits;
}

/* Returns the sum of the counts of changes that NAMED depends on, plus 1. */
static uint32_t changes_of(const struct tm_json_threads *threads, const struct tm_json_named *named)
{
    const uint32_t *counts = threads->names.counts.counts;
    return counts[named->counts[0]] + counts[named->counts[1]] + counts[named->counts[2]] + counts[named->counts[3]] +
           1;
}

/* Returns the entry for E if it is valid, else NULL: the names of the process and thread were in the output after an
 * earlier event with the same key, and nothing has changed since. It is valid for most events, and saves ten look-ups.
 */
static struct tm_json_named *find_named(struct tm_json_threads *threads, const struct tm_event *e)
{
    struct tm_json_named key;
    if (!key_of(e, &key))
        return NULL;
    struct tm_json_named *named = named_of(threads, &key);
    return is_same(named, &key) && named->changes == changes_of(threads, named) ? named : NULL;
}

/* Makes the entry for E, whose TASK has OUT_PID in the output. NULL: there cannot be one. */
static struct tm_json_named *set_named(struct tm_json_threads *threads, const struct tm_event *e,
                                       const struct tm_event_task *task, int64_t out_pid)
{
    struct tm_json_named key;
    if (!key_of(e, &key) || !fits(task->tid) || (task->has_pid && (!fits(task->pid) || !fits(out_pid))))
        return NULL;
    struct tm_json_named *named = named_of(threads, &key);
    *named = (struct tm_json_named){.track = key.track,
                                    .source = key.source,
                                    .task = key.task,
                                    .traits = key.traits,
                                    .has_pid = task->has_pid,
                                    .has_tid = task->has_tid,
                                    .is_below = task->is_below,
                                    .pid = task->has_pid ? (int32_t)task->pid : 0,
                                    .tid = (int32_t)task->tid,
                                    .out_pid = (int32_t)out_pid};
    named->counts[0] = tm_task_names_task_count(e->machine, task->tid);
    named->counts[1] = tm_task_names_task_count(e->machine, named->pid);
    named->counts[2] = named->counts[3] = named->counts[0];
    if (task->has_pid)
        named->counts[2] = tm_json_metadata_count(out_pid);
    if (tm_event_scope(e->flags) == TM_SCOPE_TRACK) {
        named->counts[3] = tm_task_names_track_count(e->file);
        named->track_name = tm_task_names_track(&threads->names, e);
    }
    named->changes = changes_of(threads, named);
    return named;
}

/* Writes the names of TASK, the process and thread of E, unless the output has them already. Sets *PID to the pid of
 * the process in the output. */
static enum tm_status put_names(struct tm_json_threads *threads, const struct tm_event *e,
                                const struct tm_event_task *task, int64_t *pid, struct tm_error *err)
{
    struct tm_json_metadata *metadata = threads->metadata;
    if (!task->has_pid)
        return TM_OK;
    enum tm_status st = tm_json_pids_find_event(metadata->pids, e, task->pid, pid, err);
    if (st == TM_OK)
        st = tm_json_metadata_label(metadata, e, *pid, err);
    if (st == TM_OK)
        st = tm_json_metadata_name(metadata, *pid, NULL, task->process, err);
    return st == TM_OK && task->has_tid ? tm_json_metadata_name(metadata, *pid, &task->tid, task->thread, err) : st;
}

enum tm_status tm_json_threads_learn(struct tm_json_threads *threads, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_task_names_learn(&threads->names, e, err);
    if (st < 0 || e->kind == TM_KIND_TRACK) /* names are written at the first event on the track */
        return st;
    struct tm_json_named *named = find_named(threads, e);
    threads->current = named;
    if (named) {
        threads->task = (struct tm_event_task){.has_pid = named->has_pid,
                                               .has_tid = named->has_tid,
                                               .pid = named->pid,
                                               .tid = named->tid,
                                               .is_below = named->is_below};
        threads->out_pid = named->out_pid;
        return TM_OK;
    }
    struct tm_event_task *task = &threads->task;
    tm_task_names_find(&threads->names, e, task);
    if (is_of_process(e)) {
        task->tid = task->pid;
        task->thread = tm_task_names_thread(&threads->names, e->machine, task->pid);
    }
    if ((st = put_names(threads, e, task, &threads->out_pid, err)) == TM_OK)
        threads->current = set_named(threads, e, task, threads->out_pid);
    task->process = task->thread = task->track = (struct tm_text){0};
    return st;
}

struct tm_text tm_json_threads_track(const struct tm_json_threads *threads, const struct tm_event *e)
{
    const struct tm_task_names *names = &threads->names;
    if (tm_event_scope(e->flags) != TM_SCOPE_TRACK)
        return (struct tm_text){0};
    return tm_task_names_text(names, threads->current ? threads->current->track_name : tm_task_names_track(names, e));
}

enum tm_status tm_json_threads_pid(struct tm_json_threads *threads, const struct tm_event *e,
                                   const struct tm_event_task *task, int64_t *pid, struct tm_error *err)
{
    const struct tm_event_task *own = &threads->task;
    struct tm_json_named *kept = task->has_pid || own->has_pid ? NULL : threads->current;
    if (task->has_pid && own->has_pid && task->pid == own->pid) {
        *pid = threads->out_pid;
        return TM_OK;
    }
    if (kept && kept->has_out_pid) {
        *pid = kept->out_pid;
        return TM_OK;
    }
    enum tm_status st = tm_json_pids_find_event(threads->metadata->pids, e, task->has_pid ? task->pid : 0, pid, err);
    if (st == TM_OK && kept && fits(*pid)) {
        kept->out_pid = (int32_t)*pid;
        kept->has_out_pid = true;
    }
    return st;
}

enum tm_status tm_json_threads_tid(struct tm_json_threads *threads, uint32_t thread, uint32_t lane, int64_t *tid,
                                   struct tm_error *err)
{
    struct tm_json_thread *t = &threads->lanes.threads[thread];
    struct tm_text name;
    *tid = t->lanes[lane].tid;
    if (lane == 0 || t->lanes[lane].is_named)
        return TM_OK;
    t->lanes[lane].is_named = true;
    name = tm_task_names_thread(&threads->names, t->machine, t->tid);
    if (name.data == NULL)
        name = tm_task_names_thread(&threads->json_names, t->machine, t->tid);
    tm_buf_clear(&threads->scratch);
    if (tm_buf_add(&threads->scratch, name.data, name.len) < 0 ||
        tm_buf_addf(&threads->scratch, "%s(tid %lld, part %u)", name.len ? " " : "", (long long)t->tid, lane + 1) < 0)
        return tm_error_nomem(err);
    name = (struct tm_text){threads->scratch.data, threads->scratch.len};
    return tm_json_metadata_name(threads->metadata, t->pid, tid, name, err);
}

enum tm_status tm_json_threads_place(struct tm_json_threads *threads, const struct tm_event *e,
                                     struct tm_json_event_draft *draft, struct tm_error *err)
{
    const struct tm_event_task *task = tm_json_threads_task(threads);
    draft->tid = task->has_tid ? task->tid : 0;
    return tm_json_threads_pid(threads, e, task, &draft->pid, err);
}

enum tm_status tm_json_threads_name_rest(struct tm_json_threads *threads, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < threads->lanes.count && st == TM_OK; i++) {
        const struct tm_json_thread *t = &threads->lanes.threads[i];
        if (!tm_json_metadata_is_named(threads->metadata, t->pid, t->tid) &&
            tm_task_names_thread(&threads->json_names, t->machine, t->tid).data == NULL)
            st = tm_json_metadata_name(threads->metadata, t->pid, &t->tid,
                                       tm_task_names_thread(&threads->names, t->machine, t->tid), err);
    }
    return st;
}

#include "emit/chrome_json/threads.h"

#include "base/hash.h"

void tm_json_threads_init(struct tm_json_threads *threads, struct tm_json_metadata *metadata)
{
    const struct tm_catalog *catalog = metadata->writer->context->catalog;
    *threads = (struct tm_json_threads){.metadata = metadata};
    tm_task_names_init(&threads->names, catalog);
    tm_task_names_init(&threads->json_names, catalog);
}

void tm_json_threads_release(struct tm_json_threads *threads)
{
    tm_json_lanes_release(&threads->lanes);
    tm_task_names_release(&threads->names);
    tm_task_names_release(&threads->json_names);
    tm_buf_release(&threads->scratch);
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

/* Returns a number that grows whenever a name may have changed or a pid means another process. */
static uint64_t changes_of(const struct tm_json_threads *threads)
{
    return tm_task_names_changes(&threads->names) + threads->metadata->changes + threads->metadata->pids->changes;
}

/* Returns the columns of E that determine its process and thread. */
static struct tm_json_named columns_of(const struct tm_event *e)
{
    return (struct tm_json_named){.track = tm_event_scope(e->flags) == TM_SCOPE_TRACK ? e->track : 0,
                                  .pid = tm_task_names_has_other(e) ? 0 : e->pid,
                                  .tid = e->tid,
                                  .file = e->file,
                                  .machine = e->machine,
                                  .kind = (uint32_t)e->kind,
                                  .flags = e->flags};
}

/* Returns the entry of events with these COLUMNS. */
static struct tm_json_named *named_of(struct tm_json_threads *threads, const struct tm_json_named *columns)
{
    uint64_t task = (uint64_t)columns->machine << 32 ^ (uint64_t)columns->pid << 40 ^ (uint64_t)columns->tid;
    uint64_t other = columns->track ^ (uint64_t)columns->file << 32 ^ (uint64_t)columns->kind << 56;
    return &threads->named[(tm_hash_u64(task) ^ tm_hash_u64(other)) & (TM_JSON_NAMED - 1)];
}

/* True if the names of the process and thread were in the output after an earlier event with the same columns, and
 * nothing has changed since. This is so for most events, and saves ten lookups. */
static bool is_named(const struct tm_json_named *named, const struct tm_json_named *columns, uint64_t changes)
{
    return named->changes == changes + 1 && named->track == columns->track && named->pid == columns->pid &&
           named->tid == columns->tid && named->file == columns->file && named->machine == columns->machine &&
           named->kind == columns->kind && named->flags == columns->flags;
}

/* Writes the names of TASK, the process and thread of E, unless the output has them already. */
static enum tm_status put_names(struct tm_json_threads *threads, const struct tm_event *e,
                                const struct tm_event_task *task, struct tm_error *err)
{
    struct tm_json_metadata *metadata = threads->metadata;
    int64_t pid = 0;
    if (!task->has_pid)
        return TM_OK;
    enum tm_status st = tm_json_pids_find_event(metadata->pids, e, task->pid, &pid, err);
    if (st == TM_OK)
        st = tm_json_metadata_label(metadata, e, pid, err);
    if (st == TM_OK)
        st = tm_json_metadata_name(metadata, pid, NULL, task->process, err);
    return st == TM_OK && task->has_tid ? tm_json_metadata_name(metadata, pid, &task->tid, task->thread, err) : st;
}

enum tm_status tm_json_threads_learn(struct tm_json_threads *threads, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_task_names_learn(&threads->names, e, err);
    if (st < 0 || e->kind == TM_KIND_TRACK) /* names are written at the first event on the track */
        return st;
    struct tm_json_named columns = columns_of(e), *named = named_of(threads, &columns);
    if (is_named(named, &columns, changes_of(threads)))
        return TM_OK;
    struct tm_event_task task;
    tm_task_names_find(&threads->names, e, &task);
    st = put_names(threads, e, &task, err);
    *named = columns;
    named->changes = changes_of(threads) + 1;
    named->has_pid = task.has_pid;
    named->has_tid = task.has_tid;
    named->is_below = task.is_below;
    named->task_pid = task.pid;
    named->task_tid = task.tid;
    return st;
}

void tm_json_threads_find(struct tm_json_threads *threads, const struct tm_event *e, struct tm_event_task *task)
{
    struct tm_json_named columns = columns_of(e);
    const struct tm_json_named *named = named_of(threads, &columns);
    if (!is_named(named, &columns, changes_of(threads))) {
        tm_task_names_find(&threads->names, e, task);
        task->process = task->thread = task->track = (struct tm_text){0};
        return;
    }
    *task = (struct tm_event_task){.has_pid = named->has_pid,
                                   .has_tid = named->has_tid,
                                   .pid = named->task_pid,
                                   .tid = named->task_tid,
                                   .is_below = named->is_below};
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

enum tm_status tm_json_threads_begin(struct tm_json_threads *threads, const struct tm_event *e, const char *phase,
                                     struct tm_error *err)
{
    struct tm_json_metadata *metadata = threads->metadata;
    struct tm_event_task place;
    int64_t pid = 0;
    tm_json_threads_find(threads, e, &place);
    enum tm_status st = tm_json_pids_find_event(metadata->pids, e, place.has_pid ? place.pid : 0, &pid, err);
    if (st < 0)
        return st;
    tm_json_writer_head(metadata->writer, phase, e->time_ns);
    tm_json_writer_thread(metadata->writer, pid, place.has_tid ? place.tid : 0);
    return TM_OK;
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

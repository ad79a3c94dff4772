#include "model/internal.h"

#include "base/pb.h"
#include "kernel/sched_state.h"
#include "stream/detail_arg.h"
#include "stream/detail_fields.h"

/* The source of a THREAD or PROCESS row. */
enum source { SOURCE_DESCRIPTOR, SOURCE_TREE, SOURCE_OTHER };

static enum source source_of(const struct tm_model_files *files, uint32_t flags, struct tm_place place)
{
    const struct tm_model_file *file = &files->all[place.file];
    if (flags & TM_EVENT_DERIVED && !file->is_json)
        return SOURCE_TREE;
    return file->is_proto ? SOURCE_DESCRIPTOR : SOURCE_OTHER;
}

/* Sets *SET to the args of a thread with the sort index ZIGZAG, as encoded, unless it has one. A viewer sorts the
 * threads of a process by it. */
static enum tm_status put_sort(struct tm_model_output *out, uint64_t zigzag, int64_t *set, struct tm_error *err)
{
    if (*set != TM_NO_ID)
        return TM_OK;
    tm_buf_clear(&out->args);
    if (tm_detail_arg_int(&out->args, "thread_sort_index_hint", tm_unzigzag(zigzag)) < 0)
        return tm_error_nomem(err);
    return tm_arg_sets_add(&out->arg_sets, out->args.data, out->args.len, set, err);
}

/* Applies the THREAD part of E, a definition, if it has one. */
static enum tm_status describe_thread(struct tm_model_tasks *tasks, struct tm_model_output *out,
                                      const struct tm_event *e, enum source source, struct tm_error *err)
{
    struct tm_pb_field part, f;
    if (!tm_model_part(e->detail, e->detail_bytes, TM_DETAIL_THREAD, &part))
        return TM_OK;
    struct tm_pb pb = tm_pb_of(part.data, part.len);
    struct tm_text name = {0};
    int64_t tid = 0, pid = 0, utid;
    bool has_tid = false, has_pid = false, has_sort = false, has_idle = false, is_main = false,
         is_idle = false;
    enum tm_thread_name_priority stated = TM_THREAD_NAME_OTHER;
    uint64_t sort = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_THREAD_DESCRIPTION_TID) {
            has_tid = true;
            tid = tm_unzigzag(f.value);
        } else if (f.id == TM_THREAD_DESCRIPTION_PID) {
            has_pid = true;
            pid = tm_unzigzag(f.value);
        } else if (f.id == TM_THREAD_DESCRIPTION_NAME && f.len) {
            name = tm_text_given(f.data, f.len);
        } else if (f.id == TM_THREAD_DESCRIPTION_IS_MAIN) {
            is_main = f.value != 0;
        } else if (f.id == TM_THREAD_DESCRIPTION_IS_IDLE) {
            has_idle = true;
            is_idle = f.value != 0;
        } else if (f.id == TM_THREAD_DESCRIPTION_SORT_INDEX) {
            has_sort = true;
            sort = f.value;
        } else if (f.id == TM_THREAD_DESCRIPTION_NAME_PRIORITY && f.value <= TM_THREAD_NAME_DESCRIPTOR) {
            stated = (enum tm_thread_name_priority)f.value;
        }
    }
    if (!has_tid)
        return TM_OK;
    const struct tm_thread_id id = {e->machine, pid, tid};
    enum tm_status st = has_pid ? tm_processes_thread_in(&tasks->processes, id, &utid, err)
                                : tm_processes_thread(&tasks->processes, e->machine, tid, &utid, err);
    if (st == TM_OK && is_main)
        tasks->processes.threads[utid].is_main = true;
    if (st == TM_OK && has_idle)
        tasks->processes.threads[utid].is_idle = is_idle;
    if (st == TM_OK && has_sort && !out->options.tasks_only)
        st = put_sort(out, sort, &tasks->processes.threads[utid].arg_set, err);
    static const enum tm_thread_name_priority priority[] = {TM_THREAD_NAME_DESCRIPTOR, TM_THREAD_NAME_PROCESS_TREE,
                                                            TM_THREAD_NAME_OTHER};
    return st < 0 ? st
                  : tm_processes_name_thread(&tasks->processes, utid, name, stated ? stated : priority[source], err);
}

/* Resolves the track of a descriptor. TM_END: the uuid is invalid, and the caller names nothing. */
static enum tm_status describe_track(struct tm_model_layout *layout, struct tm_model_output *out, struct tm_place place,
                                     const struct tm_pb_field *part, struct tm_error *err)
{
    struct tm_description d;
    struct tm_resolved resolved;
    tm_description_decode(&d, part->data, part->len);
    enum tm_status st = tm_descriptors_resolve(&layout->descriptors, place, d.uuid, &resolved, err);
    if (st == TM_END && (st = tm_model_count(out, place, TM_MODEL_NO_TRACK, err)) == TM_OK)
        st = TM_END;
    return st;
}

/* Applies E, a definition, at once. */
static enum tm_status describe(struct tm_model *m, const struct tm_event *e, struct tm_error *err)
{
    struct tm_pb_field part;
    const struct tm_place place = tm_place_of(e);
    enum source source = source_of(&m->files, e->flags, place);
    enum tm_status st = TM_OK;
    if (e->kind == TM_KIND_TRACK && tm_model_part(e->detail, e->detail_bytes, TM_DETAIL_TRACK, &part))
        st = describe_track(&m->layout, &m->out, place, &part, err);
    if (st == TM_OK && tm_model_part(e->detail, e->detail_bytes, TM_DETAIL_PROCESS, &part))
        st = tm_model_describe_process(&m->tasks, &m->out, e, source != SOURCE_DESCRIPTOR, err);
    if (st == TM_OK)
        st = describe_thread(&m->tasks, &m->out, e, source, err);
    return st < 0 ? st : TM_OK;
}

/* Keeps E until its time, unless that would have no effect. */
static enum tm_status pending_add(struct tm_pending_events *pending, struct tm_seen_definitions *seen_definitions,
                                  const struct tm_model_event *ev, struct tm_error *err)
{
    struct tm_event e = *ev->e;
    bool repeats;
    enum tm_status st = tm_seen_definitions_note(seen_definitions, &e, &repeats, err);
    if (st < 0 || repeats)
        return st;
    e.raw = NULL; /* nobody needs it */
    e.raw_bytes = 0;
    return tm_pending_events_add(pending, &e, NULL, err);
}

/* Applies E, whose time has come. */
static enum tm_status apply_pending(struct tm_model *m, const struct tm_event *e, struct tm_error *err)
{
    const uint32_t both = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    int64_t utid;
    enum tm_status st = TM_OK;
    if (tm_model_is_json(&m->files, e) && (e->flags & both) == both)
        st = tm_processes_thread_in(&m->tasks.processes, tm_thread_id_of(e), &utid, err);
    return st < 0 || e->kind == TM_KIND_METADATA ? st : describe(m, e, err);
}

enum tm_status tm_model_pending(struct tm_model *m, int64_t now_ns, struct tm_error *err)
{
    const struct tm_pending_event *due;
    enum tm_status st = TM_OK;
    while (st == TM_OK && (due = tm_pending_events_due(&m->pending, now_ns)) != NULL)
        st = apply_pending(m, &due->event, err);
    return st;
}

/* Describes a CPU. Each of its frequencies has a row of its own. */
static enum tm_status describe_cpu(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_place place,
                                   const struct tm_pb_field *message, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    struct tm_cpu_row *row;
    enum tm_status st = tm_sched_describe(&tasks->sched, place, message, &row, err);
    if (st < 0 || row == NULL || out->options.tasks_only)
        return st;
    st = tm_arg_sets_add(&out->arg_sets, message->data, message->len, &row->arg_set, err);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_CPU_DESCRIPTION_FREQUENCY)
            st = out->rows->cpu_frequency(out->rows->self, tm_ucpu(place.machine, row->cpu), (uint32_t)f.value, err);
    return st;
}

/* Describes a GPU. The args of a later description replace those of earlier ones. */
static enum tm_status describe_gpu(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_place place,
                                   const struct tm_pb_field *message, struct tm_error *err)
{
    struct tm_gpu_row *row;
    int64_t set;
    enum tm_status st = tm_gpus_describe(&tasks->gpus, place, message, &row, err);
    if (st < 0 || row == NULL || out->options.tasks_only)
        return st;
    st = tm_arg_sets_add(&out->arg_sets, message->data, message->len, &set, err);
    if (st == TM_OK && set != TM_NO_ID)
        row->arg_set = set;
    return st;
}

static enum tm_status describe_machine(struct tm_model_tasks *tasks, struct tm_model_output *out,
                                       const struct tm_model_event *ev, struct tm_error *err)
{
    struct tm_machine_info *machine = &tasks->machines[ev->place.machine];
    struct tm_pb_field part, release;
    if (!tm_model_part(ev->e->detail, ev->e->detail_bytes, TM_DETAIL_MACHINE, &part))
        return TM_OK;
    if (tm_model_part(part.data, part.len, TM_MACHINE_DESCRIPTION_RELEASE, &release))
        machine->kernel_version = tm_kernel_version_parse((const char *)release.data, release.len);
    struct tm_pb pb = tm_pb_of(part.data, part.len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_MACHINE_DESCRIPTION_CPUS && f.type == TM_PB_LEN)
            st = describe_cpu(tasks, out, ev->place, &f, err);
        else if (f.id == TM_MACHINE_DESCRIPTION_GPUS && f.type == TM_PB_LEN)
            st = describe_gpu(tasks, out, ev->place, &f, err);
        else if (tm_buf_add(&machine->description, f.start, (size_t)(f.end - f.start)) < 0)
            st = tm_error_nomem(err);
    }
    return st;
}

/* True for metadata of Chrome JSON without a time, which applies to the whole file. Descriptors of protos apply from
 * their place in the file. */
static bool acts_at_once(const struct tm_model_event *ev)
{
    return ev->is_json && !tm_event_is_timed(ev->e->flags);
}

enum tm_status tm_model_define(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct tm_pb_field part;
    if (e->kind == TM_KIND_SYSTEM_INFO)
        return describe_machine(&m->tasks, &m->out, ev, err);
    if (e->kind == TM_KIND_METADATA && m->out.options.adds_args &&
        tm_model_part(e->detail, e->detail_bytes, TM_DETAIL_TRANSLATION, &part))
        return tm_translations_add(&m->translations, ev->place, part.data, part.len, err);
    if (e->kind == TM_KIND_METADATA && !m->out.options.tasks_only && m->out.rows->deobfuscation &&
        tm_model_part(e->detail, e->detail_bytes, TM_DETAIL_DEOBFUSCATION, &part))
        return m->out.rows->deobfuscation(m->out.rows->self, (struct tm_text){part.data, part.len}, err);
    if (e->kind == TM_KIND_METADATA && !m->out.options.tasks_only && m->out.rows->packages &&
        tm_model_part(e->detail, e->detail_bytes, TM_DETAIL_PACKAGES, &part))
        return m->out.rows->packages(m->out.rows->self, ev->place, (struct tm_text){part.data, part.len}, err);
    bool is_recording_time = e->flags & TM_EVENT_DERIVED || tm_event_raw(e->flags) == TM_RAW_NONE;
    if (e->kind == TM_KIND_METADATA && is_recording_time && tm_event_is_timed(e->flags) && !m->out.options.tasks_only) {
        struct tm_recording_time row = {e->time_ns, ev->name, ev->place.file, ev->place.machine,
                                        e->flags & TM_EVENT_HAS_PID     ? e->pid
                                        : e->flags & TM_EVENT_HAS_VALUE ? (int64_t)e->value
                                                                        : TM_NO_ID};
        return m->out.rows->recording_time(m->out.rows->self, &row, err);
    }
    if (e->kind == TM_KIND_METADATA && ev->is_json && !acts_at_once(ev))
        return pending_add(&m->pending, &m->seen_definitions, ev, err);
    if (e->kind != TM_KIND_TRACK && e->kind != TM_KIND_PROCESS && e->kind != TM_KIND_THREAD)
        return TM_OK;
    if (e->kind == TM_KIND_TRACK && tm_model_part(e->detail, e->detail_bytes, TM_DETAIL_TRACK, &part)) {
        struct tm_description d;
        tm_description_decode(&d, part.data, part.len);
        enum tm_status st = tm_descriptors_add(&m->layout.descriptors, ev->place, &d, err);
        if (st < 0)
            return st;
    }
    if ((e->flags & TM_EVENT_DEFINITION) && !acts_at_once(ev))
        return pending_add(&m->pending, &m->seen_definitions, ev, err);
    return describe(m, e, err);
}

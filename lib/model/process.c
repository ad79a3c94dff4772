#include "model/internal.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

struct process_facts {
    struct tm_place place;
    bool is_system; /* as for tm_model_describe_process */
    bool has_pid, has_parent, has_uid, has_start;
    int64_t pid, parent, uid, start_ns;
    struct tm_text name;
    struct tm_buf cmdline; /* the words of the command line, joined by spaces */
    bool has_cmdline, has_sort;
    uint64_t sort_zigzag;  /* the sort index, as encoded */
    struct tm_buf args;    /* a Detail message with labels and other args */
    uint32_t labels;
    enum tm_process_name_priority name_priority; /* 0: not stated */
    bool lacks_main_thread;                      /* its main thread is not known */
};

static enum tm_status put_label(struct process_facts *facts, const struct tm_pb_field *label)
{
    struct tm_buf key = {0};
    size_t mark;
    enum tm_status st = tm_buf_addf(&key, "chrome.process_label[%u]", facts->labels++);
    if (st == TM_OK)
        st = tm_pb_begin(&facts->args, TM_DETAIL_ARGS, &mark);
    if (st == TM_OK)
        st = tm_pb_put_bytes(&facts->args, TM_ARG_KEY, key.data, key.len);
    if (st == TM_OK)
        st = tm_pb_put_bytes(&facts->args, TM_ARG_STRING, label->data, label->len);
    if (st == TM_OK)
        st = tm_pb_end(&facts->args, mark);
    tm_buf_release(&key);
    return st;
}

static enum tm_status put_sort(struct process_facts *facts)
{
    size_t mark;
    enum tm_status st = tm_pb_begin(&facts->args, TM_DETAIL_ARGS, &mark);
    if (st == TM_OK)
        st = tm_pb_put_str(&facts->args, TM_ARG_KEY, "process_sort_index_hint");
    if (st == TM_OK)
        st = tm_pb_put_varint(&facts->args, TM_ARG_INT, facts->sort_zigzag);
    return st == TM_OK ? tm_pb_end(&facts->args, mark) : st;
}

static enum tm_status put_is_kthread(struct process_facts *facts, bool is_kthread)
{
    size_t mark;
    enum tm_status st = tm_pb_begin(&facts->args, TM_DETAIL_ARGS, &mark);
    if (st == TM_OK)
        st = tm_pb_put_str(&facts->args, TM_ARG_KEY, "is_kthread");
    if (st == TM_OK)
        st = tm_pb_put_varint(&facts->args, TM_ARG_BOOL, is_kthread);
    return st == TM_OK ? tm_pb_end(&facts->args, mark) : st;
}

static enum tm_status put_arg(struct process_facts *facts, const struct tm_pb_field *arg)
{
    return tm_pb_put_bytes(&facts->args, TM_DETAIL_ARGS, arg->data, arg->len);
}

static enum tm_status take_field(struct process_facts *facts, const struct tm_pb_field *f)
{
    enum tm_status st = TM_OK;
    switch (f->id) {
    case TM_PROCESS_DESCRIPTION_PID: facts->has_pid = true; facts->pid = tm_unzigzag(f->value); break;
    case TM_PROCESS_DESCRIPTION_PARENT_PID: facts->has_parent = true; facts->parent = tm_unzigzag(f->value); break;
    case TM_PROCESS_DESCRIPTION_NAME:
        facts->name = tm_text_given(f->data, f->len);
        break;
    case TM_PROCESS_DESCRIPTION_CMDLINE:
        st = facts->has_cmdline ? tm_buf_add_byte(&facts->cmdline, ' ') : TM_OK;
        facts->has_cmdline = true;
        return st == TM_OK ? tm_buf_add(&facts->cmdline, f->data, f->len) : st;
    case TM_PROCESS_DESCRIPTION_UID: facts->has_uid = true; facts->uid = tm_unzigzag(f->value); break;
    case TM_PROCESS_DESCRIPTION_START_NS: facts->has_start = true; facts->start_ns = tm_unzigzag(f->value); break;
    case TM_PROCESS_DESCRIPTION_LABELS: return put_label(facts, f);
    case TM_PROCESS_DESCRIPTION_SORT_INDEX: facts->has_sort = true; facts->sort_zigzag = f->value; break;
    case TM_PROCESS_DESCRIPTION_NAME_PRIORITY:
        if (f->value <= TM_PROCESS_NAME_SYSTEM)
            facts->name_priority = (enum tm_process_name_priority)f->value;
        break;
    case TM_PROCESS_DESCRIPTION_IS_ALONE: facts->lacks_main_thread = f->value != 0; break;
    case TM_PROCESS_DESCRIPTION_ARGS: return put_arg(facts, f);
    case TM_PROCESS_DESCRIPTION_IS_KTHREAD: return put_is_kthread(facts, f->value != 0);
    default: break;
    }
    return st;
}

static enum tm_status decode(struct process_facts *facts, const uint8_t *detail, size_t len, struct tm_error *err)
{
    struct tm_pb_field part, f;
    if (!tm_model_part(detail, len, TM_DETAIL_PROCESS, &part))
        return TM_OK;
    struct tm_pb pb = tm_pb_of(part.data, part.len);
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (take_field(facts, &f) < 0)
            return tm_error_nomem(err);
    facts->has_start |= tm_model_inner_time(detail, len, &facts->start_ns); /* that of a process tree */
    return TM_OK;
}

static enum tm_status apply(struct tm_model_tasks *tasks, struct tm_model_output *out, struct process_facts *facts,
                            struct tm_error *err)
{
    const struct tm_place place = facts->place;
    struct tm_processes *p = &tasks->processes;
    struct tm_text cmdline = {facts->cmdline.len ? facts->cmdline.data : (const uint8_t *)"", facts->cmdline.len};
    int64_t upid, parent = TM_NO_ID;
    enum tm_status (*const find)(struct tm_processes *, uint32_t, int64_t, int64_t *, struct tm_error *) =
        facts->lacks_main_thread ? tm_processes_process_without_main : tm_processes_process;
    enum tm_status st = TM_OK;
    if (facts->has_parent)
        st = find(p, place.machine, facts->parent, &parent, err);
    if (st < 0 || (st = find(p, place.machine, facts->pid, &upid, err)) < 0)
        return st;
    struct tm_process *process = &p->processes[upid];
    bool is_other = parent != TM_NO_ID && process->parent != TM_NO_ID && process->parent != (int32_t)parent;
    if (parent != TM_NO_ID && process->parent == TM_NO_ID)
        process->parent = (int32_t)parent;
    if (is_other && (st = tm_model_count(out, place, TM_MODEL_PARENT_CHANGED, err)) < 0)
        return st;
    if (facts->has_uid) {
        process->has_uid = true;
        process->uid = facts->uid;
    }
    if (facts->has_start && !process->has_start) {
        process->has_start = true;
        process->start_ns = facts->start_ns;
    }
    if (facts->has_sort && !process->has_sort) { /* later ones do not count */
        process->has_sort = true;
        if (put_sort(facts) != TM_OK)
            return tm_error_nomem(err);
    }
    if (facts->args.len && !out->options.tasks_only &&
        (st = tm_arg_sets_join(&out->arg_sets, facts->args.data, facts->args.len, &process->arg_set, err)) < 0)
        return st;
    if (facts->is_system && facts->has_cmdline && (st = tm_processes_cmdline(p, upid, cmdline, err)) < 0)
        return st;
    enum tm_process_name_priority priority = facts->is_system ? TM_PROCESS_NAME_SYSTEM : TM_PROCESS_NAME_DESCRIPTOR;
    return tm_processes_name_process(p, upid, facts->name, facts->name_priority ? facts->name_priority : priority, err);
}

enum tm_status tm_model_describe_process(struct tm_model_tasks *tasks, struct tm_model_output *out,
                                         const struct tm_event *e, bool is_system, struct tm_error *err)
{
    struct process_facts facts = {.place = tm_place_of(e), .is_system = is_system};
    enum tm_status st = decode(&facts, e->detail, e->detail_bytes, err);
    if (st == TM_OK && facts.has_pid)
        st = apply(tasks, out, &facts, err);
    tm_buf_release(&facts.cmdline);
    tm_buf_release(&facts.args);
    return st;
}

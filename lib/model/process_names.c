#include "model/processes.h"

enum { NAMES_MAX = 1 << 30 };

void tm_processes_init(struct tm_processes *p)
{
    *p = (struct tm_processes){0};
    tm_intern_init(&p->names, NAMES_MAX, TM_TASK_TEXT_BYTES_MAX);
}

static enum tm_status intern(struct tm_processes *p, struct tm_text text, uint32_t *name, struct tm_error *err)
{
    uint32_t id;
    enum tm_status st = tm_intern_add(&p->names, text.data, text.len, &id, NULL);
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "names of threads and processes of more than %d bytes "
                            "(TM_TASK_TEXT_BYTES_MAX)", TM_TASK_TEXT_BYTES_MAX);
    if (st < 0)
        return tm_error_nomem(err);
    *name = id + 1;
    return TM_OK;
}

enum tm_status tm_processes_name_thread(struct tm_processes *p, int64_t utid, struct tm_text name,
                                        enum tm_thread_name_priority priority, struct tm_error *err)
{
    struct tm_thread_row *t = &p->threads[utid];
    if (name.data == NULL || priority < t->name_priority)
        return TM_OK;
    t->name_priority = (uint8_t)priority;
    t->string = 0;
    if (t->name) {
        struct tm_text old = tm_processes_text(p, t->name);
        if (old.data && tm_text_equal(old, name))
            return TM_OK;
    }
    return intern(p, name, &t->name, err);
}

enum tm_status tm_processes_name_task(struct tm_processes *p, int64_t utid, struct tm_text name, uint32_t string,
                                      struct tm_error *err)
{
    struct tm_thread_row *t = &p->threads[utid];
    if (string && t->string == string)
        return TM_OK;
    enum tm_status st = tm_processes_name_thread(p, utid, name, TM_THREAD_NAME_SCHED, err);
    if (st == TM_OK && name.data && t->name_priority == TM_THREAD_NAME_SCHED)
        t->string = string;
    return st;
}

enum tm_status tm_processes_name_process(struct tm_processes *p, int64_t upid, struct tm_text name,
                                         enum tm_process_name_priority priority, struct tm_error *err)
{
    struct tm_process *process = &p->processes[upid];
    if (name.data == NULL || priority < process->name_priority)
        return TM_OK;
    process->name_priority = (uint8_t)priority;
    return intern(p, name, &process->name, err);
}

enum tm_status tm_processes_cmdline(struct tm_processes *p, int64_t upid, struct tm_text cmdline,
                                    struct tm_error *err)
{
    return cmdline.data ? intern(p, cmdline, &p->processes[upid].cmdline, err) : TM_OK;
}

struct tm_text tm_processes_text(const struct tm_processes *p, uint32_t name)
{
    struct tm_text text = {0};
    if (name)
        text.data = tm_intern_get(&p->names, name - 1, &text.len);
    return text;
}

#include "format/fuchsia/internal.h"

#include "stream/task_description.h"

enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 }; /* ZX_OBJ_TYPE_… */

static enum tm_status define(struct tm_fxt *x, struct tm_event *row, struct tm_text name)
{
    row->flags |= TM_EVENT_UNTIMED | TM_EVENT_DEFINITION;
    tm_buf_clear(&x->detail);
    if (tm_task_description_put(&x->detail, row, tm_text_given(name.data, name.len)) != TM_OK)
        return tm_error_nomem(x->err);
    return tm_fxt_add(x, row);
}

static enum tm_status define_process(struct tm_fxt *x, int64_t pid, struct tm_text name)
{
    struct tm_event row = {.kind = TM_KIND_PROCESS, .pid = pid, .flags = TM_EVENT_HAS_PID};
    return define(x, &row, name);
}

/* Defines a thread. Its argument "process" names the process. */
static enum tm_status define_thread(struct tm_fxt *x, int64_t tid, struct tm_text name)
{
    struct tm_event row = {.kind = TM_KIND_THREAD, .tid = tid, .flags = TM_EVENT_HAS_TID};
    const struct tm_fxt_arg *process = tm_fxt_args_find(&x->args, "process");
    if (process && process->type != TM_FXT_KOID)
        return tm_fxt_lose(x, TM_FXT_LOSS_TYPE);
    if (process) {
        row.pid = (int64_t)process->bits;
        row.flags |= TM_EVENT_HAS_PID;
    }
    return define(x, &row, name);
}

enum tm_status tm_fxt_kernel_object(struct tm_fxt *x, struct tm_fxt_record *r)
{
    uint64_t type = tm_fxt_bits(r->header, 16, 23), koid;
    struct tm_text name;
    if (!tm_fxt_word(&r->rest, &koid))
        return tm_fxt_lose(x, TM_FXT_LOSS_READ);
    enum tm_fxt_read read = tm_fxt_string_ref(&x->tables, &r->rest, tm_fxt_bits(r->header, 24, 39), &name);
    if (read == TM_FXT_READ_OK)
        read = tm_fxt_args_read(&x->tables, &r->rest, (uint32_t)tm_fxt_bits(r->header, 40, 43), &x->args);
    if (read != TM_FXT_READ_OK)
        return tm_fxt_unread(x, read);
    return type == OBJECT_PROCESS  ? define_process(x, (int64_t)koid, name)
           : type == OBJECT_THREAD ? define_thread(x, (int64_t)koid, name)
                                   : tm_fxt_lose(x, TM_FXT_LOSS_UNREAD);
}

enum tm_status tm_fxt_log(struct tm_fxt *x, struct tm_fxt_record *r)
{
    struct tm_event row = {.kind = TM_KIND_LOG,
                           .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD)};
    struct tm_fxt_thread thread;
    struct tm_text message;
    if (!tm_fxt_time(x, &r->rest, &row.time_ns))
        return TM_OK;
    enum tm_fxt_read read = tm_fxt_thread_ref(&x->tables, &r->rest, tm_fxt_bits(r->header, 32, 39), &thread);
    if (read != TM_FXT_READ_OK)
        return tm_fxt_unread(x, read);
    if (!tm_fxt_text(&r->rest, (size_t)tm_fxt_bits(r->header, 16, 30), &message))
        return tm_fxt_lose(x, TM_FXT_LOSS_READ);
    row.pid = thread.pid;
    row.tid = thread.tid;
    tm_buf_clear(&x->detail);
    enum tm_status st = tm_fxt_string(x, message, &row.name);
    return st < 0 ? st : tm_fxt_add(x, &row);
}

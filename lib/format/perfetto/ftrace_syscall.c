/* System calls: sys_enter and sys_exit. Rules: importers/syscalls/syscall_tracker.h of perfetto. */
#include "stream/detail_arg.h"
#include "format/perfetto/ftrace_event.h"
#include "kernel/syscall_names.h"
#include "kernel/effect.h"
#include "perfetto/ftrace_event_fields.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIELD_ID = 1, FIELD_ARGS = 2, FIELD_RET = 2 };
enum { KEY_MAX = 24, ARGS_MAX = 64 }; /* a system call has at most six arguments */

struct call {
    uint32_t number;
    bool has_ret;
    int64_t ret;
};

static enum tm_status put_arg(struct tm_buf *detail, uint32_t *count, uint64_t value)
{
    char key[KEY_MAX];
    (void)snprintf(key, sizeof key, "args[%u]", (unsigned)(*count)++);
    return tm_detail_arg_uint(detail, key, value);
}

/* Adds the arguments of a system call, packed or not. ARGS_MAX bounds the size of the detail, because an argument with
 * its key is much longer than the number. */
static enum tm_status put_args(struct tm_buf *detail, const struct tm_pb_field *f)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field field;
    uint32_t count = 0;
    enum tm_status st = TM_OK;
    while (st == TM_OK && count < ARGS_MAX && tm_pb_next(&pb, &field) == TM_OK) {
        if (field.id != FIELD_ARGS)
            continue;
        if (field.type == TM_PB_VARINT)
            st = put_arg(detail, &count, field.value);
        const uint8_t *at = field.data, *end = field.data + field.len;
        uint64_t value;
        while (field.type == TM_PB_LEN && st == TM_OK && count < ARGS_MAX && at < end &&
               (at = tm_varint_get(at, end, &value)))
            st = put_arg(detail, &count, value);
    }
    return st;
}

static struct call read_call(const struct tm_pb_field *f)
{
    struct tm_proto_event_fields fields;
    tm_proto_event_fields_read(&fields, f);
    return (struct call){.number = (uint32_t)fields.number[FIELD_ID],
                         .has_ret = fields.has[FIELD_RET],
                         .ret = (int64_t)fields.number[FIELD_RET]};
}

enum tm_status tm_proto_note_machine(struct tm_proto_kernels *kernels, uint32_t machine, const void *name, size_t len)
{
    enum tm_architecture architecture = tm_architecture_of(name, len);
    struct tm_proto_map_entry *entry;
    if (architecture == TM_ARCHITECTURE_UNKNOWN)
        return TM_OK;
    if (tm_proto_map_add(&kernels->syscalls.architectures, machine, 0, UINT32_MAX, &entry) != TM_OK)
        return TM_E_SYSTEM;
    entry->v1 = architecture;
    return TM_OK;
}

/* Makes the table of names when the first call needs it. */
static enum tm_status make_names(struct tm_proto_kernels *kernels, struct tm_error *err)
{
    enum tm_status st = tm_syscall_names_load(err);
    if (st < 0)
        return st;
    kernels->syscalls.names = calloc(1, sizeof *kernels->syscalls.names);
    return kernels->syscalls.names ? TM_OK : tm_error_nomem(err);
}

static enum tm_status find_name(struct tm_proto_kernels *kernels, uint32_t machine, uint32_t number, const char **name,
                                struct tm_error *err)
{
    const struct tm_proto_map_entry *entry = tm_proto_map_find(&kernels->syscalls.architectures, machine, 0);
    enum tm_status st = kernels->syscalls.names ? TM_OK : make_names(kernels, err);
    if (st < 0)
        return st;
    *name = tm_syscall_name(kernels->syscalls.names, entry ? (enum tm_architecture)entry->v1 : TM_ARCHITECTURE_UNKNOWN,
                            number);
    return *name ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_proto_ftrace_syscall(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                       const struct tm_pb_field *f, struct tm_event *row, struct tm_error *err)
{
    struct call call = read_call(f);
    bool enters = f->id == TM_FTRACE_EVENT_SYS_ENTER;
    if (call.number >= TM_SYSCALLS_MAX)
        return TM_END;
    const char *name;
    enum tm_status st = find_name(kernels, row->machine, call.number, &name, err);
    if (st < 0)
        return st;
    row->kind = enters ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
    row->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    if (strcmp(name, "sys_write") == 0) { /* a marker may end it early */
        row->kind = TM_KIND_KERNEL;
        row->value = enters ? TM_KERNEL_WRITE : TM_KERNEL_WRITE_DONE;
    } else if (enters && strcmp(name, "sys_rt_sigreturn") == 0) { /* it does not return */
        row->kind = TM_KIND_INSTANT;
    }
    st = tm_proto_string(rows, name, strlen(name), &row->name, err);
    if (st < 0)
        return st;
    st = enters ? put_args(&rows->detail, f) : call.has_ret ? tm_detail_arg_int(&rows->detail, "ret", call.ret) : TM_OK;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

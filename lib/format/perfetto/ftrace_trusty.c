/* Calls of Trusty, a secure operating system beside the kernel. Rules and names: importers/ftrace/ftrace_parser.cc of
 * perfetto. */
#include "format/perfetto/ftrace_event.h"
#include "perfetto/ftrace_event_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TRUSTY_NAME_MAX = 256 };

static const char *text_of(const struct tm_proto_event_fields *f, uint32_t field)
{
    return f->text[field] ? (const char *)f->text[field] : "";
}

static int i32(uint64_t n)
{
    return (int32_t)(uint32_t)n;
}

/* Writes the name of event ID to NAME. The name of an event that ends a slice is empty. */
static void name_it(uint32_t id, const struct tm_proto_event_fields *f, char name[TRUSTY_NAME_MAX])
{
    const uint64_t *n = f->number;
    const size_t max = TRUSTY_NAME_MAX;
    switch (id) {
    case TM_FTRACE_EVENT_TRUSTY_SMC: snprintf(name, 48, "trusty_smc:r0= %" PRIu64, n[1]); return;
    case TM_FTRACE_EVENT_TRUSTY_STD_CALL32: snprintf(name, max, "trusty_std"); return;
    case TM_FTRACE_EVENT_TRUSTY_SHARE_MEMORY:
        snprintf(name, max, "trusty_share_mem: len= %" PRIu64 " nents= %u lend= %u", n[1], (unsigned)n[3],
                 (unsigned)n[2]);
        return;
    case TM_FTRACE_EVENT_TRUSTY_RECLAIM_MEMORY: snprintf(name, max, "trusty_reclaim_mem: id=%" PRIu64, n[1]); return;
    case TM_FTRACE_EVENT_TRUSTY_IRQ: snprintf(name, max, "trusty_irq: irq= %d", i32(n[1])); return;
    case TM_FTRACE_EVENT_TRUSTY_IPC_HANDLE_EVENT:
        snprintf(name, max, "trusty_ipc_handle_event: chan=%u srv_name=%.*s event=%u", (unsigned)n[1], (int)f->len[3],
                 text_of(f, 3), (unsigned)n[2]);
        return;
    case TM_FTRACE_EVENT_TRUSTY_IPC_CONNECT:
        snprintf(name, max, "tipc_connect: %.*s", (int)f->len[2], text_of(f, 2));
        return;
    case TM_FTRACE_EVENT_TRUSTY_IPC_WRITE:
        if (n[5])
            snprintf(name, max, "tipc_write: %.*s shm_cnt:[%" PRIu64 "]", (int)f->len[6], text_of(f, 6), n[5]);
        else
            snprintf(name, max, "tipc_write: %.*s", (int)f->len[6], text_of(f, 6));
        return;
    case TM_FTRACE_EVENT_TRUSTY_IPC_POLL: snprintf(name, max, "tipc_poll: %.*s", (int)f->len[3], text_of(f, 3)); return;
    case TM_FTRACE_EVENT_TRUSTY_IPC_READ: snprintf(name, max, "tipc_read: %.*s", (int)f->len[2], text_of(f, 2)); return;
    case TM_FTRACE_EVENT_TRUSTY_IPC_RX: snprintf(name, max, "tipc_rx"); return;
    case TM_FTRACE_EVENT_TRUSTY_ENQUEUE_NOP:
        snprintf(name, max, "trusty_enqueue_nop: arg1= %u arg2= %u arg3=%u", (unsigned)n[1], (unsigned)n[2],
                 (unsigned)n[3]);
        return;
    default: name[0] = '\0';
    }
}

/* Writes the result of event ID to NAME. It is empty if the reference importer shows none. */
static void result_of(uint32_t id, const struct tm_proto_event_fields *f, char name[TRUSTY_NAME_MAX])
{
    const uint64_t *n = f->number;
    const size_t max = TRUSTY_NAME_MAX;
    name[0] = '\0';
    if (id == TM_FTRACE_EVENT_TRUSTY_SMC_DONE)
        snprintf(name, max, "trusty_smc_done:r0= %" PRIu64, n[1]);
    else if (id == TM_FTRACE_EVENT_TRUSTY_STD_CALL32_DONE && (int64_t)n[1] < 0)
        snprintf(name, max, "trusty_err_std: err= %" PRId64, (int64_t)n[1]);
    else if (id == TM_FTRACE_EVENT_TRUSTY_SHARE_MEMORY_DONE)
        snprintf(name, max, "trusty_share_mem: handle= %" PRIu64 " ret= %d", n[1], i32(n[5]));
    else if (id == TM_FTRACE_EVENT_TRUSTY_RECLAIM_MEMORY_DONE && i32(n[2]) < 0)
        snprintf(name, max, "trusty_reclaim_mem_err: err= %d", i32(n[2]));
    else if (id == TM_FTRACE_EVENT_TRUSTY_IPC_CONNECT_END && i32(n[2]) != 0)
        snprintf(name, max, "tipc_err_connect:err= %d", i32(n[2]));
    else if (id == TM_FTRACE_EVENT_TRUSTY_IPC_WRITE && i32(n[4]) < 0)
        snprintf(name, max, "tipc_err_write:len_or_err= %d", i32(n[4]));
    else if (id == TM_FTRACE_EVENT_TRUSTY_IPC_READ_END && i32(n[3]) <= 0)
        snprintf(name, max, "tipc_err_read:len_or_err= %d", i32(n[3]));
}

static enum tm_status set_texts(struct tm_proto_rows *rows, const char *name, struct tm_event *row,
                                struct tm_error *err)
{
    static const char category[] = "tipc";
    enum tm_status st = *name ? tm_proto_string(rows, name, strlen(name), &row->name, err) : TM_OK;
    return st < 0 ? st : tm_proto_string(rows, category, sizeof category - 1, &row->category, err);
}

enum tm_status tm_proto_ftrace_trusty(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                      struct tm_error *err)
{
    struct tm_proto_event_fields fields;
    char name[TRUSTY_NAME_MAX];
    tm_proto_event_fields_read(&fields, f);
    name_it(f->id, &fields, name);
    row->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    switch (f->id) {
    case TM_FTRACE_EVENT_TRUSTY_SMC:
    case TM_FTRACE_EVENT_TRUSTY_STD_CALL32:
    case TM_FTRACE_EVENT_TRUSTY_SHARE_MEMORY:
    case TM_FTRACE_EVENT_TRUSTY_RECLAIM_MEMORY:
    case TM_FTRACE_EVENT_TRUSTY_IPC_CONNECT:
    case TM_FTRACE_EVENT_TRUSTY_IPC_READ: row->kind = TM_KIND_SLICE_BEGIN; break;
    default: row->kind = *name ? TM_KIND_INSTANT : TM_KIND_SLICE_END;
    }
    return set_texts(rows, name, row, err);
}

enum tm_status tm_proto_ftrace_trusty_result(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                             const struct tm_event *row, struct tm_error *err)
{
    struct tm_proto_event_fields fields;
    char name[TRUSTY_NAME_MAX];
    struct tm_event result = tm_proto_derived(row, TM_KIND_INSTANT);
    tm_proto_event_fields_read(&fields, f);
    result_of(f->id, &fields, name);
    result.flags |= TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD);
    if (*name == '\0')
        return TM_OK;
    enum tm_status st = set_texts(rows, name, &result, err);
    return st < 0 ? st : tm_proto_add(rows, &result, err);
}

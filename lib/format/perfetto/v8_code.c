#include "format/perfetto/v8_code.h"

#include "format/perfetto/description.h"
#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/named_processes.h"
#include "format/perfetto/sequence.h"

/* All packets about code begin with these fields. */
enum { CODE_ISOLATE = 1, CODE_TID = 2 };
enum { ISOLATE_PID = 2, ISOLATE_RANGE = 4 };
enum { DEFAULTS_CODE = 99, DEFAULTS_TID = 1 };

/* Sets *TID to the thread that the defaults of PACKET's sequence state. False: they state none. */
static bool default_tid(const struct tm_proto_packet *packet, uint32_t *tid)
{
    struct tm_pb pb = tm_pb_of(packet->sequence->defaults.data, packet->sequence->defaults.len);
    struct tm_pb_field f, code = {0};
    struct tm_proto_event_fields m;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == DEFAULTS_CODE && f.type == TM_PB_LEN)
            code = f;
    tm_proto_event_fields_read(&m, &code);
    *tid = (uint32_t)m.number[DEFAULTS_TID];
    return m.has[DEFAULTS_TID];
}

static enum tm_status add_thread(struct tm_proto_rows *rows, uint32_t pid, uint32_t tid, const struct tm_event *like,
                                 struct tm_error *err)
{
    const struct tm_proto_thread thread = {.has_pid = true, .has_tid = true, .pid = pid, .tid = tid};
    struct tm_event row = tm_proto_derived(like, TM_KIND_THREAD);
    if (tm_proto_thread_put(&rows->detail, &thread) < 0)
        return tm_error_nomem(err);
    row.flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    row.pid = pid;
    row.tid = tid;
    return tm_proto_add(rows, &row, err);
}

enum tm_status tm_proto_v8_code_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                     struct tm_error *err)
{
    struct tm_event row;
    struct tm_proto_event_fields code, isolate;
    struct tm_pb_field message = {0};
    enum tm_status st = tm_proto_add_packet(rows, packet, &row, err);
    tm_proto_event_fields_read(&code, &packet->body);
    if (st < 0 || packet->sequence == NULL ||
        !tm_proto_interned_find(packet->sequence, TM_INTERNED_V8_ISOLATES, code.number[CODE_ISOLATE], &message.data,
                                &message.len))
        return st;
    tm_proto_event_fields_read(&isolate, &message);
    const uint32_t pid = (uint32_t)isolate.number[ISOLATE_PID];
    uint32_t tid = (uint32_t)code.number[CODE_TID];
    if ((st = tm_proto_process_name(rows, pid, NULL, &row, err)) < 0)
        return st;
    const bool has_thread = isolate.has[ISOLATE_RANGE] && (code.has[CODE_TID] || default_tid(packet, &tid));
    return has_thread ? add_thread(rows, pid, tid, &row, err) : TM_OK;
}

/* Events of Android's binder in packets. */
#include "format/ftrace/binder_event.h"
#include "format/perfetto/ftrace_event.h"
#include "perfetto/ftrace_event_fields.h"

#include <stdio.h>

static enum tm_binder_event event_of(uint32_t field)
{
    switch (field) {
    case TM_FTRACE_EVENT_BINDER_TRANSACTION: return TM_BINDER_TRANSACTION;
    case TM_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED: return TM_BINDER_RECEIVED;
    case TM_FTRACE_EVENT_BINDER_LOCK: return TM_BINDER_LOCK;
    case TM_FTRACE_EVENT_BINDER_LOCKED: return TM_BINDER_LOCKED;
    case TM_FTRACE_EVENT_BINDER_UNLOCK: return TM_BINDER_UNLOCK;
    case TM_FTRACE_EVENT_BINDER_COMMAND: return TM_BINDER_COMMAND;
    case TM_FTRACE_EVENT_BINDER_RETURN: return TM_BINDER_RETURN;
    default:
        return TM_BINDER_ALLOC;
    }
}

enum tm_status tm_proto_ftrace_binder(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                      struct tm_error *err)
{
    struct tm_proto_event_fields fields;
    tm_proto_event_fields_read(&fields, f);
    const uint64_t *n = fields.number;
    struct tm_binder_facts facts = {.event = event_of(f->id), .transaction = (int32_t)(uint32_t)n[1]};
    char code[40];
    if (facts.event == TM_BINDER_TRANSACTION) {
        facts.node = (int32_t)(uint32_t)n[2];
        facts.process = (uint32_t)n[3];
        facts.thread = (uint32_t)n[4];
        facts.is_reply = (uint32_t)n[5] == 1;
        facts.flags = (uint32_t)n[7];
        facts.code = code;
        facts.code_len = (size_t)snprintf(code, sizeof code, "0x%02x Java Layer Dependent", (unsigned)(uint32_t)n[6]);
    }
    facts.command = (uint32_t)n[1];
    facts.data_bytes = n[1];
    facts.offsets_bytes = n[3];
    return tm_binder_fill(&facts, rows->sink, row, &rows->detail, err);
}

/* Memory dumps of Chrome, smaps, memory of Vulkan. */
#include "format/perfetto/named_processes.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

enum { SNAPSHOT_PROCESSES = 3, SNAPSHOT_PID = 1, SMAPS_PID = 1, VULKAN_PID = 4 };

static enum tm_status put_arg(struct tm_buf *detail, const struct tm_proto_flag *arg)
{
    size_t mark;
    return tm_pb_begin(detail, TM_PROCESS_DESCRIPTION_ARGS, &mark) == TM_OK &&
                   tm_pb_put_str(detail, TM_ARG_KEY, arg->key) == TM_OK &&
                   tm_pb_put_varint(detail, TM_ARG_BOOL, arg->value) == TM_OK && tm_pb_end(detail, mark) == TM_OK
               ? TM_OK
               : TM_E_SYSTEM;
}

enum tm_status tm_proto_process_name(struct tm_proto_rows *rows, int64_t pid, const struct tm_proto_flag *arg,
                                     const struct tm_event *like, struct tm_error *err)
{
    struct tm_event row = tm_proto_derived(like, TM_KIND_PROCESS);
    size_t mark;
    enum tm_status st = tm_pb_begin(&rows->detail, TM_DETAIL_PROCESS, &mark);
    if (st == TM_OK)
        st = tm_pb_put_varint(&rows->detail, TM_PROCESS_DESCRIPTION_PID, tm_zigzag(pid));
    if (st == TM_OK && arg)
        st = put_arg(&rows->detail, arg);
    if (st == TM_OK)
        st = tm_pb_end(&rows->detail, mark);
    if (st != TM_OK)
        return tm_error_nomem(err);
    row.flags |= TM_EVENT_HAS_PID;
    row.pid = pid;
    return tm_proto_add(rows, &row, err);
}

/* Adds the process whose pid is field ID of MESSAGE. The pid is 0 if the field is absent. */
static enum tm_status name_in(struct tm_proto_rows *rows, const struct tm_pb_field *message, uint32_t id,
                              const struct tm_event *like, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    uint32_t pid = 0;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == id && f.type == TM_PB_VARINT)
            pid = (uint32_t)f.value;
    return tm_proto_process_name(rows, pid, NULL, like, err);
}

enum tm_status tm_proto_named_processes_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                             struct tm_error *err)
{
    struct tm_event row = tm_proto_event(packet, packet->has_time ? TM_KIND_PACKET : TM_KIND_METADATA);
    enum tm_status st = TM_OK;
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    if (!packet->has_time)
        row.flags |= TM_EVENT_DEFINITION;
    if (packet->body.id != TM_PACKET_MEMORY_SNAPSHOT)
        return name_in(rows, &packet->body, packet->body.id == TM_PACKET_SMAPS ? SMAPS_PID : VULKAN_PID, &row, err);
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == SNAPSHOT_PROCESSES && f.type == TM_PB_LEN)
            st = name_in(rows, &f, SNAPSHOT_PID, &row, err);
    return st;
}

#include "format/perfetto/gpu_log.h"

#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/named_row.h"
#include "format/perfetto/numbers.h"
#include "stream/detail_arg.h"

#include <inttypes.h>

enum { LOG_SEVERITY = 1, LOG_TAG = 2, LOG_MESSAGE = 3 };
enum { VULKAN_SUBMIT = 2 };
enum { SUBMIT_DURATION = 1, SUBMIT_PID = 2, SUBMIT_TID = 3, SUBMIT_BUFFERS = 5, SUBMIT_ID = 6 };

static const char *severity_of(const struct tm_proto_event_fields *m)
{
    static const char *const words[] = {"UNSPECIFIED", "VERBOSE", "DEBUG", "INFO", "WARNING", "ERROR"};
    const uint64_t severity = m->number[LOG_SEVERITY];
    return severity < sizeof words / sizeof *words ? words[severity] : "UNKNOWN_SEVERITY";
}

static enum tm_status put_log(struct tm_buf *detail, const struct tm_proto_event_fields *m)
{
    enum tm_status st = TM_OK;
    if (m->has[LOG_TAG])
        st = tm_detail_arg_text(detail, "tag", m->text[LOG_TAG], m->len[LOG_TAG]);
    return st == TM_OK && m->has[LOG_MESSAGE]
               ? tm_detail_arg_text(detail, "message", m->text[LOG_MESSAGE], m->len[LOG_MESSAGE])
               : st;
}

/* Puts the first buffer by itself, as older readers expect, and all as an array. */
static enum tm_status put_buffers(struct tm_proto_rows *rows, struct tm_pb submit)
{
    struct tm_proto_numbers buffers = {.pb = submit, .id = SUBMIT_BUFFERS};
    enum tm_status st = TM_OK;
    uint64_t buffer;
    for (uint32_t i = 0; st == TM_OK && tm_proto_numbers_next(&buffers, &buffer) && tm_proto_detail_takes(rows); i++) {
        if (i == 0)
            st = tm_detail_arg_uint(&rows->detail, "command_buffer", buffer);
        tm_buf_clear(&rows->key);
        if (st == TM_OK && (st = tm_buf_addf(&rows->key, "command_buffers[%" PRIu32 "]", i)) == TM_OK)
            st = tm_detail_arg_number(&rows->detail, &rows->key, TM_ARG_UINT, buffer);
    }
    return st;
}

static enum tm_status put_submit(struct tm_proto_rows *rows, const struct tm_pb_field *submit,
                                 const struct tm_proto_event_fields *m)
{
    enum tm_status st = tm_detail_arg_int(&rows->detail, "pid", (uint32_t)m->number[SUBMIT_PID]);
    if (st == TM_OK)
        st = tm_detail_arg_int(&rows->detail, "tid", (uint32_t)m->number[SUBMIT_TID]);
    if (st == TM_OK)
        st = put_buffers(rows, tm_pb_of(submit->data, submit->len));
    return st == TM_OK ? tm_detail_arg_int(&rows->detail, "submission_id", (uint32_t)m->number[SUBMIT_ID]) : st;
}

enum tm_status tm_proto_gpu_log_add(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                    const struct tm_event *event, struct tm_error *err)
{
    struct tm_event row = tm_proto_derived(event, TM_KIND_INSTANT);
    struct tm_pb_field submit = packet->body;
    struct tm_proto_event_fields m;
    const bool is_log = packet->body.id == TM_PACKET_GPU_LOG;
    tm_proto_event_fields_read(&m, &packet->body);
    if (!is_log && !m.has[VULKAN_SUBMIT])
        return TM_OK;
    if (!is_log) {
        submit = (struct tm_pb_field){.data = m.text[VULKAN_SUBMIT], .len = m.len[VULKAN_SUBMIT]};
        tm_proto_event_fields_read(&m, &submit);
        row.kind = TM_KIND_SLICE_COMPLETE;
        row.dur_ns = (int64_t)m.number[SUBMIT_DURATION];
    }
    const char *name = is_log ? severity_of(&m) : "vkQueueSubmit";
    const struct tm_proto_named_row named = {.type = is_log ? TM_NAMED_TRACK_GPU_LOG : TM_NAMED_TRACK_VULKAN};
    enum tm_status st = tm_proto_named_row_on(rows, &named, is_log ? "GPU Log" : "Vulkan Events", &row, err);
    if (row.kind == TM_KIND_INSTANT)
        row.flags &= ~(uint32_t)TM_EVENT_ASYNC;
    if (st >= 0 && (is_log ? put_log(&rows->detail, &m) : put_submit(rows, &submit, &m)) < 0)
        return tm_error_nomem(err);
    if (st >= 0)
        st = tm_proto_string(rows, name, strlen(name), &row.name, err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}

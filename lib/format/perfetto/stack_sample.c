#include "format/perfetto/stack_sample.h"

#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/sample.h"
#include "format/perfetto/sequence.h"
#include "format/perfetto/stack_counts.h"
#include "stream/detail_arg.h"

enum { SAMPLE_TASK = 1, SAMPLE_TASK_IID = 2, SAMPLE_PLACE = 3, SAMPLE_PLACE_IID = 4 };
enum { SAMPLE_STACK = 5, SAMPLE_STACK_IID = 6 };
enum { TASK_PID = 2, TASK_TID = 3, PLACE_CPU = 2, PLACE_MODE = 3 };
enum { STACK_FRAMES = 1, FRAME_FUNCTION = 1, FRAME_FILE = 2, FRAME_LINE = 3 };

/* Reads into PART the message in field ID of the sample M, or the interned one in LIST whose number is in the field
 * after ID. */
static void read_part(const struct tm_proto_packet *packet, const struct tm_proto_event_fields *m, uint32_t id,
                      uint32_t list, struct tm_proto_event_fields *part)
{
    struct tm_pb_field message = {.data = m->text[id], .len = m->len[id]};
    if (!m->has[id] && m->has[id + 1] && packet->sequence)
        (void)tm_proto_interned_find(packet->sequence, list, m->number[id + 1], &message.data, &message.len);
    tm_proto_event_fields_read(part, &message);
}

/* Puts the source that the sequence's defaults state. */
static enum tm_status put_source(struct tm_proto_rows *rows, const struct tm_proto_packet *packet)
{
    const struct tm_pb_field defaults = tm_proto_stack_defaults(packet);
    const struct tm_text source = tm_proto_stack_source(&defaults);
    return tm_detail_arg_text(&rows->detail, "source", source.data ? (const char *)source.data : "", source.len);
}

static enum tm_status put_mode(struct tm_buf *detail, uint64_t mode)
{
    static const char *const modes[] = {NULL, "user", "kernel", "hypervisor", "guest_user", "guest_kernel"};
    return mode < sizeof modes / sizeof *modes && modes[mode]
               ? tm_detail_arg_text(detail, "cpu_mode", modes[mode], strlen(modes[mode]))
               : TM_OK;
}

static enum tm_status put_frame(struct tm_buf *detail, const struct tm_pb_field *frame)
{
    static const char mapping[] = "stack_sample_inline"; /* the reference importer names it so */
    struct tm_proto_event_fields m;
    size_t mark;
    tm_proto_event_fields_read(&m, frame);
    enum tm_status st = tm_pb_begin(detail, TM_DETAIL_FRAMES, &mark);
    if (st == TM_OK)
        st = tm_pb_put_bytes(detail, TM_STACK_FRAME_FUNCTION, m.text[FRAME_FUNCTION], m.len[FRAME_FUNCTION]);
    if (st == TM_OK)
        st = tm_pb_put_bytes(detail, TM_STACK_FRAME_MAPPING, mapping, sizeof mapping - 1);
    if (st == TM_OK && m.has[FRAME_FILE])
        st = tm_pb_put_bytes(detail, TM_STACK_FRAME_FILE, m.text[FRAME_FILE], m.len[FRAME_FILE]);
    if (st == TM_OK && m.has[FRAME_LINE])
        st = tm_pb_put_varint(detail, TM_STACK_FRAME_LINE, (uint32_t)m.number[FRAME_LINE]);
    return st == TM_OK ? tm_pb_end(detail, mark) : st;
}

/* Puts the frames of a stack that the packet itself has, outermost first, up to a number of frames or until the detail
 * is full. */
static enum tm_status put_frames(struct tm_proto_rows *rows, struct tm_pb stack)
{
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    for (int left = TM_PROTO_FRAMES_MAX; st == TM_OK && tm_pb_next(&stack, &f) == TM_OK;) {
        if (f.id != STACK_FRAMES || f.type != TM_PB_LEN)
            continue;
        rows->is_cut |= left == 0;
        if (left-- == 0 || !tm_proto_detail_takes(rows))
            break;
        st = put_frame(&rows->detail, &f);
    }
    return st;
}

enum tm_status tm_proto_stack_sample_read(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                          const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_event row = tm_proto_event(packet, TM_KIND_SAMPLE);
    struct tm_proto_event_fields m, task, place;
    tm_proto_event_fields_read(&m, &packet->body);
    read_part(packet, &m, SAMPLE_TASK, TM_INTERNED_SAMPLE_TASKS, &task);
    read_part(packet, &m, SAMPLE_PLACE, TM_INTERNED_SAMPLE_PLACES, &place);
    const uint64_t session = tm_proto_sample_session(sequences, packet->sequence);
    if (!packet->has_time) {
        row = tm_proto_packet_event(packet);
        return tm_proto_add(rows, &row, err);
    }
    row.flags |= (task.has[TASK_TID] ? TM_EVENT_HAS_TID : 0u) | (task.has[TASK_PID] ? TM_EVENT_HAS_PID : 0u) |
                 (place.has[PLACE_CPU] ? TM_EVENT_HAS_CPU : 0u);
    row.tid = (int64_t)(uint32_t)task.number[TASK_TID];
    row.pid = (int64_t)(uint32_t)task.number[TASK_PID];
    row.cpu = (uint32_t)place.number[PLACE_CPU];
    if (put_source(rows, packet) < 0 || put_mode(&rows->detail, place.number[PLACE_MODE]) < 0)
        return tm_error_nomem(err);
    enum tm_status st = TM_OK;
    if (m.has[SAMPLE_STACK_IID] && packet->sequence)
        st = tm_proto_stack_put(rows, packet->sequence, m.number[SAMPLE_STACK_IID], err);
    else if (m.has[SAMPLE_STACK] && put_frames(rows, tm_pb_of(m.text[SAMPLE_STACK], m.len[SAMPLE_STACK])) < 0)
        st = tm_error_nomem(err);
    if (st >= 0)
        st = tm_proto_add(rows, &row, err);
    return st < 0 || !rows->sink->want_packet_args ? st : tm_proto_stack_counts_add(rows, packet, &row, session, err);
}

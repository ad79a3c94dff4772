#include "format/child_event.h"

#include "base/bytes.h"

/* Layout: kind, with IS_CUT (1 byte), buffer (2), length of event (2), of task (2), of args (4), cpu, tid, pid (4
 * each), time, cycles, lost, lost_packets (8 each), the texts. */
enum { AT_BUFFER = 1, AT_EVENT = 3, AT_TASK = 5, AT_ARGS = 7, AT_CPU = 11, AT_TID = 15, AT_PID = 19, AT_TIME = 23 };
enum { AT_CYCLES = 31, AT_LOST = 39, AT_LOST_PACKETS = 47, HEAD_LEN = 55, IS_CUT = 1 << 7 };

static uint16_t short_len(struct tm_text text)
{
    return text.len < UINT16_MAX ? (uint16_t)text.len : UINT16_MAX;
}

enum tm_status tm_child_event_put(const struct tm_child_event *record, struct tm_buf *out)
{
    uint16_t event = short_len(record->event), task = short_len(record->task);
    uint32_t args = record->args.len < TM_CHILD_EVENT_TEXT_MAX ? (uint32_t)record->args.len : TM_CHILD_EVENT_TEXT_MAX;
    if (tm_buf_reserve(out, HEAD_LEN + (size_t)event + task + args) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *p = out->data + out->len;
    p[0] = (uint8_t)(record->kind | (record->is_cut || args < record->args.len ? IS_CUT : 0));
    tm_put_le16(p + AT_BUFFER, record->buffer);
    tm_put_le16(p + AT_EVENT, event);
    tm_put_le16(p + AT_TASK, task);
    tm_put_le32(p + AT_ARGS, args);
    tm_put_le32(p + AT_CPU, (uint32_t)record->cpu);
    tm_put_le32(p + AT_TID, (uint32_t)record->tid);
    tm_put_le32(p + AT_PID, (uint32_t)record->pid);
    tm_put_le64(p + AT_TIME, (uint64_t)record->time_ns);
    tm_put_le64(p + AT_CYCLES, (uint64_t)record->cycles);
    tm_put_le64(p + AT_LOST, record->lost);
    tm_put_le64(p + AT_LOST_PACKETS, record->lost_packets);
    out->len += HEAD_LEN;
    enum tm_status st = tm_buf_add(out, record->event.data, event);
    if (st == TM_OK)
        st = tm_buf_add(out, record->task.data, task);
    return st == TM_OK ? tm_buf_add(out, record->args.data, args) : st;
}

enum tm_status tm_child_event_read(struct tm_child_event *record, struct tm_input *in, struct tm_error *err)
{
    enum tm_status st = tm_input_fill(in, HEAD_LEN, err);
    if (st != TM_OK)
        return st;
    const uint8_t *p = in->data;
    uint8_t kind = p[0] & (IS_CUT - 1);
    bool is_cut = p[0] & IS_CUT;
    size_t event = tm_get_le16(p + AT_EVENT), task = tm_get_le16(p + AT_TASK), args = tm_get_le32(p + AT_ARGS);
    if (kind < TM_CHILD_EVENT || kind > TM_CHILD_EVENT_CLOCK || args > TM_CHILD_EVENT_TEXT_MAX)
        return tm_error_set(err, TM_E_INPUT, "the reader process sent an invalid record");
    if ((st = tm_input_fill(in, HEAD_LEN + event + task + args, err)) != TM_OK)
        return st;
    p = in->data;
    const char *text = (const char *)p + HEAD_LEN;
    *record = (struct tm_child_event){
        .kind = (enum tm_child_event_kind)kind, .buffer = tm_get_le16(p + AT_BUFFER),
        .time_ns = (int64_t)tm_get_le64(p + AT_TIME), .cycles = (int64_t)tm_get_le64(p + AT_CYCLES),
        .cpu = (int32_t)tm_get_le32(p + AT_CPU), .tid = (int32_t)tm_get_le32(p + AT_TID),
        .pid = (int32_t)tm_get_le32(p + AT_PID),
        .is_cut = is_cut, .lost = tm_get_le64(p + AT_LOST),
        .lost_packets = tm_get_le64(p + AT_LOST_PACKETS), .event = tm_text_at(text, event),
        .task = tm_text_at(text + event, task), .args = tm_text_at(text + event + task, args)};
    tm_input_skip(in, HEAD_LEN + event + task + args);
    return TM_OK;
}

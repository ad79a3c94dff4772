#include "emit/perfetto/sched_event.h"

#include "base/pb.h"

enum { NUMBERS_MAX = 8 }; /* numeric fields, including the heads of both messages */

/* Returns the largest number of bytes that text_at writes for TEXT, including those that it does not count. */
static inline size_t text_max(struct tm_text text)
{
    return TM_PB_FIELD_MAX + TM_CATALOG_TEXT_SLACK + text.len;
}

/* Writes TEXT, the string STRING, as field ID at P, unless it has no data. Names of tasks are short, and their length
 * is unpredictable; copying a fixed size avoids a mispredicted branch. */
static inline uint8_t *text_at(uint8_t *p, uint32_t id, uint32_t string, struct tm_text text)
{
    if (text.data == NULL)
        return p;
    if (string & TM_STRING_INLINE || text.len > TM_CATALOG_TEXT_SLACK)
        return tm_pb_bytes_at(p, id, text.data, text.len);
    p = tm_pb_tag_put(p, id, TM_PB_LEN);
    *p = (uint8_t)text.len;
    memcpy(p + 1, text.data, TM_CATALOG_TEXT_SLACK);
    return p + 1 + text.len;
}

/* Writes the fields of E after its time at P, where there is room. *BODY is where the length of the last message
 * belongs. */
static inline uint8_t *put_switch(uint8_t *p, const struct tm_event *e, const struct tm_text names[2], uint64_t state,
                                  uint8_t **body)
{
    p = tm_pb_varint_at(p, TM_FTRACE_EVENT_PID, (uint64_t)e->tid);
    *body = tm_pb_tag_put(p, TM_FTRACE_EVENT_SCHED_SWITCH, TM_PB_LEN);
    p = text_at(*body + 1, TM_SWITCH_PREV_COMM, e->category, names[1]);
    p = tm_pb_varint_at(p, TM_SWITCH_PREV_PID, (uint64_t)e->tid);
    p = tm_pb_varint_at(p, TM_SWITCH_PREV_PRIO, (uint64_t)(int64_t)tm_event_prev_priority(e));
    p = tm_pb_varint_at(p, TM_SWITCH_PREV_STATE, state);
    p = text_at(p, TM_SWITCH_NEXT_COMM, e->name, names[0]);
    p = tm_pb_varint_at(p, TM_SWITCH_NEXT_PID, (uint64_t)e->pid);
    return tm_pb_varint_at(p, TM_SWITCH_NEXT_PRIO, (uint64_t)(int64_t)tm_event_next_priority(e));
}

/* The common_flags of a waking in compact_sched are left out: the reference takes this field of a FtraceEvent for an
 * event without a name. */
static inline uint8_t *put_waking(uint8_t *p, const struct tm_event *e, struct tm_text name, uint8_t **body)
{
    if (e->flags & TM_EVENT_HAS_PID)
        p = tm_pb_varint_at(p, TM_FTRACE_EVENT_PID, (uint64_t)e->pid);
    *body = tm_pb_tag_put(p, TM_FTRACE_EVENT_SCHED_WAKING, TM_PB_LEN);
    p = text_at(*body + 1, TM_WAKING_COMM, e->name, name);
    p = tm_pb_varint_at(p, TM_WAKING_PID, (uint64_t)e->tid);
    p = tm_pb_varint_at(p, TM_WAKING_PRIO, (uint64_t)(int64_t)tm_event_waking_priority(e));
    return tm_pb_varint_at(p, TM_WAKING_TARGET_CPU, (uint64_t)(int64_t)tm_event_waking_cpu(e));
}

enum tm_status tm_sched_event_put(struct tm_buf *out, const struct tm_catalog *catalog, const struct tm_event *e,
                                  uint64_t state)
{
    bool is_switch = e->kind == TM_KIND_SCHED_SWITCH;
    const struct tm_text names[2] = {tm_catalog_string(catalog, e->name, e),
                                     is_switch ? tm_catalog_string(catalog, e->category, e) : (struct tm_text){0}};
    uint8_t *body;
    if (tm_buf_reserve(out, NUMBERS_MAX * TM_PB_FIELD_MAX + text_max(names[0]) + text_max(names[1])) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *event = tm_pb_tag_put(out->data + out->len, TM_BUNDLE_EVENT, TM_PB_LEN);
    uint8_t *p = tm_pb_varint_at(event + 1, TM_FTRACE_EVENT_TIMESTAMP, (uint64_t)e->time_ns);
    p = is_switch ? put_switch(p, e, names, state, &body) : put_waking(p, e, names[0], &body);
    out->len = (size_t)(p - out->data);
    if (p - event <= 0x80) { /* both lengths take one byte */
        *body = (uint8_t)(p - body - 1);
        *event = (uint8_t)(p - event - 1);
        return TM_OK;
    }
    size_t mark = (size_t)(event - out->data);
    enum tm_status st = tm_pb_end(out, (size_t)(body - out->data));
    return st < 0 ? st : tm_pb_end(out, mark);
}

#include "perfetto/compact_rows.h"

#include "base/bytes.h"
#include "stream/detail_fields.h"

enum tm_status tm_compact_rows_open(struct tm_compact_rows *r, const struct tm_event *whole, struct tm_error *err)
{
    struct tm_compact_reader *reader = &r->reader;
    enum tm_status st = tm_compact_reader_open(reader, whole->raw, whole->raw_bytes);
    if (st == TM_E_SYSTEM)
        return tm_error_nomem(err);
    if (st == TM_OK)
        tm_compact_reader_start(reader);
    if (st < 0 || (!reader->switches.has && !reader->wakings.has))
        return tm_error_set(err, TM_E_INPUT, "event %llu: raw bytes are not a valid CompactSched",
                            (unsigned long long)whole->position);
    uint64_t first = !reader->switches.has || (reader->wakings.has && reader->wakings.time < reader->switches.time)
                         ? reader->wakings.time
                         : reader->switches.time;
    r->whole = *whole;
    r->shift = (uint64_t)whole->time_ns - first;
    r->is_known = whole->flags & TM_EVENT_HAS_TID;
    r->pid = (int32_t)whole->tid;
    r->prio = (int16_t)(whole->value >> 48);
    r->comm = UINT32_MAX;
    return TM_OK;
}

/* Makes TEXT an inline string of the event. */
static enum tm_status put_text(struct tm_compact_rows *r, const void *text, size_t len, uint32_t *string,
                               struct tm_error *err)
{
    *string = TM_STRING_INLINE | (uint32_t)(r->detail.len + 1); /* after the tag of one byte */
    return tm_pb_put_bytes(&r->detail, TM_DETAIL_TEXT, text, len) == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status put_comm(struct tm_compact_rows *r, uint32_t comm, uint32_t *string, struct tm_error *err)
{
    const struct tm_compact_comm *text = tm_compact_reader_comm(&r->reader, comm);
    return put_text(r, text->len ? text->data : (const uint8_t *)"", text->len, string, err);
}

/* Returns name COMM of the table as an inline string in the message. */
static uint32_t comm_in_message(const struct tm_compact_rows *r, uint32_t comm)
{
    return TM_STRING_INLINE | (uint32_t)tm_compact_reader_comm(&r->reader, comm)->at;
}

/* Copies the category of the whole row, because the detail of that row is not passed on. */
static enum tm_status put_category(struct tm_compact_rows *r, uint32_t *string, struct tm_error *err)
{
    const struct tm_event *w = &r->whole;
    uint32_t at = w->category & ~TM_STRING_INLINE;
    uint64_t len;
    *string = w->category;
    if (!(w->category & TM_STRING_INLINE))
        return TM_OK;
    const uint8_t *end = w->detail + w->detail_bytes,
                  *text = at < w->detail_bytes ? tm_varint_get(w->detail + at, end, &len) : NULL;
    *string = 0;
    return text && len <= (uint64_t)(end - text) ? put_text(r, text, (size_t)len, string, err) : TM_OK;
}

enum tm_status tm_compact_rows_next(struct tm_compact_rows *r, struct tm_event *e, struct tm_error *err)
{
    const uint32_t of_whole = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | TM_EVENT_RAW_MASK;
    struct tm_compact_event c;
    enum tm_status st = TM_OK;
    if (!tm_compact_reader_next(&r->reader, &c))
        return TM_END;
    r->detail.len = 0;
    *e = r->whole;
    e->flags = (e->flags & ~of_whole) | tm_event_raw_flags(TM_RAW_COMPACT_SCHED) | TM_EVENT_HAS_VALUE;
    e->time_ns = (int64_t)(c.time + r->shift);
    e->dur_ns = 0;
    e->category = 0;
    e->tid = e->pid = 0;
    bool borrows = r->borrows_names && (c.is_waking || r->comm != UINT32_MAX);
    if (borrows)
        e->name = comm_in_message(r, c.comm);
    else if ((st = put_comm(r, c.comm, &e->name, err)) < 0)
        return st;
    if (c.is_waking) {
        e->kind = TM_KIND_SCHED_WAKING;
        e->flags |= TM_EVENT_HAS_TID | (r->is_known ? TM_EVENT_HAS_PID : 0);
        e->tid = c.pid;
        e->pid = r->pid;
        e->value = tm_event_waking_value(c.prio, c.target_cpu);
        e->track = c.state;
    } else {
        e->kind = TM_KIND_SCHED_SWITCH;
        e->flags |= TM_EVENT_HAS_PID | (r->is_known ? TM_EVENT_HAS_TID : 0);
        e->pid = c.pid;
        e->tid = r->pid;
        e->value = tm_event_switch_value(c.state, c.prio, r->prio);
        e->track = c.state >> 31;
        if (r->is_known && borrows)
            e->category = comm_in_message(r, r->comm);
        else if (r->is_known)
            st = r->comm == UINT32_MAX ? put_category(r, &e->category, err) : put_comm(r, r->comm, &e->category, err);
        r->is_known = true;
        r->pid = c.pid;
        r->prio = c.prio;
        r->comm = c.comm;
    }
    r->whole.position += r->whole.position < UINT64_MAX;
    e->raw = NULL;
    e->raw_bytes = 0;
    e->detail = borrows ? r->whole.raw : r->detail.data;
    e->detail_bytes = borrows ? r->whole.raw_bytes : (uint32_t)r->detail.len;
    return st;
}

void tm_compact_rows_release(struct tm_compact_rows *r)
{
    tm_compact_reader_release(&r->reader);
    tm_buf_release(&r->detail);
}

/* Rules: importers/etw/etw_tokenizer.cc and etw_parser.cc of Perfetto. */
#include "format/perfetto/etw.h"

#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/system.h"
#include "kernel/sched_state.h"
#include "kernel/windows_states.h"
#include "perfetto/etw_fields.h"

#include <stdio.h>

#define UNNAMED_TID ((int64_t)UINT32_MAX) /* of a thread that the recording hides */

enum { SWITCH_NEW_TID = 1, SWITCH_OLD_TID, SWITCH_NEW_PRIORITY, SWITCH_OLD_PRIORITY };
enum { SWITCH_OLD_STATE = 8, SWITCH_OLD_REASON_NUMBER = 11, SWITCH_OLD_STATE_NUMBER = 13 };
enum { READY_TID = 1 };

/* A bundle and one of its events. */
struct etw {
    struct tm_proto_rows *rows;
    const struct tm_proto_packet *packet;
    bool has_cpu; /* the bundle states one */
    uint32_t cpu;
    struct tm_pb_field what; /* the event's message; id 0: it has none */
    struct tm_buf raw;       /* scratch: the raw payload of a row */
    struct tm_error *err;
};

static int32_t s32(uint64_t value)
{
    return (int32_t)tm_unzigzag(value);
}

static enum tm_status name_unnamed(struct etw *w, int64_t tid, uint32_t *name)
{
    static const char text[] = "Anonymized Process";
    return tid == UNNAMED_TID ? tm_proto_string(w->rows, text, sizeof text - 1, name, w->err) : TM_OK;
}

static int64_t tid_of(const struct tm_proto_event_fields *m, uint32_t field)
{
    return m->has[field] ? (int64_t)(uint32_t)m->number[field] : UNNAMED_TID;
}

static uint32_t old_state(const struct tm_proto_event_fields *m)
{
    return m->has[SWITCH_OLD_STATE] ? (uint32_t)m->number[SWITCH_OLD_STATE]
                                    : (uint32_t)s32(m->number[SWITCH_OLD_STATE_NUMBER]);
}

static enum tm_status fill_switch(struct etw *w, struct tm_event *row)
{
    struct tm_proto_event_fields m;
    tm_proto_event_fields_read(&m, &w->what);
    const int32_t new_priority = s32(m.number[SWITCH_NEW_PRIORITY]);
    row->kind = TM_KIND_SCHED_SWITCH;
    row->flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | TM_EVENT_HAS_VALUE | TM_EVENT_HAS_TRACK;
    row->tid = tid_of(&m, SWITCH_OLD_TID);
    row->pid = tid_of(&m, SWITCH_NEW_TID);
    row->track = (uint32_t)new_priority;
    row->value = tm_event_switch_value(0, new_priority, s32(m.number[SWITCH_OLD_PRIORITY])) | TM_SCHED_STATE_FLAGS |
                 TM_SCHED_STATE_WINDOWS | (old_state(&m) & UINT8_MAX);
    enum tm_status st = name_unnamed(w, row->pid, &row->name);
    return st < 0 ? st : name_unnamed(w, row->tid, &row->category);
}

/* Adds the reason for which the previous thread of a switch waits. Only the number of the reason is read, not its name,
 * as in the reference importer. */
static enum tm_status add_reason(struct etw *w, const struct tm_event *row)
{
    struct tm_proto_event_fields m;
    tm_proto_event_fields_read(&m, &w->what);
    const uint32_t reason = m.number[SWITCH_OLD_REASON_NUMBER] & UINT8_MAX;
    const char *name = tm_windows_wait_name(reason);
    if (old_state(&m) != TM_WINDOWS_STATE_WAITING)
        return TM_OK;
    struct tm_event why = tm_proto_derived(row, TM_KIND_BLOCKED_REASON);
    why.flags |= TM_EVENT_HAS_TID | TM_EVENT_HAS_VALUE;
    why.tid = row->tid;
    why.pid = 0;
    why.track = 0;
    why.value = tm_windows_wait_is_io(reason);
    enum tm_status st = name ? tm_proto_string(w->rows, name, strlen(name), &why.name, w->err) : TM_OK;
    return st < 0 ? st : tm_proto_add(w->rows, &why, w->err);
}

static enum tm_status fill_ready(struct etw *w, struct tm_event *row)
{
    struct tm_proto_event_fields m;
    tm_proto_event_fields_read(&m, &w->what);
    row->kind = TM_KIND_SCHED_WAKING;
    row->flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    row->pid = row->tid;
    row->tid = (int64_t)(uint32_t)m.number[READY_TID];
    return TM_OK;
}

static enum tm_status add_pages(struct etw *w, const struct tm_event *row, const char *what, uint64_t count)
{
    struct tm_event e = tm_proto_derived(row, TM_KIND_COUNTER);
    char name[64];
    e.flags |= tm_event_scope_flags(TM_SCOPE_GLOBAL);
    e.tid = 0;
    e.value = 0;
    snprintf(name, sizeof name, "%s Page Count", what);
    const double pages = (double)count;
    e.flags |= TM_EVENT_VALUE_DOUBLE;
    uint64_t bits;
    memcpy(&bits, &pages, sizeof bits);
    return tm_proto_counter_add(w->rows, &e, name, bits, w->err);
}

/* Adds the counts of pages in FIELD, one for each priority of memory. */
static enum tm_status add_by_priority(struct etw *w, const struct tm_event *row, uint32_t field, const char *what)
{
    struct tm_pb pb = tm_pb_of(w->what.data, w->what.len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    for (unsigned priority = 0; st >= 0 && tm_pb_next(&pb, &f) == TM_OK;) {
        char name[48];
        if (f.id != field || f.type != TM_PB_VARINT)
            continue;
        snprintf(name, sizeof name, "%s Pri-%u", what, priority++);
        st = add_pages(w, row, name, f.value);
    }
    return st;
}

static enum tm_status add_memory(struct etw *w, const struct tm_event *row)
{
    enum { STANDBY = 7, REPURPOSED = 8 };
    static const struct {
        uint32_t field;
        const char *name;
    } counts[] = {{2, "Zero"},       {3, "Free"},
                  {4, "Modified"},   {5, "ModifiedNoWrite"},
                  {6, "Bad"},        {9, "ModifiedPageFile"},
                  {10, "PagedPool"}, {11, "NonPagedPool"},
                  {12, "Mdl"},       {13, "Commit"}};
    struct tm_proto_event_fields m;
    enum tm_status st = TM_OK;
    tm_proto_event_fields_read(&m, &w->what);
    for (size_t i = 0; st >= 0 && i < sizeof counts / sizeof *counts; i++)
        st = add_pages(w, row, counts[i].name, m.number[counts[i].field]);
    if (st >= 0)
        st = add_by_priority(w, row, STANDBY, "Standby");
    return st < 0 ? st : add_by_priority(w, row, REPURPOSED, "Repurposed");
}

/* Fills the row of an event of a known kind. */
static enum tm_status fill(struct etw *w, struct tm_event *row)
{
    switch (w->what.id) {
    case TM_ETW_EVENT_SWITCH: return fill_switch(w, row);
    case TM_ETW_EVENT_READY: return fill_ready(w, row);
    default: return tm_proto_etw_request(w->rows, &w->what, w->packet, row, w->err);
    }
}

/* Makes the raw payload of a row: a packet whose bundle has only event F. */
static enum tm_status make_raw(struct etw *w, const struct tm_pb_field *f, struct tm_event *row)
{
    struct tm_buf *out = &w->raw;
    size_t mark;
    tm_buf_clear(out);
    row->raw_bytes = 0;
    if (!tm_raw_choice_has(&w->rows->sink->raw, TM_RAW_PACKET))
        return TM_OK;
    enum tm_status st = tm_pb_begin(out, TM_PACKET_ETW_EVENTS, &mark);
    if (st == TM_OK && w->has_cpu)
        st = tm_pb_put_varint(out, TM_ETW_BUNDLE_CPU, w->cpu);
    if (st == TM_OK)
        st = tm_buf_add(out, f->start, (size_t)(f->end - f->start));
    if (st < 0 || tm_pb_end(out, mark) < 0)
        return tm_error_nomem(w->err);
    row->raw = out->data;
    row->raw_bytes = (uint32_t)out->len;
    return TM_OK;
}

/* Reads time, cpu and thread of event F into ROW. False: no time, or no valid cpu. */
static bool read_head(struct etw *w, const struct tm_pb_field *f, struct tm_event *row)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g;
    bool has_time = false;
    w->what.id = 0;
    while (tm_pb_next(&pb, &g) == TM_OK) {
        if (g.type == TM_PB_LEN) {
            w->what = w->what.id ? w->what : g;
        } else if (g.id == TM_ETW_EVENT_TIMESTAMP) {
            has_time = true;
            row->time_ns = (int64_t)g.value;
        } else if (g.id == TM_ETW_EVENT_CPU) {
            row->flags |= TM_EVENT_HAS_CPU;
            row->cpu = (uint32_t)g.value;
        } else if (g.id == TM_ETW_EVENT_THREAD) {
            row->tid = (int64_t)(uint32_t)g.value;
        }
    }
    return has_time && row->flags & TM_EVENT_HAS_CPU && row->cpu < TM_PROTO_CPU_MAX;
}

static enum tm_status add_event(struct etw *w, const struct tm_pb_field *f)
{
    struct tm_event row = {.kind = TM_KIND_PACKET,
                           .flags = tm_event_raw_flags(TM_RAW_PACKET) | tm_event_scope_flags(TM_SCOPE_CPU) |
                                    TM_EVENT_HAS_TID | (w->has_cpu ? TM_EVENT_HAS_CPU : 0u),
                           .machine = w->packet->machine,
                           .sequence = w->packet->sequence_id,
                           .generation = w->packet->generation,
                           .cpu = w->cpu};
    if (!read_head(w, f, &row))
        return tm_proto_count_account(&w->rows->counts, TM_DROP_DAMAGED, 0, w->packet->byte, w->err);
    enum tm_status st = w->what.id ? fill(w, &row) : TM_OK;
    if (st >= 0)
        st = make_raw(w, f, &row);
    if (st >= 0)
        st = tm_proto_add(w->rows, &row, w->err);
    if (st >= 0 && w->what.id == TM_ETW_EVENT_SWITCH)
        st = add_reason(w, &row);
    else if (st >= 0 && w->what.id == TM_ETW_EVENT_MEMORY)
        st = add_memory(w, &row);
    return st;
}

/* Makes the packet without its events. */
static enum tm_status make_rest(struct etw *w)
{
    struct tm_pb pb = tm_pb_of(w->packet->raw, w->packet->raw_len), inner;
    struct tm_buf *out = &w->raw;
    struct tm_pb_field f, g;
    size_t mark;
    enum tm_status st = TM_OK;
    tm_buf_clear(out);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_PACKET_ETW_EVENTS || f.type != TM_PB_LEN) {
            st = tm_buf_add(out, f.start, (size_t)(f.end - f.start));
            continue;
        }
        inner = tm_pb_of(f.data, f.len);
        st = tm_pb_begin(out, f.id, &mark);
        while (st == TM_OK && tm_pb_next(&inner, &g) == TM_OK)
            if (g.id != TM_ETW_BUNDLE_EVENT)
                st = tm_buf_add(out, g.start, (size_t)(g.end - g.start));
        st = st == TM_OK ? tm_pb_end(out, mark) : st;
    }
    return st;
}

static enum tm_status add_rest(struct etw *w)
{
    struct tm_event row = tm_proto_event(w->packet, TM_KIND_PACKET);
    if (make_rest(w) < 0)
        return tm_error_nomem(w->err);
    row.flags |= w->packet->has_time ? 0u : (unsigned)TM_EVENT_DEFINITION;
    row.raw = w->raw.data;
    row.raw_bytes = (uint32_t)w->raw.len;
    return tm_proto_add(w->rows, &row, w->err);
}

enum tm_status tm_proto_etw_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct etw w = {.rows = rows, .packet = packet, .err = err};
    const struct tm_pb body = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    enum tm_status st;
    struct tm_pb pb = body;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK)
        if (f.id == TM_ETW_BUNDLE_CPU && f.type == TM_PB_VARINT) {
            w.has_cpu = true;
            w.cpu = (uint32_t)f.value;
        }
    if (st < 0)
        return tm_error_set(err, TM_E_INPUT, "damaged bundle of ETW events");
    st = add_rest(&w);
    for (pb = body; st >= 0 && tm_pb_next(&pb, &f) == TM_OK;)
        if (f.id == TM_ETW_BUNDLE_EVENT && f.type == TM_PB_LEN)
            st = add_event(&w, &f);
    tm_buf_release(&w.raw);
    return st;
}

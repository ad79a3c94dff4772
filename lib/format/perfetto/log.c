#include "format/perfetto/log.h"

#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/packet_rows.h"
#include "perfetto/message_fields.h"
#include "stream/detail_arg.h"

#include <inttypes.h>

/* perfetto/trace/android/android_log.proto: an argument of an event */
enum { ARG_NAME = 1, ARG_INT = 2, ARG_FLOAT = 3, ARG_STRING = 4 };
enum { PRIORITY_INFO = 4 /* for messages without a priority */ };
enum { AT_PACKET, OWN_TIMES, PASSES }; /* DERIVED rows follow the packet's row at once */

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

/* Appends " name=value" to TEXT. */
static enum tm_status put_arg(struct tm_buf *text, const struct tm_pb_field *arg)
{
    struct tm_pb pb = tm_pb_of(arg->data, arg->len);
    struct tm_pb_field f, name = {0}, value = {0};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == ARG_NAME && f.type == TM_PB_LEN)
            name = f;
        else if ((f.id == ARG_INT && f.type == TM_PB_VARINT) || (f.id == ARG_FLOAT && f.type == TM_PB_I32) ||
                 (f.id == ARG_STRING && f.type == TM_PB_LEN))
            value = f;
    }
    if (name.id == 0)
        return TM_OK;
    enum tm_status st = text->len ? tm_buf_add_byte(text, ' ') : TM_OK;
    if (st == TM_OK)
        st = tm_buf_add(text, name.data, name.len);
    if (st == TM_OK)
        st = tm_buf_add_byte(text, '=');
    if (st < 0 || value.id == 0)
        return st;
    if (value.id == ARG_INT)
        return tm_buf_addf(text, "%" PRId64, (int64_t)value.value);
    if (value.id == ARG_FLOAT)
        return tm_buf_addf(text, "%f", (double)float_of(value.value));
    if ((st = tm_buf_add_byte(text, '"')) == TM_OK && (st = tm_buf_add(text, value.data, value.len)) == TM_OK)
        st = tm_buf_add_byte(text, '"');
    return st;
}

static enum tm_status take_field(struct tm_proto_rows *rows, struct tm_event *row, const struct tm_pb_field *f,
                                 struct tm_error *err)
{
    bool is_number = f->type == TM_PB_VARINT;
    switch (f->id) {
    case TM_LOG_EVENT_PID:
    case TM_LOG_EVENT_TID:
        if (is_number)
            *(f->id == TM_LOG_EVENT_PID ? &row->pid : &row->tid) = (uint32_t)f->value;
        return TM_OK;
    case TM_LOG_EVENT_UID:
        if (!is_number || !rows->sink->want_detail)
            return TM_OK;
        return tm_detail_arg_int(&rows->detail, "uid", (int32_t)f->value) < 0 ? tm_error_nomem(err) : TM_OK;
    case TM_LOG_EVENT_TIMESTAMP:
        if (is_number && f->value && f->value <= INT64_MAX) {
            row->flags &= ~(unsigned)(TM_EVENT_DERIVED | TM_EVENT_UNTIMED | TM_EVENT_DEFINITION);
            row->clock = TM_CLOCK_REALTIME;
            row->time_ns = (int64_t)f->value;
        }
        return TM_OK;
    case TM_LOG_EVENT_PRIORITY:
        if (is_number && (uint8_t)f->value)
            row->value = (uint8_t)f->value;
        return TM_OK;
    case TM_LOG_EVENT_TAG:
        return f->type == TM_PB_LEN ? tm_proto_string(rows, f->data, f->len, &row->category, err) : TM_OK;
    case TM_LOG_EVENT_MESSAGE:
    case TM_LOG_EVENT_ARGS:
        if (f->type != TM_PB_LEN)
            return TM_OK;
        return (f->id == TM_LOG_EVENT_ARGS ? put_arg(&rows->text, f) : tm_buf_add(&rows->text, f->data, f->len)) < 0
                   ? tm_error_nomem(err)
                   : TM_OK;
    default:
        return TM_OK;
    }
}

/* Adds a message if PASS is that of its time. A message without a time has that of the packet, if there is one. */
static enum tm_status add_message(struct tm_proto_rows *rows, const struct tm_event *packet,
                                  const struct tm_pb_field *message, int pass, struct tm_error *err)
{
    struct tm_event row = tm_proto_derived(packet, TM_KIND_LOG);
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    row.value = PRIORITY_INFO;
    row.flags |= TM_EVENT_HAS_VALUE;
    tm_buf_clear(&rows->text);
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        st = take_field(rows, &row, &f, err);
    if (st < 0)
        return st;
    if (row.flags & TM_EVENT_UNTIMED || (pass == AT_PACKET) != ((row.flags & TM_EVENT_DERIVED) != 0)) {
        rows->detail.len = 0;
        return TM_OK;
    }
    if (row.pid || row.tid)
        row.flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD);
    st = tm_proto_string(rows, rows->text.data ? (const char *)rows->text.data : "", rows->text.len, &row.name, err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}

enum tm_status tm_proto_log_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_event row = tm_proto_packet_event(packet);
    enum tm_status st = tm_proto_add_with_times(rows, &row, packet->clock, err);
    int passes = rows->sink->want_packet_args ? PASSES : OWN_TIMES;
    for (int pass = AT_PACKET; pass < passes; pass++) {
        struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
        struct tm_pb_field f;
        while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
            if (f.id == TM_ANDROID_LOG_EVENTS && f.type == TM_PB_LEN)
                st = add_message(rows, &row, &f, pass, err);
    }
    return st < 0 ? st : TM_OK;
}

/* True if MESSAGE, a SystemdJournaldEvent, has statistics of the recording and no message. */
static bool is_statistics(const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if ((f.id == TM_JOURNALD_NUM_TOTAL || f.id == TM_JOURNALD_NUM_FAILED) && f.type == TM_PB_VARINT)
            return true;
    return false;
}

/* Adds the fields of a SystemdJournaldEvent that have no column to the detail. */
static enum tm_status put_journal_args(struct tm_proto_rows *rows, const struct tm_proto_event_fields *m)
{
    static const struct {
        uint8_t field;
        bool is_number;
        const char *key;
    } args[] = {
        {TM_JOURNALD_UID, true, "uid"}, {4, true, "gid"}, {8, false, "comm"}, {9, false, "exe"},
        {10, false, "systemd_unit"}, {11, false, "hostname"}, {12, false, "transport"},
    };
    enum tm_status st = TM_OK;
    for (size_t i = 0; st == TM_OK && i < sizeof args / sizeof *args; i++) {
        const uint8_t field = args[i].field;
        if (m->has[field] && args[i].is_number)
            st = tm_detail_arg_int(&rows->detail, args[i].key, (uint32_t)m->number[field]);
        else if (m->has[field])
            st = tm_detail_arg_text(&rows->detail, args[i].key, m->text[field], m->len[field]);
    }
    return st;
}

enum tm_status tm_proto_journal_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                     struct tm_error *err)
{
    struct tm_proto_packet_rows of = {.rows = rows, .packet = packet, .err = err};
    struct tm_proto_event_fields m;
    enum tm_status st = tm_proto_packet_rows_begin(&of);
    if (st < 0 || of.like.flags & TM_EVENT_UNTIMED || is_statistics(&packet->body))
        return st;
    struct tm_event row = tm_proto_derived(&of.like, TM_KIND_LOG);
    tm_proto_event_fields_read(&m, &packet->body);
    tm_event_set_journal(&row, m.has[TM_JOURNALD_PRIORITY], (uint32_t)m.number[TM_JOURNALD_PRIORITY]);
    if ((uint32_t)m.number[TM_JOURNALD_PID]) {
        row.pid = (uint32_t)m.number[TM_JOURNALD_PID];
        row.tid = m.has[TM_JOURNALD_TID] ? (uint32_t)m.number[TM_JOURNALD_TID] : row.pid;
        row.flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD);
    }
    if (rows->sink->want_detail && put_journal_args(rows, &m) < 0)
        return tm_error_nomem(err);
    if (m.has[TM_JOURNALD_TAG])
        st = tm_proto_string(rows, m.text[TM_JOURNALD_TAG], m.len[TM_JOURNALD_TAG], &row.category, err);
    if (st >= 0 && m.has[TM_JOURNALD_MESSAGE])
        st = tm_proto_string(rows, m.text[TM_JOURNALD_MESSAGE], m.len[TM_JOURNALD_MESSAGE], &row.name, err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}

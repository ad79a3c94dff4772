#include "emit/perfetto/log_writer.h"

#include "perfetto/message_fields.h"
#include "perfetto/packet_fields.h"
#include "stream/detail_fields.h"

/* The fields of a message: of AndroidLogPacket.LogEvent, and of SystemdJournaldEvent. */
struct fields {
    uint32_t pid, tid, uid, time, tag, priority, message;
};
static const struct fields of_android = {TM_LOG_EVENT_PID,       TM_LOG_EVENT_TID, TM_LOG_EVENT_UID,
                                         TM_LOG_EVENT_TIMESTAMP, TM_LOG_EVENT_TAG, TM_LOG_EVENT_PRIORITY,
                                         TM_LOG_EVENT_MESSAGE};
static const struct fields of_journal = {TM_JOURNALD_PID, TM_JOURNALD_TID,      TM_JOURNALD_UID,    0,
                                         TM_JOURNALD_TAG, TM_JOURNALD_PRIORITY, TM_JOURNALD_MESSAGE};

static bool put_number(struct tm_buf *out, uint32_t id, bool has, uint64_t value)
{
    return !has || tm_pb_put_varint(out, id, value) == TM_OK;
}

static bool put_text(struct tm_buf *out, uint32_t id, struct tm_text text)
{
    return text.data == NULL || tm_pb_put_bytes(out, id, text.data, text.len) == TM_OK;
}

/* True if ARG, an Arg of a Detail, is a uid that is a number; sets *UID. */
static bool is_uid(const struct tm_pb_field *arg, int64_t *uid)
{
    struct tm_pb pb = tm_pb_of(arg->data, arg->len);
    struct tm_pb_field f;
    bool is_named = false, is_number = false;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_ARG_KEY && f.type == TM_PB_LEN)
            is_named = (f.len == 3 && memcmp(f.data, "uid", 3) == 0) || (f.len == 4 && memcmp(f.data, "_UID", 4) == 0);
        else if (f.id == TM_ARG_INT && f.type == TM_PB_VARINT) {
            is_number = true;
            *uid = tm_unzigzag(f.value);
        }
    }
    return is_named && is_number;
}

static bool find_uid(const struct tm_event *e, int64_t *uid)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_DETAIL_ARGS && f.type == TM_PB_LEN && is_uid(&f, uid))
            return true;
    return false;
}

/* Finds the reading of REALTIME from which the reference importer takes the time of an AndroidLogPacket. False: the
 * trace does not have that clock. */
static bool find_reading(const struct tm_packet_writer *w, const struct tm_event *e, int64_t *ns)
{
    const struct tm_clock_rows *rows = w->clocks;
    *ns = e->time_ns;
    if (rows == NULL || tm_clock_rows_is_timeline(rows, e->machine, TM_CLOCK_REALTIME))
        return true;
    if (tm_clock_rows_last(rows, e->machine, TM_CLOCK_REALTIME) == NULL)
        return false;
    *ns = tm_clock_rows_reading(rows, e->machine, TM_CLOCK_REALTIME, e->time_ns, e->time_ns);
    return *ns >= 0;
}

static uint64_t syslog_priority(const struct tm_event *e)
{
    static const uint8_t of_android_priority[] = {6, 6, 7, 7, 6, 4, 3, 2};
    const uint64_t android = e->value;
    if (tm_event_is_of_journal(e))
        return tm_event_syslog_priority(e);
    return android < sizeof of_android_priority ? of_android_priority[android] : 6;
}

static bool put_message(struct tm_packet_writer *w, const struct tm_event *e, const struct fields *fields,
                        uint64_t priority)
{
    struct tm_buf *out = &w->out;
    int64_t uid = 0;
    bool has_uid = find_uid(e, &uid);
    return put_number(out, fields->pid, e->flags & TM_EVENT_HAS_PID, (uint64_t)e->pid) &&
           put_number(out, fields->tid, e->flags & TM_EVENT_HAS_TID, (uint64_t)e->tid) &&
           put_number(out, fields->uid, has_uid, (uint64_t)uid) &&
           put_text(out, fields->tag, tm_catalog_string(w->catalog, e->category, e)) &&
           put_number(out, fields->priority, e->flags & TM_EVENT_HAS_VALUE, priority) &&
           put_text(out, fields->message, tm_catalog_string(w->catalog, e->name, e));
}

enum tm_status tm_log_write(struct tm_packet_writer *w, const struct tm_event *e, struct tm_error *err)
{
    struct tm_buf *out = &w->out;
    size_t log, event;
    int64_t realtime;
    enum tm_status st = tm_packet_begin(w, e->machine, err);
    if (st < 0)
        return st;
    bool good = tm_pb_put_varint(out, TM_PACKET_TIMESTAMP, (uint64_t)e->time_ns) == TM_OK;
    if (find_reading(w, e, &realtime))
        good = good && tm_pb_begin(out, TM_PACKET_ANDROID_LOG, &log) == TM_OK &&
               tm_pb_begin(out, TM_ANDROID_LOG_EVENTS, &event) == TM_OK &&
               tm_pb_put_varint(out, of_android.time, (uint64_t)realtime) == TM_OK &&
               put_message(w, e, &of_android, e->value) && tm_pb_end(out, event) == TM_OK &&
               tm_pb_end(out, log) == TM_OK;
    else
        good = good && tm_pb_begin(out, TM_PACKET_JOURNALD, &log) == TM_OK &&
               put_message(w, e, &of_journal, syslog_priority(e)) && tm_pb_end(out, log) == TM_OK;
    return good ? tm_packet_end(w, err) : tm_error_nomem(err);
}

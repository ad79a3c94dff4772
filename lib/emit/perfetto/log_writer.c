#include "emit/perfetto/log_writer.h"

#include "stream/detail_fields.h"

/* perfetto/trace/android/android_log.proto */
enum { PACKET_ANDROID_LOG = 39, LOG_EVENTS = 1 };
enum { EVENT_PID = 2, EVENT_TID = 3, EVENT_UID = 4, EVENT_TAG = 6, EVENT_PRIORITY = 7, EVENT_MESSAGE = 8 };

static bool put_number(struct tm_buf *out, uint32_t id, bool has, uint64_t value)
{
    return !has || tm_pb_put_varint(out, id, value) == TM_OK;
}

static bool put_text(struct tm_buf *out, uint32_t id, struct tm_text text)
{
    return text.data == NULL || tm_pb_put_bytes(out, id, text.data, text.len) == TM_OK;
}

/* Returns true if ARG, an Arg of a Detail, is the uid and a number, which is *UID then. */
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

enum tm_status tm_log_write(struct tm_packet_writer *w, const struct tm_event *e, struct tm_error *err)
{
    struct tm_buf *out = &w->out;
    size_t log, event;
    int64_t uid = 0;
    enum tm_status st = tm_packet_begin(w, e->machine, err);
    if (st < 0)
        return st;
    bool has_uid = find_uid(e, &uid);
    bool good = tm_pb_put_varint(out, TM_PACKET_TIMESTAMP, (uint64_t)e->time_ns) == TM_OK &&
                tm_pb_begin(out, PACKET_ANDROID_LOG, &log) == TM_OK &&
                tm_pb_begin(out, LOG_EVENTS, &event) == TM_OK &&
                put_number(out, EVENT_PID, e->flags & TM_EVENT_HAS_PID, (uint64_t)e->pid) &&
                put_number(out, EVENT_TID, e->flags & TM_EVENT_HAS_TID, (uint64_t)e->tid) &&
                put_number(out, EVENT_UID, has_uid, (uint64_t)uid) &&
                put_text(out, EVENT_TAG, tm_catalog_string(w->catalog, e->category, e)) &&
                put_number(out, EVENT_PRIORITY, e->flags & TM_EVENT_HAS_VALUE, e->value) &&
                put_text(out, EVENT_MESSAGE, tm_catalog_string(w->catalog, e->name, e)) &&
                tm_pb_end(out, event) == TM_OK && tm_pb_end(out, log) == TM_OK;
    return good ? tm_packet_end(w, err) : tm_error_nomem(err);
}

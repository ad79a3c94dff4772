#include "format/perfetto/typed_args.h"

#include "format/perfetto/sequence.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

enum { LOCATION_FILE = 2, LOCATION_FUNCTION = 3, LOCATION_LINE = 4 };
enum { TASK_POSTED_FROM_IID = 1 };
enum { LOG_LOCATION_IID = 1, LOG_BODY_IID = 2, LOG_PRIORITY = 3 };
enum { LOG_FATAL = 7 }; /* LogMessage.Priority has Android's numbers; the reference takes others for 0 */
enum { LOG_INFO = 4 };  /* of a message without a priority, as in the reference */
enum { HISTOGRAM_NAME_IID = 4 };

/* A SourceLocation. Borrows from the interned data. */
struct location {
    struct tm_pb_field file, function;
    uint64_t line;
};

/* A log message that refers to interned data. */
struct log_message {
    struct tm_pb_field body; /* without data: there is none */
    struct location location;
    bool has_location, lacks_location, has_priority; /* LACKS_LOCATION: the location is missing */
    uint64_t priority;
};

/* Backslashes of Windows paths become slashes, as in the reference importer. */
static enum tm_status put_path(struct tm_buf *detail, const char *key, const struct tm_pb_field *path)
{
    enum tm_status st = tm_detail_arg_text(detail, key, path->data, path->len);
    for (size_t i = detail->len - path->len; st == TM_OK && i < detail->len; i++)
        if (detail->data[i] == '\\')
            detail->data[i] = '/';
    return st;
}

/* The keys of a source location's parts. */
struct location_keys {
    const char *file, *function, *line;
    bool is_of_log; /* the path is as recorded and the line is signed, as in the reference importer */
};

#define LOCATION_KEYS(prefix, is_of_log) \
    {prefix ".file_name", prefix ".function_name", prefix ".line_number", is_of_log}

static const struct location_keys source_keys = LOCATION_KEYS("source", false);
static const struct location_keys posted_keys = LOCATION_KEYS("task.posted_from", false);
static const struct location_keys log_keys = LOCATION_KEYS("track_event.log_message", true);

/* Finds the interned SourceLocation IID. Returns false if there is none. */
static bool find_location(const struct tm_proto_track_context *c, uint64_t iid, struct location *location)
{
    struct tm_pb_field f;
    const uint8_t *data;
    size_t len;
    *location = (struct location){0};
    if (!tm_proto_interned_find(c->packet->sequence, TM_INTERNED_SOURCE_LOCATIONS, iid, &data, &len) ||
        !tm_detail_budget_reads(&c->rows->sink->budget, len))
        return false;
    struct tm_pb pb = tm_pb_of(data, len);
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == LOCATION_FILE)
            location->file = f;
        else if (f.id == LOCATION_FUNCTION)
            location->function = f;
        else if (f.id == LOCATION_LINE)
            location->line = f.value;
    }
    return true;
}

static enum tm_status put_location(const struct tm_proto_track_context *c, const struct location_keys *keys,
                                   const struct location *location)
{
    struct tm_buf *detail = &c->rows->detail;
    const struct tm_pb_field *file = &location->file, *function = &location->function;
    enum tm_status st = keys->is_of_log ? tm_detail_arg_text(detail, keys->file, file->data, file->len)
                                        : put_path(detail, keys->file, file);
    if (st == TM_OK)
        st = tm_detail_arg_text(detail, keys->function, function->data, function->len);
    return st < 0              ? st
           : keys->is_of_log ? tm_detail_arg_int(detail, keys->line, (int32_t)location->line)
                             : tm_detail_arg_uint(detail, keys->line, (uint32_t)location->line);
}

/* Puts the interned SourceLocation IID. */
static enum tm_status put_location_of(const struct tm_proto_track_context *c, const struct location_keys *keys,
                                      uint64_t iid, uint32_t *errors)
{
    struct location location;
    if (find_location(c, iid, &location))
        return put_location(c, keys, &location);
    ++*errors;
    return TM_OK;
}

/* Returns the number in field FIELD of MESSAGE, or 0. */
static uint64_t number_in(const struct tm_pb_field *message, uint32_t field)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == field && f.type == TM_PB_VARINT)
            return f.value;
    return 0;
}

static enum tm_status put_interned(const struct tm_proto_track_context *c, const char *key, uint32_t field,
                                   uint64_t iid, uint32_t *errors)
{
    struct tm_pb_field text = tm_proto_interned_text(c->packet->sequence, field, iid);
    if (text.data)
        return tm_detail_arg_text(&c->rows->detail, key, text.data, text.len);
    ++*errors;
    return TM_OK;
}

/* Returns the log message in MESSAGE. */
static struct log_message log_of(const struct tm_proto_track_context *c, const struct tm_pb_field *message)
{
    struct log_message log = {0};
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    uint64_t body = 0, location = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.type != TM_PB_VARINT)
            continue;
        if (f.id == LOG_LOCATION_IID) {
            location = f.value;
            log.has_location = true;
        } else if (f.id == LOG_BODY_IID) {
            body = f.value;
        } else if (f.id == LOG_PRIORITY) {
            log.priority = f.value <= LOG_FATAL ? f.value : 0;
            log.has_priority = true;
        }
    }
    log.body = tm_proto_interned_text(c->packet->sequence, TM_INTERNED_LOG_BODIES, body);
    log.lacks_location = log.has_location && !find_location(c, location, &log.location);
    return log;
}

/* True if the event is on a thread that is known. Instants of a process or of the whole trace are on none. */
static bool is_on_thread(const struct tm_proto_track_context *c)
{
    const struct tm_proto_legacy *legacy = c->event->legacy;
    const bool is_instant = legacy->phase == 'i' || legacy->phase == 'I';
    return c->has_thread && !(is_instant && !tm_proto_legacy_is_of_thread(legacy));
}

/* Puts a log message, which is one of the event's thread. */
static enum tm_status put_log(const struct tm_proto_track_context *c, const struct tm_pb_field *message,
                              uint32_t *errors)
{
    const struct log_message log = log_of(c, message);
    struct tm_buf *detail = &c->rows->detail;
    *errors += !is_on_thread(c) || !log.body.data || log.lacks_location;
    if (!is_on_thread(c) || !log.body.data)
        return TM_OK;
    enum tm_status st = tm_detail_arg_text(detail, "track_event.log_message.message", log.body.data, log.body.len);
    if (st < 0 || log.lacks_location)
        return st;
    if (log.has_location)
        st = put_location(c, &log_keys, &log.location);
    return st == TM_OK && log.has_priority ? tm_detail_arg_int(detail, "track_event.priority", (int64_t)log.priority)
                                           : st;
}

/* Puts the name of a histogram, which refers to interned data. */
static enum tm_status put_histogram(const struct tm_proto_track_context *c, const struct tm_pb_field *message,
                                    uint32_t *errors)
{
    const uint64_t iid = number_in(message, HISTOGRAM_NAME_IID);
    return iid ? put_interned(c, "chrome_histogram_sample.name", TM_INTERNED_HISTOGRAM_NAMES, iid, errors) : TM_OK;
}

static enum tm_status put_typed(const struct tm_proto_track_context *c, const struct tm_pb_field *f, uint32_t *errors)
{
    struct tm_buf *detail = &c->rows->detail;
    char id[32];
    switch (f->id) {
    case TM_TRACK_EVENT_SOURCE_LOCATION_IID:
        return put_location_of(c, &source_keys, f->value, errors);
    case TM_TRACK_EVENT_TASK_EXECUTION:
        return put_location_of(c, &posted_keys, number_in(f, TASK_POSTED_FROM_IID), errors);
    case TM_TRACK_EVENT_LOG_MESSAGE:
        return put_log(c, f, errors);
    case TM_TRACK_EVENT_HISTOGRAM:
        return put_histogram(c, f, errors);
    case TM_TRACK_EVENT_CORRELATION_ID:
        snprintf(id, sizeof id, "tp:#%" PRIu64, f->value);
        return tm_detail_arg_text(detail, "correlation_id", id, strlen(id));
    case TM_TRACK_EVENT_CORRELATION_STRING:
        return tm_detail_arg_text(detail, "correlation_id", f->data, f->len);
    case TM_TRACK_EVENT_CORRELATION_IID:
        return put_interned(c, "correlation_id", TM_INTERNED_CORRELATION_IDS, f->value, errors);
    default:
        return TM_OK;
    }
}

enum tm_status tm_proto_typed_args_put(const struct tm_proto_track_context *context, uint32_t *errors)
{
    struct tm_pb pb = context->event->body;
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK && tm_proto_detail_takes(context->rows))
        if (f.id != TM_TRACK_EVENT_ANNOTATIONS)
            st = put_typed(context, &f, errors);
    return st;
}

/* Sets *TAG to the string number of the file and the line of LOCATION. */
static enum tm_status log_tag(struct tm_proto_rows *rows, const struct location *location, uint32_t *tag,
                              struct tm_error *err)
{
    struct tm_buf *text = &rows->text;
    tm_buf_clear(text);
    if (tm_buf_add(text, location->file.data, location->file.len) < 0 ||
        tm_buf_addf(text, ":%" PRIu32, (uint32_t)location->line) < 0)
        return tm_error_nomem(err);
    return tm_proto_string(rows, text->data, text->len, tag, err);
}

/* Adds the message in MESSAGE, a LogMessage. One whose text or place is missing is no row, as in the reference. */
static enum tm_status add_log(const struct tm_proto_track_context *c, const struct tm_pb_field *message,
                              const struct tm_event *row, struct tm_error *err)
{
    const struct log_message log = log_of(c, message);
    struct tm_event derived = tm_proto_derived(row, TM_KIND_LOG);
    if (!log.body.data || log.lacks_location)
        return TM_OK;
    derived.flags |=
        tm_event_scope_flags(TM_SCOPE_THREAD) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | TM_EVENT_HAS_VALUE;
    derived.pid = c->pid;
    derived.tid = c->tid;
    derived.value = log.has_priority ? log.priority : LOG_INFO;
    derived.track = 0;
    enum tm_status st = tm_proto_string(c->rows, log.body.data, log.body.len, &derived.name, err);
    if (st >= 0 && log.has_location)
        st = log_tag(c->rows, &log.location, &derived.category, err);
    return st < 0 ? st : tm_proto_add(c->rows, &derived, err);
}

enum tm_status tm_proto_log_messages_add(const struct tm_proto_track_context *context, const struct tm_event *row,
                                         struct tm_error *err)
{
    struct tm_pb pb = context->event->body;
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    if (!is_on_thread(context))
        return TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_TRACK_EVENT_LOG_MESSAGE && f.type == TM_PB_LEN)
            st = add_log(context, &f, row, err);
    return st;
}

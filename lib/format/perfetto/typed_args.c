#include "format/perfetto/typed_args.h"

#include "format/perfetto/sequence.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

enum { LOCATION_FILE = 2, LOCATION_FUNCTION = 3, LOCATION_LINE = 4 };
enum { TASK_POSTED_FROM_IID = 1 };
enum { LOG_LOCATION_IID = 1, LOG_BODY_IID = 2, LOG_PRIORITY = 3 };
enum { HISTOGRAM_NAME_IID = 4 };

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
    bool is_signed; /* the line is signed, as in the reference importer */
};

#define LOCATION_KEYS(prefix, is_signed) \
    {prefix ".file_name", prefix ".function_name", prefix ".line_number", is_signed}

static const struct location_keys source_keys = LOCATION_KEYS("source", false);
static const struct location_keys posted_keys = LOCATION_KEYS("task.posted_from", false);
static const struct location_keys log_keys = LOCATION_KEYS("track_event.log_message", true);

/* Puts the interned SourceLocation IID. */
static enum tm_status put_location(const struct tm_proto_track_context *c, const struct location_keys *keys,
                                   uint64_t iid, uint32_t *errors)
{
    struct tm_buf *detail = &c->rows->detail;
    struct tm_pb_field f, file = {0}, function = {0};
    uint64_t line = 0;
    struct tm_pb pb = {0};
    const uint8_t *data;
    size_t len;
    if (!tm_proto_interned_find(c->packet->sequence, TM_INTERNED_SOURCE_LOCATIONS, iid, &data, &len) ||
        !tm_detail_budget_reads(&c->rows->sink->budget, len)) {
        ++*errors;
        return TM_OK;
    }
    pb = tm_pb_of(data, len);
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == LOCATION_FILE)
            file = f;
        else if (f.id == LOCATION_FUNCTION)
            function = f;
        else if (f.id == LOCATION_LINE)
            line = f.value;
    }
    enum tm_status st = put_path(detail, keys->file, &file);
    if (st == TM_OK)
        st = tm_detail_arg_text(detail, keys->function, function.data, function.len);
    return st < 0              ? st
           : keys->is_signed ? tm_detail_arg_int(detail, keys->line, (int64_t)line)
                             : tm_detail_arg_uint(detail, keys->line, (uint32_t)line);
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

static enum tm_status put_log(const struct tm_proto_track_context *c, const struct tm_pb_field *message,
                              uint32_t *errors)
{
    /* LogMessage.Priority has Android's numbers. */
    uint64_t location = number_in(message, LOG_LOCATION_IID), priority = number_in(message, LOG_PRIORITY);
    enum tm_status st = put_interned(c, "track_event.log_message.message", TM_INTERNED_LOG_BODIES,
                                     number_in(message, LOG_BODY_IID), errors);
    if (st == TM_OK && location)
        st = put_location(c, &log_keys, location, errors);
    if (st == TM_OK && priority)
        st = tm_detail_arg_int(&c->rows->detail, "track_event.priority", (int64_t)priority);
    return st;
}

static enum tm_status put_typed(const struct tm_proto_track_context *c, const struct tm_pb_field *f, uint32_t *errors)
{
    struct tm_buf *detail = &c->rows->detail;
    char id[32];
    switch (f->id) {
    case TM_TRACK_EVENT_SOURCE_LOCATION_IID:
        return put_location(c, &source_keys, f->value, errors);
    case TM_TRACK_EVENT_TASK_EXECUTION:
        return put_location(c, &posted_keys, number_in(f, TASK_POSTED_FROM_IID), errors);
    case TM_TRACK_EVENT_LOG_MESSAGE:
        return put_log(c, f, errors);
    case TM_TRACK_EVENT_HISTOGRAM:
        if (number_in(f, HISTOGRAM_NAME_IID) == 0)
            return TM_OK;
        return put_interned(c, "chrome_histogram_sample.name", TM_INTERNED_HISTOGRAM_NAMES,
                            number_in(f, HISTOGRAM_NAME_IID), errors);
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

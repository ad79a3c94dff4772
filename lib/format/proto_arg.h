/* One argument into a Detail message, and the arguments of track events that are no debug annotations. */
#ifndef TM_FORMAT_PROTO_ARG_H
#define TM_FORMAT_PROTO_ARG_H

#include "format/proto_track_event.h"

/* Fields of message Arg. */
enum tm_arg {
    TM_ARG_INT = 2,
    TM_ARG_UINT = 3,
    TM_ARG_DOUBLE = 4,
    TM_ARG_STRING = 5,
    TM_ARG_BOOL = 6,
    TM_ARG_POINTER = 7,
    TM_ARG_JSON = 8
};

/* Appends an Arg: KEY and a number (for TM_ARG_DOUBLE its bits) or LEN bytes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_arg_number(struct tm_buf *detail, const struct tm_buf *key, enum tm_arg type, uint64_t value);
enum tm_status tm_proto_arg_bytes(struct tm_buf *detail, const struct tm_buf *key, enum tm_arg type, const void *data,
                                  size_t len);

/* The same with a key that is text. */
enum tm_status tm_proto_arg_int(struct tm_buf *detail, const char *key, int64_t value);
enum tm_status tm_proto_arg_bool(struct tm_buf *detail, const char *key, bool value);
enum tm_status tm_proto_arg_uint(struct tm_buf *detail, const char *key, uint64_t value);
enum tm_status tm_proto_arg_text(struct tm_buf *detail, const char *key, const void *data, size_t len);

/* Source locations, task, log message, histogram name and correlation id of an event. Adds to
 * *ERRORS what refers to interned data that is not there. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_typed_args_put(const struct tm_proto_track_context *context, uint32_t *errors);

#endif

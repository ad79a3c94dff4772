/* Appends arguments of events to a Detail message (doc/events.md). */
#ifndef TM_STREAM_DETAIL_ARG_H
#define TM_STREAM_DETAIL_ARG_H

#include "base/buf.h"

#include <stdbool.h>

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
enum tm_status tm_detail_arg_number(struct tm_buf *detail, const struct tm_buf *key, enum tm_arg type, uint64_t value);
enum tm_status tm_detail_arg_bytes(struct tm_buf *detail, const struct tm_buf *key, enum tm_arg type, const void *data,
                                   size_t len);

/* The same with a key that is text. */
enum tm_status tm_detail_arg_int(struct tm_buf *detail, const char *key, int64_t value);
enum tm_status tm_detail_arg_bool(struct tm_buf *detail, const char *key, bool value);
enum tm_status tm_detail_arg_uint(struct tm_buf *detail, const char *key, uint64_t value);
enum tm_status tm_detail_arg_text(struct tm_buf *detail, const char *key, const void *data, size_t len);

#endif

/* Appends arguments of events to a Detail message (doc/events.md). */
#ifndef TM_STREAM_DETAIL_ARG_H
#define TM_STREAM_DETAIL_ARG_H

#include "base/buf.h"
#include "base/text.h"
#include "stream/detail_fields.h"

#include <stdbool.h>
#include <string.h>

/* Returns KEY, that of an argument, without its leading "args." or "debug.". */
static inline struct tm_text tm_detail_arg_name(struct tm_text key)
{
    size_t prefix = key.len > 5 && memcmp(key.data, "args.", 5) == 0    ? 5
                    : key.len > 6 && memcmp(key.data, "debug.", 6) == 0 ? 6
                                                                        : 0;
    return prefix ? (struct tm_text){key.data + prefix, key.len - prefix} : key;
}

/* Appends an Arg: KEY, and a number (the bits for TM_ARG_DOUBLE) or LEN bytes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_detail_arg_number(struct tm_buf *detail, const struct tm_buf *key, enum tm_arg type, uint64_t value);
enum tm_status tm_detail_arg_bytes(struct tm_buf *detail, const struct tm_buf *key, enum tm_arg type, const void *data,
                                   size_t len);

/* Appends an Arg whose KEY is a C string. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_detail_arg_int(struct tm_buf *detail, const char *key, int64_t value);
enum tm_status tm_detail_arg_bool(struct tm_buf *detail, const char *key, bool value);
enum tm_status tm_detail_arg_uint(struct tm_buf *detail, const char *key, uint64_t value);
enum tm_status tm_detail_arg_text(struct tm_buf *detail, const char *key, const void *data, size_t len);
enum tm_status tm_detail_arg_null(struct tm_buf *detail, const char *key);

#endif

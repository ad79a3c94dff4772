/* Texts of protobuf-c messages. Nothing is copied. */
#ifndef TM_STREAM_FIELD_TEXT_H
#define TM_STREAM_FIELD_TEXT_H

#include "base/text.h"

#include <protobuf-c/protobuf-c.h>

/* Returns LEN bytes at DATA as a protobuf-c bytes value. The memory stays the caller's. */
static inline ProtobufCBinaryData tm_bytes(const void *data, size_t len)
{
    return (ProtobufCBinaryData){.len = len, .data = (uint8_t *)(uintptr_t)data};
}

/* Returns the C string S, without its NUL, as a protobuf-c bytes value. The memory stays the caller's. */
static inline ProtobufCBinaryData tm_bytes_str(const char *s)
{
    return tm_bytes(s, strlen(s));
}

/* Returns the text of a protobuf-c bytes value. Its data is not NULL. */
static inline struct tm_text tm_text_of(ProtobufCBinaryData bytes)
{
    return tm_text_given(bytes.data, bytes.len);
}

#endif

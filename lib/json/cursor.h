/* Reads JSON from an input, value by value. Objects and arrays are entered or skipped, and may have any size; other
 * values are read whole. It accepts what scan.h accepts. Errors are TM_E_INPUT, "byte N: cause", N counted from the
 * start of the input. After an error only the input may be used. It then stands at the value that could not be read,
 * or, in a container that was being skipped, at the byte that the error names. */
#ifndef TM_JSON_CURSOR_H
#define TM_JSON_CURSOR_H

#include "os/input.h"
#include "json/scan.h"
#include "os/paged_file.h"

/* A value that is read whole may take this many bytes. */
enum { TM_JSON_VALUE_MAX = 64 << 20 };

struct tm_json_cursor {
    struct tm_input *in;   /* borrowed; stands after what was read last */
    struct tm_paged_file *copy; /* where set: all bytes passed over are appended there */
    uint64_t copied;       /* bytes appended, the offset of what comes next */
    /* private */
    bool fresh; /* after an opening bracket */
};

/* Skips to the next value and tells its type by its first byte (TM_JSON_NUMBER also where it may be
 * a word that is no number). */
enum tm_status tm_json_cursor_type(struct tm_json_cursor *cursor, enum tm_json_type *type, struct tm_error *err);

/* Into the object or array that is next. */
enum tm_status tm_json_cursor_enter(struct tm_json_cursor *cursor, struct tm_error *err);

/* In an object: the next key, and to its value. TM_END: the object ends and has been left. KEY is
 * valid until the next call. */
enum tm_status tm_json_cursor_key(struct tm_json_cursor *cursor, struct tm_json_value *key, struct tm_error *err);

/* In an array: to the next element. TM_END: the array ends and has been left. */
enum tm_status tm_json_cursor_element(struct tm_json_cursor *cursor, struct tm_error *err);

/* The value that is next, read whole; valid until the next call. */
enum tm_status tm_json_cursor_value(struct tm_json_cursor *cursor, struct tm_json_value *value, struct tm_error *err);

/* Passes over the value that is next. Of what is in it only brackets and quotes are checked. */
enum tm_status tm_json_cursor_skip(struct tm_json_cursor *cursor, struct tm_error *err);

#endif

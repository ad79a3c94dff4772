/* Reads JSON from an input, value by value. Objects and arrays are entered or skipped, and may have any size. Other
 * values are read whole. It accepts what scan.h accepts. Calls return TM_OK, TM_END where stated, or an error of
 * the input or of the copy. What is not JSON is TM_E_INPUT, "byte N: cause", where N counts from the start of the
 * input. After an error only the input may be used. It then stands at the value that could not be read. If a container
 * was being skipped, it stands at the byte that the error names. */
#ifndef TM_JSON_CURSOR_H
#define TM_JSON_CURSOR_H

#include "os/input.h"
#include "json/scan.h"
#include "os/paged_file.h"

/* The largest size of a value that is read whole. */
enum { TM_JSON_VALUE_MAX = 64 << 20 };

struct tm_json_cursor {
    struct tm_input *in;   /* borrowed; stands after what was read last */
    struct tm_paged_file *copy; /* if set, all bytes that were read or skipped are appended here */
    uint64_t copied;       /* bytes appended, the offset of what comes next */
    /* private */
    bool fresh; /* after an opening bracket */
};

/* Skips white space and sets *TYPE by the first byte of the next value. The value is not checked: a byte that begins no
 * other type gives TM_JSON_NUMBER. */
enum tm_status tm_json_cursor_type(struct tm_json_cursor *cursor, enum tm_json_type *type, struct tm_error *err);

/* Enters the next value, an object or array. */
enum tm_status tm_json_cursor_enter(struct tm_json_cursor *cursor, struct tm_error *err);

/* In an object: reads the next key and moves to its value. TM_END: the object has ended; the cursor is after it. KEY is
 * valid until the next call. */
enum tm_status tm_json_cursor_key(struct tm_json_cursor *cursor, struct tm_json_value *key, struct tm_error *err);

/* In an array: moves to the next element. TM_END: the array has ended; the cursor is after it. */
enum tm_status tm_json_cursor_element(struct tm_json_cursor *cursor, struct tm_error *err);

/* Reads the next value whole. VALUE is valid until the next call. */
enum tm_status tm_json_cursor_value(struct tm_json_cursor *cursor, struct tm_json_value *value, struct tm_error *err);

/* Reads the value at SCAN's p, and does with it what STATE says. Otherwise as tm_json_value. If the value is not whole,
 * it is called again for the same value with more bytes. */
typedef enum tm_json_status tm_json_value_reader(void *state, struct tm_json_scan *scan, struct tm_json_value *value);

/* Reads the next value whole by READ. Otherwise as tm_json_cursor_value. */
enum tm_status tm_json_cursor_read(struct tm_json_cursor *cursor, tm_json_value_reader *read, void *state,
                                   struct tm_json_value *value, struct tm_error *err);

/* Skips the next value. Inside an object or array, only quotes, brackets and their depth are checked. */
enum tm_status tm_json_cursor_skip(struct tm_json_cursor *cursor, struct tm_error *err);

#endif

/* JSON values as arguments of an event: nested objects and arrays flattened into keys as the args
 * table has them, "args.a.b", "args.list[0]". null is no argument and takes no index in an array;
 * empty objects and arrays leave nothing. Source: the reference importer's json_args. */
#ifndef TM_FORMAT_JSON_ARGS_H
#define TM_FORMAT_JSON_ARGS_H

#include "base/json_scan.h"

struct tm_json_args_level;

/* Zero-initialise. */
struct tm_json_args {
    /* private */
    struct tm_buf key;
    struct tm_buf text;
    struct tm_json_args_level *levels;
};

/* Appends VALUE, which is valid JSON, to DETAIL as Arg messages (field 1 of Detail), PREFIX being
 * the first part of their keys. TM_OK; TM_END when there was more than an event may have (keys
 * repeat what is outside of them, so that a megabyte could become a gigabyte) and the rest was left
 * out; TM_E_SYSTEM. */
enum tm_status tm_json_args_add(struct tm_json_args *args, const char *prefix, const struct tm_json_value *value,
                                struct tm_buf *detail);

void tm_json_args_release(struct tm_json_args *args);

/* The number VALUE (of type TM_JSON_NUMBER, or any decimal text) as an int64 where it is written
 * as one that fits, else as a double: *IS_DOUBLE says which, *BITS holds it as an event's value
 * column does. False when it is no finite number. */
bool tm_json_number(const uint8_t *data, size_t len, bool *is_double, uint64_t *bits);

#endif

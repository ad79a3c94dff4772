/* JSON values as arguments of an event: nested objects and arrays flattened into keys as the args
 * table has them, "args.a.b", "args.list[0]". null is no argument and takes no index in an array;
 * empty objects and arrays leave nothing. Source: the reference importer's json_args. */
#ifndef TM_FORMAT_JSON_ARGS_H
#define TM_FORMAT_JSON_ARGS_H

#include "json/scan.h"

struct tm_json_args_level;

/* Zero-initialise. */
struct tm_json_args {
    struct tm_buf detail; /* the arguments of the last object read: Arg messages (field 1 of Detail) */
    bool cut;             /* there was more than an event may have, the rest was left out: keys repeat what is
                           * outside of them, so that a megabyte could become a gigabyte */
    bool no_memory;       /* detail is not complete */
    /* private */
    struct tm_buf key;
    struct tm_buf text;
    struct tm_json_args_level *levels;
};

/* Reads the object or array at SCAN's p as tm_json_value does and makes detail anew, PREFIX being
 * the first part of the keys. */
enum tm_json_status tm_json_args_read(struct tm_json_args *args, const char *prefix, struct tm_json_scan *scan,
                                      struct tm_json_value *value);

/* Makes detail anew from VALUE, which is valid JSON of any type: KEY is a scalar's key (null leaves
 * nothing), else the prefix as above. TM_OK, with cut as above, or TM_E_SYSTEM. */
enum tm_status tm_json_args_value(struct tm_json_args *args, const char *key, const struct tm_json_value *value);

void tm_json_args_release(struct tm_json_args *args);

/* The number VALUE (of type TM_JSON_NUMBER, or any decimal text) as an int64 where it is written
 * as one that fits, else as a double: *IS_DOUBLE says which, *BITS holds it as an event's value
 * column does. False when it is no finite number. */
bool tm_json_number(const uint8_t *data, size_t len, bool *is_double, uint64_t *bits);

#endif

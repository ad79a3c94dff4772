/* JSON values as arguments of an event. Nested objects and arrays are flattened into keys as in the args table:
 * "args.a.b", "args.list[0]". A null is left out and takes no index in an array. Empty objects and arrays leave
 * nothing. Source: the json_args of the reference importer. */
#ifndef TM_FORMAT_JSON_ARGS_H
#define TM_FORMAT_JSON_ARGS_H

#include "base/name_set.h"
#include "json/recall.h"

struct tm_json_args_level;

/* Members of objects read before, with what was made of them. Zero-initialise. One for each file, because prefix and
 * wanted names must not change. */
struct tm_json_args_recall {
    struct tm_json_recall members;
    struct tm_json_args_recalled {
        uint8_t key[TM_JSON_RECALL_BYTES]; /* with the prefix */
        uint8_t key_len;                   /* 0: the key is too long for this array */
        uint8_t arg[TM_JSON_RECALL_BYTES]; /* the Arg message with its tag */
        uint8_t arg_len;                   /* 0: nothing was added */
    } made[TM_JSON_RECALL_SLOTS];
};

/* Zero-initialise. */
struct tm_json_args {
    struct tm_buf detail; /* the arguments of the last object read: Arg messages (field 1 of Detail) */
    /* The event's limit was reached and further arguments were left out. Keys repeat the names around them, so without
     * a limit a megabyte of JSON could become a gigabyte. */
    bool cut;
    bool no_memory;       /* detail is incomplete */
    const struct tm_name_set *wanted; /* the only arguments to add; borrowed; NULL: all */
    struct tm_json_args_recall *recall; /* of the objects that are read; borrowed; NULL: none */
    /* private */
    struct tm_name_memo memo; /* of wanted */
    struct tm_buf key;
    struct tm_buf text;
    struct tm_json_args_level *levels;
};

/* Parses the object or array at SCAN's p and replaces detail. PREFIX is the first part of the keys. Returns what
 * tm_json_value returns. */
enum tm_json_status tm_json_args_read(struct tm_json_args *args, const char *prefix, struct tm_json_scan *scan,
                                      struct tm_json_value *value);

/* Replaces detail by the arguments of VALUE, valid JSON of any type. KEY is the key of a scalar and the prefix of
 * nested keys. null becomes no argument. TM_OK, also if arguments were left out (cut); or TM_E_SYSTEM. */
enum tm_status tm_json_args_value(struct tm_json_args *args, const char *key, const struct tm_json_value *value);

void tm_json_args_release(struct tm_json_args *args);

/* Converts the number in the LEN bytes at DATA to *BITS, coded as an event's value column. An integer that fits becomes
 * an int64, any other number a double; *IS_DOUBLE says which. False if the text is not a finite number. */
bool tm_json_number(const uint8_t *data, size_t len, bool *is_double, uint64_t *bits);

#endif

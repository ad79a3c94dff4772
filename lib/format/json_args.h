/* JSON values as arguments of an event. Nested objects and arrays are flattened into keys as in the args table:
 * "args.a.b", "args.list[0]". A null is left out and takes no index in an array. Empty objects and arrays leave
 * nothing. Source: the json_args of the reference importer. */
#ifndef TM_FORMAT_JSON_ARGS_H
#define TM_FORMAT_JSON_ARGS_H

#include "base/name_set.h"
#include "format/json_arg_shapes.h"
#include "json/scan.h"

/* Arguments are left out once they have TM_JSON_ARGS_BYTES_FREE bytes plus 16 times the bytes of the text. */
enum { TM_JSON_ARGS_BYTES_FREE = 64 << 10 };

/* Zero-initialise. */
struct tm_json_args {
    struct tm_buf detail; /* the arguments of the last object read: Arg messages (field 1 of Detail) */
    /* The event's limit was reached and further arguments were left out. Keys repeat the names around them, so without
     * a limit a megabyte of JSON could become a gigabyte. */
    bool cut;
    bool no_memory;       /* detail is incomplete */
    const struct tm_name_set *wanted; /* the only arguments to add; borrowed; NULL: all */
    struct tm_json_arg_places *places; /* of the objects that are read; borrowed; NULL: none are remembered */
    struct tm_json_arg_shapes *shapes; /* of places; arguments there lack keys; borrowed; NULL: none lacks its key */
    /* private */
    struct tm_name_memo memo; /* of wanted */
    struct tm_json_arg_shape shape; /* of the arguments without keys */
    uint32_t shape_max; /* so many arguments may have no keys */
    size_t key_bytes; /* so many bytes more detail would have with these keys */
    const struct tm_json_arg_place *place; /* of the current value; NULL: unknown; then the following describe it */
    struct tm_text prefix;
    struct tm_buf key; /* TM_JSON_ARG_PLACE_KEY_SLACK bytes after it are allocated */
    size_t depth;
    struct tm_json_arg_level *levels; /* the DEPTH open containers */
    bool is_wanted; /* the current value is to be added */
    struct tm_buf text;
};

/* Parses the object or array at SCAN's p and replaces detail. PREFIX is the first part of the keys. Returns what
 * tm_json_value returns. */
enum tm_json_status tm_json_args_read(struct tm_json_args *args, const char *prefix, struct tm_json_scan *scan,
                                      struct tm_json_value *value);

/* Replaces detail by the arguments of VALUE, valid JSON of any type. KEY is the key of a scalar and the prefix of
 * nested keys. null becomes no argument. TM_OK, also if arguments were left out (cut); or TM_E_SYSTEM. */
enum tm_status tm_json_args_value(struct tm_json_args *args, struct tm_text key, const struct tm_json_value *value);

/* Does the work of tm_json_args_value for a JSON TEXT that may be damaged: sets *IS_WHOLE to false, and detail has the
 * arguments before the damage. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_args_text(struct tm_json_args *args, struct tm_text key, struct tm_text text, bool *is_whole);

/* Returns the number of bytes of the arguments, with all keys. */
static inline size_t tm_json_args_size(const struct tm_json_args *args)
{
    return args->detail.len + args->key_bytes;
}

/* Sets *KEYS to the string of the keys that the arguments do not state: the column arg_keys of an event whose DETAIL
 * they are part of. If the sink has no room for it, it is appended to DETAIL. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_args_keys(struct tm_json_args *args, struct tm_buf *detail, uint32_t *keys,
                                 struct tm_error *err);

void tm_json_args_release(struct tm_json_args *args);

#endif

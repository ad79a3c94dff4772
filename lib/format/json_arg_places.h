/* The places of values in the arguments of a file's events. Events of one kind have the same arguments, with the same
 * text between their values. A place has what json_args.c needs to add a value and to go on from there, so neither the
 * text before the value nor the key is made again. */
#ifndef TM_FORMAT_JSON_ARG_PLACES_H
#define TM_FORMAT_JSON_ARG_PLACES_H

#include "base/text.h"
#include "json/known_keys.h"

enum {
    TM_JSON_ARG_PLACES = 1024,               /* numbers of places; if there are more, all are to be forgotten */
    TM_JSON_ARG_PLACE_END = 0,               /* the number of the end of the arguments */
    TM_JSON_ARG_PLACE_KEY_MAX = 96,          /* bytes of a place's key */
    TM_JSON_ARG_PLACE_KEY_SLACK = 32,        /* bytes that are readable after a key */
    TM_JSON_ARG_PLACE_DEPTH_MAX = 4,         /* containers around a place */
    TM_JSON_ARG_PLACE_INDEX_MAX = 16         /* elements of an array that are places */
};

/* An open object or array. */
struct tm_json_arg_level {
    uint32_t key_len; /* length of its own key */
    uint32_t index;   /* of its next element */
    bool is_object;
};

struct tm_json_arg_place {
    uint8_t key[TM_JSON_ARG_PLACE_KEY_MAX + TM_JSON_ARG_PLACE_KEY_SLACK];
    uint8_t key_len;
    uint8_t depth;  /* number of levels */
    bool is_wanted; /* the argument is to be added */
    struct tm_json_arg_level levels[TM_JSON_ARG_PLACE_DEPTH_MAX]; /* the outermost first */
};

/* One for each file, because the prefix of keys and what is wanted must not change. Zero-initialise, or call
 * tm_json_arg_places_init. */
struct tm_json_arg_places {
    struct tm_json_known_keys keys; /* the texts that lead to places; a tag is the number of the place */
    uint32_t count;                 /* the numbers in use are those from 1 to COUNT */
    struct tm_json_arg_place places[TM_JSON_ARG_PLACES];
    uint64_t seed; /* of the hashes */
    uint16_t slots[2 * TM_JSON_ARG_PLACES]; /* numbers of places by the hashes of their keys; 0: free */
    bool is_full; /* a place was not added */
};

/* Makes PLACES empty, whatever their memory contains. Most of the memory is left as it is, so this costs little. Also
 * forgets all places, and the texts that lead to them. */
void tm_json_arg_places_init(struct tm_json_arg_places *places);

/* Returns the number of the place of a value with key KEY in DEPTH containers, LEVELS. The caller sets is_wanted of the
 * place, which may be new. TM_JSON_ARG_PLACE_END: there are too many places, levels or elements, or the key is too long
 * or has a NUL. */
uint32_t tm_json_arg_places_find(struct tm_json_arg_places *places, struct tm_text key,
                                 const struct tm_json_arg_level *levels, size_t depth);

#endif

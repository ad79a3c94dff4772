/* The JSON text of a manifest. A manifest is read three times, because no reader can do the work of another:
 * 1. tm-unpack finds its end (unpack/documents.c). In a pipe another document can follow it, and the text has to be
 *    in the stream whether or not it is valid. Manifests given with -m skip this reader.
 * 2. A scanner here checks it against RFC 8259 and all limits, and keeps the text of its numbers. cJSON alone would
 *    store numbers as doubles, accept texts that are not JSON, and know no line of a problem.
 * 3. cJSON builds the tree, from a copy in which numbers are indexes.
 *
 * Problems state line and column, counted in characters from 1. The following is refused: everything that RFC 8259
 * forbids (leading zeros, raw control bytes, trailing commas, text after the document); a byte order mark, except for
 * one at the beginning, which section 8.1 allows to ignore; invalid UTF-8; unpaired surrogates; \u0000; a key that its
 * object already has (keys that differ in case are different); and everything beyond the limits below. */
#ifndef TM_MANIFEST_JSON_TEXT_H
#define TM_MANIFEST_JSON_TEXT_H

#include "manifest/problems.h"

#include <cjson/cJSON.h>
#include <stdint.h>

#define TM_JSON_TEXT_BYTES_MAX ((size_t)64 << 20)
enum { TM_JSON_TEXT_DEPTH_MAX = 128, TM_JSON_TEXT_VALUES_MAX = 1 << 22 };

struct tm_json_slice {
    const char *text; /* borrowed from the document */
    size_t len;
};

/* Zero-initialise. Borrows the document, which must outlive it. */
struct tm_json_text {
    cJSON *root; /* owned; numbers are indexes into numbers: use the calls below */
    /* private */
    struct tm_json_slice *numbers;
    uint32_t number_count, number_cap;
    const uint8_t *text;
    struct tm_buf starts; /* uint32_t in host order: offsets of the values, in the order of the text */
    struct {
        size_t at; /* bytes before the place */
        struct tm_manifest_place place;
        uint32_t returns; /* number of restarts from the beginning */
    } cursor;
};

/* Reads the LEN bytes at TEXT. TM_OK; TM_E_INPUT if PROBLEMS got one or more; TM_E_SYSTEM if out of memory. After a
 * failure root is NULL and only release may be called. */
enum tm_status tm_json_text_read(struct tm_json_text *json, const void *text, size_t len,
                                 struct tm_manifest_problems *problems);

/* Returns the value of the key NAME in OBJECT, or NULL. Upper and lower case differ. */
cJSON *tm_json_text_get(const cJSON *object, const char *name);

/* Returns a number as it is written in the document. Its text is NULL if ITEM is no number. */
struct tm_json_slice tm_json_text_number(const struct tm_json_text *json, const cJSON *item);

/* Reads ITEM as an integer. TM_OK with *VALUE set. TM_E_INPUT if ITEM is not a number written as an integer (1.0 and
 * 1e3 are not). TM_END if the integer does not fit int64. */
enum tm_status tm_json_text_integer(const struct tm_json_text *json, const cJSON *item, int64_t *value);

/* Returns the text of ITEM, an object, in the document. */
struct tm_json_slice tm_json_text_object(const struct tm_json_text *json, const cJSON *item);

/* Returns the place of ITEM for a problem. Calls in the order of the document are fast. Others restart from the
 * beginning; after many of them the result has line 0, for an unknown place. */
struct tm_manifest_place tm_json_text_place(struct tm_json_text *json, const cJSON *item);

/* For tm_json_text_read: sets the valueint of each value, except numbers, to its number in the document. */
void tm_json_text_number_values(cJSON *root);

/* Moves PLACE from byte FROM of a text to byte TO after it. */
void tm_manifest_place_move(struct tm_manifest_place *place, const uint8_t *from, const uint8_t *to);

void tm_json_text_release(struct tm_json_text *json);

#endif

/* A manifest's JSON text. It is read twice: a scanner checks it against RFC 8259 and all limits and keeps the text of
 * its numbers; then cJSON builds the tree of a copy whose numbers are indexes. cJSON alone would keep numbers as
 * doubles, and accept texts that are no JSON.
 *
 * Refused, with line and column (counted in characters from 1): anything that RFC 8259 does not
 * allow (leading zeros, raw control bytes, trailing commas, text after the document), a byte order
 * mark but for one at the beginning, which is passed over (its section 8.1 allows that), invalid
 * UTF-8, unpaired surrogates, \u0000, a key that its object has already (exactly: keys that differ
 * in case are different keys), and what exceeds the limits below. */
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
    size_t number_count, number_cap;
    const uint8_t *text;
    struct tm_buf starts; /* uint32_t in host order: where the values begin, in the order of the text */
    struct {
        size_t at; /* bytes looked at */
        struct tm_manifest_place place;
        uint32_t returns; /* to the beginning */
    } cursor;
};

/* Reads the LEN bytes at TEXT. TM_OK; TM_E_INPUT when PROBLEMS got one or more; TM_E_SYSTEM when
 * memory ran out. After a failure root is NULL and only release may be called. */
enum tm_status tm_json_text_read(struct tm_json_text *json, const void *text, size_t len,
                                 struct tm_manifest_problems *problems);

/* Returns the value of the key NAME in OBJECT, or NULL. Upper and lower case differ. */
cJSON *tm_json_text_get(const cJSON *object, const char *name);

/* A number as the document has it; text is NULL when ITEM is none. */
struct tm_json_slice tm_json_text_number(const struct tm_json_text *json, const cJSON *item);

/* TM_OK with *VALUE set; TM_E_INPUT when ITEM is not a number written as an integer (1.0 and 1e3
 * are not); TM_END when it is one that does not fit int64. */
enum tm_status tm_json_text_integer(const struct tm_json_text *json, const cJSON *item, int64_t *value);

/* Where ITEM of the document is, for a problem; line 0 where nobody has looked for so many places that the next would
 * take too long. Going on in the order of the document is quick. */
struct tm_manifest_place tm_json_text_place(struct tm_json_text *json, const cJSON *item);

/* For tm_json_text_read: sets the valueint of each value but numbers to its number in the document. */
void tm_json_text_number_values(cJSON *root);

/* PLACE, that of byte FROM of a text, becomes that of byte TO after it. */
void tm_manifest_place_move(struct tm_manifest_place *place, const uint8_t *from, const uint8_t *to);

void tm_json_text_release(struct tm_json_text *json);

#endif

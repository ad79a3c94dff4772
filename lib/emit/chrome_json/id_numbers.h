/* The numbers that ids have in a merged file: below 2^53, so that any reader of JSON has them exactly, and never the
 * same for two ids of different files, or for two ids that one file keeps apart.
 *
 * An id of up to 31 bits, as a number or as a string of hexadecimal digits after 0x, is a part of its number: the
 * file's order in bits 32 to 51, bit 31 for a string, the id below. All other ids are numbered as they come, from 2^52
 * on. Of more than TM_JSON_ID_NUMBERS_MAX of these the number is a hash of 51 bits, from 2^52 + 2^51 on: two of a
 * million such meet with a chance of 1 in 4000. */
#ifndef TM_EMIT_CHROME_JSON_ID_NUMBERS_H
#define TM_EMIT_CHROME_JSON_ID_NUMBERS_H

#include "base/map.h"
#include "json/event_id.h"

enum { TM_JSON_ID_NUMBERS_MAX = 1 << 20 };

/* What an id is of: ids of two kinds do not mean the same, but may have one number where the events of both do not look
 * for each other. */
enum tm_json_id_kind {
    TM_JSON_ID_OF_EVENT, /* of asynchronous events and objects: "1" is another id than 1 */
    TM_JSON_ID_OF_FLOW,  /* 16 and "0x10" are one */
    TM_JSON_ID_OF_TRACK  /* of other formats; numbers */
};

/* Zero-initialise. */
struct tm_json_id_numbers {
    uint32_t max; /* for tests: in place of TM_JSON_ID_NUMBERS_MAX; 0: that */
    struct tm_map wide; /* private */
};

/* *NUMBER of ID in the file with ORDER (of processing). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_id_numbers_find(struct tm_json_id_numbers *numbers, uint32_t order, enum tm_json_id_kind kind,
                                       const struct tm_json_id *id, uint64_t *number);

void tm_json_id_numbers_release(struct tm_json_id_numbers *numbers);

#endif

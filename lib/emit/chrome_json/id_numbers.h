/* The numbers of ids in a merged file. They are below 2^53, so any JSON reader reads them exactly. Ids of different
 * files, and ids that one file distinguishes, have different numbers.
 *
 * An id of up to 31 bits, given as a number or as hexadecimal digits after 0x, is part of its number: the file's order
 * in bits 32 to 51, bit 31 for a string, the id below. Other ids are numbered in order of arrival from 2^52 on. Beyond
 * TM_JSON_ID_NUMBERS_MAX of these the number is a hash of 51 bits, from 2^52 + 2^51 on. Among a million hashes the
 * chance of two equal ones is 1 in 4000. */
#ifndef TM_EMIT_CHROME_JSON_ID_NUMBERS_H
#define TM_EMIT_CHROME_JSON_ID_NUMBERS_H

#include "base/map.h"
#include "json/event_id.h"

enum { TM_JSON_ID_NUMBERS_MAX = 1 << 20 };

/* What an id identifies. Ids of two kinds are unrelated; they may have equal numbers if the events of the two kinds do
 * not refer to each other. */
enum tm_json_id_kind {
    TM_JSON_ID_OF_EVENT, /* of async events and objects: "1" and 1 differ */
    TM_JSON_ID_OF_FLOW,  /* 16 and "0x10" are equal */
    TM_JSON_ID_OF_TRACK  /* of other formats: numbers */
};

/* Zero-initialise. */
struct tm_json_id_numbers {
    uint32_t max; /* for tests, replaces TM_JSON_ID_NUMBERS_MAX; 0: does not */
    struct tm_map wide; /* private */
};

/* Sets *NUMBER for ID in the file with ORDER (of processing). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_id_numbers_find(struct tm_json_id_numbers *numbers, uint32_t order, enum tm_json_id_kind kind,
                                       const struct tm_json_id *id, uint64_t *number);

void tm_json_id_numbers_release(struct tm_json_id_numbers *numbers);

#endif

/* The id of an event of Chrome JSON: a string, or an integer. */
#ifndef TM_JSON_EVENT_ID_H
#define TM_JSON_EVENT_ID_H

#include "json/scan.h"

struct tm_json_id {
    bool is_text;
    const uint8_t *text; /* as written, escapes resolved */
    size_t len;
    uint64_t number;     /* of an integer */
};

/* Sets *ID to the id in VALUE. An escaped string is resolved into SCRATCH. False if VALUE is NULL or is neither a
 * string nor an integer, or if there is no memory. */
bool tm_json_id_of(const struct tm_json_value *value, struct tm_buf *scratch, struct tm_json_id *id);

/* Returns the number that ID means for a flow. An integer is used as it is. A string of up to 16 hexadecimal digits,
 * with or without 0x, is read as a number. Any other string gives its hash. */
uint64_t tm_json_id_flow(const struct tm_json_id *id);

#endif

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

/* VALUE as an id into *ID; a string that is escaped is resolved into SCRATCH. False when it is
 * neither a string nor an integer. */
bool tm_json_id_of(const struct tm_json_value *value, struct tm_buf *scratch, struct tm_json_id *id);

/* The number that ID of a flow means: integers as they are, strings in hexadecimal with or without 0x, any other string
 * by its hash. */
uint64_t tm_json_id_flow(const struct tm_json_id *id);

#endif

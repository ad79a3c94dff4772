/* Makes JSON with raw control characters in its strings valid, by writing these characters as escapes. */
#ifndef TM_JSON_REPAIR_H
#define TM_JSON_REPAIR_H

#include "json/scan.h"

/* Appends the object or array at P to OUT, with control characters in strings escaped. TM_JSON_OK: *AFTER is the byte
 * after it. TM_JSON_MORE: it does not end before END. TM_JSON_BAD: out of memory. Only quotes and brackets are looked
 * at, so the result may still not be JSON. */
enum tm_json_status tm_json_repair(const uint8_t *p, const uint8_t *end, struct tm_buf *out, const uint8_t **after);

#endif

/* JSON whose strings have raw control characters, made valid: such a character becomes its escape. */
#ifndef TM_JSON_REPAIR_H
#define TM_JSON_REPAIR_H

#include "json/scan.h"

/* Appends the object or array at P to OUT, its strings escaped. TM_JSON_OK: *AFTER is the byte after it;
 * TM_JSON_MORE: it goes on after END; TM_JSON_BAD: out of memory. Only quotes and brackets are looked at: what comes
 * out may still be no JSON. */
enum tm_json_status tm_json_repair(const uint8_t *p, const uint8_t *end, struct tm_buf *out, const uint8_t **after);

/* The cause of scan.h for such a character. */
extern const char tm_json_control_cause[];

#endif

/* Numbers of JSON as integers or doubles. */
#ifndef TM_JSON_NUMBER_H
#define TM_JSON_NUMBER_H

#include "base/status.h"
#include "json/scan.h"

/* Converts the number in the LEN bytes at DATA to *BITS, coded as an event's value column. An integer that fits becomes
 * an int64, any other number a double; *IS_DOUBLE says which. False if the text is not a finite number. */
bool tm_json_number(const uint8_t *data, size_t len, bool *is_double, uint64_t *bits);

/* Converts VALUE, a number or a string that is one, times 10^SCALE, as tm_decimal_scale does. TM_OK; TM_E_INPUT: VALUE
 * is something else; TM_END: the result does not fit. */
enum tm_status tm_json_decimal(const struct tm_json_value *value, int scale, int64_t *result);

#endif

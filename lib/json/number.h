/* Numbers of JSON as integers or doubles. */
#ifndef TM_JSON_NUMBER_H
#define TM_JSON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Converts the number in the LEN bytes at DATA to *BITS, coded as an event's value column. An integer that fits becomes
 * an int64, any other number a double; *IS_DOUBLE says which. False if the text is not a finite number. */
bool tm_json_number(const uint8_t *data, size_t len, bool *is_double, uint64_t *bits);

#endif

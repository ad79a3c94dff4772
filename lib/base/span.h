/* A span of text that belongs to another: no copy, no terminator. */
#ifndef TM_BASE_SPAN_H
#define TM_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tm_span {
    const char *s;
    size_t len;
};

/* Where NEEDLE first is in HAYSTACK, or NULL. */
const char *tm_span_find(struct tm_span haystack, const char *needle);

/* Takes what is before SEPARATOR off the front of REST into *HEAD, the separator with it. False:
 * SEPARATOR is not there, nothing is changed. */
bool tm_span_cut(struct tm_span *rest, const char *separator, struct tm_span *head);

/* All of SPAN as a decimal number. */
bool tm_span_int(struct tm_span span, int64_t *value);

#endif

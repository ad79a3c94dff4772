/* A span of text that is part of another text. It is not copied and has no terminator. */
#ifndef TM_BASE_SPAN_H
#define TM_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tm_span {
    const char *s;
    size_t len;
};

/* True if SPAN is the text S. */
static inline bool tm_span_is(struct tm_span span, const char *s)
{
    return span.len == strlen(s) && memcmp(span.s, s, span.len) == 0;
}

/* True if SPAN begins with the text S. */
static inline bool tm_span_begins(struct tm_span span, const char *s)
{
    const size_t len = strlen(s);
    return span.len >= len && memcmp(span.s, s, len) == 0;
}

/* Returns the first occurrence of NEEDLE in HAYSTACK, or NULL. */
const char *tm_span_find(struct tm_span haystack, const char *needle);

/* Sets *HEAD to the text before SEPARATOR, and removes both from the front of REST. Returns false and changes nothing
 * if SEPARATOR is not there. */
bool tm_span_cut(struct tm_span *rest, const char *separator, struct tm_span *head);

/* Converts all of SPAN to a decimal number. False if it is none. */
bool tm_span_int(struct tm_span span, int64_t *value);

#endif

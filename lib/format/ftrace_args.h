/* Arguments of an ftrace event in text: "key=value key=value". */
#ifndef TM_FORMAT_FTRACE_ARGS_H
#define TM_FORMAT_FTRACE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Some bytes of the text. */
struct tm_span {
    const char *s;
    size_t len;
};

/* Where NEEDLE first is in HAYSTACK, or NULL. */
const char *tm_span_find(struct tm_span haystack, const char *needle);

/* Takes what is before SEPARATOR off the front of REST into *HEAD, the separator with it. False:
 * SEPARATOR is not there, nothing is changed. */
bool tm_span_cut(struct tm_span *rest, const char *separator, struct tm_span *head);

/* The value of KEY: up to the next blank. False: there is none. */
bool tm_ftrace_arg(struct tm_span args, const char *key, struct tm_span *value);

/* All of SPAN as a decimal number. */
bool tm_span_int(struct tm_span span, int64_t *value);

/* The two together, within MIN and MAX. */
bool tm_ftrace_arg_int(struct tm_span args, const char *key, int64_t min, int64_t max, int64_t *value);

#endif

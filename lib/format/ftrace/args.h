/* Arguments of an ftrace event in text: "key=value key=value". */
#ifndef TM_FORMAT_FTRACE_ARGS_H
#define TM_FORMAT_FTRACE_ARGS_H

#include "base/span.h"

/* The value of KEY: up to the next blank. False: there is none. */
bool tm_ftrace_arg(struct tm_span args, const char *key, struct tm_span *value);

/* The value of KEY as a decimal number within MIN and MAX. */
bool tm_ftrace_arg_int(struct tm_span args, const char *key, int64_t min, int64_t max, int64_t *value);

#endif

/* Arguments of an ftrace event in text: "key=value key=value". */
#ifndef TM_FORMAT_FTRACE_ARGS_H
#define TM_FORMAT_FTRACE_ARGS_H

#include "base/text.h"

/* Sets *VALUE to the value of KEY, which ends at the next blank. False if there is none. */
bool tm_ftrace_arg(struct tm_text args, const char *key, struct tm_text *value);

/* Reads the value of KEY as a decimal number from MIN to MAX. False if there is none. */
bool tm_ftrace_arg_int(struct tm_text args, const char *key, int64_t min, int64_t max, int64_t *value);

#endif

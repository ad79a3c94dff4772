/* The args of an event, from its Detail. */
#ifndef TM_EMIT_CHROME_JSON_ARGS_H
#define TM_EMIT_CHROME_JSON_ARGS_H

#include "emit/out.h"

/* Puts ,"args":{…} with the args of the Detail of LEN bytes at DATA, if there are any. Their keys have no leading
 * "args." or "debug.". */
void tm_json_args_put(struct tm_out *out, const uint8_t *data, size_t len);

#endif

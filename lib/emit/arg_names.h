/* The args that --arg asks for, by their names. */
#ifndef TM_EMIT_ARG_NAMES_H
#define TM_EMIT_ARG_NAMES_H

#include "base/status.h"

#include <stdint.h>

/* Zero-initialise. */
struct tm_arg_names {
    char **names; /* owned */
    uint32_t count;
    /* private */
    uint32_t cap;
};

/* Adds the names in TEXT, which commas separate. TM_OK; TM_E_USAGE for an empty one, or one that is there already;
 * TM_E_SYSTEM. */
enum tm_status tm_arg_names_add(struct tm_arg_names *names, const char *text, struct tm_error *err);

void tm_arg_names_release(struct tm_arg_names *names);

#endif

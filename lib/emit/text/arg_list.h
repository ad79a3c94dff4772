/* The args of a row as bytes, one after the other, in order of arrival. */
#ifndef TM_EMIT_TEXT_ARG_LIST_H
#define TM_EMIT_TEXT_ARG_LIST_H

#include "base/buf.h"
#include "base/text.h"

#include <stdbool.h>

struct tm_arg_value {
    struct tm_text key;
    struct tm_text value;
    bool is_text; /* otherwise value is JSON: a number, true, false or null */
};

/* Appends ARG. TM_OK or TM_E_SYSTEM (no memory). */
enum tm_status tm_arg_list_add(struct tm_buf *list, const struct tm_arg_value *arg);

/* Reads the arg at *AT of the LEN bytes at LIST and moves *AT after it. Its texts are in LIST. False: there are no
 * more. */
bool tm_arg_list_next(const uint8_t *list, size_t len, size_t *at, struct tm_arg_value *arg);

#endif

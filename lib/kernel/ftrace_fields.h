/* Names and types of the fields of kernel events.
 * Source: protos/perfetto/trace/ftrace of perfetto. */
#ifndef TM_KERNEL_FTRACE_FIELDS_H
#define TM_KERNEL_FTRACE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tm_ftrace_type {
    TM_FTRACE_INT = 'i',    /* int32, int64, bool or an enum */
    TM_FTRACE_UINT = 'u',   /* uint32 or uint64 */
    TM_FTRACE_SINT = 'z',   /* sint32 or sint64 */
    TM_FTRACE_DOUBLE = 'd',
    TM_FTRACE_TEXT = 's'    /* string or bytes */
};

struct tm_ftrace_field {
    const char *name; /* LEN bytes of a constant */
    size_t len;
    enum tm_ftrace_type type;
};

/* Finds field NUMBER in the message of event EVENT. EVENT is a field number of FtraceEvent. False: the field is not
 * known. */
bool tm_ftrace_field_find(uint32_t event, uint32_t number, struct tm_ftrace_field *field);

/* Returns the number of the field of event EVENT that names a kernel function by the number of its symbol, or 0. */
uint32_t tm_ftrace_function_field(uint32_t event);

#endif

/* The reasons for missing events, in words. */
#ifndef TM_EMIT_DROP_TEXT_H
#define TM_EMIT_DROP_TEXT_H

#include "stream/drop_reason.h"

struct tm_drop_text {
    const char *cause;        /* "they lie before the start of trace time" */
    const char *cause_of_one; /* "it lies before the start of trace time" */
    const char *advice;       /* a sentence: what brings such events back if no manifest can */
};

/* Returns the words for REASON. */
struct tm_drop_text tm_drop_text_of(enum tm_drop_reason reason);

/* Returns the cause in TEXT for COUNT events or bytes. */
static inline const char *tm_drop_text_cause(const struct tm_drop_text *text, uint64_t count)
{
    return count == 1 ? text->cause_of_one : text->cause;
}

#endif

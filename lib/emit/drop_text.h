/* The reasons for missing events, in words. */
#ifndef TM_EMIT_DROP_TEXT_H
#define TM_EMIT_DROP_TEXT_H

#include "stream/drop_reason.h"

struct tm_drop_text {
    const char *cause;  /* "they lie before the start of trace time" */
    const char *advice; /* a sentence: what brings them back if no manifest can */
};

/* Returns the words for REASON. */
struct tm_drop_text tm_drop_text_of(enum tm_drop_reason reason);

#endif

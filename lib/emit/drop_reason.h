/* Why events are not there, by the reasons of accounts (tm-stream(5)), in words. */
#ifndef TM_EMIT_DROP_REASON_H
#define TM_EMIT_DROP_REASON_H

#include "tm_stream.pb-c.h"

struct tm_drop_reason {
    const char *name;   /* as in Account.reason; NULL: one that is not known */
    const char *cause;  /* "they lie before the start of trace time" */
    const char *advice; /* a sentence: what brings them back where no manifest does */
};

/* The words for REASON; never NULL. */
const struct tm_drop_reason *tm_drop_reason_find(ProtobufCBinaryData reason);

#endif

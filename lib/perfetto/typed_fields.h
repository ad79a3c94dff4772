/* The messages that track events have beside their own fields: what Chrome says of tasks, frames, navigations and the
 * like. Names and numbers: track_event.proto and chrome_track_event.proto of Perfetto. */
#ifndef TM_PERFETTO_TYPED_FIELDS_H
#define TM_PERFETTO_TYPED_FIELDS_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum tm_typed_kind {
    TM_TYPED_INT,
    TM_TYPED_INT32,
    TM_TYPED_ZIGZAG,
    TM_TYPED_UINT,
    TM_TYPED_UINT32,
    TM_TYPED_BOOL,
    TM_TYPED_FLOAT,
    TM_TYPED_DOUBLE,
    TM_TYPED_TEXT,
    TM_TYPED_BYTES,
    TM_TYPED_ENUM,
    TM_TYPED_MESSAGE,
    TM_TYPED_ANNOTATION /* a DebugAnnotation */
};

struct tm_typed_field {
    const char *name;
    uint16_t number;
    uint8_t kind; /* enum tm_typed_kind */
    uint8_t is_repeated;
    uint16_t of; /* the number of its message or enum */
};

enum { TM_TYPED_TRACK_EVENT = 0 /* the number of the message that the others are in */ };

/* Sets *MESSAGE to the number of the message with the full name NAME (".perfetto.protos.ChromeMojoEventInfo"). False:
 * there is none. */
bool tm_typed_message_find(struct tm_text name, uint32_t *message);

/* Field NUMBER of a message, or NULL. */
const struct tm_typed_field *tm_typed_field_find(uint32_t message, uint32_t number);

/* The name of value NUMBER of enum TYPE, or NULL. */
const char *tm_typed_value_name(uint32_t type, int32_t number);

#endif

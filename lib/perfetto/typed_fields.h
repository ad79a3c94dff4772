/* The messages inside track events, in which Chrome and Android report about tasks, frames, processes and the like.
 * Source of names and numbers: track_event.proto of Perfetto and the files of its extensions
 * (t/check/typed-fields.py). */
#ifndef TM_PERFETTO_TYPED_FIELDS_H
#define TM_PERFETTO_TYPED_FIELDS_H

#include "base/text.h"
#include "perfetto/typed_schema.h"

#include <stdbool.h>

enum { TM_TYPED_TRACK_EVENT = 0 /* the number of the message that contains the others */ };

/* Sets *MESSAGE to the number of the message with the full name NAME (".perfetto.protos.ChromeMojoEventInfo"). False
 * if there is none. */
bool tm_typed_message_find(struct tm_text name, uint32_t *message);

/* Does for enums what tm_typed_message_find does for messages. */
bool tm_typed_enum_find(struct tm_text name, uint32_t *type);

/* Returns field NUMBER of MESSAGE, or NULL. */
const struct tm_typed_field *tm_typed_field_find(uint32_t message, uint32_t number);

/* Returns the name of value NUMBER of enum TYPE, or NULL. */
const char *tm_typed_value_name(uint32_t type, int32_t number);

#endif

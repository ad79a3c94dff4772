/* Any message of the stream as text or as JSON, field by field from its descriptor, so that a field
 * added to the schema shows up by itself. */
#ifndef TM_EMIT_MESSAGE_OUT_H
#define TM_EMIT_MESSAGE_OUT_H

#include "emit/out.h"

/* " name=value" for each field that is set, repeated ones again and again, messages in braces. Bytes
 * are quoted and escaped for a terminal. */
void tm_message_text(struct tm_out *out, const ProtobufCMessage *message);

/* An object of the fields that are set; bytes are strings, enums their names, repeated fields arrays. */
void tm_message_json(struct tm_out *out, const ProtobufCMessage *message);

/* The members of that object alone. COMMA: whether one comes before the first. */
void tm_message_json_members(struct tm_out *out, const ProtobufCMessage *message, bool comma);

#endif

/* Any message of the stream as text or as JSON. Fields come from its descriptor, so a new field of the schema is shown
 * without a change here. */
#ifndef TM_EMIT_MESSAGE_OUT_H
#define TM_EMIT_MESSAGE_OUT_H

#include "emit/out.h"

/* Puts " name=value" for each field that is set. Repeated fields are repeated, messages are in braces, bytes are quoted
 * and escaped for a terminal. */
void tm_message_text(struct tm_out *out, const ProtobufCMessage *message);

/* Puts an object of the fields that are set. Bytes are strings, enums their names, repeated fields arrays. */
void tm_message_json(struct tm_out *out, const ProtobufCMessage *message);

/* Puts the members of that object without its braces. COMMA: a comma precedes the first member. */
void tm_message_json_members(struct tm_out *out, const ProtobufCMessage *message, bool comma);

#endif

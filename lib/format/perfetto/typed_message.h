/* Arguments of track events that are messages of their own, such as Chrome's description of a task. The key of a field
 * is the path of names to it. Rules: util/proto_to_args_parser.cc of Perfetto. */
#ifndef TM_FORMAT_PERFETTO_TYPED_MESSAGE_H
#define TM_FORMAT_PERFETTO_TYPED_MESSAGE_H

#include "format/perfetto/described_types.h"
#include "format/perfetto/internal.h"

/* The destination of args. */
struct tm_typed_writer {
    const struct tm_described_types *types;
    struct tm_proto_rows *rows; /* its key is the prefix of the next argument; it is restored afterwards */
    /* Puts a DebugAnnotation at nesting depth DEPTH. */
    enum tm_status (*annotation)(void *self, const struct tm_pb_field *message, int depth);
    void *self;
    uint32_t *unknown; /* counts fields that have no name; may be NULL */
};

/* Appends the args of all fields of message number MESSAGE that have a name in its types. DEPTH is the message's
 * nesting depth; messages deeper than TM_PROTO_DEPTH_MAX, and what follows when the detail is full (rows.h), are left
 * out. A message without fields is an arg without a value, unless DEPTH is 0. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_typed_message_put(const struct tm_typed_writer *writer, uint32_t message, struct tm_pb pb,
                                          int depth);

#endif

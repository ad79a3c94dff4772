/* The field of a message that counts if it is there several times. */
#ifndef TM_FORMAT_PERFETTO_LAST_FIELD_H
#define TM_FORMAT_PERFETTO_LAST_FIELD_H

#include "base/pb.h"

/* Returns the last field ID of MESSAGE that has TYPE, borrowed; its id is 0 if there is none. */
static inline struct tm_pb_field tm_proto_last_field(struct tm_pb message, uint32_t id, enum tm_pb_type type)
{
    struct tm_pb_field f, found = {0};
    while (tm_pb_next(&message, &f) == TM_OK)
        if (f.id == id && f.type == type)
            found = f;
    return found;
}

#endif

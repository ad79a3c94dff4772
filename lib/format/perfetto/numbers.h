/* Numbers in fields: those of a repeated field, packed or not, in their order, and one that a text states. */
#ifndef TM_FORMAT_PERFETTO_NUMBERS_H
#define TM_FORMAT_PERFETTO_NUMBERS_H

#include "base/pb.h"
#include "base/text.h"

/* Zero-initialise with pb, the message, and id, the field. */
struct tm_proto_numbers {
    struct tm_pb pb;
    uint32_t id;
    /* private */
    const uint8_t *at, *end; /* in a packed field */
};

/* Sets *VALUE to the next number. False at the end, or if the message is damaged. */
static inline bool tm_proto_numbers_next(struct tm_proto_numbers *n, uint64_t *value)
{
    struct tm_pb_field f;
    while (n->at == n->end) {
        do
            if (tm_pb_next(&n->pb, &f) != TM_OK)
                return false;
        while (f.id != n->id);
        *value = f.value;
        if (f.type == TM_PB_VARINT)
            return true;
        n->at = f.data;
        n->end = f.data ? f.data + f.len : NULL;
    }
    n->at = tm_varint_get(n->at, n->end, value);
    if (n->at == NULL)
        n->at = n->end = NULL;
    return n->at != NULL;
}

/* Sets *VALUE to the decimal number that TEXT states; like the reference importer, to the low 32 bits of a larger one.
 * False: it states none. */
bool tm_proto_number_of_text(struct tm_text text, int32_t *value);

#endif

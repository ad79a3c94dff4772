/* Names that packets state for numbers in later packets: rails of a device, consumers of energy, apps. */
#ifndef TM_FORMAT_PERFETTO_KNOWN_TEXTS_H
#define TM_FORMAT_PERFETTO_KNOWN_TEXTS_H

#include "format/perfetto/internal.h"

/* What a number means. The second part of the key of each is a hash of the number and the kind. */
enum tm_proto_known {
    TM_PROTO_KNOWN_RAIL = 1,
    TM_PROTO_KNOWN_STATE,
    TM_PROTO_KNOWN_CONSUMER,
    TM_PROTO_KNOWN_APP,
    TM_PROTO_KNOWN_METATRACE
};

struct tm_proto_known_text {
    struct tm_text name;
    struct tm_text dimensions; /* of the track that has the name; empty: none */
    struct tm_text source;     /* args of the source of that track, as in a Detail message; empty: none */
};

/* Notes TEXT for KEY on MACHINE, in place of an earlier one. What exceeds the limits is counted and forgotten. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_proto_known_text_add(struct tm_proto_known_texts *known, uint32_t machine, uint64_t key,
                                       const struct tm_proto_known_text *text);

/* Finds the text for KEY on MACHINE, borrowed until the next one is noted. False: there is none. */
bool tm_proto_known_text_find(const struct tm_proto_known_texts *known, uint32_t machine, uint64_t key,
                              struct tm_proto_known_text *text);

void tm_proto_known_texts_release(struct tm_proto_known_texts *known);

#endif

/* Finds definitions that repeat others. Long traces repeat descriptors. A subject is a thread, process or track, by the
 * numbers of its rows. A definition that is equal to the previous one of its subject has no effect, unless a different
 * one acts between the two. Two definitions are equal if their details have the same 64-bit hash under the secret of
 * the process (base/secret.h), as details may be long. Memory grows with the number of subjects. */
#ifndef TM_MODEL_SEEN_DEFINITIONS_H
#define TM_MODEL_SEEN_DEFINITIONS_H

#include "base/index.h"
#include "stream/event.h"

/* Zero-initialise. */
struct tm_seen_definitions {
    /* private */
    struct tm_seen_definition *rows; /* the last definition of each subject */
    uint32_t count, cap;
    struct tm_index index;
};

/* Notes EVENT, a definition with a time. Sets *REPEATS if it has no effect. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_seen_definitions_note(struct tm_seen_definitions *seen, const struct tm_event *event, bool *repeats,
                                        struct tm_error *err);

void tm_seen_definitions_release(struct tm_seen_definitions *seen);

#endif

/* The last definition of each subject (a thread, process or track, by the numbers of its rows), and the time of that.
 * Memory grows with the number of subjects. */
#ifndef TM_MODEL_SEEN_DEFINITIONS_H
#define TM_MODEL_SEEN_DEFINITIONS_H

#include "base/index.h"

struct tm_seen_definition {
    uint64_t subject, place; /* hash of the numbers of the subject; file and machine */
    int64_t stated;          /* hash of the content; TM_STATED_NOTHING */
    int64_t latest_ns;
    uint32_t kind;
};

enum { TM_STATED_NOTHING = -1 };

/* Zero-initialise. */
struct tm_seen_definitions {
    /* private */
    struct tm_seen_definition *rows;
    uint32_t count, cap;
    struct tm_index index;
};

/* Sets *ROW to the row with subject, place and kind of KEY. A new one is added as a copy of KEY. It is valid until the
 * next row is added. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_seen_definitions_get(struct tm_seen_definitions *seen, const struct tm_seen_definition *key,
                                       struct tm_seen_definition **row, struct tm_error *err);

void tm_seen_definitions_release(struct tm_seen_definitions *seen);

#endif

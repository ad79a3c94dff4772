/* Strings whose numbers in the stream are known, for the workers of a run (doc/parallel.md). A number in the stream
 * never changes, so each worker that needs one of them can use it at once. Each call may be made by any thread. Private
 * to this room. */
#ifndef TM_UNPACK_RUN_STRINGS_H
#define TM_UNPACK_RUN_STRINGS_H

#include "base/intern.h"
#include "base/text.h"

#include <pthread.h>

struct tm_run_strings {
    /* private; under the lock */
    pthread_mutex_t lock;
    struct tm_intern texts;
    struct tm_buf numbers; /* the numbers of texts, 4 bytes each */
};

/* Makes an empty table. TM_OK or TM_E_SYSTEM. After TM_E_SYSTEM, release must not be called. */
enum tm_status tm_run_strings_init(struct tm_run_strings *strings, struct tm_error *err);

/* True if the number of TEXT is known. Sets *NUMBER then. */
bool tm_run_strings_find(struct tm_run_strings *strings, struct tm_text text, uint32_t *number);

/* Makes NUMBER known as that of TEXT. A table that is full forgets it, as if this was not called. */
void tm_run_strings_add(struct tm_run_strings *strings, struct tm_text text, uint32_t number);

void tm_run_strings_release(struct tm_run_strings *strings);

#endif

/* Root names: the name that the first event of an asynchronous identity had says which lanes all its
 * events share, whatever they are called. Identities with something open are kept; of the others
 * those that were touched most recently, so that memory is bounded by what is open at one time.
 * Source: the reference keeps them all; ids that are not touched for so long have no second event. */
#ifndef TM_MODEL_ASYNC_ROOTS_H
#define TM_MODEL_ASYNC_ROOTS_H

#include "base/table.h"

enum { TM_ASYNC_ROOTS_MAX = 1 << 19 }; /* identities without anything open that are remembered at least */

/* Zero-initialise. */
struct tm_async_roots {
    /* private */
    struct tm_table open, recent, before;
};

/* The number of the root name of IDENTITY: the one it has, else NAME from now on. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_async_roots_get(struct tm_async_roots *roots, const struct tm_key *identity, uint32_t name,
                                  uint32_t *root, struct tm_error *err);

/* Nothing of IDENTITY, whose root name is ROOT, is open any more. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_async_roots_closed(struct tm_async_roots *roots, const struct tm_key *identity, uint32_t root,
                                     struct tm_error *err);

void tm_async_roots_release(struct tm_async_roots *roots);

#endif

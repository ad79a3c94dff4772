/* Root names. The first event of an asynchronous identity sets its root name. The root name selects the lanes of all
 * events of that identity, whatever names they have themselves. Identities with open slices are kept. Of the others
 * only the most recently used are kept, which bounds the memory. The reference importer keeps all of them; here an id
 * that is unused for so long is assumed to have no further event. */
#ifndef TM_MODEL_ASYNC_ROOTS_H
#define TM_MODEL_ASYNC_ROOTS_H

#include "base/table.h"

enum { TM_ASYNC_ROOTS_MAX = 1 << 19 }; /* at least so many identities without open slices are remembered */

/* Zero-initialise. */
struct tm_async_roots {
    /* private */
    struct tm_table open, recent, before;
};

/* Sets the number of IDENTITY's root name. If it has none yet, NAME becomes its root name. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_async_roots_get(struct tm_async_roots *roots, const struct tm_key *identity, uint32_t name,
                                  uint32_t *root, struct tm_error *err);

/* Notes that no slice of IDENTITY, whose root name is ROOT, is open any more. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_async_roots_closed(struct tm_async_roots *roots, const struct tm_key *identity, uint32_t root,
                                     struct tm_error *err);

void tm_async_roots_release(struct tm_async_roots *roots);

#endif

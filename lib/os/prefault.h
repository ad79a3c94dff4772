/* A thread that lets the kernel back memory with pages before it is filled. Without it, the thread that fills the
 * memory waits until the kernel has cleared each page. That is a third of the time of sorting. */
#ifndef TM_OS_PREFAULT_H
#define TM_OS_PREFAULT_H

#include <stdbool.h>
#include <stddef.h>

struct tm_prefault;

/* Starts the thread. NULL if it cannot be started; the kernel then backs each page when it is first used. */
struct tm_prefault *tm_prefault_new(void);

/* Announces that BYTES at MEM are filled next, from front to back. The thread drops what is left of the range before.
 * The memory of all ranges must stay allocated until tm_prefault_free. PREFAULT may be NULL. */
void tm_prefault_range(struct tm_prefault *prefault, void *mem, size_t bytes);

/* True if small pages would cost less than those of the ranges so far, which are large (os/page_cost.h). PREFAULT may
 * be NULL. */
bool tm_prefault_is_costly(struct tm_prefault *prefault);

/* Ends the thread. PREFAULT may be NULL. */
void tm_prefault_free(struct tm_prefault *prefault);

#endif

/* How much memory this process may use. */
#ifndef TM_OS_MEMORY_SIZE_H
#define TM_OS_MEMORY_SIZE_H

#include <stdint.h>

/* Returns the least of these sizes in bytes, and UINT64_MAX if none is known: the machine's memory; the limits of this
 * process's address space and data, getrlimit(2); the limits of its control groups and of those around them, cgroups(7)
 * versions 1 and 2, where these are mounted at their usual places. ROOT comes before the names of all files that are
 * read; "" stands for those of the system. Call this before the sandbox is entered. */
uint64_t tm_memory_size(const char *root);

#endif

/* The few things beyond POSIX.1-2008. Each has one name here, and a replacement for systems without it. */
#ifndef TM_OS_COMPAT_H
#define TM_OS_COMPAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns how many processors this process may use; at least 1. */
unsigned tm_compat_processors(void);

/* Asks the kernel for a pipe buffer of BYTES on FD, which may be no pipe at all. */
void tm_compat_widen_pipe(int fd, int bytes);

/* True when tm_compat_splice can move bytes from IN to OUT: both are pipes, and the system can. */
bool tm_compat_can_splice(int in, int out);

/* Moves up to LEN bytes from pipe IN to pipe OUT without a copy. The number moved, 0 at IN's end, -1 with errno set
 * (ENOSYS where the system cannot). */
long tm_compat_splice(int in, int out, size_t len);

/* Asks the kernel to back BYTES at MEM, which will be filled from front to back, with large pages. */
void tm_compat_large_pages(void *mem, size_t bytes);

/* Backs BYTES at MEM with pages. False: the kernel cannot do so, or has no memory left. */
bool tm_compat_populate(void *mem, size_t bytes);

/* Gives the storage of LEN bytes at OFFSET of FD, a regular file open for writing, back to the system: they are 0 then.
 * False where that cannot be. */
bool tm_compat_give_back(int fd, uint64_t offset, uint64_t len);

/* How many characters a line of the terminal FD has; 80 if that is unknown. */
size_t tm_compat_columns(int fd);

/* From now on this process is killed when its parent ends. Elsewhere it notices when it writes. */
void tm_compat_end_with_parent(void);

/* PATH, which exists, with its links followed; to be freed. NULL with errno set. */
char *tm_compat_real_path(const char *path);

#endif

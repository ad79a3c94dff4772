/* The functions of systems that POSIX.1-2008 lacks. Each has one name here, and a replacement for systems without it.
 */
#ifndef TM_OS_COMPAT_H
#define TM_OS_COMPAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns how many processors this process may use; at least 1. */
unsigned tm_compat_processors(void);

/* Returns the bytes of the machine's memory; UINT64_MAX if the system does not say. */
uint64_t tm_compat_memory_bytes(void);

/* Has malloc take memory for large pages from the kernel: fresh memory costs a page fault for each page, of 4 KB or of
 * 2 MB. Call it before malloc is used. The heap begins at a large page, with 16 MB, or with less where the process may
 * have little memory. Large pages are asked for these; for what is added later the environment must ask
 * (os/large_pages.h). When the 16 MB are used, blocks from 2 MB on are mapped on their own, so arrays that grow need no
 * copy and leave no gap. The heap grows by 16 MB for other blocks, and keeps as much freed memory. Only pages that are
 * used take memory. All threads use the heap: they allocate seldom, so they hardly wait for each other. Does nothing
 * where malloc cannot. */
void tm_compat_prepare_heap(void);

/* Asks the kernel for a pipe buffer of BYTES on FD. Does nothing if FD is not a pipe. */
void tm_compat_widen_pipe(int fd, int bytes);

/* True when tm_compat_splice can move bytes from IN to OUT: both are pipes, and the system can. */
bool tm_compat_can_splice(int in, int out);

/* Moves up to LEN bytes from pipe IN to pipe OUT without a copy. Returns the number of bytes moved, 0 at IN's end, or
 * -1 with errno set (ENOSYS if the system cannot do so). */
long tm_compat_splice(int in, int out, size_t len);

/* Makes a file of BYTES that is only in memory, has no name and keeps its size. Returns its descriptor, which is closed
 * on exec, or -1 if the system cannot do so. */
int tm_compat_shared_memory(size_t bytes);

/* Returns BYTES of fresh memory that begin at a page and are all 0, for tm_compat_unmap; NULL: there are none. */
void *tm_compat_map(size_t bytes);

void tm_compat_unmap(void *mem, size_t bytes);

/* Asks the kernel to back BYTES at MEM, which will be filled from front to back, with large pages. */
void tm_compat_large_pages(void *mem, size_t bytes);

/* Joins the pages of BYTES at MEM, shared memory of other processes too, to a large one; both begin and end where large
 * pages do. What MEM holds stays, also while others write to it. False: the kernel cannot do so now. */
bool tm_compat_join_pages(void *mem, size_t bytes);

/* Asks the kernel to back what has no page yet of BYTES at MEM with small pages. */
void tm_compat_small_pages(void *mem, size_t bytes);

/* Returns the nanoseconds that the calling thread has used a processor; 0 if the system does not say. */
uint64_t tm_compat_thread_ns(void);

/* Backs BYTES at MEM with pages. False: the kernel cannot do so, or has no memory left. */
bool tm_compat_populate(void *mem, size_t bytes);

/* Takes the whole pages of BYTES at MEM, which no one else has, from the process. They can be used again, and then read
 * as 0. Does nothing if the system cannot do so. */
void tm_compat_give_back(void *mem, size_t bytes);

/* Frees the storage of LEN bytes at OFFSET of FD, a regular file open for writing. The bytes then read as 0. False if
 * the system cannot do so. */
bool tm_compat_punch_hole(int fd, uint64_t offset, uint64_t len);

/* Has the kernel begin to write LEN bytes at OFFSET of FD, a regular file, to the disk. Does nothing if the system
 * cannot do so. */
void tm_compat_start_writeback(int fd, uint64_t offset, uint64_t len);

/* Returns how many characters a line of the terminal FD has; 80 if that is unknown. */
size_t tm_compat_columns(int fd);

/* Has the kernel send this process SIGNUM when its parent ends. Other systems do nothing: there the process ends when
 * it writes to a pipe whose reader is gone. */
void tm_compat_end_with_parent(int signum);

/* Returns PATH, which exists, with its symbolic links resolved, to be freed. NULL with errno set after an error. */
char *tm_compat_real_path(const char *path);

/* Starts a process that calls BECOME with CONTEXT. BECOME is to replace it by a program; if it returns, the process
 * ends with status 127. It may call only what a handler of signals may call. All signals must be blocked. On Linux the
 * process shares the caller's memory until then and the caller waits, so BECOME can tell it why it failed; elsewhere it
 * has a copy, and only the status tells. Returns the process id, or -1 with errno set. This takes a third of the time
 * of posix_spawn, which asks for the handler of every signal. */
pid_t tm_compat_spawn(void (*become)(void *), void *context);

#endif

/* The storage of a temporary file given back while the file is read, each byte once and in any order: what is written
 * at the same time finds room on the disk, and memory, where that was. A merge then needs no more of either than its
 * larger file. */
#ifndef TM_OS_RECLAIM_H
#define TM_OS_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file is given back a unit at a time. Smaller ones are not worth it: the kernel keeps a file in memory in pages of
 * up to that much, and gives back only whole ones. */
#define TM_RECLAIM_UNIT ((uint64_t)1 << 20)

/* Zero-initialise, but for fd. What cannot be given back (a file system that cannot, no memory to count) just stays. */
struct tm_reclaim {
    int fd; /* a regular file open for writing, borrowed */
    /* private */
    uint32_t *bytes; /* of each unit that were read */
    size_t count;    /* of units that have one */
    bool gave_up;
};

/* LEN bytes at OFFSET have been read for the last time. Must be said but once of each byte. */
void tm_reclaim_add(struct tm_reclaim *spent, uint64_t offset, uint64_t len);

/* True when the byte at OFFSET, or one of its unit, was given back: it is 0 now. */
bool tm_reclaim_is_gone(const struct tm_reclaim *spent, uint64_t offset);

void tm_reclaim_release(struct tm_reclaim *spent);

#endif

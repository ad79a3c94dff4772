/* Gives the storage of a temporary file back while the file is read. Each byte is read once, in any order. Disk and
 * page cache are then free for the output, so a merge needs no more of either than its larger file. */
#ifndef TM_OS_RECLAIM_H
#define TM_OS_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Storage is given back in units of this size. The page cache holds a file in pages of up to this size and frees only
 * whole ones. */
#define TM_RECLAIM_UNIT ((uint64_t)1 << 20)

/* Zero-initialise, except for fd. The storage stays if the file system cannot give it back, or if there is no memory to
 * count. */
struct tm_reclaim {
    int fd; /* a regular file open for writing, borrowed */
    /* private */
    uint32_t *bytes; /* how many of each unit were read */
    size_t count;    /* units counted */
    bool gave_up;
};

/* States that the LEN bytes at OFFSET have been read for the last time. Each byte must be stated once. */
void tm_reclaim_add(struct tm_reclaim *reclaim, uint64_t offset, uint64_t len);

/* True if the unit of the byte at OFFSET was given back: its bytes read as 0. */
bool tm_reclaim_has(const struct tm_reclaim *reclaim, uint64_t offset);

void tm_reclaim_release(struct tm_reclaim *reclaim);

#endif

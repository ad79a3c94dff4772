/* Bytes addressed by offset, for tables whose size depends on the input. The pages used last are in memory, up to a
 * bound. The others are in an unlinked temporary file, which is made when the bound is exceeded. */
#ifndef TM_OS_PAGED_FILE_H
#define TM_OS_PAGED_FILE_H

#include "base/status.h"
#include "os/reclaim.h"

#include <stdint.h>
#include <string.h>

enum { TM_PAGE_BYTES = 1 << 14 };

struct tm_page;

/* Zero-initialise, then init. */
struct tm_paged_file {
    uint64_t end; /* after the last byte ever written */
    /* private */
    const char *dir;
    struct tm_page *pages; /* sets of a few pages; a page may be in any slot of its set */
    uint32_t set_count;    /* a power of two */
    uint64_t recent;       /* number of the page used last, plus 1; 0: none */
    uint8_t *recent_data;  /* of that page */
    uint32_t clock;        /* counts uses, to tell which page was used longest ago */
    uint64_t file_end;     /* how far the file has been written */
    uint64_t discarded;    /* number of a page; those before it have left the memory */
    uint64_t reclaimed;    /* number of a page; the file system got back the storage of those before it */
    struct tm_reclaim reclaim;
    int fd;                /* valid where file_end is not 0 */
};

/* Holds MEMORY_BYTES (at least a few pages) in memory, and the rest in a file in DIR (borrowed; NULL: as
 * tm_io_temporary). Allocates nothing yet. */
void tm_paged_file_init(struct tm_paged_file *paged, const char *dir, size_t memory_bytes);

/* Reads as tm_paged_file_read does, from pages other than the one used last. */
enum tm_status tm_paged_file_read_pages(struct tm_paged_file *paged, uint64_t offset, void *data, size_t len,
                                        struct tm_error *err);

/* These write or read LEN bytes at OFFSET. Bytes that were never written read as 0. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_paged_file_write(struct tm_paged_file *paged, uint64_t offset, const void *data, size_t len,
                                   struct tm_error *err);
static inline enum tm_status tm_paged_file_read(struct tm_paged_file *paged, uint64_t offset, void *data, size_t len,
                                                struct tm_error *err)
{
    size_t at = (size_t)(offset % TM_PAGE_BYTES);
    if (offset / TM_PAGE_BYTES + 1 != paged->recent || len > TM_PAGE_BYTES - at)
        return tm_paged_file_read_pages(paged, offset, data, len, err);
    if (len > 0) /* else DATA may be NULL */
        memcpy(data, paged->recent_data + at, len);
    return TM_OK;
}

/* Forgets the bytes before OFFSET, which must not be read or written any more. Whole pages of them leave the memory,
 * and the file system gets their storage back. OFFSET never decreases until clear. */
void tm_paged_file_discard(struct tm_paged_file *paged, uint64_t offset);

/* Forgets all bytes. Keeps the memory. */
void tm_paged_file_clear(struct tm_paged_file *paged);

void tm_paged_file_release(struct tm_paged_file *paged);

#endif

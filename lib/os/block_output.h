/* Blocks of bytes on their way to a descriptor. After some megabytes a thread writes them if the descriptor is a file
 * that no one else writes: copying by the kernel is a third of the time that writing a large trace takes. */
#ifndef TM_OS_BLOCK_OUTPUT_H
#define TM_OS_BLOCK_OUTPUT_H

#include "os/async_writer.h"

#include <stdbool.h>

struct tm_block_output {
    int fd;           /* borrowed */
    const char *name; /* for messages; borrowed */
    /* private */
    bool is_own;                    /* no one else writes to fd */
    uint64_t bytes;                 /* written so far */
    uint64_t offset;                /* in fd of the next byte, while there is a writer */
    struct tm_async_writer *writer; /* NULL: none so far, or impossible */
    bool has_writer;                /* its start was tried */
};

/* Initialises OUT to write to FD, which is borrowed. NAME: the name of FD; NULL: standard output. */
void tm_block_output_init(struct tm_block_output *out, int fd, const char *name);

/* Writes BYTES, which are then empty and may have other memory. TM_OK, or TM_E_SYSTEM "NAME: cause", also if earlier
 * bytes could not be written; then only release may follow. */
enum tm_status tm_block_output_write(struct tm_block_output *out, struct tm_buf *bytes, struct tm_error *err);

/* True if a thread writes. */
static inline bool tm_block_output_is_async(const struct tm_block_output *out)
{
    return out->writer != NULL;
}

/* Waits until all bytes are written. The file offset of FD is then after them. Status and errors are those of write. */
enum tm_status tm_block_output_finish(struct tm_block_output *out, struct tm_error *err);

/* Ends the thread. OUT may have been zero-initialised only. */
void tm_block_output_release(struct tm_block_output *out);

#endif

/* A range of a file that can be read at any offset: a whole regular file, a member of a TAR, or a copy of a stream in a
 * temporary file. */
#ifndef TM_CONTAINER_EXTENT_H
#define TM_CONTAINER_EXTENT_H

#include "os/input.h"
#include "os/reclaim.h"
#include "stream/text_file.h"

#include <stdbool.h>
#include <stdint.h>

struct tm_extent {
    int fd;         /* borrowed; -1: none */
    uint64_t start; /* offset of its first byte in fd */
    uint64_t len;   /* in bytes */
    bool is_temporary; /* a temporary copy, whose bytes were read once before */
    bool is_shared;  /* the bytes belong to several files, so they are kept until all are read */
    struct tm_reclaim *reclaim; /* if fd is a temporary file: gives back what will not be read again; borrowed; NULL:
                                   the file is kept */
};

/* Reads LEN bytes from byte AT of EXTENT. AT + LEN must lie inside it. TM_OK; TM_E_INPUT if the file has become
 * shorter; TM_E_SYSTEM. */
enum tm_status tm_extent_read(const struct tm_extent *extent, uint64_t at, void *data, size_t len,
                              struct tm_error *err);

/* Makes IN an input over EXTENT, whose descriptor must outlive it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_extent_open(const struct tm_extent *extent, struct tm_input *in, struct tm_error *err);

/* Makes IN an input over FD, from its current position. With OWNED, releasing IN closes FD. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_fd_open(int fd, bool owned, struct tm_input *in, struct tm_error *err);

/* A number of bytes of an input, as an input of their own. They are not copied. */
struct tm_part {
    struct tm_input *around; /* borrowed; nothing else may read it while the part is in use */
    uint64_t left;           /* bytes of the part that are still in around */
    bool tolerant;           /* true: the part ends early if around does; false: that is TM_E_INPUT */
    uint64_t read_bytes;     /* private: bytes of the part that were removed from around */
};

/* Makes IN an input over PART, which is borrowed and must outlive it. */
void tm_part_open(struct tm_part *part, struct tm_input *in);

/* Moves the input around PART to where IN, an input over PART, is. Until this call it may be at an earlier byte. */
void tm_part_settle(struct tm_part *part, const struct tm_input *in);

/* Copies the unread bytes of IN to a new unlinked file in DIR (NULL: $TMPDIR, else /tmp). EXTENT becomes that file. The
 * caller owns its descriptor. TM_OK, or an error of reading or writing. */
enum tm_status tm_extent_copy(struct tm_input *in, const char *dir, struct tm_extent *extent, struct tm_error *err);

/* Appends the unread bytes of IN to TEXT. EXTENT becomes the part of TEXT that has them. TEXT keeps its descriptor.
 * TM_OK, or an error of reading or writing. */
enum tm_status tm_extent_copy_text(struct tm_input *in, struct tm_text_file *text, struct tm_extent *extent,
                                   struct tm_error *err);

#endif

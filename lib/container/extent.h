/* A stretch of a file that can be read at any place: a whole regular file, a member of a TAR, a
 * spooled stream. */
#ifndef TM_CONTAINER_EXTENT_H
#define TM_CONTAINER_EXTENT_H

#include "os/input.h"
#include "os/reclaim.h"
#include "stream/text_file.h"

#include <stdbool.h>
#include <stdint.h>

struct tm_extent {
    int fd;         /* borrowed; -1: none */
    uint64_t start; /* of its first byte in FD */
    uint64_t len;   /* in bytes */
    bool is_spooled; /* a temporary copy: its bytes have been read once already */
    struct tm_reclaim *reclaim; /* of FD, a temporary file: what nobody will read again; borrowed, NULL: it is kept */
};

/* LEN bytes from byte AT of EXTENT: TM_OK; TM_E_INPUT when the file became shorter than it was;
 * TM_E_SYSTEM. AT + LEN must lie inside. */
enum tm_status tm_extent_read(const struct tm_extent *extent, uint64_t at, void *data, size_t len,
                              struct tm_error *err);

/* Makes IN an input over EXTENT, whose descriptor must outlive it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_extent_open(const struct tm_extent *extent, struct tm_input *in, struct tm_error *err);

/* Makes IN an input over what FD gives from where it stands; with OWNED, FD is closed at release. */
enum tm_status tm_fd_open(int fd, bool owned, struct tm_input *in, struct tm_error *err);

/* The next bytes of an input, as an input of their own, which shows them where they are. */
struct tm_part {
    struct tm_input *around; /* borrowed; left alone by all others meanwhile */
    uint64_t left;           /* bytes of the part that were not read off AROUND yet */
    bool tolerant;           /* AROUND ending before that ends the part; else it is TM_E_INPUT */
    uint64_t read_bytes;     /* private: of the part, off AROUND */
};

/* Makes IN an input over PART, which stays the caller's and must outlive it. */
void tm_part_open(struct tm_part *part, struct tm_input *in);

/* Reads off AROUND what was read of IN, which is over PART. Until then that may lag behind. */
void tm_part_settle(struct tm_part *part, const struct tm_input *in);

/* Copies all that is left of IN to a new unlinked file in DIR (NULL: $TMPDIR, else /tmp). EXTENT
 * is that file, its descriptor the caller's. */
enum tm_status tm_extent_spool(struct tm_input *in, const char *dir, struct tm_extent *extent, struct tm_error *err);

/* The same to the end of TEXT, whose descriptor stays its own. */
enum tm_status tm_extent_spool_text(struct tm_input *in, struct tm_text_file *text, struct tm_extent *extent,
                                    struct tm_error *err);

#endif

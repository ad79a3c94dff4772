/* The bytes of one file during its turn. They can be read once in order and, where possible, at any offset. */
#ifndef TM_CONTAINER_CONTENT_H
#define TM_CONTAINER_CONTENT_H

#include "container/extent.h"

struct tm_content {
    struct tm_input *in;     /* the unread bytes */
    struct tm_extent extent; /* the same bytes, readable at any offset; fd -1: they can be read only once */
    uint64_t extent_at;      /* the offset of in at which extent begins */
    const char *path;        /* borrowed; the path by which the file was opened; NULL: none */
    bool has_folder;         /* the folder of path may be read too */
    uint64_t size_bytes;     /* of all bytes; UINT64_MAX: not known yet */
    /* private */
    struct tm_input own;     /* the input, if the content made it */
    int owned_fd;            /* -1: none */
    struct tm_reclaim reclaim; /* reclaims the temporary file that the content made; fd -1: none */
};

/* Returns a content that reads IN, which is borrowed. */
struct tm_content tm_content_of(struct tm_input *in);

/* Opens the file PATH, or standard input for "-". PATH must outlive the content. TM_OK; TM_E_INPUT if it cannot be
 * opened; TM_E_SYSTEM. A content may be moved only by tm_content_move. */
enum tm_status tm_content_open_path(struct tm_content *content, const char *path, struct tm_error *err);

/* Opens EXTENT, whose file must outlive the content. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_content_open_extent(struct tm_content *content, const struct tm_extent *extent, struct tm_error *err);

/* Makes the unread bytes readable at any offset. Bytes from a pipe or a decompressor are first copied to TEXT or, if
 * that is NULL, to a temporary file in DIR. TM_OK, or an error of reading or writing. */
enum tm_status tm_content_by_place(struct tm_content *content, struct tm_text_file *text, const char *dir,
                                   struct tm_error *err);

/* Returns the part of LEN bytes from offset AT on. The content must have an extent that covers it. CONTENT must not
 * move while the part is used. */
struct tm_extent tm_content_part(struct tm_content *content, uint64_t at, uint64_t len);

/* Returns the offset at which the content ends, or UINT64_MAX while that is unknown. */
uint64_t tm_content_end(const struct tm_content *content);

/* Moves FROM to TO. FROM must not be used again. */
void tm_content_move(struct tm_content *to, const struct tm_content *from);

void tm_content_release(struct tm_content *content);

#endif

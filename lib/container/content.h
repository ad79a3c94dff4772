/* The bytes of one file as its turn finds them: to be read once, and, where they can be had, by place. */
#ifndef TM_CONTAINER_CONTENT_H
#define TM_CONTAINER_CONTENT_H

#include "container/extent.h"

struct tm_content {
    struct tm_input *in;     /* what is unread */
    struct tm_extent extent; /* the same bytes by place; fd -1: they can be read once only */
    uint64_t extent_at;      /* the offset of in that extent begins at */
    uint64_t size_bytes;     /* of all of it; UINT64_MAX where that is not known yet */
    /* private */
    struct tm_input own;     /* in, where the content made it */
    int owned_fd;            /* -1: none */
    struct tm_reclaim reclaim; /* of the temporary file that it made; fd -1: none */
};

/* A content that reads IN, which stays the caller's. */
struct tm_content tm_content_of(struct tm_input *in);

/* The file PATH, or standard input for "-". TM_OK; TM_E_INPUT when it cannot be opened, TM_E_SYSTEM. The
 * content is moved by tm_content_move only. */
enum tm_status tm_content_open_path(struct tm_content *content, const char *path, struct tm_error *err);

/* A stretch of a file that outlives it. */
enum tm_status tm_content_open_extent(struct tm_content *content, const struct tm_extent *extent, struct tm_error *err);

/* Makes what is unread available by place: what comes from a pipe or a decompressor goes to TEXT first, or, where that
 * is NULL, to a temporary file in DIR. */
enum tm_status tm_content_by_place(struct tm_content *content, struct tm_text_file *text, const char *dir,
                                   struct tm_error *err);

/* The part of the extent from offset AT on, LEN bytes; the content has one and reaches that far. CONTENT stays where it
 * is while the part is used. */
struct tm_extent tm_content_part(struct tm_content *content, uint64_t at, uint64_t len);

/* The offset where the content ends, or UINT64_MAX while that is unknown. */
uint64_t tm_content_end(const struct tm_content *content);

/* TO becomes what FROM was; FROM must not be used again. */
void tm_content_move(struct tm_content *to, const struct tm_content *from);

void tm_content_release(struct tm_content *content);

#endif

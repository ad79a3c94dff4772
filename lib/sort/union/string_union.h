/* The string table of several streams, within the bounds that a single one has. Strings that come
 * when it is full are kept in a temporary file, and travel with the events that use them. */
#ifndef TM_SORT_UNION_STRING_UNION_H
#define TM_SORT_UNION_STRING_UNION_H

#include "base/intern.h"
#include "stream/frame.h"

struct tm_string_extra {
    uint64_t offset; /* in the file */
    uint32_t bytes;
};

struct tm_string_union {
    struct tm_intern strings;
    uint32_t sent; /* strings that have been written to a stream; kept by the caller */
    /* private */
    const char *dir;
    int fd;
    uint64_t file_bytes;
    struct tm_string_extra *extras;
    uint32_t extra_count, extra_cap;
};

/* COUNT_MAX and BYTES_MAX bound the table. DIR, for the file, is borrowed; NULL: as tm_io_spool. */
void tm_string_union_init(struct tm_string_union *strings, uint32_t count_max, size_t bytes_max, const char *dir);

/* The number of the LEN bytes at S: 1 and up in the table; with TM_STRING_INLINE set, what
 * tm_string_union_extra takes. */
enum tm_status tm_string_union_add(struct tm_string_union *strings, const void *s, size_t len, uint32_t *number,
                                   struct tm_error *err);

/* Puts the text of NUMBER, which has TM_STRING_INLINE set, at the end of DETAIL as a text field;
 * *STRING is what refers to it there. */
enum tm_status tm_string_union_extra(struct tm_string_union *strings, uint32_t number, struct tm_buf *detail,
                                     uint32_t *string, struct tm_error *err);

void tm_string_union_release(struct tm_string_union *strings);

#endif

/* The string table of several streams, within the limits of a single stream's. Strings beyond them are kept in a
 * temporary file and are inline in the events that use them. */
#ifndef TM_SORT_UNION_STRING_UNION_H
#define TM_SORT_UNION_STRING_UNION_H

#include "os/temporary_file.h"
#include "base/intern.h"

struct tm_string_extra {
    uint64_t offset; /* offset in the file */
    uint32_t bytes;
};

struct tm_string_union {
    struct tm_intern strings;
    uint32_t sent; /* strings written to a stream so far; maintained by the caller */
    /* private */
    struct tm_temporary_file file;
    struct tm_string_extra *extras;
    uint32_t extra_count, extra_cap;
};

/* Initialises the table with the limits COUNT_MAX and BYTES_MAX. DIR, for the file, is borrowed; NULL: as
 * tm_io_temporary. */
void tm_string_union_init(struct tm_string_union *strings, uint32_t count_max, size_t bytes_max, const char *dir);

/* Finds or adds the LEN bytes at S. In the table *NUMBER counts from 1. For a string beyond the limits of the table,
 * *NUMBER has TM_STRING_INLINE set and is for tm_string_union_extra. TM_OK; TM_E_INPUT if there are too many strings;
 * TM_E_SYSTEM. */
enum tm_status tm_string_union_add(struct tm_string_union *strings, const void *s, size_t len, uint32_t *number,
                                   struct tm_error *err);

/* Appends the text of NUMBER, which has TM_STRING_INLINE set, to DETAIL as a text field. Sets *STRING to the string
 * that refers to it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_string_union_extra(struct tm_string_union *strings, uint32_t number, struct tm_buf *detail,
                                     uint32_t *string, struct tm_error *err);

void tm_string_union_release(struct tm_string_union *strings);

#endif

/* The narrow form of a column: its elements in fewer bytes. Each element is a lowest value plus an unsigned number of
 * 1, 2 or 4 bytes, modulo the range of the column's width. */
#ifndef TM_STREAM_NARROW_H
#define TM_STREAM_NARROW_H

#include <stddef.h>
#include <stdint.h>

struct tm_narrow {
    const uint8_t *data; /* elements, little-endian, not aligned; borrowed */
    uint64_t low;
    uint32_t width;      /* bytes of an element: 1, 2, 4; 0 if there is no narrow form */
};

/* Returns the narrowest form of COUNT (at least 1) elements of WIDTH (4 or 8) bytes at DATA. It depends on their
 * values only. Sets low and width; data is NULL. */
struct tm_narrow tm_narrow_find(const uint8_t *data, size_t width, uint32_t count);

/* Writes COUNT elements of WIDTH bytes at DATA to TO in the form NARROW, which tm_narrow_find returned. */
void tm_narrow_pack(const struct tm_narrow *narrow, uint8_t *to, const uint8_t *data, size_t width, uint32_t count);

/* Writes the COUNT elements of NARROW to TO, WIDTH bytes each. */
void tm_narrow_unpack(const struct tm_narrow *narrow, uint8_t *to, size_t width, uint32_t count);

#endif

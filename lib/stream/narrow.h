/* The elements of a column in fewer bytes than the column has: each is a lowest value and an unsigned number of 1, 2 or
 * 4 bytes on top of it, modulo what the column's width holds. */
#ifndef TM_STREAM_NARROW_H
#define TM_STREAM_NARROW_H

#include <stddef.h>
#include <stdint.h>

struct tm_narrow {
    const uint8_t *data; /* elements, little end first, not aligned; borrowed */
    uint64_t low;
    uint32_t width;      /* bytes an element here: 1, 2, 4; 0 where there is no narrow form */
};

/* The narrowest form of COUNT (at least 1) elements of WIDTH (4 or 8) bytes at DATA: low and width, which depend on
 * nothing but their values; data is NULL. */
struct tm_narrow tm_narrow_find(const uint8_t *data, size_t width, uint32_t count);

/* Writes COUNT elements of WIDTH bytes at DATA to TO in the form that find said. */
void tm_narrow_pack(const struct tm_narrow *narrow, uint8_t *to, const uint8_t *data, size_t width, uint32_t count);

/* Writes the COUNT elements of NARROW to TO, WIDTH bytes each. */
void tm_narrow_unpack(const struct tm_narrow *narrow, uint8_t *to, size_t width, uint32_t count);

#endif

/* The first bytes inside a compressed file, for a look at it before its turn. */
#ifndef TM_CONTAINER_HEAD_H
#define TM_CONTAINER_HEAD_H

#include <stddef.h>
#include <stdint.h>

/* Decompresses the first bytes of gzip or zstd data into OUT (CAP bytes). The LEN bytes at DATA are its beginning.
 * Returns their number; 0 if DATA is neither, is damaged, or there is no memory. */
size_t tm_container_head(const uint8_t *data, size_t len, uint8_t *out, size_t cap);

#endif

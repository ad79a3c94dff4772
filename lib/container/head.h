/* The beginning of what a compressed file holds, for a look at it before its turn. */
#ifndef TM_CONTAINER_HEAD_H
#define TM_CONTAINER_HEAD_H

#include <stddef.h>
#include <stdint.h>

/* Decompresses the first bytes of gzip or zstd, of which the LEN bytes at DATA are the beginning, into OUT (CAP bytes).
 * How many there are; 0 where DATA is neither, is damaged, or memory ran out. */
size_t tm_container_head(const uint8_t *data, size_t len, uint8_t *out, size_t cap);

#endif

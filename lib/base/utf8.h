/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef TM_BASE_UTF8_H
#define TM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length in bytes (1 to 4) of the valid sequence at S (LEN bytes readable), or 0 if there is none. */
size_t tm_utf8_length(const uint8_t *s, size_t len);

/* True if all LEN bytes at S are valid UTF-8. */
bool tm_utf8_valid(const uint8_t *s, size_t len);

/* Returns how many columns of a terminal a character takes; its LEN bytes at S are valid UTF-8. 2 in blocks of wide
 * characters of East Asia and of emoji (Unicode Standard Annex 11), 0 in blocks of marks that combine with the
 * character before, else 1. */
size_t tm_utf8_columns(const uint8_t *s, size_t len);

/* Returns the length of the byte order mark at the front of the LEN bytes at S: 3, or 0 if there is none. */
size_t tm_utf8_mark(const uint8_t *s, size_t len);

/* Writes code point CP (at most 0x10ffff) to OUT (4 bytes) and returns the number of bytes. */
size_t tm_utf8_encode(uint32_t cp, uint8_t *out);

#endif

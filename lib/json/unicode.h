/* Characters in the text of JSON: \u escapes, and bytes of UTF-8. */
#ifndef TM_JSON_UNICODE_H
#define TM_JSON_UNICODE_H

#include "base/buf.h"

#include <stdbool.h>

/* Decodes the \u escape at P, whose four digits are before END, with its partner if it is half of a surrogate pair.
 * Returns the byte after what was decoded. *CP is the code point: U+FFFD for half a pair without its partner, above
 * 0x10ffff if the digits are not hexadecimal. */
const uint8_t *tm_json_decode_u(const uint8_t *p, const uint8_t *end, uint32_t *cp);

/* Returns the first place from P on at which the text means no character, or END. It is a byte that is part of no valid
 * UTF-8, or the backslash of a \u escape that is half of a surrogate pair without its partner. The text is JSON, and
 * begins outside an escape. */
const uint8_t *tm_json_find_no_character(const uint8_t *p, const uint8_t *end);

/* Appends the LEN bytes at S to OUT, with U+FFFD at each place that tm_json_find_no_character finds: as UTF-8 for a
 * byte, as \ufffd for an escape. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_put_characters(struct tm_buf *out, const uint8_t *s, size_t len);

#endif

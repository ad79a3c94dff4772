/* What scan.h accepts beyond RFC 8259, and readers of JSON refuse: words for numbers that are not finite, and a comma
 * before a closing bracket. */
#ifndef TM_JSON_STANDARD_H
#define TM_JSON_STANDARD_H

#include "base/buf.h"

/* Returns the first place from P on at which such a word, with its sign, or such a comma is, or END. The text is JSON
 * as scan.h accepts it. P and END are outside of strings and words. */
const uint8_t *tm_json_find_extension(const uint8_t *p, const uint8_t *end);

/* Appends the LEN bytes at S to OUT, such words as strings and without such commas. S is as for tm_json_find_extension.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_put_standard(struct tm_buf *out, const uint8_t *s, size_t len);

#endif

#include "base/text.h"

#include "base/decimal.h"

const uint8_t *tm_text_find(struct tm_text haystack, const char *needle)
{
    const size_t n = strlen(needle);
    const uint8_t *end = haystack.data + haystack.len;
    for (const uint8_t *p = haystack.data; (size_t)(end - p) >= n; p++) {
        p = memchr(p, needle[0], (size_t)(end - p) - n + 1);
        if (p == NULL)
            return NULL;
        if (memcmp(p, needle, n) == 0)
            return p;
    }
    return NULL;
}

bool tm_text_cut(struct tm_text *rest, const char *separator, struct tm_text *head)
{
    const uint8_t *at = tm_text_find(*rest, separator);
    if (at == NULL)
        return false;
    const size_t len = (size_t)(at - rest->data);
    *head = tm_text_at(rest->data, len);
    *rest = tm_text_after(*rest, len + strlen(separator));
    return true;
}

bool tm_text_int(struct tm_text text, int64_t *value)
{
    return tm_decimal_int(tm_text_chars(text), text.len, value) == TM_OK;
}

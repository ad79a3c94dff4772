#include "base/span.h"

#include "base/decimal.h"

#include <string.h>

const char *tm_span_find(struct tm_span haystack, const char *needle)
{
    size_t n = strlen(needle);
    const char *end = haystack.s + haystack.len;
    for (const char *p = haystack.s; (size_t)(end - p) >= n; p++) {
        p = memchr(p, needle[0], (size_t)(end - p) - n + 1);
        if (p == NULL)
            return NULL;
        if (memcmp(p, needle, n) == 0)
            return p;
    }
    return NULL;
}

bool tm_span_cut(struct tm_span *rest, const char *separator, struct tm_span *head)
{
    const char *at = tm_span_find(*rest, separator);
    if (at == NULL)
        return false;
    *head = (struct tm_span){rest->s, (size_t)(at - rest->s)};
    at += strlen(separator);
    *rest = (struct tm_span){at, (size_t)(rest->s + rest->len - at)};
    return true;
}

bool tm_span_int(struct tm_span span, int64_t *value)
{
    return tm_decimal_int(span.s, span.len, value) == TM_OK;
}

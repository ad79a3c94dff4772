#include "format/ftrace_args.h"

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

bool tm_ftrace_arg(struct tm_span args, const char *key, struct tm_span *value)
{
    size_t n = strlen(key);
    const char *end = args.s + args.len;
    const char *p = args.s;
    while (p < end) {
        const char *word_end = memchr(p, ' ', (size_t)(end - p));
        if (word_end == NULL)
            word_end = end;
        if ((size_t)(word_end - p) > n && p[n] == '=' && memcmp(p, key, n) == 0) {
            *value = (struct tm_span){p + n + 1, (size_t)(word_end - p) - n - 1};
            return true;
        }
        p = word_end + (word_end < end);
    }
    return false;
}

bool tm_span_int(struct tm_span span, int64_t *value)
{
    return tm_decimal_int(span.s, span.len, value) == TM_OK;
}

bool tm_ftrace_arg_int(struct tm_span args, const char *key, int64_t min, int64_t max, int64_t *value)
{
    struct tm_span v;
    return tm_ftrace_arg(args, key, &v) && tm_span_int(v, value) && *value >= min && *value <= max;
}

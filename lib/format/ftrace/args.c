#include "format/ftrace/args.h"

#include <string.h>

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

bool tm_ftrace_arg_int(struct tm_span args, const char *key, int64_t min, int64_t max, int64_t *value)
{
    struct tm_span v;
    return tm_ftrace_arg(args, key, &v) && tm_span_int(v, value) && *value >= min && *value <= max;
}

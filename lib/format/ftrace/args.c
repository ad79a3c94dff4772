#include "format/ftrace/args.h"

#include <string.h>

bool tm_ftrace_arg(struct tm_text args, const char *key, struct tm_text *value)
{
    size_t n = strlen(key);
    const uint8_t *end = args.data + args.len;
    const uint8_t *p = args.data;
    while (p < end) {
        const uint8_t *word_end = memchr(p, ' ', (size_t)(end - p));
        if (word_end == NULL)
            word_end = end;
        if ((size_t)(word_end - p) > n && p[n] == '=' && memcmp(p, key, n) == 0) {
            *value = tm_text_at(p + n + 1, (size_t)(word_end - p) - n - 1);
            return true;
        }
        p = word_end + (word_end < end);
    }
    return false;
}

bool tm_ftrace_arg_int(struct tm_text args, const char *key, int64_t min, int64_t max, int64_t *value)
{
    struct tm_text v;
    return tm_ftrace_arg(args, key, &v) && tm_text_int(v, value) && *value >= min && *value <= max;
}

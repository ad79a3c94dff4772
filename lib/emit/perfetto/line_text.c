#include "emit/perfetto/line_text.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_TEXT_MAX = 24 };

const char *tm_line_after(const char *line, size_t len, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= len; i++)
        if (memcmp(line + i, word, n) == 0)
            return line + i + n;
    return NULL;
}

uint64_t tm_line_number(const char *at, const char *end, int base)
{
    char text[NUMBER_TEXT_MAX];
    size_t len = 0;
    while (at + len < end && at[len] != ' ' && len + 1 < sizeof text) {
        text[len] = at[len];
        len++;
    }
    text[len] = '\0';
    return text[0] == '-' ? (uint64_t)strtoll(text, NULL, base) : strtoull(text, NULL, base);
}

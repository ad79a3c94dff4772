#include "unpack/stated_host.h"

#include <string.h>

struct word {
    const uint8_t *p;
    size_t len;
};

static bool is(struct word w, const char *text)
{
    return w.len == strlen(text) && memcmp(w.p, text, w.len) == 0;
}

/* Finds the next string from *P on. False: there is none before END. */
static bool next_string(const uint8_t **p, const uint8_t *end, struct word *word)
{
    const uint8_t *open = memchr(*p, '"', (size_t)(end - *p));
    const uint8_t *close = open ? open + 1 : end;
    while (close < end && *close != '"')
        close += *close == '\\' && close + 1 < end ? 2 : 1;
    if (open == NULL || close >= end)
        return false;
    *word = (struct word){open + 1, (size_t)(close - open - 1)};
    *p = close + 1;
    return true;
}

/* True if nothing ends between FROM and TO: both belong to one value. */
static bool continues(const uint8_t *from, const uint8_t *to)
{
    for (; from < to; from++)
        if (memchr(" \t\r\n,:{", *from, 8) == NULL)
            return false;
    return true;
}

/* Finds the value after a key that ends at P. It may be inside members called value, stringValue and the like. False:
 * there is none that can be a host. */
static bool value_of(const uint8_t *p, const uint8_t *end, struct word *value)
{
    static const char *const around[] = {"value", "stringValue", "string_value", "type", "string", "vStr"};
    for (;;) {
        const uint8_t *from = p;
        bool is_around = false;
        if (!next_string(&p, end, value) || !continues(from, value->p - 1))
            return false;
        for (size_t i = 0; i < sizeof around / sizeof *around; i++)
            is_around = is_around || is(*value, around[i]);
        if (!is_around)
            return value->len > 0 && value->len < TM_STATED_HOST_BYTES && !memchr(value->p, '\\', value->len);
    }
}

struct tm_stated_host tm_stated_host_find(const uint8_t *head, size_t len)
{
    struct tm_stated_host host = {0};
    const uint8_t *p = head, *end = head + len;
    struct word word, value;
    while (next_string(&p, end, &word)) {
        if ((!is(word, "host.name") && !is(word, "hostname")) || !value_of(p, end, &value))
            continue;
        if (host.name[0] == '\0')
            memcpy(host.name, value.p, value.len);
        else if (!is(value, host.name))
            host.is_one_of_several = true;
    }
    return host;
}

#include "base/spent.h"

#include "base/compat.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_UNITS = 64 };

/* Has a count for UNIT. False: there is no memory for that. */
static bool reserve(struct tm_spent *s, uint64_t unit)
{
    size_t count = s->count ? s->count : FIRST_UNITS;
    if (unit < s->count)
        return true;
    while (count <= unit)
        count *= 2;
    uint32_t *bytes = realloc(s->bytes, count * sizeof *bytes);
    if (bytes == NULL)
        return false;
    memset(bytes + s->count, 0, (count - s->count) * sizeof *bytes);
    s->bytes = bytes;
    s->count = count;
    return true;
}

void tm_spent_add(struct tm_spent *s, uint64_t offset, uint64_t len)
{
    while (len > 0 && !s->gave_up) {
        uint64_t unit = offset / TM_SPENT_UNIT, left = TM_SPENT_UNIT - offset % TM_SPENT_UNIT;
        uint64_t part = len < left ? len : left;
        s->gave_up = !reserve(s, unit);
        if (s->gave_up)
            return;
        s->bytes[unit] += (uint32_t)part;
        if (s->bytes[unit] == TM_SPENT_UNIT && !tm_compat_give_back(s->fd, unit * TM_SPENT_UNIT, TM_SPENT_UNIT)) {
            s->bytes[unit] = 0;
            s->gave_up = true;
        }
        offset += part;
        len -= part;
    }
}

bool tm_spent_is_gone(const struct tm_spent *s, uint64_t offset)
{
    uint64_t unit = offset / TM_SPENT_UNIT;
    return unit < s->count && s->bytes[unit] >= TM_SPENT_UNIT;
}

void tm_spent_release(struct tm_spent *s)
{
    free(s->bytes);
    *s = (struct tm_spent){.fd = -1};
}

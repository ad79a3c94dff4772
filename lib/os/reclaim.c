#include "os/reclaim.h"

#include "os/compat.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_UNITS = 64 };

/* Makes room for the count of UNIT. False if out of memory. */
static bool reserve(struct tm_reclaim *s, uint64_t unit)
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

void tm_reclaim_add(struct tm_reclaim *s, uint64_t offset, uint64_t len)
{
    while (len > 0 && !s->gave_up) {
        uint64_t unit = offset / TM_RECLAIM_UNIT, left = TM_RECLAIM_UNIT - offset % TM_RECLAIM_UNIT;
        uint64_t part = len < left ? len : left;
        s->gave_up = !reserve(s, unit);
        if (s->gave_up)
            return;
        s->bytes[unit] += (uint32_t)part;
        if (s->bytes[unit] == TM_RECLAIM_UNIT &&
            !tm_compat_punch_hole(s->fd, unit * TM_RECLAIM_UNIT, TM_RECLAIM_UNIT)) {
            s->bytes[unit] = 0;
            s->gave_up = true;
        }
        offset += part;
        len -= part;
    }
}

bool tm_reclaim_has(const struct tm_reclaim *s, uint64_t offset)
{
    uint64_t unit = offset / TM_RECLAIM_UNIT;
    return unit < s->count && s->bytes[unit] >= TM_RECLAIM_UNIT;
}

void tm_reclaim_release(struct tm_reclaim *s)
{
    free(s->bytes);
    *s = (struct tm_reclaim){.fd = -1};
}

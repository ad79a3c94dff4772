#include "format/gecko/names.h"

#include "base/bytes.h"

enum tm_status tm_gecko_names_add(struct tm_gecko_names *names, const void *s, size_t len)
{
    uint8_t end[8];
    tm_put_le64(end, names->bytes.len + len);
    if (tm_buf_reserve(&names->bytes, len) != TM_OK || tm_buf_add(&names->ends, end, sizeof end) != TM_OK)
        return TM_E_SYSTEM;
    names->count++;
    return tm_buf_add(&names->bytes, s, len);
}

const uint8_t *tm_gecko_names_get(const struct tm_gecko_names *names, uint32_t i, size_t *len)
{
    static const uint8_t empty[1];
    if (i >= names->count)
        return NULL;
    size_t start = i ? (size_t)tm_get_le64(names->ends.data + 8 * ((size_t)i - 1)) : 0;
    *len = (size_t)tm_get_le64(names->ends.data + 8 * (size_t)i) - start;
    return names->bytes.data ? names->bytes.data + start : empty;
}

void tm_gecko_names_release(struct tm_gecko_names *names)
{
    tm_buf_release(&names->bytes);
    tm_buf_release(&names->ends);
    *names = (struct tm_gecko_names){0};
}

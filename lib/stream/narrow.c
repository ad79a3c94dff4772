#include "stream/narrow.h"

#include "base/cpu.h"
#include "stream/narrow_loops.h"
#include "stream/narrow_wide.h"

static struct narrow_range range_of(const uint8_t *data, size_t width, uint32_t count)
{
#if TM_NARROW_WIDE
    if (tm_cpu_has_avx2()) {
        struct narrow_range range;
        tm_narrow_range_wide(&range, data, width, count);
        return range;
    }
#endif
    return narrow_range(data, width, count);
}

static void copy(uint8_t *to, const struct narrow_copy *how, uint32_t count)
{
#if TM_NARROW_WIDE
    if (tm_cpu_has_avx2()) {
        tm_narrow_copy_wide(to, how, count);
        return;
    }
#endif
    narrow_copy(to, how, count);
}

struct tm_narrow tm_narrow_find(const uint8_t *data, size_t width, uint32_t count)
{
    struct narrow_range range = range_of(data, width, count);
    uint64_t span = (uint64_t)range.high - (uint64_t)range.low;
    uint32_t narrow = span <= UINT8_MAX ? 1 : span <= UINT16_MAX ? 2 : span <= UINT32_MAX ? 4 : 8;
    return (struct tm_narrow){.low = (uint64_t)range.low & (width == 8 ? UINT64_MAX : UINT32_MAX),
                              .width = narrow < width ? narrow : 0};
}

void tm_narrow_pack(const struct tm_narrow *narrow, uint8_t *to, const uint8_t *data, size_t width, uint32_t count)
{
    struct narrow_copy how = {data, width, narrow->width, -narrow->low};
    copy(to, &how, count);
}

void tm_narrow_unpack(const struct tm_narrow *narrow, uint8_t *to, size_t width, uint32_t count)
{
    struct narrow_copy how = {narrow->data, narrow->width, width, narrow->low};
    copy(to, &how, count);
}

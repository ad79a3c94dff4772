#include "align/duration.h"

#include "base/decimal.h"

void tm_align_put_ns(struct tm_buf *out, int64_t ns, bool sign)
{
    static const struct {
        int64_t from;
        int scale;
        const char *unit;
    } units[] = {{1000000000, 9, "s"}, {1000000, 6, "ms"}, {1000, 3, "us"}, {0, 0, "ns"}};
    char digits[TM_DECIMAL_TEXT_MAX];
    uint64_t size = tm_magnitude(ns);
    size_t i = 0;
    while (units[i].from > 0 && size < (uint64_t)units[i].from)
        i++;
    digits[tm_decimal_format(ns, units[i].scale, digits)] = '\0';
    (void)tm_buf_addf(out, "%s%s %s", sign && ns >= 0 ? "+" : "", digits, units[i].unit);
}

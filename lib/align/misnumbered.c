#include "align/misnumbered.h"

#include <string.h>

/* A stretch at an end of the recordings has at most this part of the beats. */
enum { END_PART = 4 };

/* The beats that A and B have in common: those of A from FIRST up to END. */
struct common {
    const struct tm_beat *a, *b;
    int64_t first, end, shift, b_count, usual_ns;
};

static int64_t offset_at(const struct common *c, int64_t k)
{
    return c->a[k].ns - c->b[k + c->shift].ns;
}

static bool are_near(int64_t p, int64_t q, int64_t most)
{
    return p - q <= most && q - p <= most;
}

/* True if OFFSET_NS relates beat K of A to another beat of B than the shift does, one that is at most a few away. */
static bool has_other(const struct common *c, int64_t k, int64_t offset_ns)
{
    enum { REACH = 3, PART = 64 };
    for (int64_t by = -REACH; by <= REACH; by++) {
        int64_t at = k + c->shift + by;
        if (by != 0 && at >= 0 && at < c->b_count && c->b[at].symbol == c->a[k].symbol &&
            are_near(c->a[k].ns - c->b[at].ns, offset_ns, c->usual_ns / PART))
            return true;
    }
    return false;
}

/* Marks the beats from K up to END if most of them have other counterparts at OFFSET_NS, the offset beside them. One of
 * them has none: that which B lost. */
static void mark(bool *wrong, const struct common *c, int64_t k, int64_t end, int64_t offset_ns)
{
    int64_t others = 0;
    for (int64_t i = k; i < end; i++)
        others += has_other(c, i, offset_ns);
    if ((others + 1) * 2 > end - k)
        memset(wrong + k + c->shift, true, (size_t)(end - k) * sizeof *wrong);
}

/* Returns the first beat after K at which the offset is again that before K, or -1. */
static int64_t find_return(const struct common *c, int64_t k)
{
    int64_t last = c->end - k > TM_MISNUMBERED_MAX ? k + TM_MISNUMBERED_MAX : c->end - 1;
    for (int64_t i = k + 1; i <= last; i++)
        if (are_near(offset_at(c, i), offset_at(c, k - 1), c->usual_ns / 2))
            return i;
    return -1;
}

/* True if COUNT beats at an end of the recordings are few. */
static bool are_few(const struct common *c, int64_t count)
{
    return count <= TM_MISNUMBERED_MAX && count <= (c->end - c->first) / END_PART;
}

void tm_misnumbered_find(bool *wrong, struct tm_beats a, struct tm_beats b, int64_t shift, int64_t usual_ns)
{
    struct common c = {.a = a.all, .b = b.all, .shift = shift, .b_count = b.count, .usual_ns = usual_ns};
    c.first = shift < 0 ? -shift : 0;
    c.end = (int64_t)b.count - shift < (int64_t)a.count ? (int64_t)b.count - shift : (int64_t)a.count;
    memset(wrong, false, b.count * sizeof *wrong);
    for (int64_t k = c.first + 1; k < c.end; k++) {
        int64_t before = offset_at(&c, k - 1), after = offset_at(&c, k);
        if (are_near(before, after, usual_ns / 2))
            continue;
        int64_t back = find_return(&c, k);
        if (back > 0) {
            mark(wrong, &c, k, back, before);
            k = back;
        } else if (are_few(&c, k - c.first)) {
            mark(wrong, &c, c.first, k, after);
        } else if (are_few(&c, c.end - k)) {
            mark(wrong, &c, k, c.end, before);
        }
    }
}

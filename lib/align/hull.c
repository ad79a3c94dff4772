#include "align/hull.h"

#include <stdlib.h>

enum { SETTLE_FROM = 32 };

static int by_x(const void *a, const void *b)
{
    const struct tm_point *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return p->y < q->y ? -1 : p->y > q->y;
}

/* True if B is not a vertex between A and C: it is on the segment or above it. */
static bool is_redundant(const struct tm_point *a, const struct tm_point *b, const struct tm_point *c)
{
    return ((tm_i128)b->y - a->y) * ((tm_i128)c->x - a->x) >= ((tm_i128)c->y - a->y) * ((tm_i128)b->x - a->x);
}

/* True if P is on the last settled hull or above it. Nearly all points are, and are not kept. */
static bool is_above(const struct tm_hull *hull, const struct tm_point *p)
{
    const struct tm_point *vertices = hull->points;
    uint32_t low = 0, high = hull->settled;
    if (hull->settled < 2 || p->x < vertices[0].x || p->x > vertices[hull->settled - 1].x)
        return false;
    while (high - low > 1) { /* invariant: vertices[low].x <= p->x */
        uint32_t middle = low + (high - low) / 2;
        if (vertices[middle].x <= p->x)
            low = middle;
        else
            high = middle;
    }
    return high < hull->settled ? is_redundant(&vertices[low], p, &vertices[high]) : p->y >= vertices[low].y;
}

/* Makes room for one more point. Most hulls have few vertices, so all other points are removed before memory is
 * allocated. */
static enum tm_status make_room(struct tm_hull *hull)
{
    if (hull->count < hull->cap)
        return TM_OK;
    if (hull->cap >= SETTLE_FROM)
        tm_hull_settle(hull);
    if (hull->count < hull->cap / 2 || (hull->cap >= 2 * TM_HULL_POINTS_MAX && hull->count < hull->cap))
        return TM_OK;
    uint32_t cap = hull->cap ? hull->cap * 2 : 4;
    struct tm_point *points = realloc(hull->points, cap * sizeof *points);
    if (points == NULL)
        return TM_E_SYSTEM;
    hull->points = points;
    hull->cap = cap;
    return TM_OK;
}

enum tm_status tm_hull_add(struct tm_hull *hull, int64_t x, int64_t y)
{
    const struct tm_point p = {x, y};
    if (is_above(hull, &p))
        return TM_OK;
    if (make_room(hull) < 0)
        return TM_E_SYSTEM;
    hull->points[hull->count++] = p;
    return TM_OK;
}

/* Keeps every second vertex and both ends. */
static void thin(struct tm_hull *hull)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < hull->count; i++)
        if (i % 2 == 0 || i + 1 == hull->count)
            hull->points[n++] = hull->points[i];
    hull->count = n;
}

void tm_hull_settle(struct tm_hull *hull)
{
    struct tm_point *p = hull->points;
    uint32_t n = 0;
    if (hull->settled == hull->count)
        return;
    qsort(p, hull->count, sizeof *p, by_x);
    for (uint32_t i = 0; i < hull->count; i++) {
        if (n > 0 && p[n - 1].x == p[i].x) /* the one before is not higher */
            continue;
        while (n >= 2 && is_redundant(&p[n - 2], &p[n - 1], &p[i]))
            n--;
        p[n++] = p[i];
    }
    hull->count = n;
    if (n > TM_HULL_POINTS_MAX)
        thin(hull);
    hull->settled = hull->count;
}

/* True if the limit of a line with SLOPE falls from vertex P to vertex Q, the next one. */
static bool falls(const struct tm_point *p, const struct tm_point *q, int64_t slope)
{
    return ((tm_i128)q->y - p->y) * ((tm_i128)1 << TM_SLOPE_BITS) < (tm_i128)slope * ((tm_i128)q->x - p->x);
}

tm_i128 tm_hull_lowest(const struct tm_hull *hull, int64_t slope, int64_t x_ns)
{
    const struct tm_point *p = hull->points;
    uint32_t low = 0, high = hull->count - 1;
    while (low < high) { /* the hull is convex: limits fall up to the lowest one and rise from there */
        uint32_t middle = low + (high - low) / 2;
        if (falls(&p[middle], &p[middle + 1], slope))
            low = middle + 1;
        else
            high = middle;
    }
    return p[low].y * ((tm_i128)1 << TM_SLOPE_BITS) + (tm_i128)slope * ((tm_i128)x_ns - p[low].x);
}

void tm_hull_clear(struct tm_hull *hull)
{
    hull->count = hull->settled = 0;
}

void tm_hull_release(struct tm_hull *hull)
{
    free(hull->points);
    *hull = (struct tm_hull){0};
}

#include "manifest/clock_points.h"

#include "base/checked.h"

#include <stdlib.h>

struct reader {
    struct tm_manifest_points *points;
    struct tm_json_text *json;
    struct tm_manifest_problems *problems;
    const char *where;
};

/* Adds a problem with ITEM, the member FIELD of x_tracemerge. WHAT is the cause. */
static void wrong(struct reader *r, const cJSON *item, const char *field, const char *what)
{
    tm_manifest_problems_at(r->problems, tm_json_text_place(r->json, item));
    tm_manifest_problems_add(r->problems, "%sclocks.x_tracemerge%s %s", r->where, field, what);
}

static void wrong_point(struct reader *r, const cJSON *item, const char *what)
{
    tm_manifest_problems_at(r->problems, tm_json_text_place(r->json, item));
    tm_manifest_problems_add(r->problems, "%sclocks.x_tracemerge.points[%zu] %s", r->where, r->points->count, what);
}

/* Sets *POINT to that of ITEM, which must be later than the point before it. Returns NULL, or what is wrong with it. */
static const char *parse_point(const struct reader *r, const cJSON *item, struct tm_manifest_point *point)
{
    const cJSON *own = cJSON_IsArray(item) ? item->child : NULL;
    const cJSON *offset = own ? own->next : NULL;
    enum tm_status own_status = TM_E_INPUT, offset_status = TM_E_INPUT;
    int64_t reference;
    if (offset && offset->next == NULL) {
        own_status = tm_json_text_integer(r->json, own, &point->own_ns);
        offset_status = tm_json_text_integer(r->json, offset, &point->offset_ns);
    }
    if (own_status == TM_E_INPUT || offset_status == TM_E_INPUT)
        return "must be [own_ns, offset_ns], two integers";
    if (own_status == TM_END || offset_status == TM_END || !tm_add_i64(point->own_ns, point->offset_ns, &reference))
        return "is out of range";
    if (r->points->count == 0)
        return NULL;
    const struct tm_manifest_point *last = &r->points->points[r->points->count - 1];
    if (point->own_ns <= last->own_ns)
        return "must have a greater own_ns than the point before it";
    if (reference < last->own_ns + last->offset_ns && point->own_ns - 1 != last->own_ns)
        return "lets the reference run backwards: a step is two points 1 ns apart";
    return NULL;
}

static bool read_point(struct reader *r, const cJSON *item)
{
    struct tm_manifest_point point;
    const char *fault = parse_point(r, item, &point);
    if (fault)
        wrong_point(r, item, fault);
    else
        r->points->points[r->points->count++] = point;
    return fault == NULL;
}

static enum tm_status read_points(struct reader *r, const cJSON *item)
{
    const cJSON *one;
    size_t count = 0;
    if (!cJSON_IsArray(item)) {
        wrong(r, item, ".points", "must be an array of pairs of integers");
        return TM_OK;
    }
    cJSON_ArrayForEach(one, item)
        count++;
    if (count == 0 || count > TM_MANIFEST_POINTS_MAX) {
        wrong(r, item, ".points", count ? "must have at most 65536 points" : "must have at least one point");
        return TM_OK;
    }
    r->points->points = calloc(count, sizeof *r->points->points);
    if (r->points->points == NULL)
        return TM_E_SYSTEM;
    cJSON_ArrayForEach(one, item)
        if (!read_point(r, one)) {
            r->points->count = 0;
            break;
        }
    return TM_OK;
}

static void read_uncertainty(struct reader *r, const cJSON *item)
{
    enum tm_status st = tm_json_text_integer(r->json, item, &r->points->uncertainty_ns);
    r->points->has_uncertainty = st == TM_OK && r->points->uncertainty_ns >= 0;
    if (st == TM_END)
        wrong(r, item, ".uncertainty_ns", "is out of range");
    else if (!r->points->has_uncertainty)
        wrong(r, item, ".uncertainty_ns", "must be an integer, 0 or more");
}

enum tm_status tm_manifest_points_read(struct tm_manifest_points *points, struct tm_json_text *json,
                                       const cJSON *clocks, const char *where, struct tm_manifest_problems *problems)
{
    struct reader r = {.points = points, .json = json, .problems = problems, .where = where};
    const cJSON *item = tm_json_text_get(clocks, "x_tracemerge"), *part;
    enum tm_status st = TM_OK;
    if (item == NULL)
        return TM_OK;
    if (!cJSON_IsObject(item)) {
        wrong(&r, item, "", "must be an object");
        return TM_OK;
    }
    if ((part = tm_json_text_get(item, "points")))
        st = read_points(&r, part);
    if ((part = tm_json_text_get(item, "uncertainty_ns")))
        read_uncertainty(&r, part);
    part = tm_json_text_get(item, "rule");
    if (part && !cJSON_IsString(part))
        wrong(&r, part, ".rule", "must be a string");
    else if (part)
        points->rule = part->valuestring;
    return st;
}

bool tm_manifest_points_range(const struct tm_manifest_points *points, int64_t *low_ns, int64_t *high_ns)
{
    *low_ns = INT64_MAX;
    *high_ns = INT64_MIN;
    for (size_t i = 0; i < points->count; i++) {
        int64_t offset = points->points[i].offset_ns;
        *low_ns = offset < *low_ns ? offset : *low_ns;
        *high_ns = offset > *high_ns ? offset : *high_ns;
    }
    return points->count > 0;
}

void tm_manifest_points_release(struct tm_manifest_points *points)
{
    free(points->points);
    *points = (struct tm_manifest_points){0};
}

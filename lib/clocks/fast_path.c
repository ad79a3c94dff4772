#include "clocks/fast_path.h"

#include "clocks/row_converter.h"
#include "stream/clock_id.h"

struct tm_route_key tm_row_route_key(const struct tm_batch *batch, uint32_t i)
{
    return (struct tm_route_key){.file = tm_batch_u32(batch, TM_COL_FILE, i),
                                 .embedded = tm_batch_u32(batch, TM_COL_MACHINE, i),
                                 .clock = tm_batch_u32(batch, TM_COL_CLOCK, i),
                                 .sequence = tm_batch_u32(batch, TM_COL_SEQUENCE, i)};
}

/* Returns the bits in which any element of a tile differs from VALUE. */
static uint32_t any_bits(const uint8_t *elements, uint32_t value)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < TM_BATCH_TILE; i++)
        any |= tm_get_le32(elements + (size_t)4 * i) ^ value;
    return any;
}

/* True for kinds of rows that are handled one by one: synchronization markers place nothing, messages have more than
 * one time, and some rows name a machine. */
static inline bool is_special(uint32_t kind)
{
    return (kind == TM_KIND_SYNC_MARKER) | (kind == TM_KIND_COMPACT_SCHED) | (kind == TM_KIND_SYSTEM_INFO);
}

static bool any_special(const uint8_t *kinds)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < TM_BATCH_TILE; i++)
        any |= is_special(tm_get_le32(kinds + (size_t)4 * i));
    return any;
}

/* What rows of one run have in common. */
struct common {
    const struct tm_batch_col *flags, *kinds, *times;
    uint32_t barred; /* flags that no row has */
    struct {
        const uint8_t *data;
        uint32_t value;
    } varying[4]; /* columns of the key that are not constant */
    uint32_t count;
};

/* Sets COMMON for rows with KEY. False if row FIRST has another key. */
static bool find_common(struct common *common, const struct tm_batch *batch, const struct tm_route_key *key,
                        uint32_t first, bool any_sequence)
{
    const struct {
        enum tm_column column;
        uint32_t value;
    } parts[] = {{TM_COL_FILE, key->file},
                 {TM_COL_MACHINE, key->embedded},
                 {TM_COL_CLOCK, key->clock},
                 {TM_COL_SEQUENCE, key->sequence}};
    size_t count = sizeof parts / sizeof *parts - (any_sequence && !tm_clock_is_scoped(key->clock));
    for (size_t k = 0; k < count; k++) {
        if (tm_batch_u32(batch, parts[k].column, first) != parts[k].value)
            return false;
        common->varying[common->count].data = batch->cols[parts[k].column].data;
        common->varying[common->count].value = parts[k].value;
        common->count += !tm_batch_is_constant(batch, parts[k].column);
    }
    return true;
}

static int64_t time_of(const struct tm_batch_col *times, uint32_t i)
{
    return (int64_t)tm_get_le64(times->data + (size_t)8 * (i & times->mask));
}

static bool is_derived(const struct tm_batch_col *flags, uint32_t i)
{
    return tm_get_le32(flags->data + (size_t)4 * (i & flags->mask)) & TM_EVENT_DERIVED;
}

/* True if all rows [FIRST, END) that are derived have the time of the row before. Adds their number to *DERIVED. */
static bool have_time_before(const struct common *common, uint32_t first, uint32_t end, uint32_t *derived)
{
    uint64_t differ = 0;
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t is = is_derived(common->flags, i);
        differ |= is ? (uint64_t)time_of(common->times, i) ^ (uint64_t)time_of(common->times, i - 1) : 0;
        count += is;
    }
    *derived += count;
    return differ == 0;
}

/* True if the tile of rows from I on belongs to the run. Adds to *DERIVED how many of them are derived. */
static bool has_tile(const struct common *common, uint32_t i, uint32_t *derived)
{
    const struct tm_batch_col *flags = common->flags, *kinds = common->kinds;
    uint32_t any = flags->mask ? any_bits(flags->data + (size_t)4 * i, 0) : tm_get_le32(flags->data);
    uint32_t other = any & common->barred, count = 0;
    other |= kinds->mask ? any_special(kinds->data + (size_t)4 * i) : is_special(tm_get_le32(kinds->data));
    for (uint32_t k = 0; k < common->count; k++)
        other |= any_bits(common->varying[k].data + (size_t)4 * i, common->varying[k].value);
    if (other || (any & TM_EVENT_DERIVED && !have_time_before(common, i, i + TM_BATCH_TILE, &count)))
        return false;
    *derived += count;
    return true;
}

/* Does for row I what has_tile does. */
static bool has_row(const struct common *common, uint32_t i, uint32_t *derived)
{
    const struct tm_batch_col *flags = common->flags, *kinds = common->kinds;
    uint32_t other = tm_get_le32(flags->data + (size_t)4 * (i & flags->mask)) & common->barred, count = 0;
    other |= is_special(tm_get_le32(kinds->data + (size_t)4 * (i & kinds->mask)));
    for (uint32_t k = 0; k < common->count; k++)
        other |= tm_get_le32(common->varying[k].data + (size_t)4 * i) ^ common->varying[k].value;
    if (other || (is_derived(flags, i) && (i == 0 || !have_time_before(common, i, i + 1, &count))))
        return false;
    *derived += count;
    return true;
}

struct tm_fast_rows tm_fast_rows_from(const struct tm_batch *batch, const struct tm_route_key *key, uint32_t first,
                                      uint32_t max, unsigned takes)
{
    struct common common = {.flags = &batch->cols[TM_COL_FLAGS],
                            .kinds = &batch->cols[TM_COL_KIND],
                            .times = &batch->cols[TM_COL_TIME_NS],
                            .barred = TM_ROW_NOT_FAST | (takes & TM_FAST_ROWS_DERIVED ? 0 : TM_EVENT_DERIVED)};
    struct tm_fast_rows rows = {.first = first, .end = first};
    uint32_t end = batch->count - first < max ? batch->count : first + max;
    if (!find_common(&common, batch, key, first, takes & TM_FAST_ROWS_ANY_SEQUENCE) ||
        !has_row(&common, first, &rows.derived))
        return rows;
    uint32_t i = first + 1;
    while (end - i >= TM_BATCH_TILE && has_tile(&common, i, &rows.derived)) /* nearly all rows are in a run */
        i += TM_BATCH_TILE;
    while (i < end && has_row(&common, i, &rows.derived))
        i++;
    rows.end = i;
    return rows;
}

/* The lowest and the highest of some readings. */
struct range {
    int64_t low, high;
};

/* Returns the first of ROWS that is not derived. Those before it belong to a row that may not be counted. */
static uint32_t first_event(const struct tm_fast_rows *rows, const struct tm_batch *batch)
{
    uint32_t i = rows->first;
    while (i < rows->end && rows->derived && is_derived(&batch->cols[TM_COL_FLAGS], i))
        i++;
    return i;
}

static struct range range_of(const struct tm_batch *batch, uint32_t first, uint32_t end)
{
    const struct tm_batch_col times = batch->cols[TM_COL_TIME_NS];
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t i = first; i < end; i++) {
        int64_t t = time_of(&times, i);
        low = t < low ? t : low;
        high = t > high ? t : high;
    }
    return (struct range){low, high};
}

static bool holds(struct tm_clock_route *route, int64_t ns)
{
    int64_t ignored;
    return tm_row_convert_again(route, ns, &ignored);
}

static void convert_by_lines(const struct tm_fast_rows *rows, const struct tm_batch_col *from,
                             const struct tm_step *step, uint8_t *times)
{
    struct tm_clock_line line = step->lines[0];
    uint64_t before = step->translation, after = step->after[0];
    for (uint32_t i = rows->first; i < rows->end; i++) {
        int64_t t = (int64_t)((uint64_t)time_of(from, i) + before);
        tm_put_le64(times + (size_t)8 * i, (uint64_t)tm_clock_line_apply(&line, t) + after);
    }
    for (uint32_t k = 1; k < step->line_count; k++) {
        line = step->lines[k];
        for (uint32_t i = rows->first; i < rows->end; i++) {
            int64_t t = (int64_t)tm_get_le64(times + (size_t)8 * i);
            tm_put_le64(times + (size_t)8 * i, (uint64_t)tm_clock_line_apply(&line, t) + step->after[k]);
        }
    }
}

bool tm_fast_rows_convert(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_route *route,
                          uint8_t *times)
{
    const struct tm_batch_col from = batch->cols[TM_COL_TIME_NS];
    const uint64_t translation = route->step.translation, counted = rows->end - rows->first - rows->derived;
    const struct range range = range_of(batch, counted ? first_event(rows, batch) : rows->first, rows->end);
    if (!holds(route, range.low) || !holds(route, range.high))
        return false;
    if (route->step.line_count == 0)
        for (uint32_t i = rows->first; i < rows->end; i++)
            tm_put_le64(times + (size_t)8 * i, (uint64_t)time_of(&from, i) + translation);
    else
        convert_by_lines(rows, &from, &route->step, times);
    rows->latest_ns = tm_step_apply(&route->step, range.high);
    if (counted == 0)
        return true;
    tm_row_count(route, range.low);
    tm_row_count(route, range.high);
    route->run.count += counted - 2; /* two are counted; for one row, this is -1 */
    return true;
}

/* Cuts ROWS before the first one for which ROUTE's step does not hold. On a clock line
 * (batch_placer_lines.c) derived rows are counted too, so a derived of 0 stays 0. */
static void cut(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_route *route)
{
    const struct tm_batch_col *flags = &batch->cols[TM_COL_FLAGS];
    uint32_t i = rows->first, derived = 0;
    for (; i < rows->end && holds(route, time_of(&batch->cols[TM_COL_TIME_NS], i)); i++)
        derived += is_derived(flags, i);
    rows->end = i;
    rows->derived = rows->derived ? derived : 0;
}

void tm_fast_rows_convert_first(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_route *route,
                                uint8_t *times)
{
    if (rows->end == rows->first || tm_fast_rows_convert(rows, batch, route, times))
        return;
    cut(rows, batch, route);
    if (rows->end > rows->first)
        (void)tm_fast_rows_convert(rows, batch, route, times);
}

/* Places ROWS on a clock whose readings are multiples of a unit, or counted from the event before. */
static void place_one_by_one(struct tm_fast_rows *rows, const struct tm_batch *batch,
                             struct tm_clock_registry *registry, struct tm_clock_route *route, uint8_t *times)
{
    struct tm_clock *clock = &registry->graph.clocks.clocks[route->source];
    const struct tm_batch_col *flags = &batch->cols[TM_COL_FLAGS], *from = &batch->cols[TM_COL_TIME_NS];
    uint32_t i = rows->first;
    int64_t time_ns = (int64_t)tm_get_le64(times + (size_t)8 * (i - 1)), last_ns, ns;
    rows->latest_ns = time_ns;
    for (; i < rows->end; i++) {
        if (!is_derived(flags, i)) {
            last_ns = clock->last_ns;
            if (!tm_clock_route_absolute(route, registry, time_of(from, i), &ns))
                break;
            if (!tm_row_convert_again(route, ns, &time_ns)) {
                clock->last_ns = last_ns;
                break;
            }
            tm_row_count(route, ns);
            rows->latest_ns = time_ns > rows->latest_ns ? time_ns : rows->latest_ns;
        }
        tm_put_le64(times + (size_t)8 * i, (uint64_t)time_ns);
    }
    rows->end = i;
}

void tm_fast_rows_place(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_registry *registry,
                        struct tm_clock_route *route, uint8_t *times)
{
    if (route->is_in_ns)
        tm_fast_rows_convert_first(rows, batch, route, times);
    else
        place_one_by_one(rows, batch, registry, route, times);
}

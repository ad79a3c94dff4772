#include "clocks/fast_path.h"

#include "clocks/row_converter.h"

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

/* True for kinds of rows that are handled one by one: synchronization markers place nothing, and messages have more
 * than one time. */
static inline bool is_special(uint32_t kind)
{
    return (kind == TM_KIND_SYNC_MARKER) | (kind == TM_KIND_COMPACT_SCHED);
}

static bool any_special(const uint8_t *kinds)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < TM_BATCH_TILE; i++)
        any |= is_special(tm_get_le32(kinds + (size_t)4 * i));
    return any;
}

struct tm_fast_rows tm_fast_rows_from(const struct tm_batch *batch, const struct tm_route_key *key, uint32_t first,
                                      uint32_t max)
{
    const struct tm_batch_col *flags = &batch->cols[TM_COL_FLAGS], *kinds = &batch->cols[TM_COL_KIND];
    const struct {
        enum tm_column column;
        uint32_t value;
    } parts[] = {{TM_COL_FILE, key->file},
                 {TM_COL_MACHINE, key->embedded},
                 {TM_COL_CLOCK, key->clock},
                 {TM_COL_SEQUENCE, key->sequence}};
    struct {
        const uint8_t *data;
        uint32_t value;
    } varying[4];
    uint32_t count = 0, i = first, end = batch->count - first < max ? batch->count : first + max;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (tm_batch_u32(batch, parts[k].column, first) != parts[k].value)
            return (struct tm_fast_rows){.first = first, .end = first};
        varying[count].data = batch->cols[parts[k].column].data;
        varying[count].value = parts[k].value;
        count += !tm_batch_is_constant(batch, parts[k].column);
    }
    while (end - i >= TM_BATCH_TILE) { /* nearly all rows match, so a tile is tested at once */
        uint32_t other = flags->mask ? any_bits(flags->data + (size_t)4 * i, 0) : tm_get_le32(flags->data);
        other &= TM_ROW_NOT_FAST;
        other |= kinds->mask ? any_special(kinds->data + (size_t)4 * i)
                             : is_special(tm_get_le32(kinds->data));
        for (uint32_t k = 0; k < count; k++)
            other |= any_bits(varying[k].data + (size_t)4 * i, varying[k].value);
        if (other)
            break;
        i += TM_BATCH_TILE;
    }
    for (; i < end; i++) {
        uint32_t other = tm_get_le32(flags->data + (size_t)4 * (i & flags->mask)) & TM_ROW_NOT_FAST;
        other |= is_special(tm_get_le32(kinds->data + (size_t)4 * (i & kinds->mask)));
        for (uint32_t k = 0; k < count; k++)
            other |= tm_get_le32(varying[k].data + (size_t)4 * i) ^ varying[k].value;
        if (other)
            break;
    }
    return (struct tm_fast_rows){.first = first, .end = i};
}

static int64_t time_of(const struct tm_batch_col *times, uint32_t i)
{
    return (int64_t)tm_get_le64(times->data + (size_t)8 * (i & times->mask));
}

static void find_range(struct tm_fast_rows *rows, const struct tm_batch *batch)
{
    const struct tm_batch_col times = batch->cols[TM_COL_TIME_NS];
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t i = rows->first; i < rows->end; i++) {
        int64_t t = time_of(&times, i);
        low = t < low ? t : low;
        high = t > high ? t : high;
    }
    rows->low = low;
    rows->high = high;
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
    uint64_t translation = route->step.translation;
    find_range(rows, batch);
    if (!holds(route, rows->low) || !holds(route, rows->high))
        return false;
    if (route->step.line_count == 0)
        for (uint32_t i = rows->first; i < rows->end; i++)
            tm_put_le64(times + (size_t)8 * i, (uint64_t)time_of(&from, i) + translation);
    else
        convert_by_lines(rows, &from, &route->step, times);
    tm_row_count(route, rows->low);
    tm_row_count(route, rows->high);
    route->run.count += (uint64_t)(rows->end - rows->first) - 2; /* two are counted; for one row, this is -1 */
    return true;
}

void tm_fast_rows_cut(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_route *route)
{
    uint32_t i = rows->first;
    while (i < rows->end && holds(route, time_of(&batch->cols[TM_COL_TIME_NS], i)))
        i++;
    rows->end = i;
}

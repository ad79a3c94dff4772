#include "emit/perfetto/clock_rows.h"

#include "base/search.h"
#include "base/table.h"
#include "base/hash.h"
#include "base/map.h"
#include "stream/clock_id.h"

#include <stdlib.h>
#include <string.h>

static enum tm_status append(struct tm_clock_row **rows, uint32_t *count, uint32_t *cap, const struct tm_clock_row *row)
{
    if (tm_array_grow(rows, cap, *count, sizeof **rows, NULL) < 0)
        return TM_E_SYSTEM;
    (*rows)[(*count)++] = *row;
    return TM_OK;
}

enum tm_status tm_clock_rows_add(struct tm_clock_rows *r, struct tm_clock_row row)
{
    if (row.clock == TM_CLOCK_TRACE_FILE || tm_clock_is_scoped(row.clock))
        return TM_OK;
    for (uint32_t i = r->count; i > 0 && r->rows[i - 1].snapshot == row.snapshot; i--) {
        struct tm_clock_row *other = &r->rows[i - 1];
        if (other->machine == row.machine && other->clock == row.clock)
            return TM_OK; /* a reading of an isolated file, repeated for the machine */
        if (other->machine != row.machine)
            other->is_edge = row.is_edge = true;
    }
    if (r->count == TM_CLOCK_ROWS_MAX)
        return TM_END;
    row.place = r->count;
    return append(&r->rows, &r->count, &r->cap, &row);
}

bool tm_clock_rows_is_timeline(const struct tm_clock_rows *r, uint32_t machine, uint32_t clock)
{
    return clock == TM_CLOCK_BOOTTIME || (machine == r->trace && clock == r->trace_clock);
}

#define COMPARE(a, b, field)       \
    if ((a)->field != (b)->field)  \
        return (a)->field < (b)->field ? -1 : 1

/* Orders rows by clock, relations after snapshots, then by file and time. */
static int by_clock(const void *x, const void *y)
{
    const struct tm_clock_row *a = x, *b = y;
    COMPARE(a, b, machine);
    COMPARE(a, b, clock);
    COMPARE(a, b, is_edge);
    COMPARE(a, b, file);
    COMPARE(a, b, ts_ns);
    COMPARE(a, b, place);
    return 0;
}

/* Returns the time at which a reader places VALUE of a clock with the COUNT rows at ROWS, at least one. */
static int64_t read_at(const struct tm_clock_row *rows, uint32_t count, int64_t value)
{
    uint32_t after = tm_search_i64_after(rows, count, TM_SEARCH_FIELD(struct tm_clock_row, value), value);
    const struct tm_clock_row *row = &rows[after ? after - 1 : 0];
    return (int64_t)((uint64_t)value - (uint64_t)row->value + (uint64_t)row->ts_ns);
}

/* The column of one clock while it is made. Its rows are those of COLUMN before HEAD and those from TAIL to before END.
 * Between them is a gap, where the next row goes. */
struct merge {
    struct tm_clock_rows *rows;
    struct tm_clock_row *column;
    uint32_t head, tail, end;
};

/* Moves the gap behind the rows whose time is at most TS_NS. */
static void move_gap(struct merge *m, int64_t ts_ns)
{
    while (m->tail < m->end && m->column[m->tail].ts_ns <= ts_ns)
        m->column[m->head++] = m->column[m->tail++];
    while (m->head > 0 && m->column[m->head - 1].ts_ns > ts_ns)
        m->column[--m->tail] = m->column[--m->head];
}

/* True if a reader places ROW correctly by the column. */
static bool is_placed_by_column(const struct merge *m, const struct tm_clock_row *row)
{
    const uint32_t tail_count = m->end - m->tail;
    if (tail_count && (m->head == 0 || m->column[m->tail].value <= row->value))
        return read_at(m->column + m->tail, tail_count, row->value) == row->ts_ns;
    return m->head && read_at(m->column, m->head, row->value) == row->ts_ns;
}

/* True if ROW can stand in the gap: both readings of the column still rise, and those of a clock that reads trace time
 * are trace time. */
static bool fits_in_gap(const struct merge *m, const struct tm_clock_row *row)
{
    bool reads_trace_time = tm_clock_rows_is_timeline(m->rows, row->machine, row->clock);
    return (!reads_trace_time || row->value == row->ts_ns) &&
           (m->head == 0 || m->column[m->head - 1].value <= row->value) &&
           (m->tail == m->end || row->value <= m->column[m->tail].value);
}

/* Adds ROW, which contradicts the column, to CONTRADICTING or to LEFT_OUT. */
static enum tm_status refuse(struct merge *m, const struct tm_clock_row *row)
{
    struct tm_clock_rows *r = m->rows;
    bool is_shown = row->clock >= TM_CLOCK_REALTIME && row->clock <= TM_CLOCK_MONOTONIC &&
                    !tm_clock_rows_is_timeline(r, row->machine, row->clock);
    if (!is_shown || row->machine != r->trace || row->is_edge)
        return append(&r->left_out, &r->left_out_count, &r->left_out_cap, row);
    return append(&r->contradicting, &r->contradicting_count, &r->contradicting_cap, row);
}

/* Adds ROW to the column if it continues it. A relation becomes a lone row if a reader places it correctly without. */
static enum tm_status take_row(struct merge *m, const struct tm_clock_row *row)
{
    struct tm_clock_rows *r = m->rows;
    if (row->is_edge && is_placed_by_column(m, row))
        return append(&r->lone, &r->lone_count, &r->lone_cap, row);
    move_gap(m, row->ts_ns);
    if (!fits_in_gap(m, row))
        return refuse(m, row);
    m->column[m->head++] = *row;
    return TM_OK;
}

/* Makes the column of the rows from FIRST to before END, which belong to one clock, at index *OUT of the rows. Moves
 * *OUT after it. */
static enum tm_status make_column(struct merge *m, uint32_t first, uint32_t end, uint32_t *out)
{
    struct tm_clock_rows *r = m->rows;
    struct tm_clock_row *rows = r->rows;
    enum tm_status st = TM_OK;
    m->head = 0;
    m->tail = m->end = end - first;
    for (uint32_t i = first; i < end && st == TM_OK; i++)
        st = take_row(m, &rows[i]);
    move_gap(m, INT64_MAX);
    if (st < 0 || m->head == 0)
        return st;
    struct tm_clock_column *column = &r->columns[r->column_count++];
    *column = (struct tm_clock_column){rows[first].machine, rows[first].clock, *out, m->head, 0, 0};
    for (uint32_t i = 0; i < m->head; i++)
        column->times_hash = tm_hash_u64(column->times_hash ^ tm_hash_u64((uint64_t)m->column[i].snapshot + 1));
    memcpy(rows + *out, m->column, m->head * sizeof *rows); /* takes at most the room of the rows read so far */
    *out += m->head;
    return TM_OK;
}

static uint32_t end_of_clock(const struct tm_clock_rows *r, uint32_t first)
{
    const struct tm_clock_row *row = &r->rows[first];
    uint32_t end = first + 1;
    while (end < r->count && r->rows[end].machine == row->machine && r->rows[end].clock == row->clock)
        end++;
    return end;
}

/* Removes rows that were read before anything related their machine, if their clock has others: times on it are written
 * so that those place them. Removes all such rows of the home machine, because readers convert to its clocks. */
static void drop_unrelated(struct tm_clock_rows *r)
{
    uint32_t kept = 0;
    for (uint32_t first = 0, end; first < r->count; first = end) {
        uint32_t related = 0;
        end = end_of_clock(r, first);
        for (uint32_t i = first; i < end; i++)
            related += !r->rows[i].is_unrelated;
        for (uint32_t i = first; i < end; i++)
            if (!r->rows[i].is_unrelated || (related == 0 && r->rows[i].machine != r->home))
                r->rows[kept++] = r->rows[i];
    }
    r->count = kept;
}

/* Adds snapshots that have only BOOTTIME to the lone rows. */
static enum tm_status add_snapshots(struct tm_clock_rows *r, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const struct tm_clock_row *row = &r->rows[i];
        if (!row->is_edge && append(&r->lone, &r->lone_count, &r->lone_cap, row) != TM_OK)
            return TM_E_SYSTEM;
    }
    return TM_OK;
}

static bool have_one_group(const struct tm_clock_rows *r, const struct tm_clock_column *a,
                           const struct tm_clock_column *b)
{
    if (a->machine != b->machine || a->count != b->count || a->times_hash != b->times_hash)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (r->rows[a->first + i].snapshot != r->rows[b->first + i].snapshot)
            return false;
    return true;
}

/* Order of columns in groups: equal ones side by side, then by arrival. */
struct member {
    uint64_t times_hash;
    uint32_t machine, column, place, leader;
};

static int by_times(const void *x, const void *y)
{
    const struct member *a = x, *b = y;
    COMPARE(a, b, machine);
    COMPARE(a, b, times_hash);
    COMPARE(a, b, place);
    return 0;
}

static int by_leader(const void *x, const void *y)
{
    const struct member *a = x, *b = y;
    COMPARE(a, b, machine);
    COMPARE(a, b, leader);
    COMPARE(a, b, place);
    return 0;
}

/* Puts columns that have the same snapshots into groups, and sorts BY_GROUP. */
static enum tm_status find_groups(struct tm_clock_rows *r)
{
    uint32_t n = r->column_count, size = 0, group = 0;
    struct member *members = malloc((n + 1) * sizeof *members);
    r->by_group = malloc((n + 1) * sizeof *r->by_group);
    if (members == NULL || r->by_group == NULL) {
        free(members);
        return TM_E_SYSTEM;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct tm_clock_column *c = &r->columns[i];
        /* The trace-time clock first, since readers place the other clocks by it. */
        uint32_t place = tm_clock_rows_is_timeline(r, c->machine, c->clock) ? 0 : r->rows[c->first].place + 1;
        members[i] = (struct member){c->times_hash, c->machine, i, place, 0};
    }
    qsort(members, n, sizeof *members, by_times);
    for (uint32_t i = 0; i < n; i++) {
        bool is_new = i == 0 || size == TM_CLOCK_GROUP_MAX ||
                      !have_one_group(r, &r->columns[members[i - 1].column], &r->columns[members[i].column]);
        size = is_new ? 1 : size + 1;
        members[i].leader = is_new ? members[i].place : members[i - 1].leader;
    }
    qsort(members, n, sizeof *members, by_leader);
    for (uint32_t i = 0; i < n; i++) {
        group += i > 0 && (members[i].leader != members[i - 1].leader || members[i].machine != members[i - 1].machine);
        r->columns[members[i].column].group = group;
        r->by_group[i] = members[i].column;
    }
    free(members);
    return TM_OK;
}

static uint64_t snapshot_key(const struct tm_clock_row *row)
{
    return (uint64_t)row->machine << 32 | row->snapshot;
}

/* Removes lone snapshots at times for which there is a snapshot with other clocks. */
static enum tm_status drop_covered_rows(struct tm_clock_rows *r)
{
    struct tm_map covered = {0};
    uint32_t ignored, kept = 0;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < r->column_count && st == TM_OK; i++) {
        const struct tm_clock_column *c = &r->columns[r->by_group[i]];
        if (i > 0 && c->group == r->columns[r->by_group[i - 1]].group)
            continue;
        for (uint32_t j = 0; j < c->count && st == TM_OK; j++)
            st = tm_map_set(&covered, snapshot_key(&r->rows[c->first + j]), 0);
    }
    for (uint32_t i = 0; i < r->lone_count; i++) {
        const struct tm_clock_row *row = &r->lone[i];
        if (row->clock != TM_CLOCK_BOOTTIME || !tm_map_find(&covered, snapshot_key(row), &ignored))
            r->lone[kept++] = *row;
    }
    r->lone_count = kept;
    tm_map_release(&covered);
    return st;
}

/* Sorts by clock, then the rows of all files by time. */
static void sort_by_time(struct tm_clock_row *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        rows[i].file = 0;
    if (count)
        qsort(rows, count, sizeof *rows, by_clock);
}

uint32_t tm_clock_rows_first_column(const struct tm_clock_rows *r, uint32_t machine)
{
    return tm_search_u32(r->columns, r->column_count, TM_SEARCH_FIELD(struct tm_clock_column, machine), machine);
}

uint32_t tm_clock_rows_first_lone(const struct tm_clock_rows *r, uint32_t machine)
{
    return tm_search_u32(r->lone, r->lone_count, TM_SEARCH_FIELD(struct tm_clock_row, machine), machine);
}

static const struct tm_clock_column *find(const struct tm_clock_rows *r, uint32_t machine, uint32_t clock)
{
    uint32_t low = 0, high = r->column_count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const struct tm_clock_column *c = &r->columns[mid];
        if (c->machine == machine && c->clock == clock)
            return c;
        if (c->machine < machine || (c->machine == machine && c->clock < clock))
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* True if a reader places ROW correctly by its clock's column. */
static bool is_placed(const struct tm_clock_rows *r, const struct tm_clock_row *row)
{
    const struct tm_clock_column *c = find(r, row->machine, row->clock);
    return c && read_at(r->rows + c->first, c->count, row->value) == row->ts_ns;
}

/* Removes lone rows that readers cannot use. A lone row is a snapshot of one clock. The values of a clock must not run
 * backwards, or readers stop using it as a source. Rows of BOOTTIME must not be before the row that relates its machine
 * to another. */
static void drop_unusable_lone(struct tm_clock_rows *r)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->lone_count; i++) {
        const struct tm_clock_row *row = &r->lone[i], *before = kept ? &r->lone[kept - 1] : NULL;
        bool is_first = before == NULL || before->machine != row->machine || before->clock != row->clock;
        bool is_good = row->clock == TM_CLOCK_BOOTTIME ? row->ts_ns >= TM_CLOCK_RELATED_NS
                                                     : (is_first || row->value >= before->value) && is_placed(r, row);
        if (is_good)
            r->lone[kept++] = *row;
    }
    r->lone_count = kept;
}

/* Makes BOOTTIME the trace-time clock if the readings of that clock are not trace time. This is so if it became the
 * trace-time clock after times on it were converted to another. */
static void check_trace_clock(struct tm_clock_rows *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const struct tm_clock_row *row = &r->rows[i];
        if (row->machine != r->trace || row->clock != r->trace_clock || row->is_edge || row->clock == TM_CLOCK_BOOTTIME)
            continue;
        if (row->value != row->ts_ns)
            r->trace_clock = TM_CLOCK_BOOTTIME;
        return;
    }
}

enum tm_status tm_clock_rows_settle(struct tm_clock_rows *r)
{
    struct merge m = {.rows = r};
    uint32_t clocks = 0, out = 0;
    enum tm_status st = TM_OK;
    check_trace_clock(r);
    if (r->count)
        qsort(r->rows, r->count, sizeof *r->rows, by_clock);
    drop_unrelated(r);
    for (uint32_t i = 0; i < r->count; i = end_of_clock(r, i))
        clocks++;
    r->columns = calloc(clocks + 1, sizeof *r->columns);
    m.column = malloc(((size_t)r->count + 1) * sizeof *m.column);
    if (r->columns == NULL || m.column == NULL)
        st = TM_E_SYSTEM;
    for (uint32_t i = 0, end; i < r->count && st == TM_OK; i = end) {
        end = end_of_clock(r, i);
        st = r->rows[i].clock == TM_CLOCK_BOOTTIME ? add_snapshots(r, i, end) : make_column(&m, i, end, &out);
    }
    free(m.column);
    if (st < 0 || (st = find_groups(r)) < 0 || (st = drop_covered_rows(r)) < 0)
        return st;
    sort_by_time(r->lone, r->lone_count);
    sort_by_time(r->contradicting, r->contradicting_count);
    drop_unusable_lone(r);
    return TM_OK;
}

/* Counts those of the COUNT rows at ROWS whose time is at most TS_NS. */
static uint32_t count_until(const struct tm_clock_row *rows, uint32_t count, int64_t ts_ns)
{
    return tm_search_i64_after(rows, count, TM_SEARCH_FIELD(struct tm_clock_row, ts_ns), ts_ns);
}

/* Returns the value that ROW gives for WANTED_NS. */
static int64_t value_at(const struct tm_clock_row *row, int64_t wanted_ns)
{
    return (int64_t)((uint64_t)wanted_ns - (uint64_t)row->ts_ns + (uint64_t)row->value);
}

int64_t tm_clock_rows_reading(const struct tm_clock_rows *r, uint32_t machine, uint32_t clock, int64_t recorded,
                              int64_t wanted_ns)
{
    const struct tm_clock_column *c = tm_clock_rows_is_timeline(r, machine, clock) ? NULL : find(r, machine, clock);
    if (c == NULL)
        return wanted_ns;
    const struct tm_clock_row *rows = r->rows + c->first;
    if (read_at(rows, c->count, recorded) == wanted_ns)
        return recorded;
    uint32_t low = count_until(rows, c->count, wanted_ns);
    int64_t value = value_at(&rows[low ? low - 1 : 0], wanted_ns);
    /* If the next row takes over, no reading gives this time: the last one before that row is nearest. */
    return low < c->count && value >= rows[low].value ? rows[low].value - 1 : value;
}

const struct tm_clock_row *tm_clock_rows_last(const struct tm_clock_rows *r, uint32_t machine, uint32_t clock)
{
    const struct tm_clock_column *c = find(r, machine, clock);
    return c ? &r->rows[c->first + c->count - 1] : NULL;
}

void tm_clock_rows_release(struct tm_clock_rows *r)
{
    free(r->rows);
    free(r->columns);
    free(r->by_group);
    free(r->lone);
    free(r->contradicting);
    free(r->left_out);
    *r = (struct tm_clock_rows){0};
}

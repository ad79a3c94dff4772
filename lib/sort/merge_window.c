#include "sort/merge_window.h"

#include "sort/row_keys.h"

#include <stdlib.h>

enum {
    WINDOW_ROWS_MIN = 4096, /* the notes on this many rows fit in the processor's cache */
    WINDOW_ROWS_MAX = 1 << (TM_ROW_KEY_ROW_BITS - 1),
    WINDOW_ROWS_RUN = 32, /* rows for each run, if there are many runs */
    WINDOW_PREFETCH = 512, /* bytes of a run's records that are loaded ahead of their use */
    WINDOW_RUNS_AHEAD = 2  /* they are loaded so many runs ahead */
};

/* A row of the window: its record and its payload. In a block with columns it has the offset of its payload in the
 * block's instead. The payload ends where that of the next row begins. */
struct tm_window_row {
    const uint8_t *record;
    union {
        const uint8_t *payload;
        size_t at;
    };
};

struct tm_window_run {
    struct tm_merge_cursor *cursor;
    const struct tm_block_layout *layout; /* the layout of its block, or NULL */
    uint32_t first; /* index of its first row in the window */
    uint32_t taken; /* its rows in the window */
};

enum tm_status tm_merge_window_init(struct tm_merge_window *w, struct tm_merge_cursor *cursors, uint32_t count,
                                    const struct tm_file_order *orders, struct tm_error *err)
{
    uint32_t room = count * WINDOW_ROWS_RUN;
    room = room < WINDOW_ROWS_MIN ? WINDOW_ROWS_MIN : room > WINDOW_ROWS_MAX ? WINDOW_ROWS_MAX : room;
    *w = (struct tm_merge_window){.orders = orders, .room = room, .run_count = count};
    w->rows = malloc((room + (size_t)count) * sizeof *w->rows); /* one more for each run: its end */
    w->runs = malloc(count * sizeof *w->runs);
    w->run_of = malloc((room + (size_t)count) * sizeof *w->run_of);
    w->keys = malloc(room * sizeof *w->keys);
    w->spare = malloc(room * sizeof *w->spare);
    if (w->rows == NULL || w->runs == NULL || w->run_of == NULL || w->keys == NULL || w->spare == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < count; i++)
        w->runs[i] = (struct tm_window_run){.cursor = &cursors[i]};
    return TM_OK;
}

bool tm_merge_rows_less(const struct tm_merge_cursor *a, uint32_t row_a, const struct tm_merge_cursor *b,
                        uint32_t row_b, const struct tm_file_order *orders)
{
    struct tm_sort_key p = tm_block_key(a->block, row_a, orders), q = tm_block_key(b->block, row_b, orders);
    if (tm_sort_key_less(&p, &q))
        return true;
    if (tm_sort_key_less(&q, &p))
        return false;
    return a->block->sequence != b->block->sequence ? a->block->sequence < b->block->sequence : a < b;
}

/* Lists the runs that have not ended, in order of their ranks. Few change their place from window to window. */
static void order_runs(struct tm_merge_window *w)
{
    uint32_t n = 0;
    w->ranks_differ = true;
    for (uint32_t i = 0; i < w->run_count; i++) {
        struct tm_window_run run = w->runs[i];
        uint32_t at = n;
        if (run.cursor->block == NULL)
            continue;
        for (; at > 0 && run.cursor->rank < w->runs[at - 1].cursor->rank; at--)
            w->runs[at] = w->runs[at - 1];
        w->runs[at] = run;
        n++;
    }
    w->run_count = n;
    for (uint32_t i = 0; i < n; i++)
        if (w->runs[i].cursor->rank == TM_MERGE_RANK_VARIES ||
            (i > 0 && w->runs[i].cursor->rank == w->runs[i - 1].cursor->rank))
            w->ranks_differ = false;
}

/* True if a window may pass the last row of the block of C, at TIME: the block stays valid, and the run has no later
 * row of that time. */
static bool may_end_block(const struct tm_merge_cursor *c, uint64_t time)
{
    const struct tm_block *next = c->block->next;
    return !c->is_transient && time < UINT64_MAX && (next == NULL || tm_block_time(next, next->first) > time);
}

/* Finds the bound of the window. It is where a run has used its share of the rows, or the end of a block. A run's share
 * grows with its rows in the last window. */
static void find_bound(struct tm_merge_window *w)
{
    uint64_t last = w->passed ? w->passed : 1;
    uint32_t half = w->room / 2, share = half / w->run_count;
    w->low = w->bound = UINT64_MAX;
    w->is_at_block_end = false;
    for (uint32_t i = 0; i < w->run_count; i++) {
        const struct tm_window_run *run = &w->runs[i];
        const struct tm_merge_cursor *c = run->cursor;
        uint32_t most = share + (uint32_t)(half * (uint64_t)run->taken / last), left = c->block->end - c->row;
        bool ends = left <= most;
        uint64_t low = tm_block_time(c->block, c->row),
                 bound = tm_block_time(c->block, ends ? c->block->end - 1 : c->row + most);
        if (ends && may_end_block(c, bound)) {
            bound++;
            ends = false;
        }
        w->low = low < w->low ? low : w->low;
        if (bound < w->bound || (bound == w->bound && ends)) {
            w->bound = bound;
            w->is_at_block_end = ends;
        }
    }
    if ((w->bound - w->low) >> TM_ROW_KEY_TIME_BITS) {
        w->bound = w->low + (UINT64_C(1) << TM_ROW_KEY_TIME_BITS);
        w->is_at_block_end = false;
    }
}

/* Notes the rows of RUN before the bound; they are records. KEYS gets their keys. Returns their number. */
static uint32_t note_records(struct tm_merge_window *w, const struct tm_window_run *run, uint64_t *keys)
{
    const struct tm_block_layout *layout = run->layout;
    const struct tm_layout_part time = layout->parts[TM_COL_TIME_NS][0], raw = layout->parts[TM_COL_RAW_BYTES][0],
                                detail = layout->parts[TM_COL_DETAIL_BYTES][0];
    uint64_t constant_time = layout->constants[TM_COL_TIME_NS];
    uint64_t constant_bytes = layout->constants[TM_COL_RAW_BYTES] + layout->constants[TM_COL_DETAIL_BYTES];
    const uint8_t *record = run->cursor->record, *payload = run->cursor->payload;
    struct tm_window_row *rows = w->rows + run->first;
    uint32_t left = run->cursor->block->end - run->cursor->row;
    const bool has_times = !run->cursor->block->definitions;
    for (uint32_t n = 0;; n++, record += layout->stride) {
        rows[n] = (struct tm_window_row){.record = record, .payload = payload};
        if (n == left)
            return n;
        uint64_t t = has_times ? tm_sort_time_of(constant_time | tm_layout_part_at(&time, record)) : 0;
        if (t >= w->bound)
            return n;
        keys[n] = tm_row_key(t - w->low, run->first + n);
        payload += constant_bytes + tm_layout_part_at(&raw, record) + tm_layout_part_at(&detail, record);
    }
}

/* Notes the rows of RUN before the bound; its block has columns. KEYS gets their keys. Returns their number. */
static uint32_t note_rows(struct tm_merge_window *w, const struct tm_window_run *run, uint64_t *keys)
{
    const struct tm_merge_cursor *c = run->cursor;
    struct tm_window_row *rows = w->rows + run->first;
    size_t at = c->at;
    uint32_t left = c->block->end - c->row;
    for (uint32_t n = 0;; n++) {
        rows[n].at = at;
        if (n == left)
            return n;
        uint64_t t = tm_block_time(c->block, c->row + n);
        if (t >= w->bound)
            return n;
        keys[n] = tm_row_key(t - w->low, run->first + n);
        at += tm_block_payload_of(c->block, c->row + n);
    }
}

/* Has the processor load the next records of RUN, which lie in a page of their own. */
static void prefetch_records(const struct tm_window_run *run)
{
    const struct tm_merge_cursor *c = run->cursor;
    const size_t left = c->block->layout ? (size_t)(c->block->end - c->row) * c->block->layout->stride : 0;
    for (size_t at = 0; at < left && at < WINDOW_PREFETCH; at += TM_CPU_CACHE_LINE)
        tm_cpu_prefetch(c->record + at);
}

/* Notes all rows before the bound. Their keys are in order within each run. */
static void note_runs(struct tm_merge_window *w)
{
    uint32_t at = 0;
    w->passed = 0;
    for (uint32_t i = 0; i < w->run_count; i++) {
        struct tm_window_run *run = &w->runs[i];
        uint64_t *keys = w->keys + w->passed;
        if (i + WINDOW_RUNS_AHEAD < w->run_count)
            prefetch_records(&w->runs[i + WINDOW_RUNS_AHEAD]);
        run->layout = run->cursor->block->layout;
        run->first = at;
        run->taken = run->layout ? note_records(w, run, keys) : note_rows(w, run, keys);
        for (uint32_t n = 0; n < run->taken; n++)
            w->run_of[at + n] = (uint16_t)i;
        w->passed += run->taken;
        at += run->taken + 1;
    }
}

static const struct tm_window_run *run_of_key(const struct tm_merge_window *w, uint64_t key)
{
    return &w->runs[w->run_of[tm_row_key_row(key)]];
}

static bool is_before(const struct tm_merge_window *w, uint64_t a, uint64_t b)
{
    uint32_t row_a = tm_row_key_row(a), row_b = tm_row_key_row(b);
    const struct tm_window_run *x = run_of_key(w, a), *y = run_of_key(w, b);
    return tm_merge_rows_less(x->cursor, x->cursor->row + row_a - x->first, y->cursor,
                              y->cursor->row + row_b - y->first, w->orders);
}

/* Sorts COUNT keys of one time. */
static void order_equal(struct tm_merge_window *w, uint64_t *keys, uint32_t count)
{
    uint64_t *spare = w->others;
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t start = 0; start < count; start += 2 * width) {
            uint32_t mid = count - start < width ? count : start + width;
            uint32_t end = count - start < 2 * width ? count : start + 2 * width;
            uint32_t a = start, b = mid;
            for (uint32_t i = start; i < end; i++)
                spare[i] = b == end || (a < mid && !is_before(w, keys[b], keys[a])) ? keys[a++] : keys[b++];
        }
        memcpy(keys, spare, count * sizeof *keys);
    }
}

/* Sorts COUNT keys of one time where the order of the runs does not decide: those of equal rank, or all of them if the
 * rows of a run differ in rank. Such runs are the last ones. */
static void order_moment(struct tm_merge_window *w, uint64_t *keys, uint32_t count)
{
    bool varies = run_of_key(w, keys[count - 1])->cursor->rank == TM_MERGE_RANK_VARIES;
    for (uint32_t i = 0, end; i < count; i = end) {
        uint64_t rank = run_of_key(w, keys[i])->cursor->rank;
        for (end = varies ? count : i + 1; end < count && run_of_key(w, keys[end])->cursor->rank == rank;)
            end++;
        if (run_of_key(w, keys[i]) == run_of_key(w, keys[end - 1]))
            continue;
        order_equal(w, keys + i, end - i);
        w->compared += end - i;
    }
}

/* Sorts keys of equal time. They are already in the order of the runs, and within a run in the order of its rows. */
static void order_all_equal(struct tm_merge_window *w, uint64_t *keys)
{
    for (uint32_t i = 0, end; i < w->passed; i = end) {
        uint64_t time = keys[i] >> TM_ROW_KEY_ROW_BITS;
        for (end = i + 1; end < w->passed && keys[end] >> TM_ROW_KEY_ROW_BITS == time;)
            end++;
        if (end > i + 1)
            order_moment(w, keys + i, end - i);
    }
}

/* Adds the rows of the window to COLLECTOR in the order of KEYS, and counts the turns. */
static enum tm_status add_rows(struct tm_merge_window *w, const uint64_t *keys, struct tm_collector *collector,
                               struct tm_error *err)
{
    uint32_t last = UINT32_MAX, turns = 0, passed = w->passed;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < passed && st == TM_OK; i++) {
        uint32_t number = tm_row_key_row(keys[i]), run_number = w->run_of[number];
        const struct tm_window_run *run = &w->runs[run_number];
        const struct tm_window_row *row = &w->rows[number];
        turns += run_number != last;
        last = run_number;
        if (run->layout) {
            struct tm_collector_record record = {run->layout, row->record, row->payload,
                                                 (size_t)(row[1].payload - row->payload)};
            st = tm_collector_add_record(collector, &record, err);
        } else {
            struct tm_block_rows one = {run->cursor->block, run->cursor->row + number - run->first, 1, row->at};
            st = tm_collector_add(collector, &one, err);
        }
    }
    w->turns = turns;
    return st;
}

static void move_cursors(struct tm_merge_window *w)
{
    for (uint32_t i = 0; i < w->run_count; i++) {
        const struct tm_window_run *run = &w->runs[i];
        const struct tm_window_row *end = &w->rows[run->first + run->taken];
        size_t at = run->layout ? (size_t)(end->payload - run->cursor->block->payload) : end->at;
        tm_merge_cursor_move(run->cursor, run->cursor->row + run->taken, at);
    }
}

enum tm_status tm_merge_window_pass(struct tm_merge_window *w, struct tm_collector *collector, struct tm_error *err)
{
    order_runs(w);
    w->turns = w->compared = 0;
    if (w->run_count < 2) {
        w->passed = 0;
        return TM_OK;
    }
    find_bound(w);
    note_runs(w);
    if (w->passed == 0)
        return TM_OK;
    uint64_t *keys = tm_row_keys_sort(w->keys, w->spare, w->passed, tm_highest_bit(w->bound - w->low) + 1);
    w->others = keys == w->keys ? w->spare : w->keys;
    if (!w->ranks_differ)
        order_all_equal(w, keys);
    enum tm_status st = add_rows(w, keys, collector, err);
    move_cursors(w);
    return st;
}

void tm_merge_window_release(struct tm_merge_window *w)
{
    free(w->rows);
    free(w->runs);
    free(w->run_of);
    free(w->keys);
    free(w->spare);
    *w = (struct tm_merge_window){0};
}

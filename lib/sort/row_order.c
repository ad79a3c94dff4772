#include "sort/row_order.h"

#include "base/bytes.h"
#include "sort/row_keys.h"

#include <stdlib.h>

enum {
    RADIX_BITS = 11,
    RADIX_SIZE = 1 << RADIX_BITS,
    RADIX_ROWS_MIN = 64, /* fewer rows are sorted by insertion */
    INSERT_MOVES = 8,    /* insertion gives up after this many moves for each row */
    ROW_ORDER_FIRST = 1024
};

struct tm_row_entry {
    uint64_t time;
    uint32_t row;
};

/* Returns how many rows of BATCH have to be looked at to see all its files. */
static uint32_t file_rows(const struct tm_batch *batch)
{
    return tm_batch_is_constant(batch, TM_COL_FILE) && batch->count ? 1 : batch->count;
}

bool tm_row_order_knows_files(const struct tm_batch *batch, const struct tm_file_order *orders)
{
    const uint32_t n = file_rows(batch);
    uint32_t i = 0;
    while (i < n && tm_file_order_knows(orders, tm_batch_u32(batch, TM_COL_FILE, i)))
        i++;
    return i == n;
}

enum tm_status tm_row_order_use_files(const struct tm_batch *batch, struct tm_file_order *orders,
                                      struct tm_error *err)
{
    uint32_t n = file_rows(batch);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t file = tm_batch_u32(batch, TM_COL_FILE, i);
        if (i > 0 && file == tm_batch_u32(batch, TM_COL_FILE, i - 1))
            continue;
        enum tm_status st = tm_file_order_use(orders, file, err);
        if (st < 0)
            return st;
    }
    return TM_OK;
}

static uint32_t count_definitions(const struct tm_batch *batch)
{
    return tm_batch_count_flags(batch, TM_SORT_DEFINITION);
}

/* Returns what tm_row_order_descent returns, for a batch without definitions. Usually the times alone decide. */
static uint32_t timed_descent(const struct tm_batch *batch, const struct tm_file_order *orders)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        uint64_t time = tm_sort_time(batch, i);
        if (time > last || i == 0) {
            last = time;
            continue;
        }
        struct tm_sort_key a = tm_sort_key_of(batch, i - 1, orders);
        struct tm_sort_key b = tm_sort_key_of(batch, i, orders);
        if (tm_sort_key_less(&b, &a))
            return i;
    }
    return batch->count;
}

uint32_t tm_row_order_descent(const struct tm_batch *batch, const struct tm_file_order *orders)
{
    if (count_definitions(batch) == 0)
        return timed_descent(batch, orders);
    for (uint32_t i = 1; i < batch->count; i++) {
        struct tm_sort_key a = tm_sort_key_of(batch, i - 1, orders);
        struct tm_sort_key b = tm_sort_key_of(batch, i, orders);
        if (tm_sort_key_less(&b, &a))
            return i;
    }
    return batch->count;
}

static enum tm_status reserve(struct tm_row_order *o, uint32_t n, struct tm_error *err)
{
    if (n <= o->cap)
        return TM_OK;
    uint32_t cap = o->cap ? o->cap : ROW_ORDER_FIRST;
    while (cap < n)
        cap *= 2;
    uint32_t definitions = o->definition_count;
    tm_row_order_release(o);
    o->definition_count = definitions;
    o->numbers = malloc(cap * sizeof *o->numbers);
    o->spare_numbers = malloc(cap * sizeof *o->spare_numbers);
    o->entries = malloc(cap * sizeof *o->entries);
    o->spare = malloc(cap * sizeof *o->spare);
    if (o->numbers == NULL || o->spare_numbers == NULL || o->entries == NULL || o->spare == NULL)
        return tm_error_nomem(err);
    o->cap = cap;
    return TM_OK;
}

/* True if row B was processed before row A. */
static bool processed_before(const struct tm_batch *batch, const struct tm_file_order *orders, uint32_t b, uint32_t a)
{
    uint32_t order_b = tm_file_order_of(orders, tm_batch_u32(batch, TM_COL_FILE, b));
    uint32_t order_a = tm_file_order_of(orders, tm_batch_u32(batch, TM_COL_FILE, a));
    if (order_b != order_a)
        return order_b < order_a;
    return tm_batch_u64(batch, TM_COL_POSITION, b) < tm_batch_u64(batch, TM_COL_POSITION, a);
}

static bool in_order_of_processing(const struct tm_batch *batch, const struct tm_file_order *orders)
{
    if (tm_batch_is_constant(batch, TM_COL_FILE) && !tm_batch_is_constant(batch, TM_COL_POSITION)) {
        const uint8_t *positions = batch->cols[TM_COL_POSITION].data;
        for (uint32_t i = 1; i < batch->count; i++)
            if (tm_get_le64(positions + (size_t)8 * i) < tm_get_le64(positions + (size_t)8 * i - 8))
                return false;
        return true;
    }
    for (uint32_t i = 1; i < batch->count; i++)
        if (processed_before(batch, orders, i, i - 1))
            return false;
    return true;
}

/* Merges from[start, mid) and from[mid, end) into to[start, end). */
static void merge_numbers(const struct tm_batch *batch, const struct tm_file_order *orders, const uint32_t *from,
                          uint32_t *to, const uint32_t bounds[3])
{
    uint32_t a = bounds[0], b = bounds[1], at = bounds[0];
    while (a < bounds[1] && b < bounds[2])
        to[at++] = processed_before(batch, orders, from[b], from[a]) ? from[b++] : from[a++];
    while (a < bounds[1])
        to[at++] = from[a++];
    while (b < bounds[2])
        to[at++] = from[b++];
}

/* Sets o->numbers to all rows in the order in which they were processed. IN_ORDER: they already are. */
static void number_rows(struct tm_row_order *o, const struct tm_batch *batch, const struct tm_file_order *orders,
                        bool in_order)
{
    uint32_t n = batch->count;
    for (uint32_t i = 0; i < n; i++)
        o->numbers[i] = i;
    if (in_order)
        return;
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t start = 0; start < n; start += 2 * width) {
            uint32_t mid = n - start < width ? n : start + width;
            uint32_t end = n - start < 2 * width ? n : start + 2 * width;
            merge_numbers(batch, orders, o->numbers, o->spare_numbers, (const uint32_t[3]){start, mid, end});
        }
        uint32_t *swap = o->numbers;
        o->numbers = o->spare_numbers;
        o->spare_numbers = swap;
    }
}

/* Makes one pass of the radix sort over the digit at SHIFT. Exchanges entries and spare. */
static void radix_pass(struct tm_row_order *o, uint32_t n, unsigned shift)
{
    struct tm_row_entry *from = o->entries, *to = o->spare;
    uint32_t starts[RADIX_SIZE] = {0}, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        starts[from[i].time >> shift & (RADIX_SIZE - 1)]++;
    for (int d = 0; d < RADIX_SIZE; d++) {
        uint32_t count = starts[d];
        starts[d] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < n; i++)
        to[starts[from[i].time >> shift & (RADIX_SIZE - 1)]++] = from[i];
    o->entries = to;
    o->spare = from;
}

/* Sorts entries that are nearly in order by insertion. Returns false if it took too many moves and was not finished. */
static bool insert_entries(struct tm_row_entry *entries, uint32_t n)
{
    uint64_t moves = 0, moves_max = (uint64_t)INSERT_MOVES * n;
    for (uint32_t i = 1; i < n && moves <= moves_max; i++) {
        struct tm_row_entry entry = entries[i];
        uint32_t at = i;
        for (; at > 0 && entry.time < entries[at - 1].time; at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
        moves += i - at;
    }
    return moves <= moves_max;
}

/* Sorts by time; equal times keep their order. Sorting by the high bits leaves mostly neighbours in the wrong order. */
static void sort_entries(struct tm_row_order *o, uint32_t n)
{
    uint64_t low = UINT64_MAX, high = 0;
    unsigned bits = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t time = o->entries[i].time;
        low = time < low ? time : low;
        high = time > high ? time : high;
    }
    if (n < 2)
        return;
    for (uint32_t i = 0; i < n; i++)
        o->entries[i].time -= low;
    while (bits < 64 && (high - low) >> bits)
        bits++;
    unsigned shift = bits > 2 * RADIX_BITS && n >= RADIX_SIZE ? bits - 2 * RADIX_BITS : 0;
    for (; n >= RADIX_ROWS_MIN && shift < bits; shift += RADIX_BITS)
        radix_pass(o, n, shift);
    if (insert_entries(o->entries, n))
        return;
    for (shift = 0; shift < bits; shift += RADIX_BITS)
        radix_pass(o, n, shift);
}

/* Sorts rows that are in the order of processing and whose times fit into keys. Returns false if their times are too
 * far apart. */
static bool find_by_keys(struct tm_row_order *o, const struct tm_batch *batch)
{
    const uint8_t *times = batch->cols[TM_COL_TIME_NS].data;
    uint64_t *keys = (uint64_t *)(void *)o->entries, *spare = (uint64_t *)(void *)o->spare;
    uint64_t low = UINT64_MAX, high = 0;
    uint32_t definitions = 0, events = 0;
    if (batch->count > 1 << TM_ROW_KEY_ROW_BITS || tm_batch_is_constant(batch, TM_COL_TIME_NS))
        return false;
    for (uint32_t i = 0; i < batch->count; i++) {
        uint64_t time = tm_sort_time_of(tm_get_le64(times + (size_t)8 * i));
        low = time < low ? time : low;
        high = time > high ? time : high;
    }
    if ((high - low) >> TM_ROW_KEY_TIME_BITS)
        return false;
    for (uint32_t i = 0; i < batch->count; i++) {
        keys[events] = tm_row_key(tm_sort_time_of(tm_get_le64(times + (size_t)8 * i)) - low, i);
        o->spare_numbers[definitions] = i;
        bool definition = tm_sort_is_definition(batch, i);
        definitions += definition;
        events += !definition;
    }
    keys = tm_row_keys_sort(keys, spare, events, high > low ? tm_highest_bit(high - low) + 1 : 0);
    for (uint32_t i = 0; i < events; i++)
        o->spare_numbers[definitions + i] = tm_row_key_row(keys[i]);
    return true;
}

enum tm_status tm_row_order_find(struct tm_row_order *o, const struct tm_batch *batch, struct tm_file_order *orders,
                                 struct tm_error *err)
{
    o->rows = NULL;
    enum tm_status st = tm_row_order_use_files(batch, orders, err);
    if (st < 0)
        return st;
    o->definition_count = count_definitions(batch);
    if (tm_row_order_descent(batch, orders) == batch->count)
        return TM_OK;
    if ((st = reserve(o, batch->count, err)) < 0)
        return st;
    bool in_order = in_order_of_processing(batch, orders);
    if (in_order && find_by_keys(o, batch)) {
        o->rows = o->spare_numbers;
        return TM_OK;
    }
    number_rows(o, batch, orders, in_order);
    uint32_t definitions = 0, events = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t row = o->numbers[i];
        if (tm_sort_is_definition(batch, row))
            o->spare_numbers[definitions++] = row;
        else
            o->entries[events++] = (struct tm_row_entry){tm_sort_time(batch, row), row};
    }
    sort_entries(o, events);
    for (uint32_t i = 0; i < events; i++)
        o->spare_numbers[definitions + i] = o->entries[i].row;
    o->rows = o->spare_numbers;
    return TM_OK;
}

void tm_row_order_release(struct tm_row_order *o)
{
    free(o->numbers);
    free(o->spare_numbers);
    free(o->entries);
    free(o->spare);
    *o = (struct tm_row_order){0};
}

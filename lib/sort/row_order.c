#include "sort/row_order.h"

#include "base/bytes.h"
#include "sort/row_keys.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_ORDER_FIRST = 1024 };
_Static_assert((int)TM_BATCH_EVENTS_MAX <= 1 << TM_ROW_KEY_ROW_BITS, "a key has room for each row");

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
    o->keys = malloc(cap * sizeof *o->keys);
    o->spare_keys = malloc(cap * sizeof *o->spare_keys);
    if (o->numbers == NULL || o->spare_numbers == NULL || o->keys == NULL || o->spare_keys == NULL)
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

static void swap_numbers(struct tm_row_order *o)
{
    uint32_t *swap = o->numbers;
    o->numbers = o->spare_numbers;
    o->spare_numbers = swap;
}

/* Sets o->numbers to all rows in the order in which they were processed. */
static void number_rows(struct tm_row_order *o, const struct tm_batch *batch, const struct tm_file_order *orders)
{
    uint32_t n = batch->count;
    for (uint32_t i = 0; i < n; i++)
        o->numbers[i] = i;
    if (in_order_of_processing(batch, orders))
        return;
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t start = 0; start < n; start += 2 * width) {
            uint32_t mid = n - start < width ? n : start + width;
            uint32_t end = n - start < 2 * width ? n : start + 2 * width;
            merge_numbers(batch, orders, o->numbers, o->spare_numbers, (const uint32_t[3]){start, mid, end});
        }
        swap_numbers(o);
    }
}

/* Moves definitions to the front of the numbers. Definitions keep their order, and so do other events. */
static void move_definitions(struct tm_row_order *o, const struct tm_batch *batch)
{
    uint32_t at[2] = {o->definition_count, 0};
    for (uint32_t i = 0; i < batch->count; i++)
        o->spare_numbers[at[tm_sort_is_definition(batch, o->numbers[i])]++] = o->numbers[i];
    swap_numbers(o);
}

/* Sorts the numbers after the definitions by time; equal times keep their order. Times that are too far apart for a
 * key are sorted by their low bits, then by their high bits. */
static void sort_events(struct tm_row_order *o, const struct tm_batch *batch)
{
    const uint32_t first = o->definition_count, count = batch->count - first;
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t time = tm_sort_time(batch, o->numbers[first + i]);
        low = time < low ? time : low;
        high = time > high ? time : high;
    }
    for (unsigned shift = 0; shift < 64 && high > low && (high - low) >> shift; shift += TM_ROW_KEY_TIME_BITS) {
        const unsigned bits = tm_highest_bit((high - low) >> shift) + 1;
        for (uint32_t i = 0; i < count; i++)
            o->keys[i] = tm_row_key((tm_sort_time(batch, o->numbers[first + i]) - low) >> shift, i);
        const uint64_t *keys = tm_row_keys_sort(o->keys, o->spare_keys, count,
                                                bits < TM_ROW_KEY_TIME_BITS ? bits : TM_ROW_KEY_TIME_BITS);
        memcpy(o->spare_numbers, o->numbers, first * sizeof *o->numbers);
        for (uint32_t i = 0; i < count; i++)
            o->spare_numbers[first + i] = o->numbers[first + tm_row_key_row(keys[i])];
        swap_numbers(o);
    }
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
    number_rows(o, batch, orders);
    if (o->definition_count)
        move_definitions(o, batch);
    sort_events(o, batch);
    o->rows = o->numbers;
    return TM_OK;
}

void tm_row_order_release(struct tm_row_order *o)
{
    free(o->numbers);
    free(o->spare_numbers);
    free(o->keys);
    free(o->spare_keys);
    *o = (struct tm_row_order){0};
}

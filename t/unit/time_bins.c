/* Unit tests of bins over time: the result depends only on the counted times. */
#include "emit/svg/time_bins.h"
#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

enum { TIMES = 5000, COLUMNS = 100 };

static int compare_times(const void *pa, const void *pb)
{
    const int64_t *a = pa, *b = pb;
    return *a < *b ? -1 : *a > *b;
}

/* Returns the columns of TIMES_NS over their whole range. */
static uint64_t count(const int64_t *times_ns, uint64_t *sums, struct tm_time_bins *bins)
{
    struct tm_error err = {0};
    uint32_t series;
    uint64_t total = 0;
    ok_named(tm_time_bins_series(bins, &series, &err) == TM_OK, "a series");
    for (int i = 0; i < TIMES; i++)
        tm_time_bins_add(bins, series, times_ns[i]);
    tm_time_bins_columns(bins, series, &(struct tm_time_columns){bins->first_ns, bins->last_ns, COLUMNS, sums});
    for (int i = 0; i < COLUMNS; i++)
        total += sums[i];
    return total;
}

/* Counts times around MIDDLE, at most 2^BITS away, in random and in sorted order. */
static void test_order(int64_t middle, unsigned bits)
{
    int64_t times_ns[TIMES];
    uint64_t sums[COLUMNS], sorted_sums[COLUMNS], state = bits;
    struct tm_time_bins bins = {0}, sorted = {0};
    for (int i = 0; i < TIMES; i++)
        times_ns[i] = middle + (int64_t)(random_next(&state) & ((UINT64_C(1) << bits) - 1)) * (i % 2 ? 1 : -1);
    is_int(count(times_ns, sums, &bins), TIMES);
    qsort(times_ns, TIMES, sizeof *times_ns, compare_times);
    is_int(count(times_ns, sorted_sums, &sorted), TIMES);
    ok(memcmp(sums, sorted_sums, sizeof sums) == 0);
    ok(bins.first_ns == times_ns[0] && bins.last_ns == times_ns[TIMES - 1]);
    tm_time_bins_release(&bins);
    tm_time_bins_release(&sorted);
}

static void test_exact(void)
{
    struct tm_error err = {0};
    struct tm_time_bins bins = {0};
    uint64_t sums[4];
    uint32_t a = 0, b = 0;
    ok(tm_time_bins_series(&bins, &a, &err) == TM_OK && tm_time_bins_series(&bins, &b, &err) == TM_OK);
    tm_time_bins_add(&bins, a, 100);
    tm_time_bins_add(&bins, b, 103);
    tm_time_bins_add(&bins, a, 101);
    tm_time_bins_add(&bins, a, 101);
    tm_time_bins_columns(&bins, a, &(struct tm_time_columns){100, 103, 4, sums});
    ok(sums[0] == 1 && sums[1] == 2 && sums[2] == 0 && sums[3] == 0);
    tm_time_bins_columns(&bins, b, &(struct tm_time_columns){100, 103, 4, sums});
    ok(sums[0] == 0 && sums[3] == 1);
    tm_time_bins_columns(&bins, a, &(struct tm_time_columns){101, 101, 4, sums});
    ok(sums[0] == 2 && sums[1] == 0);
    tm_time_bins_add(&bins, a, INT64_MIN);
    tm_time_bins_add(&bins, a, INT64_MAX);
    tm_time_bins_columns(&bins, a, &(struct tm_time_columns){INT64_MIN, INT64_MAX, 4, sums});
    ok(sums[0] == 1 && sums[1] + sums[2] == 3 && sums[3] == 1);
    tm_time_bins_release(&bins);
}

int main(void)
{
    test_exact();
    test_order(0, 4);
    test_order(0, 30);
    test_order(INT64_C(1) << 60, 20);
    test_order(INT64_MIN / 4, 52);
    return tap_done();
}

#include "emit/svg/time_bins.h"

#include "base/table.h"
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

#define SIGN_BIT (UINT64_C(1) << 63)

/* Maps times to unsigned numbers in the same order. */
static uint64_t order_of(int64_t ns)
{
    return (uint64_t)ns ^ SIGN_BIT;
}

enum tm_status tm_time_bins_series(struct tm_time_bins *b, uint32_t *series, struct tm_error *err)
{
    if (tm_array_grow(&b->series, &b->series_cap, b->series_count, sizeof *b->series, err) < 0)
        return TM_E_SYSTEM;
    uint64_t *counts = calloc(TM_TIME_BINS, sizeof *counts);
    if (counts == NULL)
        return tm_error_nomem(err);
    b->series[b->series_count] = counts;
    *series = b->series_count++;
    return TM_OK;
}

/* Moves the counts of one series to bins 2^UP times as wide. The first of these has number BASE. */
static void widen(const struct tm_time_bins *b, uint64_t *counts, unsigned up, uint64_t base)
{
    uint64_t wide[TM_TIME_BINS] = {0};
    for (uint32_t i = 0; i < TM_TIME_BINS; i++)
        if (counts[i])
            wide[((b->base + i) >> up) - base] += counts[i];
    memcpy(counts, wide, sizeof wide);
}

/* Extends the range to NS, and widens the bins if it no longer fits. */
static void extend_range(struct tm_time_bins *b, int64_t ns)
{
    if (!b->has_range) {
        b->has_range = true;
        b->first_ns = b->last_ns = ns;
        b->base = order_of(ns);
        return;
    }
    if (ns < b->first_ns)
        b->first_ns = ns;
    if (ns > b->last_ns)
        b->last_ns = ns;
    uint64_t low = order_of(b->first_ns), high = order_of(b->last_ns);
    unsigned shift = b->shift;
    while ((high >> shift) - (low >> shift) >= TM_TIME_BINS)
        shift++;
    if (shift == b->shift && low >> shift == b->base)
        return;
    for (uint32_t i = 0; i < b->series_count; i++)
        widen(b, b->series[i], shift - b->shift, low >> shift);
    b->shift = shift;
    b->base = low >> shift;
}

void tm_time_bins_add(struct tm_time_bins *b, uint32_t series, int64_t ns)
{
    if (!b->has_range || ns < b->first_ns || ns > b->last_ns)
        extend_range(b, ns);
    b->series[series][(order_of(ns) >> b->shift) - b->base]++;
}

void tm_time_bins_columns(const struct tm_time_bins *b, uint32_t series, const struct tm_time_columns *columns)
{
    const uint64_t *counts = b->series[series];
    uint64_t low = order_of(columns->first_ns), high = order_of(columns->last_ns);
    memset(columns->sums, 0, columns->count * sizeof *columns->sums);
    for (uint32_t i = 0; i < TM_TIME_BINS; i++) {
        if (counts[i] == 0)
            continue;
        uint64_t start = (b->base + i) << b->shift, end = start + ((UINT64_C(1) << b->shift) - 1);
        if (end < low || start > high)
            continue;
        uint64_t middle = start + (end - start) / 2;
        middle = middle < low ? low : middle > high ? high : middle;
        columns->sums[(uint32_t)((tm_i128)(middle - low) * columns->count / ((tm_i128)(high - low) + 1))] += counts[i];
    }
}

void tm_time_bins_release(struct tm_time_bins *b)
{
    for (uint32_t i = 0; i < b->series_count; i++)
        free(b->series[i]);
    free(b->series);
    *b = (struct tm_time_bins){0};
}

void tm_time_bins_free(struct tm_time_bins *b)
{
    if (b)
        tm_time_bins_release(b);
    free(b);
}

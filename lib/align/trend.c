#include "align/trend.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6, MIRRORS = 3, WEIGHT_BITS = 10, RATIO_MAX = 8, QUOTIENT_BITS = 20, ORDER_SAMPLES_MIN = 3 };

/* Limits that keep sums of squares of 16384 samples in range. A sample 6 days or more from the middle, or 36 minutes or
 * more from the line, does not affect the slope. The largest reported deviation is 2 hours. */
#define RUN_MAX (INT64_C(1) << 49)
#define RISE_MAX (INT64_C(1) << 41)
#define DEVIATION_MAX (INT64_C(1) << 43)

/* Samples farther from their median than 36 years are moved to that distance. */
#define FAR (INT64_C(1) << 60)

static int by_x(const void *a, const void *b)
{
    const struct tm_sample *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return p->y < q->y ? -1 : p->y > q->y;
}

/* Returns the value that would be at K if VALUES were sorted (Hoare 1961). Afterwards values before K are not greater,
 * and those after it not less. */
static int64_t select_nth(int64_t *values, uint32_t count, uint32_t k)
{
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        int64_t pivot = values[low + (high - low) / 2];
        uint32_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i > j)
                break;
            int64_t swap = values[i];
            values[i++] = values[j];
            values[j] = swap;
            if (j == 0)
                break;
            j--;
        }
        if (k <= j && j < high)
            high = j;
        else if (k >= i && i > low)
            low = i;
        else
            break;
    }
    return values[k];
}

/* Returns the median, which is the mean of the two values in the middle if COUNT is even. Changes the order of
 * VALUES. */
static int64_t median(int64_t *values, uint32_t count)
{
    int64_t high = select_nth(values, count, count / 2), low = high;
    if (count % 2 == 0) {
        low = values[0];
        for (uint32_t i = 1; i < count / 2; i++)
            low = values[i] > low ? values[i] : low;
    }
    return low + (int64_t)(((tm_i128)high - low) / 2);
}

static uint32_t collect(const struct tm_sample *samples, uint32_t count, uint8_t order, uint8_t other, int64_t *values)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (samples[i].order == order && samples[i].other_order == other)
            values[n++] = samples[i].y;
    return n;
}

static void move(struct tm_sample *samples, uint32_t count, uint8_t order, uint8_t other, int64_t by)
{
    for (uint32_t i = 0; i < count; i++)
        if (samples[i].order == order && samples[i].other_order == other)
            samples[i].y += by;
}

/* Removes the difference between a group and its mirror. LINE is the trend so far. */
static void mirror(struct tm_sample *samples, uint32_t count, const struct tm_line *line, int64_t *values)
{
    for (uint32_t i = 0; i < count; i++)
        samples[i].y -= tm_line_at(line, samples[i].x);
    for (uint8_t a = 0; a < TM_TREND_ORDERS; a++)
        for (uint8_t b = (uint8_t)(a + 1); b < TM_TREND_ORDERS; b++) {
            uint32_t n = collect(samples, count, a, b, values);
            int64_t one = n >= ORDER_SAMPLES_MIN ? median(values, n) : 0;
            uint32_t m = n >= ORDER_SAMPLES_MIN ? collect(samples, count, b, a, values) : 0;
            if (m < ORDER_SAMPLES_MIN)
                continue;
            int64_t half = (one - median(values, m)) / 2;
            move(samples, count, a, b, -half);
            move(samples, count, b, a, half);
        }
    for (uint32_t i = 0; i < count; i++)
        samples[i].y += tm_line_at(line, samples[i].x);
}

static int64_t distance(const struct tm_line *line, const struct tm_sample *s)
{
    int64_t d = s->y - tm_line_at(line, s->x);
    return d < 0 ? -d : d;
}

static int64_t deviation(const struct tm_line *line, const struct tm_sample *samples, uint32_t count, int64_t *values)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] = distance(line, &samples[i]);
    int64_t middle = median(values, count);
    return middle < DEVIATION_MAX ? middle : DEVIATION_MAX;
}

/* Clocks usually drift against each other by at most 1/USUAL_DRIFT. A slope that few samples over a short time suggest
 * is drawn towards 0, as in ridge regression (Hoerl and Kennard 1970). */
enum { USUAL_DRIFT = 20000 };

/* The usual distance from the line for samples of two orders; 0: such samples are left out. */
struct spread {
    int64_t all;
    int64_t of[TM_TREND_ORDERS][TM_TREND_ORDERS];
};

/* Returns the weight of S: the inverse variance of its group, reduced if it is farther away than usual there. */
static tm_i128 weight_of(const struct tm_line *line, const struct tm_sample *s, const struct spread *spread)
{
    int64_t usual = spread->of[s->order][s->other_order], d = distance(line, s);
    if (usual == 0)
        return 0;
    tm_i128 ratio = ((tm_i128)spread->all << WEIGHT_BITS) / usual, weight = ratio * ratio >> WEIGHT_BITS;
    return d <= usual ? weight : weight * usual / d;
}

/* Fits LINE by one round of weighted least squares. Its at_ns becomes the weighted mean of the readings. */
static void refit(struct tm_line *line, const struct tm_sample *samples, uint32_t count, const struct spread *spread)
{
    tm_i128 weights = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (int pass = 0; pass < 2; pass++) {
        int64_t mean_x = weights ? (int64_t)(sum_x / weights) : 0, mean_y = weights ? (int64_t)(sum_y / weights) : 0;
        for (uint32_t i = 0; i < count; i++) {
            tm_i128 weight = weight_of(line, &samples[i], spread);
            tm_i128 x = (tm_i128)samples[i].x - line->at_ns, y = samples[i].y - tm_line_at(line, samples[i].x);
            if (x > RUN_MAX || x < -RUN_MAX || y > RISE_MAX || y < -RISE_MAX)
                continue;
            if (pass == 0) {
                weights += weight;
                sum_x += weight * x;
                sum_y += weight * y;
            } else {
                sum_xx += weight * ((x - mean_x) * (x - mean_x) >> 20);
                sum_xy += weight * ((x - mean_x) * (y - mean_y) >> 20);
            }
        }
        if (weights == 0)
            return;
        if (pass == 1) {
            tm_i128 ridge = ((tm_i128)spread->all * spread->all * USUAL_DRIFT * USUAL_DRIFT >> 20) << WEIGHT_BITS;
            tm_i128 divisor = (sum_xx + ridge) >> QUOTIENT_BITS;
            tm_i128 slope = line->slope - (ridge >> QUOTIENT_BITS) * line->slope / (divisor ? divisor : 1);
            slope += divisor ? (sum_xy * (1 << (TM_SLOPE_BITS - QUOTIENT_BITS))) / divisor : 0;
            slope = slope > TM_SLOPE_LIMIT ? TM_SLOPE_LIMIT : slope < -TM_SLOPE_LIMIT ? -TM_SLOPE_LIMIT : slope;
            int64_t at = tm_line_at(line, line->at_ns + mean_x) + mean_y;
            *line = (struct tm_line){.at_ns = line->at_ns + mean_x, .offset_ns = at, .slope = (int64_t)slope};
        }
    }
}

/* Returns the index at which the shortest range begins that has N of the COUNT sorted values. */
static uint32_t find_shortest(const int64_t *values, uint32_t count, uint32_t n)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i + n <= count; i++)
        if (values[i + n - 1] - values[i] < values[best + n - 1] - values[best])
            best = i;
    return best;
}

/* Keeps only the samples of a peak, if there is one: a quarter of all in a range that is PEAK times shorter than that
 * of the half. If ranks are delayed by milliseconds now and then, those without delay agree within microseconds.
 * Returns how many are left. */
static uint32_t keep_peak(const struct tm_line *line, struct tm_sample *samples, uint32_t count, int64_t *values)
{
    enum { PEAK = 8, SAMPLES_MIN = 16 };
    uint32_t n = 0;
    if (count < SAMPLES_MIN)
        return count;
    for (uint32_t i = 0; i < count; i++)
        values[i] = samples[i].y - tm_line_at(line, samples[i].x);
    qsort(values, count, sizeof *values, tm_order_i64);
    uint32_t quarter = find_shortest(values, count, count / 4), half = find_shortest(values, count, count / 2);
    int64_t low = values[quarter], high = values[quarter + count / 4 - 1], width = high - low;
    if (width > (values[half + count / 2 - 1] - values[half]) / PEAK)
        return count;
    for (uint32_t i = 0; i < count; i++) {
        int64_t d = samples[i].y - tm_line_at(line, samples[i].x);
        if (d >= low - width && d <= high + width)
            samples[n++] = samples[i];
    }
    return n;
}

/* The distances of all samples, group after group. A group has the samples of two orders, whichever is the first. */
struct distances {
    int64_t *values;
    uint32_t first[TM_TREND_ORDERS][TM_TREND_ORDERS]; /* of the group; the index with the lower order first is in use */
    uint32_t count[TM_TREND_ORDERS][TM_TREND_ORDERS]; /* samples with these orders in this sequence */
};

/* Returns the number of samples in the group of A and B, or 0 if one of the two sequences has too few. */
static uint32_t group_count(const struct distances *d, uint8_t a, uint8_t b)
{
    uint32_t one = d->count[a][b], mirror = d->count[b][a];
    if (a == b)
        return one;
    return one < ORDER_SAMPLES_MIN || mirror < ORDER_SAMPLES_MIN ? 0 : one + mirror;
}

static void collect_distances(struct distances *d, const struct tm_line *line, const struct tm_sample *samples,
                              uint32_t count)
{
    uint32_t at[TM_TREND_ORDERS][TM_TREND_ORDERS], n = 0;
    memset(d->count, 0, sizeof d->count);
    for (uint32_t i = 0; i < count; i++)
        d->count[samples[i].order][samples[i].other_order]++;
    for (uint8_t a = 0; a < TM_TREND_ORDERS; a++)
        for (uint8_t b = a; b < TM_TREND_ORDERS; b++) {
            d->first[a][b] = at[a][b] = n;
            n += d->count[a][b] + (a == b ? 0 : d->count[b][a]);
        }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t a = samples[i].order, b = samples[i].other_order;
        d->values[a < b ? at[a][b]++ : at[b][a]++] = distance(line, &samples[i]);
    }
}

/* Finds the spread of each group. Groups without a mirror are left out if the others are at least a quarter of all. */
static void find_spread(struct spread *spread, const struct tm_line *line, const struct tm_sample *samples,
                        uint32_t count, int64_t *values)
{
    enum { GROUP_MIN = 8 };
    uint32_t mirrored = 0;
    struct distances d = {.values = values};
    *spread = (struct spread){.all = deviation(line, samples, count, values) * 3 / 2 + 1};
    collect_distances(&d, line, samples, count);
    for (uint8_t a = 0; a < TM_TREND_ORDERS; a++)
        for (uint8_t b = a; b < TM_TREND_ORDERS; b++) {
            uint32_t n = group_count(&d, a, b);
            int64_t usual = spread->all;
            if (n >= GROUP_MIN)
                usual = tm_clamp(median(values + d.first[a][b], n), DEVIATION_MAX) * 3 / 2 + 1;
            usual = usual > spread->all / RATIO_MAX + 1 ? usual : spread->all / RATIO_MAX + 1;
            spread->of[a][b] = spread->of[b][a] = n ? usual : 0;
            mirrored += n;
        }
    for (uint8_t a = 0; a < TM_TREND_ORDERS; a++)
        for (uint8_t b = 0; b < TM_TREND_ORDERS && mirrored < count / 4 + 1; b++)
            spread->of[a][b] = spread->of[a][b] ? spread->of[a][b] : spread->all;
}

static void set_spread(struct spread *spread, int64_t all)
{
    spread->all = all;
    for (int a = 0; a < TM_TREND_ORDERS; a++)
        for (int b = 0; b < TM_TREND_ORDERS; b++)
            spread->of[a][b] = all;
}

static void fit(struct tm_line *line, const struct tm_sample *samples, uint32_t count, int64_t *values)
{
    struct spread spread;
    for (int round = 0; round < ROUNDS; round++) {
        set_spread(&spread, deviation(line, samples, count, values) * 3 / 2 + 1);
        refit(line, samples, count, &spread);
    }
}

static void fit_groups(struct tm_line *line, const struct tm_sample *samples, uint32_t count, int64_t *values)
{
    struct spread spread;
    for (int round = 0; round < ROUNDS; round++) {
        find_spread(&spread, line, samples, count, values);
        refit(line, samples, count, &spread);
    }
}

/* Returns the deviation with which COUNT samples of one group would be as exact as these samples. */
static int64_t joint_deviation(const struct tm_line *line, const struct tm_sample *samples, uint32_t count,
                               int64_t *values)
{
    struct spread spread;
    uint64_t sum = 0;
    find_spread(&spread, line, samples, count, values);
    for (uint32_t i = 0; i < count; i++) {
        int64_t usual = spread.of[samples[i].order][samples[i].other_order];
        tm_i128 ratio = usual ? ((tm_i128)spread.all << WEIGHT_BITS) / usual : 0;
        sum += (uint64_t)(ratio * ratio >> WEIGHT_BITS);
    }
    uint64_t ratio = (sum + count - 1) / count; /* of variances */
    uint64_t root = 1;
    while ((root + 1) * (root + 1) << WEIGHT_BITS <= ratio * 64)
        root++;
    return spread.all * 2 / 3 * 8 / (int64_t)root;
}

static tm_i128 square_of(int64_t x_ns, int64_t at_ns)
{
    tm_i128 run = tm_clamp((tm_i128)x_ns - at_ns, RUN_MAX);
    return run * run;
}

enum tm_status tm_trend_find(struct tm_trend *trend, struct tm_sample *samples, uint32_t count, struct tm_error *err)
{
    struct tm_line *line = &trend->line;
    int64_t *values = calloc(count, sizeof *values);
    if (values == NULL)
        return tm_error_nomem(err);
    qsort(samples, count, sizeof *samples, by_x); /* the result does not depend on the order of the samples */
    for (uint32_t i = 0; i < count; i++)
        values[i] = samples[i].y;
    *line = (struct tm_line){.at_ns = samples[count / 2].x, .offset_ns = median(values, count), .slope = 0};
    for (uint32_t i = 0; i < count; i++)
        samples[i].y = line->offset_ns + tm_clamp((tm_i128)samples[i].y - line->offset_ns, FAR);
    fit(line, samples, count, values);
    uint32_t left = keep_peak(line, samples, count, values);
    for (int round = 0; round < MIRRORS; round++) {
        if (left == count) {
            mirror(samples, count, line, values);
            fit_groups(line, samples, count, values);
        } else {
            fit(line, samples, left, values);
        }
    }
    trend->deviation_ns = left == count ? joint_deviation(line, samples, count, values)
                                        : deviation(line, samples, left, values);
    trend->count = left;
    trend->square_run = 0;
    for (uint32_t i = 0; i < left; i++)
        trend->square_run += square_of(samples[i].x, line->at_ns);
    trend->square_run /= left;
    free(values);
    return TM_OK;
}

tm_i128 tm_trend_variance(const struct tm_trend *trend, int64_t x_ns)
{
    enum { PART_BITS = 10, PART_MAX_BITS = 32 };
    tm_i128 middle = (tm_i128)trend->deviation_ns * trend->deviation_ns * 4 / trend->count;
    tm_i128 divisor = trend->square_run + middle * USUAL_DRIFT * USUAL_DRIFT + 1;
    tm_i128 part = (square_of(x_ns, trend->line.at_ns) << PART_BITS) / divisor, most = (tm_i128)1 << PART_MAX_BITS;
    return middle + (middle * (part < most ? part : most) >> PART_BITS);
}

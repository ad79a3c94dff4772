/* The time axes of the picture: trace time, and the wall clock if it is known. */
#include "emit/svg/picture.h"

#include "base/checked.h"
#include "base/decimal.h"
#include "base/time_units.h"

#include <time.h>

#define HOUR (3600 * TM_NS_PER_S)
#define DAY (24 * HOUR)
/* With steps from this one on, an axis may show the same time of several days. */
#define DATED_STEP (3 * HOUR)

enum { TICKS_MAX = 9, CHARACTER_TENTHS = 66, LABEL_CHARACTERS_MAX = 14 };

/* Returns the smallest step of 1, 2 or 5 times a power of ten that divides SPAN into at most TICKS_MAX parts. */
static int64_t decimal_step(uint64_t span)
{
    int64_t step = 1;
    while (span / (uint64_t)step > TICKS_MAX) {
        if (span / (uint64_t)step / 2 <= TICKS_MAX)
            return step * 2;
        if (span / (uint64_t)step / 5 <= TICKS_MAX || step > INT64_MAX / 10)
            return step * 5;
        step *= 10;
    }
    return step;
}

static int64_t wall_step(uint64_t span)
{
    static const int32_t seconds[] = {1,    2,    5,    10,    15,    30,    60,    120,    300,    600,     900,
                                      1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000, 31536000};
    if (span / TM_NS_PER_S <= TICKS_MAX)
        return decimal_step(span);
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        if (span / ((uint64_t)seconds[i] * TM_NS_PER_S) <= TICKS_MAX)
            return seconds[i] * TM_NS_PER_S;
    return decimal_step(span);
}

/* Finds the first multiple of STEP at or after NS. False: it is out of range. */
static bool first_tick(int64_t ns, int64_t step, int64_t *tick)
{
    int64_t rest = ns % step;
    rest = rest < 0 ? rest + step : rest;
    return rest == 0 ? (*tick = ns, true) : tm_add_i64(ns, step - rest, tick);
}

static int decimals_of(int64_t step)
{
    int decimals = 9;
    for (; decimals > 0 && step % 10 == 0; step /= 10)
        decimals--;
    return decimals;
}

/* Puts DECIMALS digits of NS (0 to 999999999), a part of a second. */
static void put_fraction(struct tm_out *out, int64_t ns, int decimals)
{
    int64_t unit = TM_NS_PER_S / 10;
    if (decimals > 0)
        tm_out_char(out, '.');
    for (; decimals > 0; decimals--, unit /= 10)
        tm_out_char(out, (char)('0' + ns / unit % 10));
}

static void put_seconds(struct tm_out *out, int64_t ns, int decimals)
{
    uint64_t v = tm_magnitude(ns);
    if (ns < 0)
        tm_out_str(out, "\xe2\x88\x92");
    tm_out_u64(out, v / TM_NS_PER_S);
    put_fraction(out, (int64_t)(v % TM_NS_PER_S), decimals);
    tm_out_str(out, " s");
}

static void put_two_digits(struct tm_out *out, int n)
{
    tm_out_char(out, (char)('0' + n / 10 % 10));
    tm_out_char(out, (char)('0' + n % 10));
}

/* Sets *WHEN to NS since 1970 in UTC, and *FRACTION to the ns of its second. False if NS is outside the calendar. */
static bool calendar(int64_t ns, struct tm *when, int64_t *fraction)
{
    int64_t rest = ns % TM_NS_PER_S;
    *fraction = rest < 0 ? rest + TM_NS_PER_S : rest;
    time_t seconds = (time_t)(ns / TM_NS_PER_S - (rest < 0));
    return gmtime_r(&seconds, when) != NULL;
}

static void put_date(struct tm_out *out, const struct tm *when)
{
    tm_out_i64(out, when->tm_year + 1900);
    tm_out_char(out, '-');
    put_two_digits(out, when->tm_mon + 1);
    tm_out_char(out, '-');
    put_two_digits(out, when->tm_mday);
}

/* Puts the time of day of NS, or its date if STEP is in days. With steps of hours the date stands for midnight, so a
 * time belongs to the date before it. */
static void put_wall(struct tm_out *out, int64_t ns, int64_t step)
{
    struct tm when;
    int64_t fraction;
    if (!calendar(ns, &when, &fraction))
        return;
    if (step >= DAY || (step >= DATED_STEP && ns % DAY == 0)) {
        put_date(out, &when);
        return;
    }
    put_two_digits(out, when.tm_hour);
    tm_out_char(out, ':');
    put_two_digits(out, when.tm_min);
    tm_out_char(out, ':');
    put_two_digits(out, when.tm_sec);
    put_fraction(out, fraction, decimals_of(step));
}

/* One row of labels. SHIFT_NS: the axis's reading at trace time 0. */
struct axis {
    int64_t shift_ns, step;
    int baseline;
    int label_length; /* largest number of characters */
    bool is_wall, has_grid;
};

static int digits_of(int64_t ns)
{
    uint64_t v = tm_magnitude(ns);
    return (int)tm_decimal_length(v / TM_NS_PER_S) + (ns < 0);
}

/* Returns the number of characters of the longest label in seconds. */
static int seconds_length(const struct tm_svg_picture *picture, int64_t step)
{
    int a = digits_of(picture->layout->first_ns), b = digits_of(picture->layout->last_ns), decimals = decimals_of(step);
    return (a > b ? a : b) + (decimals > 0) + decimals + 2;
}

static int wall_length(int64_t step)
{
    int decimals = decimals_of(step);
    return step >= DATED_STEP ? 10 : 8 + (decimals > 0) + decimals;
}

static void put_grid_line(struct tm_svg_picture *picture, int x)
{
    tm_out_str(&picture->out, "<path class=\"grid\" d=\"M");
    tm_svg_put_tenths(picture, x);
    tm_out_char(&picture->out, ' ');
    tm_out_i64(&picture->out, picture->layout->lanes_top);
    tm_out_char(&picture->out, 'V');
    tm_out_i64(&picture->out, picture->layout->lanes_bottom);
    tm_out_str(&picture->out, "\"/>\n");
}

static void put_axis(struct tm_svg_picture *picture, const struct axis *axis)
{
    int64_t tick, first = picture->layout->first_ns, last = picture->layout->last_ns;
    int spacing = axis->label_length * CHARACTER_TENTHS + 140, last_x = -spacing;
    if (!tm_add_i64(first, axis->shift_ns, &first) || !tm_add_i64(last, axis->shift_ns, &last) ||
        !first_tick(first, axis->step, &tick))
        return;
    do {
        if (tick > last)
            break;
        int x = tm_svg_layout_x(picture->layout, tick - axis->shift_ns);
        if (axis->has_grid)
            put_grid_line(picture, x);
        if (x - last_x < spacing)
            continue;
        last_x = x;
        tm_out_str(&picture->out, axis->is_wall ? "<text class=\"tick wall\" x=\"" : "<text class=\"tick\" x=\"");
        tm_svg_put_tenths(picture, x);
        tm_out_str(&picture->out, "\" y=\"");
        tm_out_i64(&picture->out, axis->baseline);
        tm_out_str(&picture->out, "\">");
        if (axis->is_wall)
            put_wall(&picture->out, tick, axis->step);
        else
            put_seconds(&picture->out, tick, decimals_of(axis->step));
        tm_out_str(&picture->out, "</text>\n");
    } while (tm_add_i64(tick, axis->step, &tick));
}

static void put_caption(struct tm_svg_picture *picture, const char *text, int baseline)
{
    tm_out_str(&picture->out, "<text class=\"caption\" x=\"");
    tm_out_i64(&picture->out, TM_SVG_MARGIN);
    tm_out_str(&picture->out, "\" y=\"");
    tm_out_i64(&picture->out, baseline);
    tm_out_str(&picture->out, "\">");
    tm_out_str(&picture->out, text);
}

static void put_wall_axis(struct tm_svg_picture *picture, uint64_t span)
{
    struct tm when;
    int64_t fraction, start;
    struct axis axis = {.shift_ns = picture->counts->wall.offset_ns,
                        .step = wall_step(span),
                        .baseline = picture->layout->lanes_top - 34,
                        .is_wall = true};
    axis.label_length = wall_length(axis.step);
    if (!tm_add_i64(picture->layout->first_ns, picture->counts->wall.offset_ns, &start) ||
        !calendar(start, &when, &fraction))
        return;
    put_caption(picture, "wall clock, UTC, ", axis.baseline);
    put_date(&picture->out, &when);
    tm_out_str(&picture->out, "</text>\n");
    put_axis(picture, &axis);
}

void tm_svg_axes(struct tm_svg_picture *picture)
{
    uint64_t span = (uint64_t)picture->layout->last_ns - (uint64_t)picture->layout->first_ns;
    struct axis axis = {.step = decimal_step(span), .baseline = picture->layout->lanes_top - 14, .has_grid = true};
    if (!picture->counts->events.has_range)
        return;
    /* If long numbers do not fit under their ticks, time counts from the first event. */
    axis.label_length = seconds_length(picture, axis.step);
    bool is_long = axis.label_length > LABEL_CHARACTERS_MAX && picture->layout->first_ns != INT64_MIN;
    if (is_long)
        axis.shift_ns = -picture->layout->first_ns;
    put_caption(picture, is_long ? "trace time from the first event" : "trace time", axis.baseline);
    tm_out_str(&picture->out, "</text>\n");
    put_axis(picture, &axis);
    if (picture->counts->wall.is_known)
        put_wall_axis(picture, span);
    if (!picture->layout->is_roomy) {
        axis.has_grid = false;
        axis.baseline = picture->layout->lanes_bottom + 16;
        put_axis(picture, &axis);
    }
}

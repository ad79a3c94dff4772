#include "base/calendar.h"

enum { EPOCH_DAYS = 719468 /* from 0000-03-01 to 1970-01-01 */, CYCLE_YEARS = 400, CYCLE_DAYS = 146097 };

/* Returns A / B, rounded down. B is above 0. */
static int64_t divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Years are counted from March on, so that a leap day is the last day of its year. */
int64_t tm_calendar_days(int64_t year, int month, int day)
{
    int64_t y = month > 2 ? year : year - 1;
    int64_t m = month > 2 ? month - 3 : month + 9;
    return y * 365 + divide(y, 4) - divide(y, 100) + divide(y, CYCLE_YEARS) + (m * 153 + 2) / 5 + day - 1 - EPOCH_DAYS;
}

int64_t tm_calendar_year(int64_t days)
{
    int64_t year = divide((days + EPOCH_DAYS) * CYCLE_YEARS, CYCLE_DAYS);
    while (tm_calendar_days(year, 1, 1) > days)
        year--;
    while (tm_calendar_days(year + 1, 1, 1) <= days)
        year++;
    return year;
}

bool tm_calendar_has(int64_t year, int month, int day)
{
    return day >= 1 && tm_calendar_days(year, month, day) < tm_calendar_days(month < 12 ? year : year + 1,
                                                                             month < 12 ? month + 1 : 1, 1);
}

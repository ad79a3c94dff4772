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

bool tm_calendar_read(struct tm_text text, const char *separators, int64_t *seconds)
{
    enum { YEAR_DIGITS = 4, DIGITS = 2, PARTS = 6 };
    int64_t parts[PARTS];
    size_t at = 0;
    for (int i = 0; i < PARTS; i++) {
        const size_t len = i == 0 ? YEAR_DIGITS : DIGITS;
        if (text.len < at + len || text.data[at] < '0' || !tm_text_int(tm_text_at(text.data + at, len), &parts[i]))
            return false;
        at += len;
        if (i + 1 < PARTS && (at == text.len || text.data[at++] != (uint8_t)separators[i]))
            return false;
    }
    if (parts[1] < 1 || parts[1] > 12 || !tm_calendar_has(parts[0], (int)parts[1], (int)parts[2]) || parts[3] > 23 ||
        parts[4] > 59 || parts[5] > 60)
        return false;
    *seconds = tm_calendar_days(parts[0], (int)parts[1], (int)parts[2]) * 24 * 60 * 60 +
               (parts[3] * 60 + parts[4]) * 60 + parts[5];
    return true;
}

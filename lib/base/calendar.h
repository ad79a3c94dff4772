/* Dates of the Gregorian calendar as days, in both directions, for all years. */
#ifndef TM_BASE_CALENDAR_H
#define TM_BASE_CALENDAR_H

#include "base/text.h"

/* Returns the days from 1970-01-01 to the date. MONTH is 1 to 12, and YEAR is within a million of 0. A DAY after the
 * month's last one is in the next month. */
int64_t tm_calendar_days(int64_t year, int month, int day);

/* Returns the year of the day that is DAYS after 1970-01-01. DAYS is within 10^8 of 0. */
int64_t tm_calendar_year(int64_t days);

/* True if MONTH (1 to 12) of YEAR has DAY. */
bool tm_calendar_has(int64_t year, int month, int day);

/* Reads "YYYY-MM-DD hh:mm:ss" at the front of TEXT as seconds since 1970, as if it was UTC. SEPARATORS are the five
 * characters between the numbers, such as "-- ::". False: TEXT does not begin with such a date, or there is none. */
bool tm_calendar_read(struct tm_text text, const char *separators, int64_t *seconds);

#endif

/* Text of Android's logcat in the formats threadtime and time with any modifiers; each message is a LOG row. Dates are
 * on CLOCK_REALTIME, seconds since the start on CLOCK_MONOTONIC; these are two formats, because a format has one clock
 * policy. A line without a zone is UTC. The first line without a year gets the newest year that puts it at most a day
 * after context->now_s. Each further line gets the year that puts it nearest to the line before. A log in a bug report
 * (context->report) has the present and the time zone of the report, and messages that the report's text has are left
 * out. Source: logcat(1), and android_log_reader of the reference importer. */
#ifndef TM_FORMAT_LOGCAT_LOGCAT_H
#define TM_FORMAT_LOGCAT_LOGCAT_H

#include "format/format.h"

/* Longer lines are an error. */
enum { TM_LOGCAT_LINE_MAX = 1 << 20 };

extern const struct tm_format tm_format_logcat;
extern const struct tm_format tm_format_logcat_monotonic;

#endif

/* Text of Android's logcat, one row of kind LOG a message: the formats threadtime and time with any modifiers. Dates
 * are on CLOCK_REALTIME, seconds since the start on CLOCK_MONOTONIC (two formats, as a format has one clock policy).
 * A line without a zone is UTC. The first line without a year is of the newest year in which it is not in the future
 * of context->now_s by more than a day, each further line of the year that puts it nearest to the line before.
 * Source: logcat(1), and android_log_reader of the reference importer. */
#ifndef TM_FORMAT_LOGCAT_LOGCAT_H
#define TM_FORMAT_LOGCAT_LOGCAT_H

#include "format/format.h"

/* Longer lines are an error. A message goes on in indented lines; those past the second limit are damage. */
enum { TM_LOGCAT_LINE_MAX = 1 << 20, TM_LOGCAT_MESSAGE_MAX = 1 << 20 };

extern const struct tm_format tm_format_logcat;
extern const struct tm_format tm_format_logcat_monotonic;

#endif

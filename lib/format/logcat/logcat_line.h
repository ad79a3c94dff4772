/* A line of logcat in the formats that have a time: threadtime and time, with the modifiers year, usec, nsec, uid,
 * zone, epoch, monotonic and color; and in the two forms in which Android Studio shows it. Sources: logcat(1) of
 * Android, liblog/logprint.cpp of AOSP, and "View logs with Logcat" of Android Studio's documentation. */
#ifndef TM_FORMAT_LOGCAT_LOGCAT_LINE_H
#define TM_FORMAT_LOGCAT_LOGCAT_LINE_H

#include "base/text.h"
#include "base/status.h"

/* What the time of a line means. */
enum tm_logcat_time {
    TM_LOGCAT_DATE,     /* a date, which may lack its year and its zone */
    TM_LOGCAT_EPOCH,    /* nanoseconds since 1970 */
    TM_LOGCAT_MONOTONIC /* nanoseconds since the machine started */
};

/* Priorities as Android numbers them (AndroidLogPriority). */
enum tm_logcat_priority {
    TM_LOGCAT_UNKNOWN = 0,
    TM_LOGCAT_VERBOSE = 2,
    TM_LOGCAT_DEBUG = 3,
    TM_LOGCAT_INFO = 4,
    TM_LOGCAT_WARN = 5,
    TM_LOGCAT_ERROR = 6,
    TM_LOGCAT_FATAL = 7
};

/* The parts of a line; spans point into its text. */
struct tm_logcat_line {
    enum tm_logcat_time time;
    int64_t ns;     /* of EPOCH and MONOTONIC; for DATE the nanoseconds since midnight */
    bool has_year, has_zone;
    int year, month, day; /* of DATE; a 29th of February without a year is accepted */
    int64_t zone_ns; /* local time minus UTC */
    bool has_tid;   /* false in format time, which does not state the thread */
    int64_t pid, tid;
    struct tm_text uid; /* a number or a name; length 0: none */
    struct tm_text package; /* of Android Studio; length 0: none */
    enum tm_logcat_priority priority;
    struct tm_text tag, message;
};

/* Parses LINE (LEN bytes, without its end). TM_OK, or TM_E_INPUT if the line has another form. */
enum tm_status tm_logcat_line_parse(const char *line, size_t len, struct tm_logcat_line *parsed);

/* True for the head of format brief, "I/Tag( 1234): ", which states no time. */
bool tm_logcat_line_is_brief(const char *line, size_t len);

/* True for lines between messages: "--------- beginning of main", and what adb writes. */
bool tm_logcat_line_is_divider(const char *line, size_t len);

#endif

/* What a bug report of Android states about the logs in it: when and in which time zone it was made, and the messages
 * that its text holds. Logs beside the text repeat some of these messages. Source: dumpstate of AOSP, and
 * android_bugreport_reader and android_log_reader of the reference importer. */
#ifndef TM_FORMAT_LOGCAT_REPORT_H
#define TM_FORMAT_LOGCAT_REPORT_H

#include "base/map.h"
#include "format/logcat/logcat_line.h"

/* Further messages of the text are not known. */
enum { TM_LOGCAT_REPORT_MESSAGES_MAX = 1 << 20 };

/* Zero-initialise. */
struct tm_logcat_report {
    bool has_made;
    int64_t made_s; /* when it was made, in seconds since 1970, as if local time was UTC */
    bool has_zone;
    int64_t zone_ns; /* local time minus UTC */
    /* private */
    struct tm_map messages; /* the number of each message's copies that have not been taken, by its hash */
};

/* Notes that the text has the message of LINE. Messages are equal if their time in milliseconds, pid, tid, priority,
 * tag and text are: the text has no smaller unit. Years do not count. TM_OK; TM_END: the limit is exceeded;
 * TM_E_SYSTEM. */
enum tm_status tm_logcat_report_add(struct tm_logcat_report *report, const struct tm_logcat_line *line);

/* True if the text has the message of LINE. That copy has then been taken: it answers for one message only. */
bool tm_logcat_report_take(struct tm_logcat_report *report, const struct tm_logcat_line *line);

void tm_logcat_report_release(struct tm_logcat_report *report);

#endif

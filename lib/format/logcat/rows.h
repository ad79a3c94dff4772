/* The rows of messages of logcat: years and zones that lines do not state, messages of several lines. */
#ifndef TM_FORMAT_LOGCAT_ROWS_H
#define TM_FORMAT_LOGCAT_ROWS_H

#include "base/buf.h"
#include "format/logcat/logcat_line.h"
#include "stream/event_sink.h"

struct tm_logcat_report;

/* A message continues in indented lines; text past this limit is damage. In bytes. */
enum { TM_LOGCAT_MESSAGE_MAX = 1 << 20 };

struct tm_logcat_rows {
    /* private */
    struct tm_event_sink *sink;
    struct tm_logcat_report *repeated; /* its messages are left out; NULL: none */
    /* the second of the last date; before the first date, the latest second that is not in the future */
    int64_t near_s;
    bool has_near;
    bool is_made_known; /* near_s is that of a bug report */
    bool has_zone;
    int64_t zone_ns;    /* local time minus UTC */
    bool has_pending;   /* a row is pending until its message ends */
    bool has_tag;       /* of the pending row */
    bool is_repeated;   /* the pending row is left out */
    struct tm_event pending;
    struct tm_buf tag, message, uid, package; /* of the pending row */
    struct tm_buf detail;
    int64_t without_year, without_zone, repeated_count;
};

/* Initialises ROWS, which adds to SINK (borrowed). NOW_S is the present, in seconds since 1970: dates without a year
 * are not later. REPORT (NULL: none), a bug report, may state the present in its place, and the time zone. */
void tm_logcat_rows_init(struct tm_logcat_rows *rows, struct tm_event_sink *sink, int64_t now_s,
                         const struct tm_logcat_report *report);

/* Leaves out messages that the text of REPORT has too, once for each copy there. REPORT is borrowed. */
static inline void tm_logcat_rows_leave_out(struct tm_logcat_rows *rows, struct tm_logcat_report *report)
{
    rows->repeated = report;
}

/* Adds the message of LINE. TM_OK; TM_END: its date does not fit, and nothing is added; or an error. */
enum tm_status tm_logcat_rows_add(struct tm_logcat_rows *rows, const struct tm_logcat_line *line, struct tm_error *err);

/* Adds the LEN bytes at TEXT, a line that is no message, to the message before it. TM_OK; TM_END: the line continues no
 * message, or exceeds its limit; TM_E_SYSTEM. */
enum tm_status tm_logcat_rows_continue(struct tm_logcat_rows *rows, const char *text, size_t len, struct tm_error *err);

/* Adds the last message, and the statistics. TM_OK or an error. */
enum tm_status tm_logcat_rows_finish(struct tm_logcat_rows *rows, struct tm_error *err);

void tm_logcat_rows_release(struct tm_logcat_rows *rows);

#endif

/* What the text of a bug report states about all its logs (format/logcat/report.h). The time zone comes after the logs
 * that need it, so the facts are read first. */
#ifndef TM_FORMAT_DUMPSTATE_FACTS_H
#define TM_FORMAT_DUMPSTATE_FACTS_H

#include "format/logcat/report.h"
#include "os/input.h"

/* A longer line ends the facts. In bytes. */
enum { TM_DUMPSTATE_LINE_MAX = 16 << 20 };

/* Reads the facts of the text IN, up to its end or to a line that is too long, into REPORT, which may have some
 * already. The head of the text states when it was made (the first such line counts), the service alarm the time zone
 * ("nowRTC=MS=LOCAL TIME"; the last one counts). TM_OK or an error of reading. */
enum tm_status tm_dumpstate_facts_read(struct tm_logcat_report *report, struct tm_input *in, struct tm_error *err);

#endif

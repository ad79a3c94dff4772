/* Bug reports of Android: a ZIP with the text "bugreport-DEVICE-BUILD-YYYY-MM-DD-hh-mm-ss.txt", thousands of files that
 * are no traces, and logs and traces among them. Source: dumpstate of AOSP, and android_bugreport_reader of the
 * reference importer, which finds the text and the logs by the same names. Private to this room. */
#ifndef TM_UNPACK_BUG_REPORT_H
#define TM_UNPACK_BUG_REPORT_H

#include "format/logcat/report.h"
#include "unpack/archive.h"

/* Examines the members of ARCHIVE, a ZIP. If it is a bug report, settles by their places which ones are read: the
 * manifest, the text, the logs of logd, and Perfetto traces of the folder of traced. The text comes before the logs in
 * order of processing, because it states their time zone. All others are left out. Puts the time of its name into
 * REPORT. True if it is a bug report. */
bool tm_bug_report_find(struct tm_archive *archive, struct tm_logcat_report *report);

#endif

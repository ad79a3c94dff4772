/* The text of a bug report of Android (dumpstate): its logs are LOG rows, and the history of its battery is read by
 * battery.h, also as a file of its own (dumpsys batterystats --checkin). All other lines have no time and are counted.
 * The text is read twice, because the time zone of the logs comes after them. In an archive that is a bug report
 * (context->report), logs beside the text learn from it too. Source: dumpstate of AOSP, and android_dumpstate_reader of
 * the reference importer. */
#ifndef TM_FORMAT_DUMPSTATE_DUMPSTATE_H
#define TM_FORMAT_DUMPSTATE_DUMPSTATE_H

#include "format/format.h"

extern const struct tm_format tm_format_dumpstate;

#endif

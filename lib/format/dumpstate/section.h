/* The sections of the text of a bug report, and what a line is for the reader. Sections begin with
 * "------ NAME (COMMAND) ------"; those of dumpsys hold services, which begin with "DUMP OF SERVICE NAME:". The history
 * of the battery also begins by its first line, wherever that is. Source: dumpstate of AOSP, and
 * android_dumpstate_reader of the reference importer. */
#ifndef TM_FORMAT_DUMPSTATE_SECTION_H
#define TM_FORMAT_DUMPSTATE_SECTION_H

#include "base/text.h"

enum tm_dumpstate_line {
    TM_DUMPSTATE_OTHER,
    TM_DUMPSTATE_LOG,     /* in the log of the system, of events or of the radio; the kernel's is part of the first */
    TM_DUMPSTATE_ALARM,   /* of the service alarm, which states the time zone */
    TM_DUMPSTATE_BATTERY  /* of the history of the battery (battery.h) */
};

/* Zero-initialise. */
struct tm_dumpstate_section {
    /* private */
    enum { TM_SECTION_OTHER, TM_SECTION_LOG, TM_SECTION_DUMPSYS } kind;
    bool is_alarm, is_battery;
};

/* The first line of the history of the battery begins like this. */
#define TM_DUMPSTATE_BATTERY_HEAD "9,0,i,vers,"

/* Returns what LINE (without its end) is, the next one of the text. */
enum tm_dumpstate_line tm_dumpstate_section_pass(struct tm_dumpstate_section *section, struct tm_text line);

#endif

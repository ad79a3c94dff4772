/* What a manifest would have to say so that a file is placed as it is now assumed to be, or that what
 * was dropped is not: entries of `files` and a `trace_time`, written as JSON ready to be pasted.
 *
 * Source: perfetto_manifest(5). */
#ifndef TM_EMIT_REPORT_SUGGESTION_H
#define TM_EMIT_REPORT_SUGGESTION_H

#include "emit/report/report.h"

/* A `clocks`: the clock FROM_CLOCK of a file (TRACE_FILE: the file is pinned) on MACHINE reads T when the reference's
 * reads T + OFFSET_NS. */
struct tm_entry {
    uint32_t file;
    bool has_clocks;
    uint32_t machine, from_clock; /* a row; a clock id */
    uint32_t to_file, to_machine, to_clock;
    int64_t offset_ns;
};

/* The file and clock that stand for trace time in a manifest. */
struct tm_anchor {
    uint32_t file, machine, clock;
};

/* Zero-initialise. */
struct tm_remedies {
    struct tm_entry *entries; /* owned */
    uint32_t count;
    bool has_trace_time, has_guess; /* an offset is not known */
    struct tm_anchor trace_time;
    /* private */
    uint32_t cap;
    struct tm_map of_file; /* file to entry */
};

/* False when no manifest can name trace time: its clock has no name there, or its machine no file. */
bool tm_report_anchor(struct tm_report *report, struct tm_anchor *anchor);

/* The `clocks` that places the clock of P's events by OFFSET_NS from trace time. False when no manifest
 * can say so: one that has no name, of a file that has a `clocks` already or cannot be named. */
bool tm_report_entry_for(struct tm_report *report, const Tracemerge__Placement *p, struct tm_entry *entry);

/* Writes ENTRY as a JSON object on one line, with the machines that the manifest gives the file now. */
void tm_report_put_entry(struct tm_report *report, const struct tm_entry *entry);

/* Writes ANCHOR as the member `trace_time`. */
void tm_report_put_trace_time(struct tm_report *report, const struct tm_anchor *anchor);

/* What would bring back the events that P dropped as ACCOUNT says, into REMEDIES. True when there is something. */
bool tm_report_suggestion(struct tm_report *report, struct tm_remedies *remedies, const Tracemerge__Placement *p,
                          const Tracemerge__Account *account);

/* Writes REMEDIES, which are some: a whole manifest where there is none, else what to change in it. */
void tm_report_put_remedies(struct tm_report *report, struct tm_remedies *remedies);

/* The same as a JSON object: entries for "files", added or in place of those of the same path, and trace_time where it
 * changes; offsets_unknown: an offset_ns of 0 is to be replaced. */
void tm_report_put_remedies_json(struct tm_report *report, struct tm_remedies *remedies);

void tm_remedies_release(struct tm_remedies *remedies);

#endif

/* Suggested changes of a manifest: those that state the assumed placement of a file, and those that bring back dropped
 * events. They are entries of `files` and a `trace_time`, written as JSON that can be pasted.
 *
 * Source: perfetto_manifest(5). */
#ifndef TM_EMIT_REPORT_SUGGESTION_H
#define TM_EMIT_REPORT_SUGGESTION_H

#include "emit/report/report.h"

/* An entry of `files`. If HAS_CLOCKS, clock FROM_CLOCK of the file on MACHINE reads T when the clock TO_CLOCK reads T +
 * OFFSET_NS. If FROM_CLOCK is TRACE_FILE, the file is pinned. */
struct tm_entry {
    uint32_t file;
    bool has_clocks;
    uint32_t machine, from_clock; /* a row of the machine table; a clock id */
    uint32_t to_file, to_machine, to_clock;
    int64_t offset_ns;
};

/* The file and clock that represent trace time in a manifest. */
struct tm_anchor {
    uint32_t file, machine, clock;
};

/* Zero-initialise. */
struct tm_suggestion {
    struct tm_entry *entries; /* owned */
    uint32_t count;
    bool has_trace_time, has_unknown_offset;
    struct tm_anchor trace_time;
    /* private */
    uint32_t cap;
    struct tm_map of_file; /* file to entry */
};

/* False if no manifest can name trace time: its clock has no name there, or its machine has no file. */
bool tm_report_anchor(struct tm_report *report, struct tm_anchor *anchor);

/* True if packets of FILE carry the id of MACHINE and the manifest does not declare it (`machines`). Then no entry can
 * name its clocks. */
bool tm_report_is_undeclared(struct tm_report *report, uint32_t file, uint32_t machine);

/* Sets *ENTRY to the `clocks` that places the clock of P's events where P does. False if no manifest
 * can state it: the clock has no name, or the file has a `clocks` already or cannot be named. */
bool tm_report_entry_for(struct tm_report *report, const Tracemerge__Placement *p, struct tm_entry *entry);

/* Writes ENTRY as a JSON object on one line, with the machines that the manifest gives the file at present. */
void tm_report_put_entry(struct tm_report *report, const struct tm_entry *entry);

/* Writes ANCHOR as the member `trace_time`. */
void tm_report_put_trace_time(struct tm_report *report, const struct tm_anchor *anchor);

/* Adds to SUGGESTION the changes that would bring back the events of P that were dropped as ACCOUNT states. True if
 * there are any. */
bool tm_report_suggestion(struct tm_report *report, struct tm_suggestion *suggestion, const Tracemerge__Placement *p,
                          const Tracemerge__Account *account);

/* Writes SUGGESTION, which is not empty: a complete manifest if there is none, otherwise the changes to it. */
void tm_report_put_suggestion(struct tm_report *report, struct tm_suggestion *suggestion);

/* Writes SUGGESTION as a JSON object. "files" has entries that are added or replace those of the same path; trace_time
 * is there if it changes. offsets_unknown means that an offset_ns of 0 must be replaced. */
void tm_report_put_suggestion_json(struct tm_report *report, struct tm_suggestion *suggestion);

void tm_suggestion_release(struct tm_suggestion *suggestion);

#endif

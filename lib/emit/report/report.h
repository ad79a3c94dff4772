/* The content of a report, collected from a stream. It is written as text for people or as JSON for machines. */
#ifndef TM_EMIT_REPORT_REPORT_H
#define TM_EMIT_REPORT_REPORT_H

#include "align/alignment.h"
#include "emit/report/config_facts.h"
#include "emit/emit.h"
#include "emit/out.h"
#include "emit/paths.h"

struct tm_report {
    struct tm_out out;
    struct tm_paths paths;
    const struct tm_emit_context *context;
    bool placed;       /* the stream's events are on trace time */
    bool has_bounds;   /* at least one event was placed */
    int64_t first_ns, last_ns;
    uint64_t snapshot_count, clock_row_count;
    uint64_t dropped_lines; /* lines of `dropped' written so far */
    struct tm_config_facts facts;
    bool tests_causality; /* the report is about placed events */
    struct tm_alignment alignment; /* tests the causality */
    struct tm_buf causality_found; /* effects before their causes: lines, or a JSON object; empty if nothing crosses
                                    * files */
    uint32_t *first_files; /* by machine, on demand: the file with events on it whose turn came first */
};

/* The path of FILE; "?" if out of memory (the output remembers the error). */
struct tm_text tm_report_path(struct tm_report *report, uint32_t file);

/* Write the whole report, as text or as a JSON object. */
void tm_report_text(struct tm_report *report);
void tm_report_json(struct tm_report *report);

/* Explains for each file its position, its dropped events, and the changes that would help. */
void tm_report_explain(struct tm_report *report);

/* Writes the text before the first line of the list of dropped events. */
void tm_report_dropped_begin(struct tm_report *report);

/* Writes a line for each event of FRAME, a Dropped frame. TM_OK; TM_E_INPUT "byte N: …": its columns do not fit each
 * other or its file is unknown; TM_E_SYSTEM. */
enum tm_status tm_report_dropped_frame(struct tm_report *report, const struct tm_frame *frame, struct tm_error *err);

/* Writes a line for each account of events that no Dropped frame has, and the end of the list. */
void tm_report_dropped_end(struct tm_report *report);

/* Writes one line for each file. */
void tm_report_summary(struct tm_report *report);

#endif

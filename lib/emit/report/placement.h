/* Explains the positions of a file's events on the timeline. */
#ifndef TM_EMIT_REPORT_PLACEMENT_H
#define TM_EMIT_REPORT_PLACEMENT_H

#include "emit/report/report.h"

/* Explains trace time: its clock, how that was chosen, and the first and last time. */
void tm_report_explain_trace_time(struct tm_report *report);

/* Explains one placement: rule, path with the relations used, offset and drift, distance from snapshots, and the
 * changes that would move it. SHOWS_MACHINE: also names its machine. */
void tm_report_explain_placement(struct tm_report *report, const Tracemerge__Placement *p, bool shows_machine);

#endif

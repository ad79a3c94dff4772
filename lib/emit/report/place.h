/* Why the events of a file are where they are, in sentences. */
#ifndef TM_EMIT_REPORT_PLACE_H
#define TM_EMIT_REPORT_PLACE_H

#include "emit/report/report.h"

/* The clock of the timeline, who chose it, and from when to when it goes. */
void tm_report_explain_trace_time(struct tm_report *report);

/* One placement: rule, path with the relations used, offset and drift, distance from snapshots, what would move it. */
void tm_report_explain_placement(struct tm_report *report, const Tracemerge__Placement *p, bool tells_machine);

#endif

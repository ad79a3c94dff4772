/* What a report tells, gathered from a stream; written as text for people or JSON for machines. */
#ifndef TM_EMIT_REPORT_H
#define TM_EMIT_REPORT_H

#include "emit/emit.h"
#include "emit/out.h"
#include "emit/paths.h"

struct tm_report {
    struct tm_out out;
    struct tm_paths paths;
    const struct tm_emit_context *context;
    bool placed;       /* the stream's events are on trace time */
    bool has_bounds;   /* an event was placed */
    int64_t first_ns, last_ns;
    uint64_t snapshot_count, clock_row_count;
};

/* Path of FILE; "?" when out of memory (and out remembers it). */
struct tm_text tm_report_path(struct tm_report *report, uint32_t file);

void tm_report_text(struct tm_report *report);
void tm_report_json(struct tm_report *report);

#endif

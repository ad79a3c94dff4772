/* Texts that all parts of a report use. */
#ifndef TM_EMIT_REPORT_WORDS_H
#define TM_EMIT_REPORT_WORDS_H

#include "emit/report/report.h"
#include "stream/placement_rule.h"

/* Writes a machine's name, "host", or "machine ID". ID is a row; in a stream before tm-clocks, a raw id. */
void tm_report_put_machine(struct tm_report *report, uint32_t id);

/* Writes a clock's name, or "clock N". */
void tm_report_put_clock(struct tm_report *report, uint32_t clock);

/* Writes "N WORD" or "N WORDs". */
void tm_report_put_count(struct tm_report *report, uint64_t n, const char *word);

/* Writes a duration with its sign. */
void tm_report_put_offset(struct tm_report *report, int64_t ns);

void tm_report_put_path(struct tm_report *report, uint32_t file);

/* Returns the rule that placed P's events. */
enum tm_placement_rule tm_report_rule(const Tracemerge__Placement *p);

/* True if the manifest's relation that placed the events is one that tm-align found. */
bool tm_report_is_aligned(const Tracemerge__Placement *p);

/* Returns the rule that the relation of HOP comes from. */
enum tm_placement_rule tm_report_origin(const Tracemerge__PlacementHop *hop);

#endif

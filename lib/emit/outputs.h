/* All outputs: what they are (output_table.c has them in order), and what they do. */
#ifndef TM_EMIT_OUTPUTS_H
#define TM_EMIT_OUTPUTS_H

#include "emit/emit.h"

extern const struct tm_emit tm_emit_text;
extern const struct tm_emit tm_emit_jsonl;
extern const struct tm_emit tm_emit_csv;
extern const struct tm_emit tm_emit_text_events; /* .events of those above */
extern const struct tm_emit tm_emit_jsonl_events;
extern const struct tm_emit tm_emit_csv_events;
extern const struct tm_emit tm_emit_frames;
extern const struct tm_emit tm_emit_report;
extern const struct tm_emit tm_emit_explain;
extern const struct tm_emit tm_emit_summary;
extern const struct tm_emit tm_emit_dropped;
extern const struct tm_emit tm_emit_pftrace;
extern const struct tm_emit tm_emit_json;
extern const struct tm_emit tm_emit_sqlite;
extern const struct tm_emit tm_emit_tables;
extern const struct tm_emit tm_emit_svg;

extern const struct tm_emit_functions tm_emit_text_functions;
extern const struct tm_emit_functions tm_emit_jsonl_functions;
extern const struct tm_emit_functions tm_emit_csv_functions;
extern const struct tm_emit_functions tm_emit_text_events_functions;
extern const struct tm_emit_functions tm_emit_jsonl_events_functions;
extern const struct tm_emit_functions tm_emit_csv_events_functions;
extern const struct tm_emit_functions tm_emit_frames_functions;
extern const struct tm_emit_functions tm_emit_report_functions;
extern const struct tm_emit_functions tm_emit_explain_functions;
extern const struct tm_emit_functions tm_emit_summary_functions;
extern const struct tm_emit_functions tm_emit_dropped_functions;
extern const struct tm_emit_functions tm_emit_pftrace_functions;
extern const struct tm_emit_functions tm_emit_json_functions;
extern const struct tm_emit_functions tm_emit_sqlite_functions;
extern const struct tm_emit_functions tm_emit_tables_functions;
extern const struct tm_emit_functions tm_emit_svg_functions;

#endif

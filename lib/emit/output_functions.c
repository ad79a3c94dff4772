#include "emit/outputs.h"

static const struct {
    const struct tm_emit *emit;
    const struct tm_emit_functions *functions;
} all[] = {
    {&tm_emit_text, &tm_emit_text_functions},
    {&tm_emit_jsonl, &tm_emit_jsonl_functions},
    {&tm_emit_csv, &tm_emit_csv_functions},
    {&tm_emit_text_events, &tm_emit_text_events_functions},
    {&tm_emit_jsonl_events, &tm_emit_jsonl_events_functions},
    {&tm_emit_csv_events, &tm_emit_csv_events_functions},
    {&tm_emit_frames, &tm_emit_frames_functions},
    {&tm_emit_report, &tm_emit_report_functions},
    {&tm_emit_explain, &tm_emit_explain_functions},
    {&tm_emit_summary, &tm_emit_summary_functions},
    {&tm_emit_dropped, &tm_emit_dropped_functions},
    {&tm_emit_pftrace, &tm_emit_pftrace_functions},
    {&tm_emit_json, &tm_emit_json_functions},
    {&tm_emit_sqlite, &tm_emit_sqlite_functions},
    {&tm_emit_tables, &tm_emit_tables_functions},
    {&tm_emit_svg, &tm_emit_svg_functions},
};

const struct tm_emit_functions *tm_emit_functions_of(const struct tm_emit *emit)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].emit == emit)
            return all[i].functions;
    return NULL;
}

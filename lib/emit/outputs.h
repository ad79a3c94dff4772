/* All outputs: what they are (output_table.c has them in order), and what they do. */
#ifndef TM_EMIT_OUTPUTS_H
#define TM_EMIT_OUTPUTS_H

#include "emit/emit.h"

/* Those that end in _events are .events of others. */
#define TM_OUTPUTS(X)                                                                                                  \
    X(text) X(jsonl) X(csv) X(text_events) X(jsonl_events) X(csv_events) X(frames) X(report) X(explain) X(summary)     \
    X(dropped) X(pftrace) X(json) X(sqlite) X(tables) X(svg)

#define TM_DECLARE_OUTPUT(name)                                                                                        \
    extern const struct tm_emit tm_emit_##name;                                                                        \
    extern const struct tm_emit_functions tm_emit_##name##_functions;

TM_OUTPUTS(TM_DECLARE_OUTPUT)

#endif

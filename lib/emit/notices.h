/* Warnings about what a merge assumed or lost. There is a line for each file and reason, in the order of the files,
 * from the facts of the report. If many files have one reason, the first few have a line, and one line counts the
 * others. If a file has very many reasons, a line says that there are more. */
#ifndef TM_EMIT_NOTICES_H
#define TM_EMIT_NOTICES_H

#include "emit/accounting.h"
#include "emit/clock_facts.h"
#include "emit/unsupported_counts.h"

enum { TM_NOTICES_SHOWN = 3 /* number of files that get a line for a reason */ };

/* All pointers are borrowed. */
struct tm_notices {
    const struct tm_catalog *catalog;
    const struct tm_clock_facts *clocks;
    const struct tm_unsupported_counts *unsupported;
    const char *format; /* the output's name */
    bool of_output; /* only what this output cannot show, because another output has given the other warnings */
    void (*warn)(const char *text);
};

/* Writes the warnings at the end of the stream. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_notices_write(const struct tm_notices *notices, struct tm_error *err);

/* TM_OK; TM_E_STRICT if LIMIT is strict and a file reports loss, or if LIMIT allows no guess and a file is placed by
 * one. The error names the first such file. */
enum tm_status tm_notices_within(const struct tm_notices *notices, const struct tm_accounting_limit *limit,
                                 struct tm_error *err);

#endif

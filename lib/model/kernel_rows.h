/* Kernel events that add up, or change a state: what they come to depends on those before them, in order of time.
 *
 * tm-unpack writes KERNEL rows; they are settled here, before any output, and become COUNTER, SLICE_BEGIN, SLICE_END,
 * or FTRACE where nothing changes. Rules: importers/ftrace/ftrace_parser.cc of perfetto. Each file has its own idea of
 * its machine.
 *
 * Columns of a KERNEL row: name, category and args of the counter or of the slice that may begin; track of the
 * kernel's, with HAS_TRACK; value: the rule; dur_ns: what is added, or which stream it is of. */
#ifndef TM_MODEL_KERNEL_ROWS_H
#define TM_MODEL_KERNEL_ROWS_H

#include "kernel/rule.h"
#include "model/catalog.h"
#include "base/table.h"

/* Counters, sources, devices, streams and threads; of more the events are plain. */
enum { TM_KERNEL_THINGS_MAX = 1 << 18 };

/* Zero-initialise. */
struct tm_kernel_rows {
    /* private */
    struct tm_kernel_thing *things;
    uint32_t count, cap;
    uint32_t writing; /* threads that write */
    struct tm_table by_key;
    struct tm_buf detail;
};

/* What ROW, of kind KERNEL, comes to: *COUNT rows, the first in the place of ROW with its raw bytes, the second, if
 * there is one, DERIVED. Their details are valid until the next call. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_kernel_rows_take(struct tm_kernel_rows *kernel, const struct tm_catalog *catalog,
                                   const struct tm_event *row, struct tm_event out[2], uint32_t *count,
                                   struct tm_error *err);

/* True where ROW, any row, is a marker of a thread that is writing: END, DERIVED, ends that before it. Rules:
 * importers/ftrace/ftrace_parser.cc of perfetto, ParsePrint. */
bool tm_kernel_rows_cuts(struct tm_kernel_rows *kernel, const struct tm_event *row, struct tm_event *end);

void tm_kernel_rows_release(struct tm_kernel_rows *kernel);

#endif

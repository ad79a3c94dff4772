/* Kernel events that change a sum or a state. Their meaning depends on earlier events, in order of time.
 *
 * tm-unpack writes KERNEL rows. They are converted here, before any output, into COUNTER, SLICE_BEGIN or SLICE_END. A
 * row that changes nothing becomes FTRACE. Rules: importers/ftrace/ftrace_parser.cc of Perfetto. Each file has its own
 * state for its machine.
 *
 * Columns of a KERNEL row: name, category and args of the counter or of the slice that may begin; track: a kernel
 * track, with HAS_TRACK; value: the effect; dur_ns: the amount to add, or the number of the stream. */
#ifndef TM_MODEL_KERNEL_ROWS_H
#define TM_MODEL_KERNEL_ROWS_H

#include "model/catalog.h"
#include "model/file_requests.h"
#include "model/graphics_buffers.h"
#include "model/settled_rows.h"
#include "model/work_queues.h"
#include "base/table.h"

/* Limit of counters, sources, devices, streams and threads together, and of pending requests. Events of further ones
 * become plain FTRACE rows. */
enum { TM_KERNEL_STATES_MAX = 1 << 18 };

/* Zero-initialise. */
struct tm_kernel_rows {
    uint64_t left_out; /* rows whose effect was beyond a limit, without those of the members below */
    /* private */
    struct tm_kernel_state *states;
    uint32_t count, cap;
    uint32_t writing; /* threads inside a write */
    struct tm_table by_key;
    struct tm_table pending; /* reads and requests that have not ended */
    struct tm_work_queues queues;
    struct tm_file_requests requests;
    struct tm_graphics_buffers buffers;
    struct tm_buf detail;
};

/* Converts ROW, of kind KERNEL, into OUT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_kernel_rows_take(struct tm_kernel_rows *kernel, const struct tm_catalog *catalog,
                                   const struct tm_event *row, struct tm_settled_rows *out, struct tm_error *err);

/* True if ROW, of any kind, is a marker of a thread inside a write. The caller then puts END, a DERIVED row, before
 * ROW; it ends the write's slice. Rules: importers/ftrace/ftrace_parser.cc of Perfetto, ParsePrint. */
bool tm_kernel_rows_cuts(struct tm_kernel_rows *kernel, const struct tm_event *row, struct tm_event *end);

/* Removes what is open at the end of the stream, as tm_file_requests_pop does, and returns what that does. */
static inline enum tm_status tm_kernel_rows_pop(struct tm_kernel_rows *kernel, int64_t now_ns, struct tm_event *row,
                                                struct tm_error *err)
{
    return tm_file_requests_pop(&kernel->requests, now_ns, row, err);
}

void tm_kernel_rows_release(struct tm_kernel_rows *kernel);

#endif

/* Kernel events that add up, or change a state: what they come to depends on those before them, in order of time.
 *
 * tm-unpack writes KERNEL rows; they are settled here, before any output, and become COUNTER, SLICE_BEGIN, SLICE_END, or FTRACE
 * where nothing changes. Rules: importers/ftrace/ftrace_parser.cc of perfetto. Each file has its own idea of its machine.
 *
 * Columns of a KERNEL row: name, category and args of the counter or of the slice that may begin; track of the kernel's, with
 * HAS_TRACK; value: the rule; dur_ns: what is added, or which stream it is of. */
#ifndef TM_MODEL_KERNEL_ROWS_H
#define TM_MODEL_KERNEL_ROWS_H

#include "model/catalog.h"
#include "model/table.h"

enum tm_kernel_rule {
    TM_KERNEL_RECEIVED,    /* bytes; the counter has 1024s of them, as that of the next */
    TM_KERNEL_SENT,
    TM_KERNEL_FREED,       /* a number */
    TM_KERNEL_WAKE,        /* a source that others of its name may hold, too */
    TM_KERNEL_WAKE_DONE,
    TM_KERNEL_GPU_POWER,   /* a state, until the next */
    TM_KERNEL_DEVICE,
    TM_KERNEL_DEVICE_IDLE, /* the state has no slice */
    TM_KERNEL_TCP,         /* of a stream; instances of the track are numbered as they come */
    TM_KERNEL_WRITE,       /* a thread begins to write: until it has, or writes a marker */
    TM_KERNEL_WRITE_DONE,
    TM_KERNEL_SUSPEND,     /* begins to enter suspend; where tasks are frozen and thawed before that has ended, it ends then */
    TM_KERNEL_SUSPEND_DONE,
    TM_KERNEL_FREEZE,
    TM_KERNEL_THAWED,      /* an end */
    TM_KERNEL_RULES
};

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

/* What ROW, of kind KERNEL, comes to: *COUNT rows, the first in the place of ROW with its raw bytes, the second, if there is
 * one, DERIVED. Their details are valid until the next call. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_kernel_rows_take(struct tm_kernel_rows *kernel, const struct tm_catalog *catalog,
                                   const struct tm_event *row, struct tm_event out[2], uint32_t *count,
                                   struct tm_error *err);

/* True where ROW, any row, is a marker of a thread that is writing: END, DERIVED, ends that before it. Rules:
 * importers/ftrace/ftrace_parser.cc of perfetto, ParsePrint. */
bool tm_kernel_rows_cuts(struct tm_kernel_rows *kernel, const struct tm_event *row, struct tm_event *end);

void tm_kernel_rows_release(struct tm_kernel_rows *kernel);

#endif

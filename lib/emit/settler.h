/* Settles rows whose meaning depends on earlier rows (model/binder_rows.h, model/kernel_rows.h, emit/late_threads.h),
 * before an output or --only gets them. */
#ifndef TM_EMIT_SETTLER_H
#define TM_EMIT_SETTLER_H

#include "emit/batch_queue.h"
#include "emit/late_threads.h"
#include "emit/unsupported_counts.h"
#include "model/binder_rows.h"
#include "model/kernel_rows.h"

struct tm_emit_settler {
    struct tm_unsupported_counts *unsupported; /* counts rows beyond the limits of these; borrowed; may be NULL */
    /* private */
    uint64_t left_out; /* counted so far */
    const struct tm_catalog *catalog;
    struct tm_arg_expander args;
    struct tm_batch_queue out;
    struct tm_binder_rows binder;
    struct tm_kernel_rows kernel;
    struct tm_late_threads late_threads;
    struct tm_event second; /* pending until the name rows of its event are shown */
    bool has_second;
    int64_t now_ns; /* of the last event */
};

/* Initialises SETTLER for rows of files in CATALOG (borrowed), which go to RECEIVER. */
void tm_emit_settler_init(struct tm_emit_settler *settler, const struct tm_catalog *catalog,
                          struct tm_batch_receiver receiver);

/* Passes BATCH, events in order of time, to the receiver. A batch without such rows is passed unchanged. TM_OK,
 * TM_E_SYSTEM or the status of the receiver. */
enum tm_status tm_emit_settler_add(struct tm_emit_settler *settler, const struct tm_batch *batch, struct tm_error *err);

/* Passes the last rows at the end of the stream. Status is that of tm_emit_settler_add. */
enum tm_status tm_emit_settler_finish(struct tm_emit_settler *settler, struct tm_error *err);

void tm_emit_settler_release(struct tm_emit_settler *settler);

#endif

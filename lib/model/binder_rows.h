/* Turns events of Android's binder, in order of time, into slices of calling and answering threads.
 *
 * tm-unpack writes BINDER rows, which name their event. What such a row begins or ends depends on earlier events of
 * other CPUs. This is decided here, before any output. The row becomes SLICE_BEGIN, SLICE_END, INSTANT or SLICE_ARGS; a
 * row without meaning becomes FTRACE. Rules: importers/ftrace/binder_tracker.cc of Perfetto. Each file has its own
 * state for its machine.
 *
 * Columns of a BINDER row: tid; name and category of the slice it may begin; track: the number of the transaction, or
 * the command; value: the event. For a reply, value also holds whether it is one-way (TM_BINDER_ONE_WAY) and, from bit
 * 32 on, the thread that it goes to. detail: args of the slice. Column value keeps its content. A flow connects a call
 * with the slice that serves it. */
#ifndef TM_MODEL_BINDER_ROWS_H
#define TM_MODEL_BINDER_ROWS_H

#include "kernel/binder.h"
#include "model/binder_thread.h"
#include "model/catalog.h"
#include "model/settled_rows.h"
#include "base/table.h"

/* True if E, a SLICE_ARGS row, names the thread that its slice calls: *TID. An output adds that thread's name as
 * `destination name`. */
bool tm_binder_destination(const struct tm_event *e, int64_t *tid);

/* Sets DETAIL to the detail of E with NAME, the name of that thread. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_binder_name_destination(struct tm_buf *detail, const struct tm_event *e, struct tm_text name);

/* Beyond the first limit the oldest transactions not yet received are forgotten. Beyond the second, further threads
 * have no state of their own. */
enum { TM_BINDER_PENDING_MAX = 1 << 15, TM_BINDER_THREADS_MAX = 1 << 18 };

/* Zero-initialise. */
struct tm_binder_rows {
    uint64_t left_out; /* rows of threads beyond TM_BINDER_THREADS_MAX */
    /* private */
    struct tm_binder_pending *pending; /* a ring */
    uint32_t pending_at;
    uint64_t flow_count;
    struct tm_table by_id;   /* (file and machine, transaction) -> place in pending */
    struct tm_binder_thread *threads;
    uint32_t thread_count, thread_cap;
    struct tm_table by_tid;  /* (file and machine, tid) -> threads */
    struct tm_buf details[2];
};

/* Converts ROW, of kind BINDER, into OUT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_binder_rows_take(struct tm_binder_rows *binder, const struct tm_catalog *catalog,
                                   const struct tm_event *row, struct tm_settled_rows *out, struct tm_error *err);

void tm_binder_rows_release(struct tm_binder_rows *binder);

#endif

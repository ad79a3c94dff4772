/* Android's binder: from its events, in order of time, to slices of who calls and who answers.
 *
 * tm-unpack writes BINDER rows, which name their event; what they begin or end depends on what came before on other
 * cpus, and is settled here, before any output: rows become SLICE_BEGIN, SLICE_END, INSTANT, SLICE_ARGS, or FTRACE
 * where they mean nothing. Rules: importers/ftrace/binder_tracker.cc of perfetto. Each file has its own idea of its
 * machine's binder.
 *
 * Columns of a BINDER row: tid; name and category of the slice it may begin; track: the number of the transaction, or
 * the command; value: the event, and for a reply whether it is one-way (TM_BINDER_ONE_WAY) and the thread it is for,
 * from bit 32 on; detail: args of the slice. Column value stays. A call and what it calls are a flow. */
#ifndef TM_MODEL_BINDER_ROWS_H
#define TM_MODEL_BINDER_ROWS_H

#include "kernel/binder.h"
#include "model/binder_thread.h"
#include "model/catalog.h"
#include "base/table.h"

/* True when E, a SLICE_ARGS, says which thread its slice is about: *TID, whose name an output adds as `destination
 * name`. */
bool tm_binder_destination(const struct tm_event *e, int64_t *tid);

/* DETAIL becomes that of E, with that name. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_binder_name_destination(struct tm_buf *detail, const struct tm_event *e, struct tm_text name);

/* Past these the oldest transactions that nobody received are forgotten, and threads are not told apart. */
enum { TM_BINDER_WAITING_MAX = 1 << 15, TM_BINDER_THREADS_MAX = 1 << 18 };

/* Zero-initialise. */
struct tm_binder_rows {
    /* private */
    struct tm_binder_waiting *waiting; /* a ring */
    uint32_t waiting_at;
    uint64_t flow_count;
    struct tm_table by_id;   /* (file and machine, transaction) -> place in waiting */
    struct tm_binder_thread *threads;
    uint32_t thread_count, thread_cap;
    struct tm_table by_tid;  /* (file and machine, tid) -> threads */
    struct tm_buf details[2];
};

/* What ROW, of kind BINDER, comes to: *COUNT rows, the first in the place of ROW with its raw bytes, the second, if
 * there is one, DERIVED. Their details are valid until the next call. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_binder_rows_take(struct tm_binder_rows *binder, const struct tm_catalog *catalog,
                                   const struct tm_event *row, struct tm_event out[2], uint32_t *count,
                                   struct tm_error *err);

void tm_binder_rows_release(struct tm_binder_rows *binder);

#endif

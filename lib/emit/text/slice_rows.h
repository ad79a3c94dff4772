/* The events of a sorted stream as rows: begins and ends joined to slices by the model, runs of tasks on CPUs, and the
 * events that are neither.
 *
 * Rows come in order of their begin; those of one time in the order in which the model takes their events. A slice
 * whose end is not known yet holds back the rows after it (held_rows.h). Memory is that of the model and some
 * megabytes. */
#ifndef TM_EMIT_TEXT_SLICE_ROWS_H
#define TM_EMIT_TEXT_SLICE_ROWS_H

#include "emit/emit.h"
#include "emit/paths.h"
#include "emit/text/row.h"
#include "model/model.h"

/* Zero-initialise, then init. It must not move. */
struct tm_slice_rows {
    struct tm_out out;
    struct tm_task_names names;
    bool has_first;
    int64_t first_ns; /* the time of the first event, shown or not */
    /* private */
    const struct tm_emit_context *context;
    const struct tm_row_form *form;
    void *self;
    struct tm_paths paths;
    struct tm_rows rows;
    struct tm_model model;
    struct tm_arg_sets own_args; /* of events that the model makes no row of */
    struct tm_unfinished_rows held;
    struct tm_out before, after, number;
    struct tm_buf args; /* of the row to come; the list of set args_set */
    int64_t args_set;
    struct tm_arg_tree tree;
    const struct tm_event *event; /* that the model takes */
    bool is_told;                 /* it has made a row or ended one */
    uint64_t unmatched_ends;      /* before it */
};

/* FORM and SELF, which it is called with, are borrowed. */
void tm_slice_rows_init(struct tm_slice_rows *rows, const struct tm_emit_context *context,
                        const struct tm_row_form *form, void *self);

/* Takes in BATCH of FRAME. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_slice_rows_batch(struct tm_slice_rows *rows, const struct tm_frame *frame,
                                   const struct tm_batch *batch, struct tm_error *err);

/* Writes the rest, open slices too. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_slice_rows_finish(struct tm_slice_rows *rows, struct tm_error *err);

void tm_slice_rows_release(struct tm_slice_rows *rows);

#endif

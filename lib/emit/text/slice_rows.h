/* The events of a sorted stream as rows: slices, whose begins and ends the model joins, runs of tasks on CPUs, and all
 * other events.
 *
 * Rows are in order of their begin; rows of one time in the order in which the model takes their events. A slice whose
 * end is unknown holds back the rows after it (unfinished_rows.h). Memory is that of the model and some megabytes. */
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
    struct tm_arg_sets own_args; /* of events without a row of the model */
    struct tm_unfinished_rows pending;
    struct tm_out before, after, number;
    struct tm_buf args; /* of the next row (arg_list.h); they belong to set args_set */
    int64_t args_set;
    struct tm_arg_tree tree;
    const struct tm_event *event; /* the event that the model takes */
    bool has_row;                 /* the model has made a row of it or ended one by it */
    uint64_t unmatched_ends;      /* the model's count before the event */
};

/* FORM and SELF, the first argument of its functions, are borrowed. */
void tm_slice_rows_init(struct tm_slice_rows *rows, const struct tm_emit_context *context,
                        const struct tm_row_form *form, void *self);

/* Takes in BATCH of FRAME. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_slice_rows_batch(struct tm_slice_rows *rows, const struct tm_frame *frame,
                                   const struct tm_batch *batch, struct tm_error *err);

/* Writes the rest, open slices too. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_slice_rows_finish(struct tm_slice_rows *rows, struct tm_error *err);

void tm_slice_rows_release(struct tm_slice_rows *rows);

#endif

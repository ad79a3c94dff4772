/* The rows of a plan: events without their recorded bytes, with only the arguments that rules of alignment read. Their
 * strings get new numbers, so a plan has no strings that it does not use. */
#ifndef TM_PLAN_PLAN_ROWS_H
#define TM_PLAN_PLAN_ROWS_H

#include "base/intern.h"
#include "base/name_set.h"
#include "model/catalog.h"
#include "stream/batch_builder.h"
#include "stream/writer.h"

struct tm_plan_rows {
    struct tm_stream_writer *writer;  /* gets the rows; borrowed */
    const struct tm_catalog *catalog; /* of the stream that the events are from; borrowed */
    /* private */
    struct tm_name_set args; /* the arguments that are kept */
    bool keeps_all_args;     /* in place of those */
    struct tm_intern strings;
    uint32_t sent; /* strings written so far */
    struct tm_batch_builder batch;
    struct tm_buf detail;
    struct tm_name_memo memo;
};

/* Initialises ROWS; the caller sets the pointers. ARGS is a list, with commas, of the arguments that are kept; all are
 * if tm_name_set_add refuses it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_plan_rows_init(struct tm_plan_rows *rows, const char *args, struct tm_error *err);

/* Adds EVENT, which is not changed. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_plan_rows_add(struct tm_plan_rows *rows, const struct tm_event *event, struct tm_error *err);

/* Writes what has been added. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_plan_rows_flush(struct tm_plan_rows *rows, struct tm_error *err);

void tm_plan_rows_release(struct tm_plan_rows *rows);

#endif

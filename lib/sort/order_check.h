/* Checks that a stream is in order: frames first, then events in the order of sort_key.h. */
#ifndef TM_SORT_ORDER_CHECK_H
#define TM_SORT_ORDER_CHECK_H

#include "sort/sort_key.h"

/* Zero-initialise. */
struct tm_order_check {
    struct tm_file_order orders;
    /* private */
    struct tm_sort_key last;
    bool has_last;
};

/* Checks FRAME, the next frame of the stream. BATCH is its view if it is a TM_FRAME_BATCH. TM_OK. TM_E_INPUT "byte N:
 * event at position P of file F is out of order", or if a frame follows events. TM_E_SYSTEM. */
enum tm_status tm_order_check_next(struct tm_order_check *check, const struct tm_frame *frame,
                                   const struct tm_batch *batch, struct tm_error *err);

void tm_order_check_release(struct tm_order_check *check);

#endif

/* The order of the rows in one batch. In a batch that is already in order, each row costs one comparison. Other rows
 * are put in the order of processing; then a radix sort by time keeps that order of equal times. */
#ifndef TM_SORT_ROW_ORDER_H
#define TM_SORT_ROW_ORDER_H

#include "sort/sort_key.h"

/* Zero-initialise. Can be used for many batches. */
struct tm_row_order {
    const uint32_t *rows;      /* row numbers in order; NULL: the rows are already in order */
    uint32_t definition_count; /* definitions, which come first */
    /* private */
    uint32_t *numbers, *spare_numbers;
    uint64_t *keys, *spare_keys; /* of row_keys.h */
    uint32_t cap;
};

/* Finds the order of BATCH and announces its files to ORDERS. TM_OK; TM_E_INPUT for an impossible file id;
 * TM_E_SYSTEM. */
enum tm_status tm_row_order_find(struct tm_row_order *order, const struct tm_batch *batch,
                                 struct tm_file_order *orders, struct tm_error *err);

/* Announces the files of BATCH to ORDERS. Returns what tm_file_order_use does. */
enum tm_status tm_row_order_use_files(const struct tm_batch *batch, struct tm_file_order *orders,
                                      struct tm_error *err);

/* True if tm_row_order_use_files would not change ORDERS. */
bool tm_row_order_knows_files(const struct tm_batch *batch, const struct tm_file_order *orders);

/* Returns the first row of BATCH whose key is less than that of the row before it, or batch->count. */
uint32_t tm_row_order_descent(const struct tm_batch *batch, const struct tm_file_order *orders);

void tm_row_order_release(struct tm_row_order *order);

#endif

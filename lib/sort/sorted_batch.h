/* A batch whose rows are put in order and become a block. */
#ifndef TM_SORT_SORTED_BATCH_H
#define TM_SORT_SORTED_BATCH_H

#include "sort/block.h"
#include "sort/row_order.h"

/* Zero-initialise. Can be used for many batches, one after another. */
struct tm_sorted_batch {
    const struct tm_batch *batch; /* borrowed */
    struct tm_row_order order;
    const struct tm_block_layout *layout; /* of the block's records; NULL: the rows were in order and stay columns */
    /* private */
    struct tm_block *packed; /* in memory; NULL: not packed ahead */
    struct tm_buf memory;
    struct tm_buf offsets; /* a size_t for each row, and the end */
    struct tm_buf words;   /* a uint64_t for each row and word of the layout */
};

/* Finds the order of BATCH, which must not change while SORTED is used, and the layout of its records in LAYOUTS.
 * Announces its files to ORDERS. TM_OK; TM_E_INPUT for an impossible file id; TM_E_SYSTEM. */
enum tm_status tm_sorted_batch_find(struct tm_sorted_batch *sorted, const struct tm_batch *batch,
                                    struct tm_file_order *orders, struct tm_block_layouts *layouts,
                                    struct tm_error *err);

/* Makes the records in memory of SORTED's own, if there are any, so that tm_sorted_batch_put only copies them. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_sorted_batch_pack(struct tm_sorted_batch *sorted, struct tm_error *err);

/* Returns how many bytes the block takes. */
size_t tm_sorted_batch_bytes(const struct tm_sorted_batch *sorted);

/* Makes the block in MEM, which has tm_sorted_batch_bytes bytes and is aligned for any object. Sets *BLOCK to it. TM_OK
 * or TM_E_SYSTEM. */
enum tm_status tm_sorted_batch_put(struct tm_sorted_batch *sorted, void *mem, struct tm_block **block,
                                   struct tm_error *err);

/* Sets *OFFSETS to where the payload of each row of the batch starts, and where the last one ends. They are valid until
 * SORTED is used for another batch. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_sorted_batch_offsets(struct tm_sorted_batch *sorted, const size_t **offsets, struct tm_error *err);

void tm_sorted_batch_release(struct tm_sorted_batch *sorted);

#endif

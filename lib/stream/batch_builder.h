/* Makes a batch row by row. */
#ifndef TM_STREAM_BATCH_BUILDER_H
#define TM_STREAM_BATCH_BUILDER_H

#include "stream/batch.h"

/* Rows on their way to becoming a batch. Zero-initialise. */
struct tm_batch_builder {
    uint32_t count;
    struct tm_buf payload;
    /* private */
    uint8_t *cols[TM_COL_COUNT];
    uint32_t cap;
    uint32_t changes; /* bit a column: not all elements so far are equal; only then they are in cols */
    uint8_t first[TM_COL_COUNT][8]; /* elements of the first row */
};

/* Appends EVENT; copies its payload. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_batch_builder_add(struct tm_batch_builder *builder, const struct tm_event *event);

/* Rows that have many elements in common, and no payload. */
struct tm_batch_rows {
    uint32_t count;                       /* at least 1 */
    const struct tm_event *common;        /* what is in no column here; its payload is not looked at */
    const void *columns[TM_COL_COUNT];    /* COUNT elements in the order of bytes of this machine; NULL: as in common */
};

/* Appends ROWS, no more than there is room for. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_batch_builder_add_rows(struct tm_batch_builder *builder, const struct tm_batch_rows *rows);

/* How many rows without a payload can be added until it is full. */
uint32_t tm_batch_builder_room(const struct tm_batch_builder *builder);

/* True when the batch should be written before the next add. */
static inline bool tm_batch_builder_full(const struct tm_batch_builder *builder)
{
    return builder->count >= TM_BATCH_EVENTS_MAX ||
           builder->payload.len + (size_t)builder->count * TM_BATCH_ROW_BYTES >= TM_BATCH_BYTES;
}

/* BATCH becomes a view of the rows, valid until the next add or clear. */
void tm_batch_builder_view(const struct tm_batch_builder *builder, struct tm_batch *batch);

void tm_batch_builder_clear(struct tm_batch_builder *builder);
void tm_batch_builder_release(struct tm_batch_builder *builder);

#endif

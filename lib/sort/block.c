#include "sort/block.h"

enum { BLOCK_ALIGN = 16 };

static size_t head_bytes(void)
{
    return (sizeof(struct tm_block) + BLOCK_ALIGN - 1) & ~(size_t)(BLOCK_ALIGN - 1);
}

static size_t column_bytes(const struct tm_batch *batch, enum tm_column column)
{
    size_t width = tm_column_width(column);
    return tm_batch_is_constant(batch, column) ? width : width * batch->count;
}

size_t tm_block_copy_bytes(const struct tm_batch *batch)
{
    size_t bytes = head_bytes() + batch->payload_bytes;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        bytes += column_bytes(batch, (enum tm_column)c);
    return bytes;
}

void tm_block_offsets(const struct tm_batch *batch, size_t *offsets)
{
    size_t at = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        offsets[i] = at;
        at += tm_batch_payload_of(batch, i);
    }
    offsets[batch->count] = at;
}

static void copy_4(uint8_t *to, const uint8_t *from, const uint32_t *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        memcpy(to + (size_t)4 * i, from + (size_t)4 * rows[i], 4);
}

static void copy_8(uint8_t *to, const uint8_t *from, const uint32_t *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        memcpy(to + (size_t)8 * i, from + (size_t)8 * rows[i], 8);
}

/* Rows that follow each other in both orders are copied together. */
static void copy_payload(uint8_t *to, const struct tm_batch *batch, const uint32_t *rows, const size_t *offsets)
{
    for (uint32_t i = 0, end; i < batch->count; i = end) {
        for (end = i + 1; end < batch->count && rows[end] == rows[end - 1] + 1;)
            end++;
        size_t at = offsets[rows[i]];
        size_t len = offsets[rows[end - 1] + 1] - at;
        memcpy(to, batch->payload + at, len);
        to += len;
    }
}

struct tm_block *tm_block_copy(void *mem, const struct tm_batch *batch, const uint32_t *rows, const size_t *offsets)
{
    struct tm_block *block = mem;
    uint8_t *to = (uint8_t *)mem + head_bytes();
    *block = (struct tm_block){.batch = *batch, .end = batch->count};
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        enum tm_column column = (enum tm_column)c;
        const struct tm_batch_col *col = &batch->cols[c];
        if (rows == NULL || col->mask == 0)
            memcpy(to, col->data, column_bytes(batch, column));
        else if (tm_column_width(column) == 4)
            copy_4(to, col->data, rows, batch->count);
        else
            copy_8(to, col->data, rows, batch->count);
        block->batch.cols[c].data = to;
        to += column_bytes(batch, column);
    }
    block->batch.payload = to;
    if (rows && batch->payload_bytes)
        copy_payload(to, batch, rows, offsets);
    else if (batch->payload_bytes)
        memcpy(to, batch->payload, batch->payload_bytes);
    return block;
}

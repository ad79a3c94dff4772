#include "sort/block.h"

enum {
    BLOCK_ALIGN = 16,
    BLOCK_TILE = 256 /* records that are filled column by column while they are in the cache */
};

/* Rows that become records together. */
struct tm_block_part {
    const uint32_t *rows;
    uint32_t count;
};

static size_t head_bytes(void)
{
    return (sizeof(struct tm_block) + BLOCK_ALIGN - 1) & ~(size_t)(BLOCK_ALIGN - 1);
}

static size_t column_bytes(const struct tm_batch *batch, enum tm_column column)
{
    size_t width = tm_column_width(column);
    return tm_batch_is_constant(batch, column) ? width : width * batch->count;
}

size_t tm_block_copy_bytes(const struct tm_batch *batch, const struct tm_block_layout *layout)
{
    size_t bytes = head_bytes() + batch->payload_bytes;
    if (layout)
        return bytes + (size_t)layout->stride * batch->count + TM_BLOCK_SLACK;
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

struct tm_block *tm_block_copy(void *mem, const struct tm_batch *batch)
{
    struct tm_block *block = mem;
    uint8_t *to = (uint8_t *)mem + head_bytes();
    *block = tm_block_of(batch);
    block->batch.store = NULL;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        size_t len = column_bytes(batch, (enum tm_column)c);
        memcpy(to, batch->cols[c].data, len);
        block->batch.cols[c].data = to;
        to += len;
    }
    block->payload = to;
    if (batch->payload_bytes)
        memcpy(to, batch->payload, batch->payload_bytes);
    return block;
}

/* Puts the elements of COL into records from TO on. The first bytes of an element are its low ones. */
static void scatter(uint8_t *to, const struct tm_block_layout *layout, enum tm_column column,
                           const struct tm_batch_col *col, const struct tm_block_part *part)
{
    const uint8_t *data = col->data;
    const uint32_t *rows = part->rows;
    uint32_t mask = col->mask, count = part->count, stride = layout->stride;
    bool wide = tm_column_width(column) == 8;
    to += layout->offsets[column];
    switch (layout->widths[column]) {
    case 1:
        for (uint32_t i = 0; i < count; i++, to += stride)
            *to = data[(wide ? 8 : 4) * (size_t)(rows[i] & mask)];
        break;
    case 2:
        for (uint32_t i = 0; i < count; i++, to += stride)
            memcpy(to, data + (wide ? 8 : 4) * (size_t)(rows[i] & mask), 2);
        break;
    case 4:
        for (uint32_t i = 0; i < count; i++, to += stride)
            memcpy(to, data + (wide ? 8 : 4) * (size_t)(rows[i] & mask), 4);
        break;
    case 8:
        for (uint32_t i = 0; i < count; i++, to += stride)
            memcpy(to, data + 8 * (size_t)(rows[i] & mask), 8);
        break;
    default:
        break;
    }
}

static void pack_tile(uint8_t *to, const struct tm_batch *batch, const struct tm_block_layout *layout,
                      const struct tm_block_part *part)
{
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        scatter(to, layout, (enum tm_column)c, &batch->cols[c], part);
}

/* Rows that follow each other in both orders are copied together. */
static void pack_payload(uint8_t *to, const struct tm_batch *batch, const struct tm_block_order *order)
{
    const uint32_t *rows = order->rows;
    for (uint32_t i = 0, end; i < batch->count; i = end) {
        for (end = i + 1; end < batch->count && rows[end] == rows[end - 1] + 1;)
            end++;
        size_t at = order->offsets[rows[i]];
        size_t len = order->offsets[rows[end - 1] + 1] - at;
        memcpy(to, batch->payload + at, len);
        to += len;
    }
}

struct tm_block *tm_block_pack(void *mem, const struct tm_batch *batch, const struct tm_block_layout *layout,
                               const struct tm_block_order *order)
{
    struct tm_block *block = mem;
    uint8_t *records = (uint8_t *)mem + head_bytes();
    uint8_t *payload = records + (size_t)layout->stride * batch->count;
    *block = (struct tm_block){.layout = layout, .records = records, .payload = payload, .end = batch->count,
                                .end_at = batch->payload_bytes,
                                .of_one_file = tm_batch_is_constant(batch, TM_COL_FILE)};
    for (uint32_t i = 0; i < batch->count; i += BLOCK_TILE) {
        struct tm_block_part part = {order->rows + i, batch->count - i < BLOCK_TILE ? batch->count - i : BLOCK_TILE};
        pack_tile(records + (size_t)layout->stride * i, batch, layout, &part);
    }
    if (batch->payload_bytes)
        pack_payload(payload, batch, order);
    return block;
}

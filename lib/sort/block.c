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

/* Writes COUNT records to TO in the given order. */
static void pack_records(uint8_t *to, const struct tm_block_layout *layout, const struct tm_block_order *order,
                         uint32_t count)
{
    const uint32_t *rows = order->rows;
    for (uint32_t i = 0; i < count; i++, to += layout->stride) {
        const uint64_t *word = order->words + rows[i];
        for (uint8_t *at = to, *end = to + (size_t)8 * layout->words; at < end; at += 8, word += count)
            tm_put_le64(at, *word);
    }
}

/* Copies payloads most of which are shorter than TM_BLOCK_SLACK. TO has that many bytes after its end. Length is
 * unpredictable, and so is whether the next payload follows in memory. Copying a fixed size avoids mispredicted
 * branches. */
static void pack_short_payload(uint8_t *to, const struct tm_batch *batch, const struct tm_block_order *order)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        size_t at = order->offsets[order->rows[i]], len = order->offsets[order->rows[i] + 1] - at;
        const uint8_t *from = batch->payload + at;
        if (batch->payload_bytes - at < TM_BLOCK_SLACK)
            memcpy(to, from, len);
        else
            tm_copy_short(to, from, len, TM_BLOCK_SLACK);
        to += len;
    }
}

/* Copies the payloads. Rows that are adjacent in both orders are copied together. */
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
    tm_block_layout_pack(layout, batch, order->words);
    pack_records(records, layout, order, batch->count);
    if (batch->payload_bytes && batch->payload_bytes / batch->count < TM_BLOCK_SLACK)
        pack_short_payload(payload, batch, order);
    else if (batch->payload_bytes)
        pack_payload(payload, batch, order);
    return block;
}

struct tm_block *tm_block_move(void *mem, const struct tm_block *block, size_t bytes)
{
    const uint8_t *from = (const uint8_t *)block;
    struct tm_block *moved = mem;
    memcpy(mem, block, bytes);
    moved->records = (uint8_t *)mem + (block->records - from);
    moved->payload = (uint8_t *)mem + (block->payload - from);
    return moved;
}

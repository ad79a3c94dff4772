#include "sort/sorted_batch.h"

enum tm_status tm_sorted_batch_find(struct tm_sorted_batch *s, const struct tm_batch *batch,
                                    struct tm_file_order *orders, struct tm_block_layouts *layouts,
                                    struct tm_error *err)
{
    s->batch = batch;
    s->layout = NULL;
    s->packed = NULL;
    enum tm_status st = tm_row_order_find(&s->order, batch, orders, err);
    if (st == TM_OK && s->order.rows && (s->layout = tm_block_layouts_find(layouts, batch)) == NULL)
        return tm_error_nomem(err);
    return st;
}

enum tm_status tm_sorted_batch_offsets(struct tm_sorted_batch *s, const size_t **offsets, struct tm_error *err)
{
    tm_buf_clear(&s->offsets);
    if (tm_buf_reserve(&s->offsets, ((size_t)s->batch->count + 1) * sizeof(size_t)) != TM_OK)
        return tm_error_nomem(err);
    tm_block_offsets(s->batch, (size_t *)(void *)s->offsets.data);
    *offsets = (const size_t *)(const void *)s->offsets.data;
    return TM_OK;
}

size_t tm_sorted_batch_bytes(const struct tm_sorted_batch *s)
{
    return tm_block_copy_bytes(s->batch, s->layout);
}

/* Makes the block of records in MEM. */
static enum tm_status make_records(struct tm_sorted_batch *s, void *mem, struct tm_block **block, struct tm_error *err)
{
    struct tm_block_order order = {.rows = s->order.rows};
    enum tm_status st = tm_sorted_batch_offsets(s, &order.offsets, err);
    if (st < 0)
        return st;
    if (tm_buf_reserve(&s->words, sizeof(uint64_t) * s->layout->words * s->batch->count) != TM_OK)
        return tm_error_nomem(err);
    order.words = (uint64_t *)(void *)s->words.data;
    *block = tm_block_pack(mem, s->batch, s->layout, &order);
    return TM_OK;
}

enum tm_status tm_sorted_batch_pack(struct tm_sorted_batch *s, struct tm_error *err)
{
    if (s->layout == NULL)
        return TM_OK;
    if (tm_buf_reserve(&s->memory, tm_sorted_batch_bytes(s)) != TM_OK)
        return tm_error_nomem(err);
    return make_records(s, s->memory.data, &s->packed, err);
}

enum tm_status tm_sorted_batch_put(struct tm_sorted_batch *s, void *mem, struct tm_block **block, struct tm_error *err)
{
    if (s->packed)
        *block = tm_block_move(mem, s->packed, tm_sorted_batch_bytes(s));
    else if (s->layout)
        return make_records(s, mem, block, err);
    else
        *block = tm_block_copy(mem, s->batch);
    return TM_OK;
}

void tm_sorted_batch_release(struct tm_sorted_batch *s)
{
    tm_row_order_release(&s->order);
    tm_buf_release(&s->memory);
    tm_buf_release(&s->offsets);
    tm_buf_release(&s->words);
    *s = (struct tm_sorted_batch){0};
}

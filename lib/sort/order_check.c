#include "sort/order_check.h"

#include "sort/row_order.h"

static enum tm_status out_of_order(const struct tm_batch *batch, uint32_t row, struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "event at position %llu of file %u is out of order",
                        (unsigned long long)tm_batch_u64(batch, TM_COL_POSITION, row),
                        tm_batch_u32(batch, TM_COL_FILE, row));
}

static enum tm_status check_batch(struct tm_order_check *c, const struct tm_batch *batch, struct tm_error *err)
{
    enum tm_status st = tm_row_order_use_files(batch, &c->orders, err);
    if (st < 0 || batch->count == 0)
        return st;
    struct tm_sort_key first = tm_sort_key_of(batch, 0, &c->orders);
    if (c->has_last && tm_sort_key_less(&first, &c->last))
        return out_of_order(batch, 0, err);
    uint32_t descent = tm_row_order_descent(batch, &c->orders);
    if (descent < batch->count)
        return out_of_order(batch, descent, err);
    c->last = tm_sort_key_of(batch, batch->count - 1, &c->orders);
    c->has_last = true;
    return TM_OK;
}

enum tm_status tm_order_check_next(struct tm_order_check *c, const struct tm_frame *frame,
                                   const struct tm_batch *batch, struct tm_error *err)
{
    enum tm_status st;
    if (frame->type == TM_FRAME_BATCH)
        st = check_batch(c, batch, err);
    else if (c->has_last)
        st = tm_error_set(err, TM_E_INPUT, "not sorted: a frame of type %u comes after the first event", frame->type);
    else
        return tm_file_order_frame(&c->orders, frame, err);
    return st == TM_E_INPUT ? tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset) : st;
}

void tm_order_check_release(struct tm_order_check *c)
{
    tm_file_order_release(&c->orders);
    *c = (struct tm_order_check){0};
}

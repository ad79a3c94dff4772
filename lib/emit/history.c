#include "emit/history.h"

static inline bool is_one(uint32_t kind)
{
    return kind == TM_KIND_BINDER || kind == TM_KIND_KERNEL;
}

static enum tm_status add_second(struct tm_emit_history *h, struct tm_error *err)
{
    if (!h->has_second)
        return TM_OK;
    h->has_second = false;
    return tm_batch_queue_add(&h->out, &h->second, err);
}

/* Passes E, settled. A second row of it is pending until its derived rows have passed. */
static enum tm_status add_event(struct tm_emit_history *h, const struct tm_event *e, struct tm_error *err)
{
    struct tm_settled_rows settled;
    enum tm_status st = e->flags & TM_EVENT_DERIVED ? TM_OK : add_second(h, err);
    if (st == TM_OK && tm_kernel_rows_cuts(&h->kernel, e, &settled.rows[0]))
        st = tm_batch_queue_add(&h->out, &settled.rows[0], err);
    if (st < 0 || !is_one(e->kind))
        return st < 0 ? st : tm_batch_queue_add(&h->out, e, err);
    st = e->kind == TM_KIND_BINDER ? tm_binder_rows_take(&h->binder, h->catalog, e, &settled, err)
                                   : tm_kernel_rows_take(&h->kernel, h->catalog, e, &settled, err);
    if (st < 0)
        return st;
    if (settled.count > 1) {
        h->second = settled.rows[1];
        h->has_second = true;
    }
    return tm_batch_queue_add(&h->out, &settled.rows[0], err);
}

/* Notes the time of the last row, if it is no definition. */
static void note_time(struct tm_emit_history *h, const struct tm_batch *batch)
{
    const uint32_t last = batch->count - 1;
    if (batch->count && !(tm_batch_u32(batch, TM_COL_FLAGS, last) & (TM_EVENT_UNTIMED | TM_EVENT_DEFINITION)))
        h->now_ns = tm_batch_i64(batch, TM_COL_TIME_NS, last);
}

enum tm_status tm_emit_history_batch(struct tm_emit_history *h, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    note_time(h, batch);
    if (!h->has_second && h->kernel.writing == 0 && !tm_batch_has_kind(batch, TM_KIND_BINDER, TM_KIND_KERNEL))
        return tm_batch_queue_pass(&h->out, batch, err);
    while (st == TM_OK && tm_batch_next(&walk, &e))
        st = add_event(h, &e, err);
    return st < 0 ? st : tm_batch_queue_flush(&h->out, err);
}

enum tm_status tm_emit_history_finish(struct tm_emit_history *h, struct tm_error *err)
{
    struct tm_event row;
    enum tm_status st = add_second(h, err);
    while (st == TM_OK && (st = tm_kernel_rows_pop(&h->kernel, h->now_ns, &row, err)) == TM_OK)
        st = tm_batch_queue_add(&h->out, &row, err);
    return st < 0 ? st : tm_batch_queue_flush(&h->out, err);
}

void tm_emit_history_release(struct tm_emit_history *h)
{
    tm_binder_rows_release(&h->binder);
    tm_kernel_rows_release(&h->kernel);
    tm_batch_queue_release(&h->out);
}

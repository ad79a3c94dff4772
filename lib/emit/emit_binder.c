#include "emit/emit_binder.h"

static bool has_binder(const struct tm_batch *batch)
{
    uint32_t found = 0;
    if (tm_batch_is_constant(batch, TM_COL_KIND))
        return batch->count && tm_batch_u32(batch, TM_COL_KIND, 0) == TM_KIND_BINDER;
    for (uint32_t i = 0; i < batch->count; i++)
        found |= tm_batch_u32(batch, TM_COL_KIND, i) == TM_KIND_BINDER;
    return found;
}

static enum tm_status flush(struct tm_emit_binder *b, struct tm_error *err)
{
    struct tm_batch batch;
    if (b->out.count == 0)
        return TM_OK;
    tm_batch_builder_view(&b->out, &batch);
    enum tm_status st = b->sink.show(b->sink.self, &batch, err);
    tm_batch_builder_clear(&b->out);
    return st;
}

static enum tm_status add(struct tm_emit_binder *b, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_batch_builder_full(&b->out) ? flush(b, err) : TM_OK;
    if (st < 0)
        return st;
    return tm_batch_builder_add(&b->out, e) == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status add_second(struct tm_emit_binder *b, struct tm_error *err)
{
    if (!b->has_second)
        return TM_OK;
    b->has_second = false;
    return add(b, &b->second, err);
}

static enum tm_status take(struct tm_emit_binder *b, const struct tm_event *e, struct tm_error *err)
{
    struct tm_event rows[2];
    uint32_t count;
    enum tm_status st = e->flags & TM_EVENT_DERIVED ? TM_OK : add_second(b, err);
    if (st < 0 || e->kind != TM_KIND_BINDER)
        return st < 0 ? st : add(b, e, err);
    if ((st = tm_binder_rows_take(&b->rows, b->catalog, e, rows, &count, err)) < 0)
        return st;
    if (count > 1) {
        b->second = rows[1];
        b->has_second = true;
    }
    return add(b, &rows[0], err);
}

enum tm_status tm_emit_binder_batch(struct tm_emit_binder *b, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    if (!b->has_second && !has_binder(batch))
        return b->sink.show(b->sink.self, batch, err);
    while (st == TM_OK && tm_batch_next(&walk, &e))
        st = take(b, &e, err);
    return st < 0 ? st : flush(b, err);
}

enum tm_status tm_emit_binder_finish(struct tm_emit_binder *b, struct tm_error *err)
{
    enum tm_status st = add_second(b, err);
    return st < 0 ? st : flush(b, err);
}

void tm_emit_binder_release(struct tm_emit_binder *b)
{
    tm_binder_rows_release(&b->rows);
    tm_batch_builder_release(&b->out);
}

#include "emit/settler.h"

void tm_emit_settler_init(struct tm_emit_settler *s, const struct tm_catalog *catalog,
                          struct tm_batch_receiver receiver)
{
    *s = (struct tm_emit_settler){
        .catalog = catalog, .args = tm_catalog_expander(catalog), .out = {.receiver = receiver}};
}

static inline bool needs_settling(uint32_t kind)
{
    return kind == TM_KIND_BINDER || kind == TM_KIND_KERNEL;
}

static enum tm_status add_second(struct tm_emit_settler *s, struct tm_error *err)
{
    if (!s->has_second)
        return TM_OK;
    s->has_second = false;
    return tm_batch_queue_add(&s->out, &s->second, err);
}

/* Counts E if a table was full, so it changed less than it could. */
static void count_left_out(struct tm_emit_settler *s, const struct tm_event *e)
{
    const uint64_t left_out =
        s->binder.left_out + s->kernel.left_out + s->kernel.queues.left_out + s->kernel.requests.left_out +
        s->kernel.buffers.left_out;
    tm_unsupported_counts_add(s->unsupported, e->file, TM_UNSUPPORTED_FACTS, left_out > s->left_out);
    s->left_out = left_out;
}

/* Passes E, settled. A second row of it is pending until its derived rows have passed. */
static enum tm_status add_event(struct tm_emit_settler *s, struct tm_event *e, struct tm_error *err)
{
    struct tm_settled_rows settled;
    if (e->flags & TM_EVENT_LATE_THREAD)
        tm_late_threads_place(&s->late_threads, e);
    enum tm_status st = e->flags & TM_EVENT_DERIVED ? TM_OK : add_second(s, err);
    if (st == TM_OK && tm_kernel_rows_cuts(&s->kernel, e, &settled.rows[0]))
        st = tm_batch_queue_add(&s->out, &settled.rows[0], err);
    if (st < 0 || !needs_settling(e->kind))
        return st < 0 ? st : tm_batch_queue_add(&s->out, e, err);
    if ((st = tm_arg_expand(&s->args, e, err)) < 0)
        return st;
    st = e->kind == TM_KIND_BINDER ? tm_binder_rows_take(&s->binder, s->catalog, e, &settled, err)
                                   : tm_kernel_rows_take(&s->kernel, s->catalog, e, &settled, err);
    count_left_out(s, e);
    if (st < 0 || settled.count == 0)
        return st;
    if (settled.count > 1) {
        s->second = settled.rows[1];
        s->has_second = true;
    }
    return tm_batch_queue_add(&s->out, &settled.rows[0], err);
}

/* Notes the time of the last row, if it is no definition. */
static void note_time(struct tm_emit_settler *s, const struct tm_batch *batch)
{
    const uint32_t last = batch->count - 1;
    if (batch->count && !(tm_batch_u32(batch, TM_COL_FLAGS, last) & (TM_EVENT_UNTIMED | TM_EVENT_DEFINITION)))
        s->now_ns = tm_batch_i64(batch, TM_COL_TIME_NS, last);
}

enum tm_status tm_emit_settler_add(struct tm_emit_settler *s, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    note_time(s, batch);
    enum tm_status st = tm_late_threads_note(&s->late_threads, batch, s->unsupported, err);
    if (st < 0)
        return st;
    if (!s->has_second && s->kernel.writing == 0 && !tm_batch_has_kind(batch, TM_KIND_BINDER, TM_KIND_KERNEL) &&
        !tm_late_threads_are_in(&s->late_threads, batch))
        return tm_batch_queue_pass(&s->out, batch, err);
    while (st == TM_OK && tm_batch_next(&walk, &e))
        st = add_event(s, &e, err);
    return st < 0 ? st : tm_batch_queue_flush(&s->out, err);
}

enum tm_status tm_emit_settler_finish(struct tm_emit_settler *s, struct tm_error *err)
{
    struct tm_event row;
    enum tm_status st = add_second(s, err);
    while (st == TM_OK && (st = tm_kernel_rows_pop(&s->kernel, s->now_ns, &row, err)) == TM_OK)
        st = tm_batch_queue_add(&s->out, &row, err);
    return st < 0 ? st : tm_batch_queue_flush(&s->out, err);
}

void tm_emit_settler_release(struct tm_emit_settler *s)
{
    tm_binder_rows_release(&s->binder);
    tm_kernel_rows_release(&s->kernel);
    tm_late_threads_release(&s->late_threads);
    tm_arg_expander_release(&s->args);
    tm_batch_queue_release(&s->out);
}

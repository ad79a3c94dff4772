#include "emit/line_heads.h"

static bool is_line(uint32_t flags)
{
    return tm_event_raw(flags) == TM_RAW_LINE && !(flags & TM_EVENT_DERIVED);
}

/* True if E is the head of LINE, which comes before it. Names in other formats have no cpu; --only states names before
 * events of other lines. */
static bool is_head_of(const struct tm_event *e, const struct tm_event *line)
{
    return e->kind == TM_KIND_TASK_RENAME && e->flags & TM_EVENT_DERIVED && e->flags & TM_EVENT_HAS_CPU &&
           e->file == line->file && e->time_ns == line->time_ns && e->cpu == line->cpu;
}

static enum tm_status put_line(struct tm_line_heads *h, struct tm_error *err)
{
    if (!h->has_line)
        return TM_OK;
    h->has_line = false;
    return tm_batch_queue_add(&h->out, &h->line, err);
}

/* Makes E pending. */
static enum tm_status hold_line(struct tm_line_heads *h, const struct tm_event *e, struct tm_error *err)
{
    tm_buf_clear(&h->payload);
    if (tm_buf_reserve(&h->payload, (size_t)e->raw_bytes + e->detail_bytes) != TM_OK)
        return tm_error_nomem(err);
    h->line = *e;
    tm_event_move_payload(&h->line, h->payload.data);
    h->has_line = true;
    return TM_OK;
}

/* Takes row E of a batch. */
static enum tm_status take_row(struct tm_line_heads *h, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = h->has_line && is_head_of(e, &h->line) ? TM_OK : put_line(h, err);
    if (st == TM_OK)
        st = is_line(e->flags) ? hold_line(h, e, err) : tm_batch_queue_add(&h->out, e, err);
    return st == TM_OK && !is_line(e->flags) ? put_line(h, err) : st;
}

/* Passes on the rows of BATCH, which has no heads, without copying them. */
static enum tm_status pass_rows(struct tm_line_heads *h, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch front = *batch;
    struct tm_event e;
    const uint32_t last = batch->count - 1;
    bool ends_with_line = is_line(tm_batch_u32(batch, TM_COL_FLAGS, last));
    enum tm_status st = put_line(h, err);
    if (st == TM_OK)
        st = tm_batch_queue_flush(&h->out, err);
    front.count -= ends_with_line;
    if (st == TM_OK && front.count)
        st = tm_batch_queue_pass(&h->out, &front, err);
    if (st < 0 || !ends_with_line)
        return st;
    size_t bytes = (size_t)tm_batch_u32(batch, TM_COL_RAW_BYTES, last) + tm_batch_u32(batch, TM_COL_DETAIL_BYTES, last);
    tm_batch_get(batch, last, batch->payload_bytes - bytes, &e);
    return hold_line(h, &e, err);
}

enum tm_status tm_line_heads_batch(struct tm_line_heads *h, const struct tm_batch *batch, struct tm_error *err)
{
    if (batch->count && !tm_batch_has_kind(batch, TM_KIND_TASK_RENAME, TM_KIND_TASK_RENAME))
        return pass_rows(h, batch, err);
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_batch_next(&walk, &e))
        st = take_row(h, &e, err);
    return st < 0 ? st : tm_batch_queue_flush(&h->out, err);
}

enum tm_status tm_line_heads_finish(struct tm_line_heads *h, struct tm_error *err)
{
    enum tm_status st = put_line(h, err);
    return st < 0 ? st : tm_batch_queue_flush(&h->out, err);
}

void tm_line_heads_release(struct tm_line_heads *h)
{
    tm_batch_queue_release(&h->out);
    tm_buf_release(&h->payload);
    *h = (struct tm_line_heads){0};
}

#include "model/work_queues.h"

#include "base/pb.h"
#include "perfetto/named_tracks.h"
#include "stream/detail_fields.h"

#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 64, NO_FLOW = 0 };

/* A piece of work. */
struct tm_work {
    uint64_t number; /* of a fence */
    uint64_t flow;   /* from where it was queued; NO_FLOW: that is not known */
    uint32_t next;   /* plus 1; 0: none */
    uint8_t args_len;
    uint8_t args[ARGS_MAX]; /* of its slice, as in a Detail message */
};

struct tm_work_queue {
    uint64_t track;       /* column track of its rows */
    struct tm_buf about;  /* the fields of a Detail message about its track */
    uint32_t first, last; /* work, plus 1; 0: none */
    bool has_emitted;     /* events state when fences are emitted; when they are made does not count then */
};

static struct tm_key key_of(const struct tm_event *row, uint64_t number)
{
    return (struct tm_key){(uint64_t)row->file << 32 | row->machine, number, 0};
}

/* Sets *QUEUE to the queue of ROW; NULL beyond the limit. */
static enum tm_status queue_of(struct tm_work_queues *q, const struct tm_event *row, struct tm_work_queue **queue,
                               struct tm_error *err)
{
    struct tm_key key = key_of(row, row->track);
    int64_t i = tm_table_find(&q->by_track, &key);
    enum tm_status st;
    *queue = NULL;
    if (i == TM_TABLE_NONE) {
        if (q->queue_count == TM_WORK_QUEUES_MAX) {
            q->left_out++;
            return TM_OK;
        }
        i = q->queue_count;
        if ((st = tm_array_grow(&q->queues, &q->queue_cap, q->queue_count, sizeof *q->queues, err)) < 0 ||
            (st = tm_table_set(&q->by_track, &key, i, err)) < 0)
            return st;
        struct tm_work_queue *made = &q->queues[q->queue_count++];
        *made = (struct tm_work_queue){.track = row->track};
        if (tm_buf_add(&made->about, row->detail, tm_named_track_bytes(row->detail, row->detail_bytes)) != TM_OK)
            return tm_error_nomem(err);
    }
    *queue = &q->queues[i];
    return TM_OK;
}

static void read_args(struct tm_work *work, const struct tm_event *row)
{
    struct tm_pb pb = tm_pb_of(row->detail, row->detail_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        size_t len = (size_t)(f.end - f.start);
        if (f.id == TM_DETAIL_TERMINATING_FLOW_IDS && f.type == TM_PB_I64)
            work->flow = f.value;
        if (f.id != TM_DETAIL_ARGS || len > sizeof work->args - work->args_len)
            continue;
        memcpy(work->args + work->args_len, f.start, len);
        work->args_len = (uint8_t)(work->args_len + len);
    }
}

/* Adds ROW's work to QUEUE. *IS_ADDED: it is within the limit. */
static enum tm_status push(struct tm_work_queues *q, struct tm_work_queue *queue, const struct tm_event *row,
                           bool *is_added, struct tm_error *err)
{
    uint32_t i = q->free_work;
    *is_added = false;
    if (i) {
        q->free_work = q->works[i - 1].next;
    } else {
        if (q->work_count == TM_WORK_MAX) {
            q->left_out++;
            return TM_OK;
        }
        enum tm_status st = tm_array_grow(&q->works, &q->work_cap, q->work_count, sizeof *q->works, err);
        if (st < 0)
            return st;
        i = ++q->work_count;
    }
    struct tm_work *work = &q->works[i - 1];
    *work = (struct tm_work){.number = tm_kernel_amount(row)};
    read_args(work, row);
    if (queue->last)
        q->works[queue->last - 1].next = i;
    else
        queue->first = i;
    queue->last = i;
    *is_added = true;
    return TM_OK;
}

static void pop(struct tm_work_queues *q, struct tm_work_queue *queue)
{
    uint32_t i = queue->first;
    queue->first = q->works[i - 1].next;
    if (queue->first == 0)
        queue->last = 0;
    q->works[i - 1].next = q->free_work;
    q->free_work = i;
}

static void on_track(const struct tm_work_queue *queue, struct tm_event *row)
{
    row->flags |= TM_EVENT_ASYNC | TM_EVENT_HAS_TRACK;
    row->track = queue->track;
}

static void end_slice(const struct tm_work_queue *queue, struct tm_event *row)
{
    on_track(queue, row);
    row->kind = TM_KIND_SLICE_END;
    row->name = 0;
    row->detail = queue->about.data;
    row->detail_bytes = (uint32_t)queue->about.len;
}

/* Makes ROW the begin of QUEUE's first work. A flow leads there from where it was queued. */
static enum tm_status begin_slice(struct tm_work_queues *q, const struct tm_work_queue *queue, struct tm_event *row,
                                  struct tm_error *err)
{
    const struct tm_work *work = &q->works[queue->first - 1];
    const char *name = row->value == TM_KERNEL_JOB || row->value == TM_KERNEL_JOB_DONE ? "job" : "fence";
    struct tm_key key = key_of(row, work->flow);
    tm_buf_clear(&q->detail);
    bool has_room = tm_buf_add(&q->detail, queue->about.data, queue->about.len) == TM_OK &&
                    tm_buf_add(&q->detail, work->args, work->args_len) == TM_OK;
    if (has_room && work->flow != NO_FLOW && tm_table_find(&q->queued, &key) != TM_TABLE_NONE) {
        has_room = tm_pb_put_i64(&q->detail, TM_DETAIL_TERMINATING_FLOW_IDS, work->flow) == TM_OK;
        tm_table_remove(&q->queued, &key);
    }
    uint32_t text = (uint32_t)q->detail.len + 1; /* after the tag */
    if (!has_room || tm_pb_put_bytes(&q->detail, TM_DETAIL_TEXT, name, strlen(name)) != TM_OK)
        return tm_error_nomem(err);
    on_track(queue, row);
    row->kind = TM_KIND_SLICE_BEGIN;
    row->name = TM_STRING_INLINE | text;
    row->detail = q->detail.data;
    row->detail_bytes = (uint32_t)q->detail.len;
    return TM_OK;
}

/* Ends the slice of QUEUE, and begins the next if work waits. */
static enum tm_status end_first(struct tm_work_queues *q, struct tm_work_queue *queue, struct tm_settled_rows *out,
                                struct tm_error *err)
{
    struct tm_event *second = &out->rows[1];
    *second = out->rows[0];
    end_slice(queue, &out->rows[0]);
    if (queue->first == 0)
        return TM_OK;
    second->flags = (second->flags & ~TM_EVENT_RAW_MASK) | TM_EVENT_DERIVED;
    second->raw_bytes = 0;
    out->count = 2;
    return begin_slice(q, queue, second, err);
}

/* Adds work to QUEUE. It begins at once if the queue is empty. */
static enum tm_status take_work(struct tm_work_queues *q, struct tm_work_queue *queue, const struct tm_event *row,
                                struct tm_settled_rows *out, struct tm_error *err)
{
    bool is_first = queue->first == 0, is_added;
    enum tm_status st = push(q, queue, row, &is_added, err);
    if (st < 0 || !is_added || !is_first)
        return st < 0 ? st : TM_END;
    return begin_slice(q, queue, &out->rows[0], err);
}

/* Takes an emitted fence. From the first one on, fences that are only made do not count. */
static enum tm_status take_emitted(struct tm_work_queues *q, struct tm_work_queue *queue, const struct tm_event *row,
                                   struct tm_settled_rows *out, struct tm_error *err)
{
    bool is_first = !queue->has_emitted, is_added;
    bool ends = is_first && queue->first != 0;
    queue->has_emitted = true;
    if (!ends)
        return take_work(q, queue, row, out, err);
    while (queue->first)
        pop(q, queue);
    enum tm_status st = push(q, queue, row, &is_added, err);
    return st < 0 ? st : end_first(q, queue, out, err);
}

static enum tm_status take_signaled(struct tm_work_queues *q, struct tm_work_queue *queue, const struct tm_event *row,
                                    struct tm_settled_rows *out, struct tm_error *err)
{
    if (queue->first == 0 || tm_kernel_amount(row) < q->works[queue->first - 1].number)
        return TM_END;
    pop(q, queue);
    return end_first(q, queue, out, err);
}

static enum tm_status take_job(struct tm_work_queues *q, struct tm_work_queue *queue, const struct tm_event *row,
                               struct tm_settled_rows *out, struct tm_error *err)
{
    struct tm_key key = key_of(row, tm_kernel_amount(row));
    enum tm_status st = TM_OK;
    if (tm_table_find(&q->by_job, &key) == TM_TABLE_NONE) {
        const bool has_room = q->by_job.count < TM_WORK_MAX;
        q->left_out += !has_room;
        st = has_room ? tm_table_set(&q->by_job, &key, queue - q->queues, err) : TM_OK;
    }
    return st < 0 ? st : take_work(q, queue, row, out, err);
}

/* Takes the end of a job. The first work of its queue ends, whichever job the event names. */
static enum tm_status take_job_done(struct tm_work_queues *q, const struct tm_event *row, struct tm_settled_rows *out,
                                    struct tm_error *err)
{
    struct tm_key key = key_of(row, tm_kernel_amount(row));
    int64_t i = tm_table_find(&q->by_job, &key);
    if (i == TM_TABLE_NONE)
        return TM_END;
    tm_table_remove(&q->by_job, &key);
    if (q->queues[i].first == 0)
        return TM_END;
    pop(q, &q->queues[i]);
    return end_first(q, &q->queues[i], out, err);
}

/* Returns the number of bytes of ROW's detail before its flow, which is the last field. */
static uint32_t bytes_before_flow(const struct tm_event *row)
{
    struct tm_pb pb = tm_pb_of(row->detail, row->detail_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_DETAIL_FLOW_IDS || f.id == TM_DETAIL_TERMINATING_FLOW_IDS)
            return (uint32_t)(f.start - row->detail);
    return row->detail_bytes;
}

/* Makes an instant at which a flow begins or ends. It has no flow if that has begun already, or has not begun. */
static enum tm_status take_flow(struct tm_work_queues *q, const struct tm_event *row, struct tm_settled_rows *out,
                                struct tm_error *err)
{
    struct tm_key key = key_of(row, tm_kernel_amount(row));
    bool has_begun = tm_table_find(&q->queued, &key) != TM_TABLE_NONE, begins = row->value == TM_KERNEL_JOB_QUEUED;
    struct tm_event *instant = &out->rows[0];
    instant->kind = TM_KIND_INSTANT;
    if (has_begun == begins)
        instant->detail_bytes = bytes_before_flow(row);
    if (!begins)
        tm_table_remove(&q->queued, &key);
    const bool has_room = has_begun || q->queued.count < TM_WORK_MAX;
    q->left_out += begins && !has_room;
    return begins && has_room ? tm_table_set(&q->queued, &key, 0, err) : TM_OK;
}

enum tm_status tm_work_queues_take(struct tm_work_queues *q, const struct tm_event *row, struct tm_settled_rows *out,
                                   struct tm_error *err)
{
    struct tm_work_queue *queue;
    enum tm_status st = TM_OK;
    out->count = 1;
    out->rows[0] = *row;
    if (row->value == TM_KERNEL_JOB_QUEUED || row->value == TM_KERNEL_JOB_TAKEN)
        st = take_flow(q, row, out, err);
    else if (row->value == TM_KERNEL_JOB_DONE)
        st = take_job_done(q, row, out, err);
    else if ((st = queue_of(q, row, &queue, err)) < 0 || queue == NULL)
        return st < 0 ? st : TM_END;
    else if (row->value == TM_KERNEL_JOB)
        st = take_job(q, queue, row, out, err);
    else if (row->value == TM_KERNEL_FENCE_EMITTED)
        st = take_emitted(q, queue, row, out, err);
    else if (row->value == TM_KERNEL_FENCE_SIGNALED)
        st = take_signaled(q, queue, row, out, err);
    else
        st = queue->has_emitted ? TM_END : take_work(q, queue, row, out, err);
    for (uint32_t i = 0; i < out->count; i++) {
        out->rows[i].value = 0;
        tm_kernel_set_amount(&out->rows[i], 0);
    }
    return st;
}

void tm_work_queues_release(struct tm_work_queues *q)
{
    for (uint32_t i = 0; i < q->queue_count; i++)
        tm_buf_release(&q->queues[i].about);
    free(q->queues);
    free(q->works);
    tm_table_release(&q->by_track);
    tm_table_release(&q->by_job);
    tm_table_release(&q->queued);
    tm_buf_release(&q->detail);
    *q = (struct tm_work_queues){0};
}

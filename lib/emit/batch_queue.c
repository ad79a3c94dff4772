#include "emit/batch_queue.h"

enum tm_status tm_batch_queue_flush(struct tm_batch_queue *queue, struct tm_error *err)
{
    struct tm_batch batch;
    if (queue->rows.count == 0)
        return TM_OK;
    tm_batch_builder_view(&queue->rows, &batch);
    enum tm_status st = tm_batch_queue_pass(queue, &batch, err);
    tm_batch_builder_clear(&queue->rows);
    return st;
}

enum tm_status tm_batch_queue_add(struct tm_batch_queue *queue, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_batch_builder_full(&queue->rows) ? tm_batch_queue_flush(queue, err) : TM_OK;
    if (st < 0)
        return st;
    return tm_batch_builder_add(&queue->rows, e) == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_batch_queue_pass(struct tm_batch_queue *queue, const struct tm_batch *batch, struct tm_error *err)
{
    return queue->receiver.show(queue->receiver.self, batch, err);
}

void tm_batch_queue_release(struct tm_batch_queue *queue)
{
    tm_batch_builder_release(&queue->rows);
}

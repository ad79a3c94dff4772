#include "os/frame_queue.h"

#include <stdlib.h>

struct chunk {
    struct chunk *next;
    struct tm_buf bytes;
    uint64_t stamp;
};

struct tm_frame_lane {
    struct chunk *first, *last;
    bool ended, closed;
};

enum tm_status tm_frame_queue_init(struct tm_frame_queue *queue, uint32_t count, size_t bytes_max,
                                   struct tm_error *err)
{
    *queue = (struct tm_frame_queue){.count = count, .bytes_max = bytes_max};
    queue->lanes = calloc((size_t)count + 1, sizeof *queue->lanes);
    if (queue->lanes == NULL)
        return tm_error_nomem(err);
    int failure = pthread_mutex_init(&queue->lock, NULL);
    if (failure == 0 && (failure = pthread_cond_init(&queue->changed, NULL)) != 0)
        (void)pthread_mutex_destroy(&queue->lock);
    if (failure == 0)
        return TM_OK;
    free(queue->lanes);
    return tm_error_errno(err, failure, "cannot make a queue for threads");
}

static void lock(struct tm_frame_queue *queue)
{
    (void)pthread_mutex_lock(&queue->lock);
}

/* Unlocks, and wakes all waiting threads, which check their conditions again. */
static void unlock_changed(struct tm_frame_queue *queue)
{
    (void)pthread_cond_broadcast(&queue->changed);
    (void)pthread_mutex_unlock(&queue->lock);
}

/* Under the lock: true if the writer of LANE has to wait. */
static bool is_full(const struct tm_frame_queue *queue, uint32_t lane)
{
    const struct tm_frame_lane *l = &queue->lanes[lane];
    bool is_next = queue->at == lane && l->first == NULL;
    return !l->closed && !is_next && queue->bytes >= queue->bytes_max;
}

/* Under the lock: gives CHUNK the spare memory. */
static void take_spare(struct tm_frame_queue *queue, struct tm_buf *chunk)
{
    *chunk = queue->spare;
    queue->spare = (struct tm_buf){0};
}

static void append(struct tm_frame_lane *lane, struct chunk *c)
{
    if (lane->last)
        lane->last->next = c;
    else
        lane->first = c;
    lane->last = c;
}

enum tm_status tm_frame_queue_put(struct tm_frame_queue *queue, uint32_t lane, struct tm_buf *chunk, uint64_t stamp,
                                  struct tm_error *err)
{
    struct tm_frame_lane *l = &queue->lanes[lane];
    struct chunk *c = malloc(sizeof *c);
    if (c == NULL)
        return tm_error_nomem(err);
    *c = (struct chunk){.bytes = *chunk, .stamp = stamp};
    lock(queue);
    while (is_full(queue, lane))
        (void)pthread_cond_wait(&queue->changed, &queue->lock);
    bool closed = l->closed;
    if (!closed) {
        append(l, c);
        queue->bytes += c->bytes.cap;
        take_spare(queue, chunk);
    }
    unlock_changed(queue);
    if (!closed)
        return TM_OK;
    free(c);
    tm_buf_clear(chunk);
    return TM_END;
}

void tm_frame_queue_end(struct tm_frame_queue *queue, uint32_t lane)
{
    lock(queue);
    queue->lanes[lane].ended = true;
    unlock_changed(queue);
}

/* Under the lock: keeps the memory of CHUNK for a writer if none is kept yet. */
static void store_spare(struct tm_frame_queue *queue, struct tm_buf *chunk)
{
    if (queue->spare.data)
        tm_buf_release(chunk);
    tm_buf_clear(chunk);
    if (chunk->data)
        queue->spare = *chunk;
    *chunk = (struct tm_buf){0};
}

/* Under the lock: takes the first chunk off LANE. */
static struct chunk *remove_first(struct tm_frame_queue *queue, struct tm_frame_lane *lane)
{
    struct chunk *c = lane->first;
    lane->first = c->next;
    if (lane->first == NULL)
        lane->last = NULL;
    queue->bytes -= c->bytes.cap;
    return c;
}

enum tm_status tm_frame_queue_take(struct tm_frame_queue *queue, uint32_t lane, struct tm_buf *chunk, uint64_t *stamp)
{
    struct tm_frame_lane *l = &queue->lanes[lane];
    struct chunk *c = NULL;
    lock(queue);
    store_spare(queue, chunk);
    queue->at = lane;
    queue->reader_waits = l->first == NULL && !l->ended && !l->closed;
    (void)pthread_cond_broadcast(&queue->changed);
    while (l->first == NULL && !l->ended && !l->closed)
        (void)pthread_cond_wait(&queue->changed, &queue->lock);
    queue->reader_waits = false;
    if (l->first)
        c = remove_first(queue, l);
    unlock_changed(queue);
    if (c == NULL)
        return TM_END;
    *chunk = c->bytes;
    *stamp = c->stamp;
    free(c);
    return TM_OK;
}

enum tm_status tm_frame_queue_visit(struct tm_frame_queue *queue, uint32_t lane)
{
    const struct tm_frame_lane *l = &queue->lanes[lane];
    lock(queue);
    while (!l->closed && !(queue->at == lane && queue->reader_waits && l->first == NULL))
        (void)pthread_cond_wait(&queue->changed, &queue->lock);
    bool closed = l->closed;
    (void)pthread_mutex_unlock(&queue->lock);
    return closed ? TM_END : TM_OK;
}

static void drop_chunks(struct tm_frame_queue *queue, struct tm_frame_lane *lane)
{
    while (lane->first) {
        struct chunk *c = remove_first(queue, lane);
        tm_buf_release(&c->bytes);
        free(c);
    }
}

void tm_frame_queue_close(struct tm_frame_queue *queue, uint32_t lane)
{
    lock(queue);
    queue->lanes[lane].closed = true;
    drop_chunks(queue, &queue->lanes[lane]);
    unlock_changed(queue);
}

void tm_frame_queue_release(struct tm_frame_queue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++)
        drop_chunks(queue, &queue->lanes[i]);
    tm_buf_release(&queue->spare);
    free(queue->lanes);
    (void)pthread_cond_destroy(&queue->changed);
    (void)pthread_mutex_destroy(&queue->lock);
}

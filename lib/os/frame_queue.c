#include "os/frame_queue.h"

#include <stdlib.h>

struct tm_frame_chunk {
    struct tm_frame_chunk *next;
    struct tm_buf bytes;
    uint64_t stamp;
};

struct tm_frame_lane {
    struct tm_frame_chunk *first, *last;
    bool ended, closed;
};

enum tm_status tm_frame_queue_init(struct tm_frame_queue *queue, uint32_t count, struct tm_frame_queue_bounds bounds,
                                   struct tm_error *err)
{
    *queue = (struct tm_frame_queue){.count = count, .bounds = bounds};
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
    const struct tm_frame_queue_bounds *bounds = &queue->bounds;
    bool is_next = queue->at == lane && l->first == NULL;
    bool is_far = lane > queue->at && lane - queue->at > bounds->near;
    return !l->closed && !is_next && queue->bytes >= (is_far ? bounds->far_bytes_max : bounds->bytes_max);
}

static void free_chunk(struct tm_frame_chunk *c)
{
    tm_buf_release(&c->bytes);
    free(c);
}

/* Under the lock: returns a spare chunk, the newest, or NULL. */
static struct tm_frame_chunk *take_spare(struct tm_frame_queue *queue)
{
    struct tm_frame_chunk *c = queue->spares;
    if (c) {
        queue->spares = c->next;
        queue->spare_bytes -= c->bytes.cap;
    }
    return c;
}

/* Under the lock: keeps C for a writer, unless the bound is reached. */
static void store_spare(struct tm_frame_queue *queue, struct tm_frame_chunk *c)
{
    if (c->bytes.data == NULL || queue->bytes + queue->spare_bytes + c->bytes.cap > queue->bounds.bytes_max) {
        free_chunk(c);
        return;
    }
    tm_buf_clear(&c->bytes);
    queue->spare_bytes += c->bytes.cap;
    c->next = queue->spares;
    queue->spares = c;
}

/* Under the lock: frees spare chunks until the bound is kept. */
static void drop_spares(struct tm_frame_queue *queue)
{
    while (queue->spares && queue->bytes + queue->spare_bytes > queue->bounds.bytes_max)
        free_chunk(take_spare(queue));
}

/* Under the lock: returns a chunk with BYTES, which become the memory of a spare one, or none. NULL: out of memory. */
static struct tm_frame_chunk *new_chunk(struct tm_frame_queue *queue, struct tm_buf *bytes)
{
    struct tm_frame_chunk *c = take_spare(queue);
    if (c == NULL)
        c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    struct tm_buf spare = c->bytes;
    *c = (struct tm_frame_chunk){.bytes = *bytes};
    *bytes = spare;
    return c;
}

static void append(struct tm_frame_lane *lane, struct tm_frame_chunk *c)
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
    struct tm_frame_chunk *c = NULL;
    lock(queue);
    while (is_full(queue, lane))
        (void)pthread_cond_wait(&queue->changed, &queue->lock);
    bool closed = l->closed;
    if (!closed && (c = new_chunk(queue, chunk)) != NULL) {
        c->stamp = stamp;
        append(l, c);
        queue->bytes += c->bytes.cap;
        drop_spares(queue);
    }
    unlock_changed(queue);
    if (closed)
        tm_buf_clear(chunk);
    return closed ? TM_END : c ? TM_OK : tm_error_nomem(err);
}

void tm_frame_queue_end(struct tm_frame_queue *queue, uint32_t lane)
{
    lock(queue);
    queue->lanes[lane].ended = true;
    unlock_changed(queue);
}

/* Under the lock: takes the first chunk off LANE. */
static struct tm_frame_chunk *remove_first(struct tm_frame_queue *queue, struct tm_frame_lane *lane)
{
    struct tm_frame_chunk *c = lane->first;
    lane->first = c->next;
    if (lane->first == NULL)
        lane->last = NULL;
    queue->bytes -= c->bytes.cap;
    return c;
}

enum tm_status tm_frame_queue_take(struct tm_frame_queue *queue, uint32_t lane, struct tm_buf *chunk, uint64_t *stamp)
{
    struct tm_frame_lane *l = &queue->lanes[lane];
    struct tm_frame_chunk *c = NULL;
    lock(queue);
    queue->at = lane;
    queue->reader_waits = l->first == NULL && !l->ended && !l->closed;
    (void)pthread_cond_broadcast(&queue->changed);
    while (l->first == NULL && !l->ended && !l->closed)
        (void)pthread_cond_wait(&queue->changed, &queue->lock);
    queue->reader_waits = false;
    if (l->first) {
        c = remove_first(queue, l);
        struct tm_buf before = *chunk;
        *chunk = c->bytes;
        *stamp = c->stamp;
        c->bytes = before;
        store_spare(queue, c);
    }
    unlock_changed(queue);
    return c ? TM_OK : TM_END;
}

enum tm_status tm_frame_queue_visit(struct tm_frame_queue *queue, uint32_t lane, const struct tm_frame_visit *visit,
                                    bool *needless)
{
    const struct tm_frame_lane *l = &queue->lanes[lane];
    *needless = false;
    lock(queue);
    while (!l->closed && !(queue->at == lane && queue->reader_waits && l->first == NULL)) {
        *needless = visit->is_needless && visit->is_needless(visit->arg);
        if (*needless)
            break;
        (void)pthread_cond_wait(&queue->changed, &queue->lock);
    }
    bool closed = l->closed;
    (void)pthread_mutex_unlock(&queue->lock);
    return closed ? TM_END : TM_OK;
}

void tm_frame_queue_wake(struct tm_frame_queue *queue)
{
    lock(queue);
    unlock_changed(queue);
}

static void drop_chunks(struct tm_frame_queue *queue, struct tm_frame_lane *lane)
{
    while (lane->first) {
        free_chunk(remove_first(queue, lane));
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
    while (queue->spares)
        free_chunk(take_spare(queue));
    free(queue->lanes);
    (void)pthread_cond_destroy(&queue->changed);
    (void)pthread_mutex_destroy(&queue->lock);
}

/* Unit tests of lib/os/frame_queue: order, the bound on memory, visits, closed lanes. */
#include "os/frame_queue.h"
#include "os/thread.h"

#include "tap.h"

#include <stdatomic.h>
#include <time.h>

enum { LANES = 9, CHUNKS = 50, WRITERS = 3, CHUNK_BYTES = 1000, BYTES_MAX = 4000 };

static const struct tm_frame_queue_bounds BOUNDS = {BYTES_MAX, BYTES_MAX, LANES};

static bool is_set(void *flag)
{
    return atomic_load((atomic_bool *)flag);
}

struct writers {
    struct tm_frame_queue queue;
    pthread_mutex_t lock;
    uint32_t next;
    uint32_t seen;   /* belongs to the reader, and to a visiting writer */
    unsigned failed; /* calls with an unexpected result */
    _Atomic unsigned far; /* chunks in a far lane */
};

static enum tm_status put(struct tm_frame_queue *queue, uint32_t lane, uint32_t number)
{
    struct tm_buf chunk = {0};
    struct tm_error err = {0};
    enum tm_status st = tm_buf_reserve(&chunk, CHUNK_BYTES);
    chunk.len = CHUNK_BYTES;
    memset(chunk.data, (int)(lane * 7 + number) & 0xff, CHUNK_BYTES);
    if (st == TM_OK)
        st = tm_frame_queue_put(queue, lane, &chunk, number, &err);
    tm_buf_release(&chunk);
    return st;
}

/* Visits the reader, or waits until FLAG, if there is one, is set. TM_OK: a visit; TM_END: the lane is closed, or the
 * flag was set first. */
static enum tm_status visit(struct tm_frame_queue *queue, uint32_t lane, atomic_bool *flag)
{
    const struct tm_frame_visit visit = {flag ? is_set : NULL, flag};
    bool needless;
    enum tm_status st = tm_frame_queue_visit(queue, lane, &visit, &needless);
    return st == TM_OK && needless ? TM_END : st;
}

/* Fills lane after lane. The writer of every third lane visits the reader halfway. */
static void *write_lanes(void *arg)
{
    struct writers *w = arg;
    for (;;) {
        (void)pthread_mutex_lock(&w->lock);
        uint32_t lane = w->next++;
        (void)pthread_mutex_unlock(&w->lock);
        if (lane >= LANES)
            return NULL;
        bool good = true;
        for (uint32_t i = 0; i < CHUNKS; i++) {
            if (i == CHUNKS / 2 && lane % 3 == 0)
                good = good && visit(&w->queue, lane, NULL) == TM_OK && w->seen++ == lane * CHUNKS + i;
            good = good && put(&w->queue, lane, i) == TM_OK;
        }
        (void)pthread_mutex_lock(&w->lock);
        w->failed += !good;
        (void)pthread_mutex_unlock(&w->lock);
        tm_frame_queue_end(&w->queue, lane);
    }
}

static bool is_chunk(const struct tm_buf *chunk, uint32_t lane, uint32_t number)
{
    bool is = chunk->len == CHUNK_BYTES;
    for (size_t i = 0; is && i < chunk->len; i++)
        is = chunk->data[i] == (uint8_t)(lane * 7 + number);
    return is;
}

/* Reads all lanes in order. A visit counts as one more seen chunk, which is subtracted again. */
static bool read_lanes(struct writers *w)
{
    struct tm_buf chunk = {0};
    uint64_t stamp;
    bool good = true;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t count = 0;
        while (tm_frame_queue_take(&w->queue, lane, &chunk, &stamp) == TM_OK) {
            if (count == CHUNKS / 2 && lane % 3 == 0)
                good = good && w->seen-- == lane * CHUNKS + count + 1;
            good = good && stamp == count && is_chunk(&chunk, lane, count);
            w->seen++;
            count++;
        }
        good = good && count == CHUNKS;
    }
    tm_buf_release(&chunk);
    return good;
}

static void test_order(void)
{
    struct writers w = {.next = 0};
    struct tm_thread threads[WRITERS];
    struct tm_error err = {0};
    (void)pthread_mutex_init(&w.lock, NULL);
    ok(tm_frame_queue_init(&w.queue, LANES, BOUNDS, &err) == TM_OK);
    unsigned started = 0;
    while (started < WRITERS && tm_thread_start(&threads[started], write_lanes, &w))
        started++;
    is_int(started, WRITERS);
    ok_named(read_lanes(&w), "lanes come one after another, each with its chunks in order");
    for (unsigned i = 0; i < started; i++)
        tm_thread_end(&threads[i]);
    is_int(w.failed, 0);
    is_int(w.queue.bytes, 0);
    tm_frame_queue_release(&w.queue);
    (void)pthread_mutex_destroy(&w.lock);
}

/* Puts a chunk into lane 2. */
static void *write_far(void *arg)
{
    struct writers *w = arg;
    if (put(&w->queue, 2, 0) == TM_OK)
        atomic_store(&w->far, 1);
    return NULL;
}

/* Puts chunks into lane 1 until that is closed. */
static void *write_too_much(void *arg)
{
    struct writers *w = arg;
    while (put(&w->queue, 1, 0) == TM_OK)
        w->seen++;
    return NULL;
}

static void test_bound(void)
{
    struct writers w = {.next = 0};
    struct tm_thread thread;
    struct tm_error err = {0};
    struct tm_buf chunk = {0};
    uint64_t stamp;
    ok(tm_frame_queue_init(&w.queue, 2, BOUNDS, &err) == TM_OK);
    ok(tm_thread_start(&thread, write_too_much, &w));
    ok_named(put(&w.queue, 0, 3) == TM_OK, "the lane that is read takes a chunk whatever the others hold");
    tm_frame_queue_end(&w.queue, 0);
    ok(tm_frame_queue_take(&w.queue, 0, &chunk, &stamp) == TM_OK && is_chunk(&chunk, 0, 3));
    ok(tm_frame_queue_take(&w.queue, 0, &chunk, &stamp) == TM_END);
    tm_frame_queue_close(&w.queue, 1);
    tm_thread_end(&thread);
    ok_named(w.seen <= BYTES_MAX / CHUNK_BYTES, "a lane that is not read holds no more than the bound");
    is_int(visit(&w.queue, 1, NULL), TM_END);
    is_int(put(&w.queue, 1, 0), TM_END);
    ok(tm_frame_queue_take(&w.queue, 1, &chunk, &stamp) == TM_END);
    tm_buf_release(&chunk);
    tm_frame_queue_release(&w.queue);
}

/* A writer far ahead of the reader waits at the lower bound, one that is near does not. */
static void test_far_bound(void)
{
    const struct tm_frame_queue_bounds bounds = {.bytes_max = BYTES_MAX, .far_bytes_max = CHUNK_BYTES, .near = 1};
    struct writers w = {.next = 0};
    struct tm_thread thread;
    struct tm_error err = {0};
    ok(tm_frame_queue_init(&w.queue, 3, bounds, &err) == TM_OK);
    ok_named(put(&w.queue, 1, 0) == TM_OK && put(&w.queue, 1, 1) == TM_OK, "a near lane takes chunks up to the bound");
    ok(tm_thread_start(&thread, write_far, &w));
    struct timespec wait = {.tv_nsec = 20 * 1000 * 1000};
    (void)nanosleep(&wait, NULL);
    is_int(atomic_load(&w.far), 0);
    tm_frame_queue_close(&w.queue, 1);
    tm_thread_end(&thread);
    ok_named(atomic_load(&w.far) == 1, "a far lane takes its chunk once there is room");
    tm_frame_queue_release(&w.queue);
}

struct visitor {
    struct tm_frame_queue queue;
    atomic_bool flag;
    enum tm_status visited;
};

/* The writer of lane 1, which the reader does not come to. */
static void *visit_until_set(void *arg)
{
    struct visitor *v = arg;
    v->visited = visit(&v->queue, 1, &v->flag);
    return NULL;
}

/* A writer whose visit has become needless does not wait for the reader. */
static void test_needless_visit(void)
{
    struct visitor v = {.visited = TM_OK};
    struct tm_thread thread;
    struct tm_error err = {0};
    ok(tm_frame_queue_init(&v.queue, 2, BOUNDS, &err) == TM_OK);
    ok(tm_thread_start(&thread, visit_until_set, &v));
    atomic_store(&v.flag, true);
    tm_frame_queue_wake(&v.queue);
    tm_thread_end(&thread);
    ok_named(v.visited == TM_END, "a visit that becomes needless ends, whatever lane is read");
    tm_frame_queue_release(&v.queue);
}

static void test_left_over(void)
{
    struct tm_frame_queue queue;
    struct tm_error err = {0};
    ok(tm_frame_queue_init(&queue, 1, BOUNDS, &err) == TM_OK && put(&queue, 0, 0) == TM_OK);
    tm_frame_queue_release(&queue); /* chunks that nobody took are freed */
}

int main(void)
{
    test_order();
    test_bound();
    test_far_bound();
    test_needless_visit();
    test_left_over();
    return tap_done();
}

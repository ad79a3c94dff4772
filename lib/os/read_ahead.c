#include "os/read_ahead.h"

#include "os/thread.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The reader holds two buffers: the one it reads, and the one before, whose rest goes in front of it. */
enum {
    BUFFERS = 8,
    BUFFERS_LOW = BUFFERS / 2, /* once all are filled, the thread is woken when this many are left */
    BUFFERS_IN_USE = 2,
    BUFFER_BYTES = 128 << 10,
    FRONT_BYTES = 64 << 10 /* in front of each buffer: what was left of the one before */
};

struct read_ahead {
    const struct tm_input_ops *ops; /* of the source */
    void *source;
    struct tm_thread thread;
    /* under the thread's lock */
    size_t len[BUFFERS];
    uint64_t filled_count, emptied_count;
    enum tm_status st;   /* what came after the last buffer; TM_OK: nothing yet */
    struct tm_error err;
    /* used by the reader alone */
    uint64_t taken_count;
    uint8_t *large; /* for pieces that are longer than a buffer and its front */
    size_t large_bytes;
    bool in_large;
    uint8_t mem[BUFFERS][FRONT_BYTES + BUFFER_BYTES];
};

/* Waits for a buffer to fill. False: the reader wants no more. */
static bool wait_for_room(struct read_ahead *a)
{
    tm_thread_lock(&a->thread);
    if (a->filled_count - a->emptied_count == BUFFERS)
        while (a->filled_count - a->emptied_count > BUFFERS_LOW && !a->thread.stop)
            tm_thread_wait(&a->thread);
    bool wanted = !a->thread.stop;
    tm_thread_unlock(&a->thread);
    return wanted;
}

/* The function of the thread: fills one buffer after another until the source ends or the reader wants no more. */
static void *fill_buffers(void *arg)
{
    struct read_ahead *a = arg;
    enum tm_status st = TM_OK;
    for (uint64_t n = 0; st == TM_OK && wait_for_room(a); n++) {
        struct tm_error err = {0};
        size_t len = 0, got;
        while (len < BUFFER_BYTES && st == TM_OK) {
            st = a->ops->read(a->source, a->mem[n % BUFFERS] + FRONT_BYTES + len, BUFFER_BYTES - len, &got, &err);
            len += st == TM_OK ? got : 0;
        }
        tm_thread_lock(&a->thread);
        a->len[n % BUFFERS] = len;
        a->filled_count += len > 0;
        a->st = st;
        a->err = err;
        tm_thread_changed(&a->thread);
        tm_thread_unlock(&a->thread);
    }
    return NULL;
}

/* Sets *BYTES and *LEN to the next filled buffer, and waits for it. The last buffer stays valid; the one before it is
 * reused. If there is no further buffer, returns the end or the error of the source. */
static enum tm_status take(struct read_ahead *a, uint8_t **bytes, size_t *len, struct tm_error *err)
{
    size_t n = (size_t)(a->taken_count % BUFFERS);
    tm_thread_lock(&a->thread);
    if (a->taken_count >= BUFFERS_IN_USE) {
        a->emptied_count = a->taken_count - BUFFERS_IN_USE + 1;
        if (a->filled_count - a->emptied_count == BUFFERS_LOW)
            tm_thread_changed(&a->thread);
    }
    while (a->filled_count == a->taken_count && a->st == TM_OK)
        tm_thread_wait(&a->thread);
    enum tm_status st = a->filled_count > a->taken_count ? TM_OK : a->st;
    if (st < 0)
        *err = a->err;
    *len = a->len[n];
    tm_thread_unlock(&a->thread);
    *bytes = a->mem[n] + FRONT_BYTES;
    a->taken_count += st == TM_OK;
    return st;
}

/* Puts LEN more bytes after what IN shows, in memory that grows. */
static enum tm_status append(struct read_ahead *a, struct tm_input *in, const uint8_t *bytes, size_t len,
                             struct tm_error *err)
{
    size_t want = in->len + len, at = a->in_large ? (size_t)(in->data - a->large) : a->large_bytes;
    if (want > a->large_bytes) {
        uint8_t *large = malloc(2 * want);
        if (large == NULL)
            return tm_error_nomem(err);
        memcpy(large, in->data, in->len);
        free(a->large);
        a->large = large;
        a->large_bytes = 2 * want;
        at = 0;
    } else if (at + want > a->large_bytes) {
        memmove(a->large, in->data, in->len);
        at = 0;
    }
    memcpy(a->large + at + in->len, bytes, len);
    if (at == 0)
        in->first = a->large;
    in->data = a->large + at;
    in->len = want;
    a->in_large = true;
    return TM_OK;
}

/* Shows the next buffers. What is left of the one before goes in front of the next, or into large memory if that is too
 * much. */
static enum tm_status read_ahead_show(void *source, struct tm_input *in, size_t need, struct tm_error *err)
{
    struct read_ahead *a = source;
    while (in->len < need) {
        uint8_t *bytes;
        size_t len;
        enum tm_status st = take(a, &bytes, &len, err);
        in->ended = st == TM_END;
        if (st == TM_OK && in->len > FRONT_BYTES)
            st = append(a, in, bytes, len, err);
        else if (st == TM_OK) {
            if (in->len)
                memcpy(bytes - in->len, in->data, in->len);
            in->data = in->first = bytes - in->len;
            in->len += len;
            a->in_large = false;
        }
        if (st != TM_OK)
            return st;
    }
    return TM_OK;
}

static void read_ahead_close(void *source)
{
    struct read_ahead *a = source;
    tm_thread_end(&a->thread);
    if (a->ops->close)
        a->ops->close(a->source);
    free(a->large);
    free(a);
}

void tm_read_ahead_start(struct tm_input *in)
{
    static const struct tm_input_ops ops = {.show = read_ahead_show, .close = read_ahead_close};
    struct read_ahead *a = malloc(sizeof *a);
    if (a == NULL)
        return;
    memset(a, 0, offsetof(struct read_ahead, mem));
    a->ops = in->ops;
    a->source = in->source;
    if (tm_thread_start(&a->thread, fill_buffers, a))
        tm_input_init(in, &ops, a);
    else
        free(a);
}

#include "os/async_writer.h"

#include "os/io.h"
#include "os/thread.h"

#include <stdlib.h>

struct tm_async_writer {
    int fd;
    struct tm_thread thread;
    /* under the thread's lock */
    bool full; /* data is the thread's */
    struct tm_buf data;
    uint64_t offset;
    struct tm_error err; /* of the first failure */
};

static void *write_buffers(void *arg)
{
    struct tm_async_writer *b = arg;
    tm_thread_lock(&b->thread);
    for (;;) {
        while (!b->full && !b->thread.stop)
            tm_thread_wait(&b->thread);
        if (!b->full)
            break;
        tm_thread_unlock(&b->thread);
        (void)tm_io_pwrite(b->fd, b->data.data, b->data.len, b->offset, &b->err);
        tm_thread_lock(&b->thread);
        b->full = false;
        tm_thread_changed(&b->thread);
    }
    tm_thread_unlock(&b->thread);
    return NULL;
}

struct tm_async_writer *tm_async_writer_new(int fd)
{
    struct tm_async_writer *b = calloc(1, sizeof *b);
    if (b == NULL)
        return NULL;
    b->fd = fd;
    if (tm_thread_start(&b->thread, write_buffers, b))
        return b;
    free(b);
    return NULL;
}

/* Waits until the thread has written data. The caller holds the lock. */
static enum tm_status wait_for(struct tm_async_writer *b, struct tm_error *err)
{
    while (b->full)
        tm_thread_wait(&b->thread);
    return b->err.status < 0 ? tm_error_set(err, b->err.status, "%s", b->err.text) : TM_OK;
}

enum tm_status tm_async_writer_write(struct tm_async_writer *b, struct tm_buf *data, uint64_t offset,
                                     struct tm_error *err)
{
    tm_thread_lock(&b->thread);
    enum tm_status st = wait_for(b, err);
    if (st == TM_OK) {
        struct tm_buf written = b->data;
        b->data = *data;
        b->offset = offset;
        b->full = true;
        *data = written;
        tm_buf_clear(data);
        tm_thread_changed(&b->thread);
    }
    tm_thread_unlock(&b->thread);
    return st;
}

enum tm_status tm_async_writer_wait(struct tm_async_writer *b, struct tm_error *err)
{
    tm_thread_lock(&b->thread);
    enum tm_status st = wait_for(b, err);
    tm_thread_unlock(&b->thread);
    return st;
}

void tm_async_writer_free(struct tm_async_writer *b)
{
    if (b == NULL)
        return;
    tm_thread_end(&b->thread);
    tm_buf_release(&b->data);
    free(b);
}

#include "os/async_writer.h"

#include "os/handoff.h"
#include "os/io.h"

#include <stdlib.h>

struct tm_async_writer {
    int fd;
    struct tm_handoff handoff;
    /* handed over */
    struct tm_buf data;
    uint64_t offset;
};

static enum tm_status write_data(void *self, struct tm_handoff_piece piece, struct tm_error *err)
{
    struct tm_async_writer *w = self;
    (void)piece;
    return tm_io_pwrite(w->fd, w->data.data, w->data.len, w->offset, err);
}

struct tm_async_writer *tm_async_writer_new(int fd)
{
    struct tm_async_writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return NULL;
    w->fd = fd;
    if (tm_handoff_start(&w->handoff,
                         &(struct tm_handoff_work){.work = write_data, .self = w, .depth = 1, .threads = 1}))
        return w;
    free(w);
    return NULL;
}

enum tm_status tm_async_writer_write(struct tm_async_writer *w, struct tm_buf *data, uint64_t offset,
                                     struct tm_error *err)
{
    enum tm_status st = tm_handoff_wait(&w->handoff, err);
    if (st < 0)
        return st;
    struct tm_buf written = w->data;
    w->data = *data;
    w->offset = offset;
    *data = written;
    tm_buf_clear(data);
    tm_handoff_send(&w->handoff);
    return TM_OK;
}

enum tm_status tm_async_writer_or_io(struct tm_async_writer *w, int fd, struct tm_buf *data, uint64_t offset,
                                     struct tm_error *err)
{
    if (w)
        return tm_async_writer_write(w, data, offset, err);
    enum tm_status st = tm_io_pwrite(fd, data->data, data->len, offset, err);
    tm_buf_clear(data);
    return st;
}

enum tm_status tm_async_writer_wait(struct tm_async_writer *w, struct tm_error *err)
{
    return tm_handoff_wait(&w->handoff, err);
}

void tm_async_writer_free(struct tm_async_writer *w)
{
    if (w == NULL)
        return;
    tm_handoff_stop(&w->handoff);
    tm_buf_release(&w->data);
    free(w);
}

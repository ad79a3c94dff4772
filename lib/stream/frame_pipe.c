/* Frames through a pipe or a file: bytes are read into memory and written from it, or moved by the kernel. */
#include "os/compat.h"
#include "os/io.h"
#include "stream/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Makes room to read more of the NEED bytes. Memory grows as bytes arrive, so a false length takes none. */
static enum tm_status make_room(struct tm_frame_reader *r, size_t need, struct tm_error *err)
{
    size_t have = r->end - r->start;
    bool fits = need <= r->cap - r->start;
    if (!fits && r->start > 0 && (need <= r->cap || have <= r->cap / 2)) {
        memmove(r->mem, r->mem + r->start, have);
        r->start = 0;
        r->end = have;
    }
    if (r->end < r->cap)
        return TM_OK;
    size_t cap = r->cap ? 2 * r->cap : 2 * r->chunk_bytes;
    uint8_t *mem = malloc(cap);
    if (mem == NULL)
        return tm_error_nomem(err);
    if (have)
        memcpy(mem, r->mem + r->start, have);
    free(r->mem);
    r->mem = mem;
    r->cap = cap;
    r->start = 0;
    r->end = have;
    return TM_OK;
}

enum tm_status tm_frame_pipe_want(struct tm_frame_reader *r, size_t need, struct tm_error *err)
{
    while (r->end - r->start < need && !r->ended) {
        size_t got = 0;
        enum tm_status st = make_room(r, need, err);
        if (st == TM_OK) {
            tm_progress_begin(&r->progress);
            st = tm_io_read(r->fd, r->mem + r->end, r->cap - r->end, &got, err);
            tm_progress_end(&r->progress, got);
        }
        if (st < 0)
            return st;
        r->end += got;
        r->ended = st == TM_END;
    }
    return r->end - r->start >= need ? TM_OK : TM_END;
}

/* Returns ST, the result of a write. Names the output of a failure if it is standard output; other descriptors are
 * named by who opened them. */
static enum tm_status written(const struct tm_frame_writer *writer, enum tm_status st, struct tm_error *err)
{
    return st < 0 && writer->fd == STDOUT_FILENO ? tm_error_prefix(err, "standard output") : st;
}

enum tm_status tm_frame_pipe_write(struct tm_frame_writer *writer, const void *data, size_t len, struct tm_error *err)
{
    tm_progress_begin(&writer->progress);
    enum tm_status st = tm_io_write(writer->fd, data, len, err);
    tm_progress_end(&writer->progress, len);
    return written(writer, st, err);
}

enum tm_status tm_frame_pipe_flush(struct tm_frame_writer *writer, struct tm_error *err)
{
    enum tm_status st = tm_frame_pipe_write(writer, writer->out.data, writer->out.len, err);
    tm_buf_clear(&writer->out);
    return st;
}

enum tm_status tm_frame_pipe_put(struct tm_frame_writer *writer, struct iovec *all, size_t count,
                                 struct tm_error *err)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += all[i].iov_len;
    tm_progress_begin(&writer->progress);
    enum tm_status st = tm_io_writev(writer->fd, all, count, err);
    tm_progress_end(&writer->progress, len);
    return written(writer, st, err);
}

enum tm_status tm_frame_pipe_move(struct tm_frame_reader *r, const struct tm_frame_writer *writer, size_t len,
                                  struct tm_error *err)
{
    bool can_splice = true;
    while (len > 0) {
        long n = can_splice ? tm_compat_splice(r->fd, writer->fd, len) : -1;
        if (n < 0 && can_splice) {
            if (errno != EINTR && errno != EINVAL && errno != ENOSYS)
                return tm_error_errno(err, errno, "cannot pass on");
            can_splice = errno == EINTR;
            continue;
        }
        size_t got = n > 0 ? (size_t)n : 0;
        enum tm_status st = n == 0 ? TM_END : TM_OK;
        if (n < 0 && (st = tm_io_read(r->fd, r->mem, len < r->cap ? len : r->cap, &got, err)) == TM_OK)
            st = written(writer, tm_io_write(writer->fd, r->mem, got, err), err);
        if (st != TM_OK)
            return st;
        len -= got;
    }
    return TM_OK;
}

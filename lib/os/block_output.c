#include "os/block_output.h"

#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ASYNC_FROM_BYTES = 4 << 20,  /* a smaller output is not worth a thread */
    ASYNC_BLOCK_BYTES = 64 << 10 /* a smaller block is not worth waking the thread */
};

void tm_block_output_init(struct tm_block_output *out, int fd, const char *name)
{
    *out = (struct tm_block_output){.fd = fd, .name = name ? name : "standard output", .is_own = name != NULL};
}

/* Starts the thread if fd can be written at any offset. */
static void start_writer(struct tm_block_output *out)
{
    struct stat info;
    out->has_writer = true;
    if (!out->is_own || fstat(out->fd, &info) != 0 || !S_ISREG(info.st_mode) || fcntl(out->fd, F_GETFL) & O_APPEND)
        return;
    off_t at = lseek(out->fd, 0, SEEK_CUR);
    if (at < 0 || (out->writer = tm_async_writer_new(out->fd)) == NULL)
        return;
    out->offset = (uint64_t)at;
}

/* Hands a large block to the thread. Writes a small one here, possibly while the thread writes: each block has its own
 * offset. */
static enum tm_status write_at(struct tm_block_output *out, struct tm_buf *bytes, struct tm_error *err)
{
    struct tm_async_writer *writer = bytes->len >= ASYNC_BLOCK_BYTES ? out->writer : NULL;
    uint64_t offset = out->offset;
    out->offset += bytes->len;
    return tm_async_writer_or_io(writer, out->fd, bytes, offset, err);
}

enum tm_status tm_block_output_write(struct tm_block_output *out, struct tm_buf *bytes, struct tm_error *err)
{
    struct tm_error why = {0};
    enum tm_status st;
    if (bytes->len == 0)
        return TM_OK;
    if (out->bytes >= ASYNC_FROM_BYTES && !out->has_writer)
        start_writer(out);
    out->bytes += bytes->len;
    st = out->writer ? write_at(out, bytes, &why) : tm_io_write(out->fd, bytes->data, bytes->len, &why);
    tm_buf_clear(bytes);
    return st < 0 ? tm_error_set(err, st, "%s: %s", out->name, why.text) : TM_OK;
}

enum tm_status tm_block_output_finish(struct tm_block_output *out, struct tm_error *err)
{
    struct tm_error why = {0};
    if (out->writer == NULL)
        return TM_OK;
    enum tm_status st = tm_async_writer_wait(out->writer, &why);
    if (st == TM_OK && lseek(out->fd, (off_t)out->offset, SEEK_SET) < 0)
        st = tm_error_errno(&why, errno, "cannot write");
    tm_block_output_release(out);
    return st < 0 ? tm_error_set(err, st, "%s: %s", out->name, why.text) : TM_OK;
}

void tm_block_output_release(struct tm_block_output *out)
{
    tm_async_writer_free(out->writer);
    out->writer = NULL;
    out->has_writer = false;
}

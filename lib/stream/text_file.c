#include "stream/text_file.h"

#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITE_BYTES = 512 << 10 };

enum tm_status tm_text_file_open(struct tm_text_file *file, const char *path, struct tm_error *err)
{
    struct stat info;
    *file = (struct tm_text_file){.path = path, .fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)};
    if (file->fd < 0 || fstat(file->fd, &info) != 0)
        return tm_error_errno(err, errno, "%s: cannot open", path);
    if (info.st_nlink == 0) /* PATH is only its descriptor */
        file->path = "temporary file";
    if (!S_ISREG(info.st_mode))
        return tm_error_set(err, TM_E_INPUT, "%s: not a regular file, as --text requires", path);
    enum tm_status st = tm_io_empty(file->fd, err);
    if (st < 0)
        return tm_error_prefix(err, "%s", file->path);
    file->device = (uint64_t)info.st_dev;
    file->inode = (uint64_t)info.st_ino;
    return TM_OK;
}

/* Writes the bytes in out, or passes them to the async writer. */
static enum tm_status write_out(struct tm_text_file *file, struct tm_error *err)
{
    size_t len = file->out.len;
    if (file->async == NULL)
        file->async = tm_async_writer_new(file->fd);
    if (tm_async_writer_or_io(file->async, file->fd, &file->out, file->written, err) < 0)
        return tm_error_prefix(err, "%s", file->path);
    file->written += len;
    return TM_OK;
}

enum tm_status tm_text_file_flush(struct tm_text_file *file, struct tm_error *err)
{
    enum tm_status st = file->async ? tm_async_writer_wait(file->async, err) : TM_OK;
    if (st == TM_OK)
        st = tm_io_pwrite(file->fd, file->out.data, file->out.len, file->written, err);
    if (st < 0)
        return tm_error_prefix(err, "%s", file->path);
    file->written += file->out.len;
    tm_buf_clear(&file->out);
    return TM_OK;
}

enum tm_status tm_text_file_add(struct tm_text_file *file, const void *text, size_t len, uint64_t *offset,
                                struct tm_error *err)
{
    *offset = file->written + file->out.len;
    if (tm_buf_add(&file->out, text, len) != TM_OK)
        return tm_error_nomem(err);
    return file->out.len >= WRITE_BYTES ? write_out(file, err) : TM_OK;
}

enum tm_status tm_text_file_write(struct tm_text_file *file, const void *data, size_t len, uint64_t *offset,
                                  struct tm_error *err)
{
    enum tm_status st = file->out.len > 0 || file->async ? tm_text_file_flush(file, err) : TM_OK;
    *offset = file->written;
    if (st == TM_OK && (st = tm_io_pwrite(file->fd, data, len, file->written, err)) < 0)
        tm_error_prefix(err, "%s", file->path);
    file->written += len;
    return st;
}

void tm_text_file_release(struct tm_text_file *file)
{
    tm_async_writer_free(file->async);
    file->async = NULL;
    if (file->fd >= 0)
        (void)close(file->fd);
    tm_buf_release(&file->out);
    file->fd = -1;
}

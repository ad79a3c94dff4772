#include "stream/text_file.h"

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITE_BYTES = 256 << 10 };

enum tm_status tm_text_file_open(struct tm_text_file *file, const char *path, struct tm_error *err)
{
    struct stat info;
    *file = (struct tm_text_file){.path = path, .fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK)};
    if (file->fd < 0 || fstat(file->fd, &info) != 0)
        return tm_error_errno(err, errno, "%s: cannot open", path);
    if (!S_ISREG(info.st_mode))
        return tm_error_set(err, TM_E_INPUT, "%s: is no regular file, which --text has to be", path);
    file->device = (uint64_t)info.st_dev;
    file->inode = (uint64_t)info.st_ino;
    return TM_OK;
}

enum tm_status tm_text_file_flush(struct tm_text_file *file, struct tm_error *err)
{
    size_t len = file->out.len;
    enum tm_status st = tm_io_pwrite(file->fd, file->out.data, len, file->written, err);
    if (st < 0)
        return tm_error_prefix(err, "%s", file->path);
    file->written += len;
    tm_buf_clear(&file->out);
    return TM_OK;
}

enum tm_status tm_text_file_add(struct tm_text_file *file, const void *text, size_t len, uint64_t *offset,
                                struct tm_error *err)
{
    *offset = file->written + file->out.len;
    if (tm_buf_add(&file->out, text, len) != TM_OK)
        return tm_error_nomem(err);
    return file->out.len >= WRITE_BYTES ? tm_text_file_flush(file, err) : TM_OK;
}

void tm_text_file_release(struct tm_text_file *file)
{
    if (file->fd >= 0)
        (void)close(file->fd);
    tm_buf_release(&file->out);
    file->fd = -1;
}

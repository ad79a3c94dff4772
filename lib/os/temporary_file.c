#include "os/temporary_file.h"

#include "os/io.h"

#include <unistd.h>

enum tm_status tm_temporary_file_open(struct tm_temporary_file *f, struct tm_error *err)
{
    if (f->is_open)
        return TM_OK;
    enum tm_status st = tm_io_temporary(f->dir, &f->fd, err);
    f->is_open = st == TM_OK;
    return st;
}

enum tm_status tm_temporary_file_add(struct tm_temporary_file *f, const void *data, size_t len, struct tm_error *err)
{
    uint64_t at = f->len;
    f->len += len;
    enum tm_status st = tm_temporary_file_open(f, err);
    return st == TM_OK ? tm_io_pwrite(f->fd, data, len, at, err) : st;
}

enum tm_status tm_temporary_file_read(const struct tm_temporary_file *f, void *data, size_t len, uint64_t offset,
                                      struct tm_error *err)
{
    enum tm_status st = f->is_open ? tm_io_pread(f->fd, data, len, offset, err) : TM_END;
    return st == TM_END ? tm_error_set(err, TM_E_SYSTEM, "the temporary file was cut short") : st;
}

void tm_temporary_file_release(struct tm_temporary_file *f)
{
    if (f->is_open)
        (void)close(f->fd);
    *f = (struct tm_temporary_file){.dir = f->dir};
}

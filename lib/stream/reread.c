#include "stream/reread.h"

#include "os/io.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

enum tm_status tm_reread_from(int fd, off_t at, struct tm_error *err)
{
    return lseek(fd, at, SEEK_SET) < 0 ? tm_error_errno(err, errno, "the stream cannot be read again") : TM_OK;
}

enum tm_status tm_reread_copy(int in, const char *dir, int *fd, struct tm_error *err)
{
    uint8_t *piece = malloc(PIECE);
    size_t got;
    *fd = -1;
    enum tm_status st = piece ? tm_io_temporary(dir, fd, err) : tm_error_nomem(err);
    while (st == TM_OK && (st = tm_io_read(in, piece, PIECE, &got, err)) == TM_OK)
        st = tm_io_write(*fd, piece, got, err);
    free(piece);
    if (st == TM_END)
        st = tm_reread_from(*fd, 0, err);
    if (st < 0 && *fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
    return st;
}

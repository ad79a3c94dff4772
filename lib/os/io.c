#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { IO_CHUNK_MAX = 1 << 30, IO_PIECES_MIN = 16 /* what POSIX lets every system take */ };

static size_t chunk(size_t len)
{
    return len < IO_CHUNK_MAX ? len : IO_CHUNK_MAX;
}

enum tm_status tm_io_read(int fd, void *data, size_t len, size_t *got, struct tm_error *err)
{
    ssize_t n;
    do
        n = read(fd, data, chunk(len));
    while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    if (n < 0)
        return tm_error_errno(err, errno, "cannot read");
    return n == 0 ? TM_END : TM_OK;
}

enum tm_status tm_io_write(int fd, const void *data, size_t len, struct tm_error *err)
{
    const uint8_t *p = data;
    while (len > 0) {
        ssize_t n = write(fd, p, chunk(len));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tm_error_errno(err, errno, "cannot write");
        p += n;
        len -= (size_t)n;
    }
    return TM_OK;
}

enum tm_status tm_io_writev(int fd, struct iovec *pieces, size_t count, struct tm_error *err)
{
    long most = sysconf(_SC_IOV_MAX);
    if (most < IO_PIECES_MIN)
        most = IO_PIECES_MIN;
    while (count > 0) {
        ssize_t n = writev(fd, pieces, count < (size_t)most ? (int)count : (int)most);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tm_error_errno(err, errno, "cannot write");
        size_t left = (size_t)n;
        while (count > 0 && left >= pieces->iov_len) {
            left -= pieces->iov_len;
            pieces++;
            count--;
        }
        if (count > 0) {
            pieces->iov_base = (uint8_t *)pieces->iov_base + left;
            pieces->iov_len -= left;
        }
    }
    return TM_OK;
}

enum tm_status tm_io_pread(int fd, void *data, size_t len, uint64_t offset, struct tm_error *err)
{
    uint8_t *p = data;
    while (len > 0) {
        ssize_t n = pread(fd, p, chunk(len), (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tm_error_errno(err, errno, "cannot read");
        if (n == 0)
            return TM_END;
        p += n;
        len -= (size_t)n;
        offset += (uint64_t)n;
    }
    return TM_OK;
}

enum tm_status tm_io_pwrite(int fd, const void *data, size_t len, uint64_t offset, struct tm_error *err)
{
    const uint8_t *p = data;
    while (len > 0) {
        ssize_t n = pwrite(fd, p, chunk(len), (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tm_error_errno(err, errno, "cannot write");
        p += n;
        len -= (size_t)n;
        offset += (uint64_t)n;
    }
    return TM_OK;
}

enum tm_status tm_io_empty(int fd, struct tm_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || (info.st_size > 0 && ftruncate(fd, 0) != 0))
        return tm_error_errno(err, errno, "cannot be emptied");
    return TM_OK;
}

const char *tm_io_spool_dir(const char *dir)
{
    if (dir == NULL || *dir == '\0')
        dir = getenv("TMPDIR");
    return dir == NULL || *dir == '\0' ? "/tmp" : dir;
}

enum tm_status tm_io_spool(const char *dir, int *fd, struct tm_error *err)
{
    char path[4096];
    dir = tm_io_spool_dir(dir);
    int n = snprintf(path, sizeof path, "%s/tracemerge.XXXXXX", dir);
    if (n < 0 || (size_t)n >= sizeof path)
        return tm_error_set(err, TM_E_SYSTEM, "%s: name of the spill directory is too long", dir);
    *fd = mkstemp(path);
    if (*fd < 0)
        return tm_error_errno(err, errno, "%s: cannot make a temporary file", dir);
    (void)unlink(path);
    (void)fcntl(*fd, F_SETFD, FD_CLOEXEC);
    return TM_OK;
}

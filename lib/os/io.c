#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { IO_CHUNK_MAX = 1 << 30, IO_PIECES_MIN = 16 /* _XOPEN_IOV_MAX, the least that POSIX allows */ };

static size_t chunk(size_t len)
{
    return len < IO_CHUNK_MAX ? len : IO_CHUNK_MAX;
}

static enum tm_status cannot_read(struct tm_error *err)
{
    if (errno == EISDIR)
        return tm_error_set(err, TM_E_INPUT, "cannot read: %s", strerror(EISDIR));
    if (err && err->status == TM_OK) {
        (void)tm_error_errno(err, errno, "cannot read");
        err->is_reading = true;
    }
    return TM_E_SYSTEM;
}

enum tm_status tm_io_read(int fd, void *data, size_t len, size_t *got, struct tm_error *err)
{
    ssize_t n;
    do
        n = read(fd, data, chunk(len));
    while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    if (n < 0)
        return cannot_read(err);
    return n == 0 ? TM_END : TM_OK;
}

bool tm_io_is_folder(const char *path)
{
    struct stat info;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Finds the folder of the regular file FD, or the folder in which it was made. It is taken from /proc, because nothing
 * else tells the folder of a file that has no name any more. */
static bool find_folder(int fd, char *path, size_t size)
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, size - 1);
    if (n <= 1 || path[0] != '/')
        return false;
    path[n] = '\0';
    char *slash = strrchr(path, '/');
    slash[slash == path] = '\0';
    return true;
}

/* Reports errno of a failed write of FD. If the disk is full, the error names the folder on it and the size that the
 * file needs. */
static enum tm_status cannot_write(int fd, uint64_t end, struct tm_error *err)
{
    int why = errno;
    bool is_full = why == ENOSPC || why == EDQUOT;
    char folder[4096];
    struct stat info;
    if (!is_full || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || !find_folder(fd, folder, sizeof folder))
        return tm_error_errno(err, why, "cannot write");
    return tm_error_errno(err, why, "cannot write in %s, where this file needs at least %llu bytes", folder,
                          (unsigned long long)end);
}

/* Returns where a write of LEFT more bytes would end in FD. Keeps errno. */
static uint64_t end_of(int fd, size_t left)
{
    int why = errno;
    off_t at = lseek(fd, 0, SEEK_CUR);
    errno = why;
    return left + (at > 0 ? (uint64_t)at : 0);
}

enum tm_status tm_io_write(int fd, const void *data, size_t len, struct tm_error *err)
{
    const uint8_t *p = data;
    while (len > 0) {
        ssize_t n = write(fd, p, chunk(len));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot_write(fd, end_of(fd, len), err);
        p += n;
        len -= (size_t)n;
    }
    return TM_OK;
}

static bool is_pipe_signal_pending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
}

/* The write raises SIGPIPE in this thread. It is blocked meanwhile, and taken back. */
void tm_io_message(int fd, const void *data, size_t len)
{
    sigset_t only, before;
    int signum;
    (void)sigemptyset(&only);
    (void)sigaddset(&only, SIGPIPE);
    if (pthread_sigmask(SIG_BLOCK, &only, &before) != 0)
        return;
    const bool was_pending = is_pipe_signal_pending();
    (void)tm_io_write(fd, data, len, NULL);
    if (!was_pending && is_pipe_signal_pending())
        (void)sigwait(&only, &signum);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static size_t pieces_bytes(const struct iovec *pieces, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += pieces[i].iov_len;
    return bytes;
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
            return cannot_write(fd, end_of(fd, pieces_bytes(pieces, count)), err);
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
            return cannot_read(err);
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
            return cannot_write(fd, offset + len, err);
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

const char *tm_io_temporary_dir(const char *dir)
{
    if (dir == NULL || *dir == '\0')
        dir = getenv("TMPDIR");
    return dir == NULL || *dir == '\0' ? "/tmp" : dir;
}

enum tm_status tm_io_temporary(const char *dir, int *fd, struct tm_error *err)
{
    char path[4096];
    dir = tm_io_temporary_dir(dir);
    int n = snprintf(path, sizeof path, "%s/tracemerge.XXXXXX", dir);
    if (n < 0 || (size_t)n >= sizeof path)
        return tm_error_set(err, TM_E_SYSTEM, "%s: name of the folder for temporary files is too long", dir);
    *fd = mkstemp(path);
    if (*fd < 0)
        return tm_error_errno(err, errno, "%s: cannot make a temporary file", dir);
    (void)unlink(path);
    (void)fcntl(*fd, F_SETFD, FD_CLOEXEC);
    return TM_OK;
}

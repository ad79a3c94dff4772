#include "os/compressor.h"

#include "os/compat.h"
#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { CHUNK_BYTES = 256 << 10, GZIP_LEVEL = 3, ZSTD_LEVEL = 3, GZIP_WINDOW = 15 + 16, PIPE_BYTES = 1 << 20 };

/* gzip and zstd compress what they read from IN and write it to OUT. They return 0 or an errno. */
static int gzip(int in, int out, uint8_t *from, uint8_t *to)
{
    z_stream z = {0};
    enum tm_status st;
    size_t got;
    if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return ENOMEM;
    do {
        if ((st = tm_io_read(in, from, CHUNK_BYTES, &got, NULL)) < 0)
            return errno ? errno : EIO;
        z.next_in = from;
        z.avail_in = (uInt)got;
        do {
            z.next_out = to;
            z.avail_out = CHUNK_BYTES;
            if (deflate(&z, st == TM_END ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
                return EINVAL;
            if (tm_io_write(out, to, CHUNK_BYTES - z.avail_out, NULL) < 0)
                return errno ? errno : EIO;
        } while (z.avail_out == 0);
    } while (st == TM_OK);
    return deflateEnd(&z) == Z_OK ? 0 : EINVAL;
}

static int zstd(int in, int out, uint8_t *from, uint8_t *to)
{
    ZSTD_CCtx *z = ZSTD_createCCtx();
    enum tm_status st;
    size_t got, left;
    if (z == NULL || ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, ZSTD_LEVEL)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1)))
        return ENOMEM;
    do {
        if ((st = tm_io_read(in, from, CHUNK_BYTES, &got, NULL)) < 0)
            return errno ? errno : EIO;
        ZSTD_inBuffer input = {from, got, 0};
        do {
            ZSTD_outBuffer output = {to, CHUNK_BYTES, 0};
            left = ZSTD_compressStream2(z, &output, &input, st == TM_END ? ZSTD_e_end : ZSTD_e_continue);
            if (ZSTD_isError(left))
                return ENOMEM;
            if (tm_io_write(out, to, output.pos, NULL) < 0)
                return errno ? errno : EIO;
        } while (st == TM_END ? left != 0 : input.pos < input.size);
    } while (st == TM_OK);
    ZSTD_freeCCtx(z);
    return 0;
}

static int compress_all(enum tm_compressor_kind kind, int in, int out)
{
    uint8_t *from = malloc(CHUNK_BYTES), *to = malloc(CHUNK_BYTES);
    int status = ENOMEM;
    if (from && to)
        status = kind == TM_COMPRESSOR_GZIP ? gzip(in, out, from, to) : zstd(in, out, from, to);
    free(from);
    free(to);
    return status;
}

/* Signals are handled by the parent, which removes the file. One that it ignores stays ignored, as by nohup. */
static void reset_signals(void)
{
    static const int handled[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now;
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        if (sigaction(handled[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)signal(handled[i], SIG_DFL);
    (void)signal(SIGPIPE, SIG_DFL);
}

enum tm_status tm_compressor_start(struct tm_compressor *compressor, enum tm_compressor_kind kind, int out_fd,
                                   const char *name, struct tm_error *err)
{
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    int ends[2];
    *compressor = (struct tm_compressor){.fd = -1, .name = name ? name : "standard output"};
    if (pipe(ends) != 0)
        return tm_error_errno(err, errno, "cannot make a pipe");
    tm_compat_widen_pipe(ends[1], PIPE_BYTES);
    pid_t pid = fork();
    if (pid < 0) {
        int errnum = errno;
        (void)close(ends[0]);
        (void)close(ends[1]);
        return tm_error_errno(err, errnum, "cannot start the compressor");
    }
    if (pid == 0) {
        reset_signals();
        (void)close(ends[1]);
        (void)close(STDIN_FILENO);
        _exit(compress_all(kind, ends[0], out_fd));
    }
    (void)close(ends[0]);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    compressor->fd = ends[1];
    compressor->pid = pid;
    (void)sigaction(SIGPIPE, &ignored, &compressor->on_pipe);
    return TM_OK;
}

enum tm_status tm_compressor_finish(struct tm_compressor *compressor, struct tm_error *err)
{
    int status = 0;
    pid_t got;
    if (compressor->pid == 0)
        return TM_OK;
    (void)close(compressor->fd);
    compressor->fd = -1;
    do
        got = waitpid(compressor->pid, &status, 0);
    while (got < 0 && errno == EINTR);
    compressor->pid = 0;
    (void)sigaction(SIGPIPE, &compressor->on_pipe, NULL);
    if (got > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
        (void)raise(SIGPIPE);
    if (got > 0 && WIFSIGNALED(status))
        return tm_error_set(err, TM_E_SYSTEM, "%s: the compressor was killed by signal %d", compressor->name,
                            WTERMSIG(status));
    if (got < 0 || WEXITSTATUS(status) != 0)
        return tm_error_errno(err, got < 0 ? ECHILD : WEXITSTATUS(status), "%s: cannot write", compressor->name);
    return TM_OK;
}

void tm_compressor_abandon(struct tm_compressor *compressor)
{
    if (compressor->pid == 0)
        return;
    (void)kill(compressor->pid, SIGKILL);
    (void)tm_compressor_finish(compressor, NULL);
}

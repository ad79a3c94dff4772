#include "os/subprocess.h"

#include "config.h"

#include "os/compat.h"
#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the result of the work, as the child reports it in RESULT. The child is not trusted: its status and text are
 * checked. */
static enum tm_status take_result(const struct tm_error *result, struct tm_error *err)
{
    char text[sizeof result->text];
    memcpy(text, result->text, sizeof text);
    text[sizeof text - 1] = '\0';
    if (result->status >= 0)
        return TM_OK;
    return tm_error_set(err, result->status >= TM_E_STRICT ? result->status : TM_E_SYSTEM, "%s", text);
}

/* Reads all of RESULT. TM_END: the child ended before that. */
static enum tm_status read_result(int fd, struct tm_error *result, struct tm_error *err)
{
    size_t have = 0, got;
    enum tm_status st = TM_OK;
    while (have < sizeof *result &&
           (st = tm_io_read(fd, (uint8_t *)result + have, sizeof *result - have, &got, err)) == TM_OK)
        have += got;
    return st;
}

/* Waits until the child PID has ended. Returns the result of its work, which it writes to the other end of FD. */
static enum tm_status wait_for(pid_t pid, int fd, struct tm_error *err)
{
    struct tm_error result = {0};
    int status = 0;
    pid_t got;
    enum tm_status st = read_result(fd, &result, err);
    do
        got = waitpid(pid, &status, 0);
    while (got < 0 && errno == EINTR);
    if (st < 0)
        return st;
    if (got > 0 && WIFSIGNALED(status))
        return tm_error_set(err, TM_E_SYSTEM, "killed by signal %d", WTERMSIG(status));
    if (st == TM_END || got < 0)
        return tm_error_set(err, TM_E_SYSTEM, "a child process ended without a result");
    return take_result(&result, err);
}

enum tm_status tm_subprocess_run(enum tm_status (*work)(void *context, struct tm_error *err), void *context,
                                 volatile sig_atomic_t *pid, struct tm_error *err)
{
    int ends[2];
    sigset_t all, before;
    if (pipe(ends) != 0)
        return tm_error_errno(err, errno, "cannot make a pipe");
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    pid_t child = fork();
    int errnum = errno;
    *pid = child > 0 ? child : 0;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (child == 0) {
        struct tm_error result = {0};
        (void)close(ends[0]);
        enum tm_status st = work(context, &result);
        if (st < 0 && result.status >= 0)
            result.status = st;
        _exit(tm_io_write(ends[1], (const uint8_t *)&result, sizeof result, NULL) < 0);
    }
    (void)close(ends[1]);
    enum tm_status st = child < 0 ? tm_error_errno(err, errnum, "cannot start a process")
                                  : wait_for(child, ends[0], err);
    *pid = 0;
    (void)close(ends[0]);
    return st;
}

static enum tm_status child_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    const struct tm_subprocess *p = source;
    struct pollfd ready = {.fd = p->fd, .events = POLLIN};
    int count;
    do
        count = poll(&ready, 1, TM_SUBPROCESS_SILENCE_S * 1000);
    while (count < 0 && errno == EINTR);
    if (count == 0)
        return tm_error_set(err, TM_E_INPUT, "its reader process has not answered for %d seconds",
                            TM_SUBPROCESS_SILENCE_S);
    return tm_io_read(p->fd, data, len, got, err);
}

/* Limits the child, in case a library is tricked by its input. */
static void confine(void)
{
    struct rlimit none = {0, 0}, memory = {(rlim_t)TM_SUBPROCESS_MIB_MAX << 20, (rlim_t)TM_SUBPROCESS_MIB_MAX << 20};
    int nowhere = open("/dev/null", O_WRONLY);
    (void)setrlimit(RLIMIT_CORE, &none);
#ifdef TM_SANDBOX
    (void)setrlimit(RLIMIT_DATA, &memory);
#else
    (void)memory;
#endif
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        _exit(1);
    tm_compat_end_with_parent(SIGKILL);
}

enum tm_status tm_subprocess_open(struct tm_subprocess *p, int (*work)(void *context, int fd), void *context,
                                  struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = child_read};
    int ends[2];
    if (pipe(ends) != 0)
        return tm_error_errno(err, errno, "cannot make a pipe");
    pid_t child = fork();
    int errnum = errno;
    if (child == 0) {
        (void)close(ends[0]);
        confine();
        _exit(work(context, ends[1]));
    }
    (void)close(ends[1]);
    if (child < 0) {
        (void)close(ends[0]);
        return tm_error_errno(err, errnum, "cannot start a process");
    }
    p->pid = child;
    p->fd = ends[0];
    tm_input_init(&p->out, &ops, p);
    return TM_OK;
}

enum tm_status tm_subprocess_close(struct tm_subprocess *p, struct tm_error *err)
{
    int status = 0;
    pid_t got;
    if (p->pid == 0)
        return TM_OK;
    bool has_ended = p->out.ended;
    tm_input_release(&p->out);
    (void)close(p->fd);
    if (!has_ended)
        (void)kill(p->pid, SIGKILL);
    do
        got = waitpid(p->pid, &status, 0);
    while (got < 0 && errno == EINTR);
    *p = (struct tm_subprocess){0};
    if (!has_ended || got < 0)
        return TM_OK;
    if (WIFSIGNALED(status))
        return tm_error_set(err, TM_E_INPUT, "killed by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == TM_SUBPROCESS_SYSTEM_FAILED)
        return tm_error_set(err, TM_E_SYSTEM, "a child process had too little memory or could not write");
    return WEXITSTATUS(status) == 0 ? TM_OK
                                    : tm_error_set(err, TM_E_INPUT, "ended with status %d", WEXITSTATUS(status));
}

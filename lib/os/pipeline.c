#include "os/pipeline.h"

#include "os/compat.h"
#include "os/io.h"
#include "os/program.h"
#include "os/shared_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
    /* A stage that fails closes its pipes shortly before it ends. Its neighbours notice that, and have this long to end
     * by themselves with a message of their own. */
    PIPELINE_GRACE_MS = 500,
    PIPELINE_TICK_MS = 50,
    PIPELINE_READ_BYTES = 4096
};

static bool try_path(const char *dir, size_t dir_len, const char *name, char *out, size_t size)
{
    int n = snprintf(out, size, "%.*s/%s", (int)dir_len, dir, name);
    return dir_len < INT_MAX && n > 0 && (size_t)n < size && access(out, X_OK) == 0;
}

enum tm_status tm_pipeline_find(const char *name, const char *dir, char *out, size_t size, struct tm_error *err)
{
    const char *path = getenv("PATH");
    if (dir && try_path(dir, strlen(dir), name, out, size))
        return TM_OK;
    for (const char *p = path; p && *p;) {
        size_t len = strcspn(p, ":");
        if (len == 0 ? try_path(".", 1, name, out, size) : try_path(p, len, name, out, size))
            return TM_OK;
        p += len + (p[len] == ':');
    }
    return tm_error_set(err, TM_E_SYSTEM, "%s: program not found, neither beside tm-merge nor in PATH", name);
}

static enum tm_status make_pipe(int fds[2], struct tm_error *err)
{
    if (pipe(fds) != 0) {
        fds[0] = fds[1] = -1;
        return tm_error_errno(err, errno, "cannot make a pipe");
    }
    (void)fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(fds[1], F_SETFD, FD_CLOEXEC);
    return TM_OK;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* Descriptors of a stage before its start; -1: that of the caller, or no ring. */
struct ends {
    int in, out, err;
    int rings[3]; /* of input and output, and of the input of the stage before */
    const sigset_t *mask;
};

/* Gives the process descriptor TO, as it is without FD_CLOEXEC. Returns 0 or an errno. */
static int place(int fd, int to)
{
    if (fd == to)
        return fcntl(fd, F_SETFD, 0) == 0 ? 0 : errno;
    return fd < 0 || dup2(fd, to) == to ? 0 : errno;
}

/* What a new process is to become. */
struct program {
    const struct tm_stage *stage;
    const struct ends *ends;
    char *const *environment;
    int failure; /* an errno, set by the new process; 0: it runs */
};

/* Becomes the program of a stage, in a process that shares the memory of tm-merge until then. So the handlers of
 * signals are removed before any signal is let through. A signal that is ignored stays so. */
static void become(void *context)
{
    struct program *program = context;
    const struct ends *ends = program->ends;
    static const int handled[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    struct sigaction now;
    int e = 0;
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        if (sigaction(handled[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaction(handled[i], &by_default, NULL);
    (void)sigaction(SIGPIPE, &by_default, NULL);
    tm_compat_end_with_parent(SIGTERM); /* then the last stage removes its results */
    for (int i = 0; i < 3 && e == 0; i++)
        e = ends->rings[i] < 0 ? 0 : place(ends->rings[i], ends->rings[i]); /* only this stage inherits it */
    if (e == 0)
        e = place(ends->in, STDIN_FILENO);
    if (e == 0)
        e = place(ends->out, STDOUT_FILENO);
    if (e == 0)
        e = place(ends->err, STDERR_FILENO);
    if (e == 0) {
        (void)sigprocmask(SIG_SETMASK, ends->mask, NULL);
        (void)execve(program->stage->path, (char *const *)(uintptr_t)program->stage->argv, program->environment);
        e = errno;
    }
    program->failure = e;
}

/* Returns the environment of STAGE, to be freed: that of this program, TM_PIPELINE_VARIABLE and the settings of STAGE.
 * NULL if out of memory. */
static char **environment_of(const struct tm_stage *stage)
{
    size_t n = 0;
    while (environ[n])
        n++;
    char **all = malloc((n + 4) * sizeof *all);
    if (all == NULL)
        return NULL;
    static char pipeline[] = TM_PIPELINE_VARIABLE "=1";
    memcpy(all, environ, n * sizeof *all);
    all[n++] = pipeline;
    if (stage->setting)
        all[n++] = (char *)(uintptr_t)stage->setting;
    if (stage->rings[0])
        all[n++] = (char *)(uintptr_t)stage->rings;
    all[n] = NULL;
    return all;
}

/* Starts the program of STAGE. Returns 0 or an errno. */
static int start_program(struct tm_stage *stage, const struct ends *ends, char *const *environment)
{
    struct program program = {stage, ends, environment, 0};
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    stage->pid = tm_compat_spawn(become, &program);
    int e = stage->pid < 0 ? errno : program.failure;
    if (stage->pid > 0 && e != 0)
        (void)waitpid(stage->pid, NULL, 0);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return e;
}

static enum tm_status spawn_stage(struct tm_stage *stage, const struct ends *ends, struct tm_error *err)
{
    stage->rings[0] = '\0';
    if (ends->rings[0] >= 0 || ends->rings[1] >= 0 || ends->rings[2] >= 0)
        snprintf(stage->rings, sizeof stage->rings, TM_RINGS_VARIABLE "=%d,%d,%d", ends->rings[0], ends->rings[1],
                 ends->rings[2]);
    char **environment = environment_of(stage);
    if (environment == NULL)
        return tm_error_nomem(err);
    int e = start_program(stage, ends, environment);
    free(environment);
    if (e != 0)
        return tm_error_errno(err, e, "%s: cannot run", stage->path);
    stage->running = true;
    return TM_OK;
}

/* Sends SIGNUM to the first COUNT stages, those that still run. */
static void signal_stages(struct tm_pipeline *p, size_t count, int signum)
{
    for (size_t i = 0; i < count; i++)
        if (p->stages[i].running)
            (void)kill(p->stages[i].pid, signum);
}

static int64_t now_ms(void)
{
    struct timespec t = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void reap(struct tm_stage *stage)
{
    pid_t got;
    do
        got = waitpid(stage->pid, &stage->wait_status, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        stage->wait_status = 0x7f00; /* another part of the program reaped it, so its status is unknown */
    stage->running = false;
    stage->ended_ms = now_ms();
    close_fd(&stage->err_fd);
}

void tm_pipeline_stop(struct tm_pipeline *p)
{
    signal_stages(p, p->count, SIGTERM);
    for (size_t i = 0; i < p->count; i++) {
        if (p->stages[i].running)
            reap(&p->stages[i]);
        close_fd(&p->stages[i].err_fd);
    }
}

/* What the stages that were started leave open for the next one; -1: none. */
struct upstream {
    int in;    /* its standard input */
    int ring;  /* of that input */
    int taken; /* of the input of the stage before, which passes it on */
};

/* Starts stage I, whose input is UPSTREAM. Sets UPSTREAM to what it leaves to the next one. */
static enum tm_status start_stage(struct tm_pipeline *p, size_t i, struct upstream *upstream, struct tm_error *err)
{
    struct tm_stage *stage = &p->stages[i];
    const bool is_last = i + 1 == p->count;
    int data[2] = {-1, -1}, errs[2] = {-1, -1};
    int out_ring = stage->shares_output && !is_last ? tm_ring_make() : -1;
    enum tm_status st = is_last ? TM_OK : make_pipe(data, err);
    if (st == TM_OK)
        st = make_pipe(errs, err);
    if (st == TM_OK && errs[0] >= (int)FD_SETSIZE)
        st = tm_error_set(err, TM_E_SYSTEM, "too many files are open");
    if (st == TM_OK)
        st = spawn_stage(stage,
                         &(struct ends){upstream->in, data[1], errs[1], {upstream->ring, out_ring, upstream->taken},
                                        &p->wait_mask},
                         err);
    close_fd(&upstream->taken);
    if (stage->passes_input)
        upstream->taken = upstream->ring;
    else
        close_fd(&upstream->ring);
    upstream->ring = out_ring;
    close_fd(&upstream->in);
    close_fd(&data[1]);
    close_fd(&errs[1]);
    upstream->in = data[0];
    stage->err_fd = errs[0];
    return st;
}

enum tm_status tm_pipeline_start(struct tm_pipeline *p, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    struct upstream upstream = {p->in_fd > STDIN_FILENO ? fcntl(p->in_fd, F_DUPFD_CLOEXEC, 0) : -1, -1, -1};
    for (size_t i = 0; i < p->count; i++)
        p->stages[i].err_fd = -1;
    if (upstream.in < 0 && p->in_fd > STDIN_FILENO)
        return tm_error_errno(err, errno, "cannot read again");
    for (size_t i = 0; i < p->count && st == TM_OK; i++)
        st = start_stage(p, i, &upstream, err);
    close_fd(&upstream.in);
    close_fd(&upstream.ring);
    close_fd(&upstream.taken);
    if (st < 0)
        tm_pipeline_stop(p);
    return st;
}

bool tm_stage_line_is_warning(const struct tm_stage *stage, const uint8_t *line, size_t len)
{
    const size_t name_len = strlen(stage->name), mark_len = sizeof ": " TM_WARNING_PREFIX - 1;
    return len >= name_len + mark_len && memcmp(line, stage->name, name_len) == 0 &&
           memcmp(line + name_len, ": " TM_WARNING_PREFIX, mark_len) == 0;
}

/* Removes the warnings from the whole lines of STAGE. */
static void drop_warnings(struct tm_stage *stage)
{
    uint8_t *text = stage->messages.data;
    const size_t all = stage->messages.len;
    size_t kept = 0;
    for (size_t at = 0, len; at < all; at += len) {
        const uint8_t *end = memchr(text + at, '\n', all - at);
        len = end ? (size_t)(end + 1 - text) - at : all - at;
        if (end && tm_stage_line_is_warning(stage, text + at, len))
            continue;
        memmove(text + kept, text + at, len);
        kept += len;
    }
    stage->messages.len = kept;
}

/* Passes on whole lines if there is too much to hold. */
static void pass_on(const struct tm_pipeline *p, struct tm_stage *stage)
{
    if (p->drops_warnings && stage->messages.len > TM_PIPELINE_PENDING_MAX)
        drop_warnings(stage);
    size_t n = stage->messages.len;
    if (n <= TM_PIPELINE_PENDING_MAX)
        return;
    while (n > 0 && stage->messages.data[n - 1] != '\n')
        n--;
    if (n == 0)
        n = stage->messages.len;
    if (p->quiet)
        p->quiet(p->context);
    tm_io_message(STDERR_FILENO, stage->messages.data, n);
    tm_buf_consume(&stage->messages, n);
}

/* Reads some of the stage's messages. At their end the stage is reaped. */
static void listen(const struct tm_pipeline *p, struct tm_stage *stage)
{
    size_t got = 0;
    if (tm_buf_reserve(&stage->messages, PIPELINE_READ_BYTES) < 0)
        tm_buf_clear(&stage->messages);
    if (tm_buf_reserve(&stage->messages, PIPELINE_READ_BYTES) < 0 ||
        tm_io_read(stage->err_fd, stage->messages.data + stage->messages.len, PIPELINE_READ_BYTES, &got, NULL) !=
            TM_OK) {
        reap(stage);
        return;
    }
    stage->messages.len += got;
    pass_on(p, stage);
}

static bool failed(const struct tm_stage *stage)
{
    return !stage->running && stage->pid > 0 && stage->wait_status != 0;
}

/* True if STAGE died of SIGPIPE, which can also come from another program. */
static bool died_of_sigpipe(const struct tm_stage *stage)
{
    return !stage->running && WIFSIGNALED(stage->wait_status) && WTERMSIG(stage->wait_status) == SIGPIPE;
}

/* Stops the stages before one that failed, because nothing reads their output. */
static void stop_upstream(struct tm_pipeline *p)
{
    size_t end = p->count;
    int64_t now = now_ms();
    while (end > 0 && !(failed(&p->stages[end - 1]) && now - p->stages[end - 1].ended_ms >= PIPELINE_GRACE_MS))
        end--;
    for (size_t i = 0; i + 1 < end; i++)
        p->stages[i].stopped |= p->stages[i].running;
    if (end > 0)
        signal_stages(p, end - 1, SIGPIPE);
}

/* Waits for a message of a stage, a signal or a tick. False if no stage is left. */
static bool wait_some(struct tm_pipeline *p, int tick_ms, fd_set *ready)
{
    struct timespec tick = {tick_ms / 1000, tick_ms % 1000 * 1000000L};
    int max = -1;
    FD_ZERO(ready);
    for (size_t i = 0; i < p->count; i++) {
        if (!p->stages[i].running)
            continue;
        FD_SET(p->stages[i].err_fd, ready);
        max = p->stages[i].err_fd > max ? p->stages[i].err_fd : max;
    }
    if (max < 0)
        return false;
    if (pselect(max + 1, ready, NULL, NULL, tick_ms ? &tick : NULL, &p->wait_mask) <= 0)
        FD_ZERO(ready);
    return true;
}

/* Lets pending signals arrive. A signal to the whole group can end all stages before the wait notices that it was for
 * this process too. */
static void notice_signals(const struct tm_pipeline *p)
{
    sigset_t blocked;
    (void)sigprocmask(SIG_SETMASK, &p->wait_mask, &blocked);
    (void)sigprocmask(SIG_SETMASK, &blocked, NULL);
}

void tm_pipeline_wait(struct tm_pipeline *p)
{
    fd_set ready;
    int passed_on = 0;
    bool any_failed = false;
    int64_t ticked_ms = now_ms();
    while (wait_some(p, any_failed ? PIPELINE_TICK_MS : p->tick_ms, &ready)) {
        if (p->tick_ms && now_ms() - ticked_ms >= p->tick_ms) {
            ticked_ms = now_ms();
            p->tick(p->context);
        }
        if (*p->signal_seen != passed_on)
            signal_stages(p, p->count, passed_on = *p->signal_seen);
        for (size_t i = 0; i < p->count; i++) {
            if (p->stages[i].running && FD_ISSET(p->stages[i].err_fd, &ready))
                listen(p, &p->stages[i]);
            any_failed |= failed(&p->stages[i]);
        }
        if (any_failed)
            stop_upstream(p);
    }
    notice_signals(p);
}

bool tm_stage_failed_on_input(const struct tm_stage *stage, bool *is_cut)
{
    int status = WIFEXITED(stage->wait_status) ? WEXITSTATUS(stage->wait_status) : 0;
    *is_cut = status == TM_PIPELINE_CUT_STREAM;
    return *is_cut || status == -TM_E_INPUT;
}

/* True if stage I died of SIGPIPE because nobody read its output any more. If the next stage that failed saw its stream
 * end early, the output was still read when stage I died: then somebody sent the signal. */
static bool left_by_reader(const struct tm_pipeline *p, size_t i)
{
    bool is_cut = false;
    if (!died_of_sigpipe(&p->stages[i]))
        return false;
    if (i + 1 == p->count)
        return p->output_left;
    while (++i < p->count && !failed(&p->stages[i]))
        continue;
    return i == p->count || !tm_stage_failed_on_input(&p->stages[i], &is_cut) || !is_cut;
}

/* True if stage I failed, and not only because its reader left or because it was stopped. */
static bool failed_loudly(const struct tm_pipeline *p, size_t i)
{
    return failed(&p->stages[i]) && !p->stages[i].stopped && !left_by_reader(p, i);
}

/* True if stage I failed by itself, as tm_pipeline_cause says. */
static bool is_cause(const struct tm_pipeline *p, size_t i)
{
    bool upstream = false, downstream = false;
    for (size_t k = 0; k < p->count; k++) {
        upstream |= k < i && failed_loudly(p, k);
        downstream |= k > i && failed(&p->stages[k]);
    }
    if (!failed_loudly(p, i)) /* losing the reader is a cause if the reader did not fail */
        return left_by_reader(p, i) && !downstream && !upstream && i + 1 < p->count;
    bool is_cut;
    return !(upstream && tm_stage_failed_on_input(&p->stages[i], &is_cut));
}

size_t tm_pipeline_cause(const struct tm_pipeline *p)
{
    size_t i = 0;
    while (i < p->count && !is_cause(p, i))
        i++;
    return i;
}

int tm_pipeline_exit(const struct tm_pipeline *p)
{
    static const int gravest_first[] = {3, 1, 2, 4};
    bool seen[5] = {false};
    for (size_t i = 0; i < p->count; i++) {
        if (!is_cause(p, i))
            continue;
        int status = p->stages[i].wait_status;
        bool known = WIFEXITED(status) && WEXITSTATUS(status) <= 4, is_cut;
        if (tm_stage_failed_on_input(&p->stages[i], &is_cut))
            seen[-TM_E_INPUT] = true;
        else
            seen[known ? WEXITSTATUS(status) : -TM_E_SYSTEM] = true;
    }
    for (size_t i = 0; i < sizeof gravest_first / sizeof *gravest_first; i++)
        if (seen[gravest_first[i]])
            return gravest_first[i];
    return 0;
}

bool tm_pipeline_reader_left(const struct tm_pipeline *p)
{
    return p->count > 0 && left_by_reader(p, p->count - 1) && tm_pipeline_cause(p) == p->count;
}

void tm_pipeline_release(struct tm_pipeline *p)
{
    for (size_t i = 0; i < p->count; i++)
        tm_buf_release(&p->stages[i].messages);
}

/* Unit tests of os/unfinished.h: which files are left when a signal comes, and that the program dies of it. */
#include "os/unfinished.h"

#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/unfinished.XXXXXX";
static int writer_pipe[2]; /* open until the child that writes ends */
static const char *const members[] = {"a", "b", NULL};

typedef void work(struct tm_out_file *file);

static void open_one(struct tm_out_file *file, const char *path)
{
    struct tm_error err = {0};
    if (tm_unfinished_open(file, path, NULL, &err) != TM_OK)
        _exit(1);
}

static void only_open(struct tm_out_file *file)
{
    open_one(file, "result");
}

static void commit(struct tm_out_file *file)
{
    struct tm_error err = {0};
    open_one(file, "result");
    if (tm_out_file_commit(file, &err) != TM_OK)
        _exit(1);
}

static void write_member(struct tm_out_file *file)
{
    char name[4096];
    file->members = members;
    open_one(file, "folder");
    if (tm_out_file_member(file->temp, "b", name, sizeof name) != TM_OK || creat(name, 0600) < 0)
        _exit(1);
}

static void open_several(struct tm_out_file *file)
{
    static struct tm_out_file others[TM_UNFINISHED_MAX - 1];
    open_one(file, "result");
    for (int i = 0; i < TM_UNFINISHED_MAX - 1; i++)
        open_one(&others[i], "other");
}

static void put(struct tm_out_file *file)
{
    struct tm_error err = {0};
    (void)file;
    if (tm_unfinished_put("result", NULL, "x", 1, &err) != TM_OK)
        _exit(1);
}

static void ignore(struct tm_out_file *file)
{
    (void)signal(SIGHUP, SIG_IGN);
    open_one(file, "result");
    if (raise(SIGHUP) != 0 || access(file->temp, F_OK) != 0)
        _exit(1);
}

/* Has a child that writes at last, unless it is killed. */
static void have_writer(struct tm_out_file *file)
{
    open_one(file, "result");
    int child = (int)fork();
    if (child == 0) {
        (void)sleep(20);
        (void)!write(writer_pipe[1], &child, 1);
        _exit(0);
    }
    *tm_unfinished_writer() = child;
    (void)!write(writer_pipe[1], &child, sizeof child);
}

/* Returns the signal that ends a process which does WORK and then gets SIGNUM. */
static int end_of(work *does, int signum)
{
    int status = 0;
    int pid = (int)fork();
    if (pid == 0) {
        struct tm_out_file file = {.fd = -1};
        does(&file);
        (void)raise(signum);
        _exit(0);
    }
    return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* True if the folder has nothing but the file NAME, which is removed. NULL: nothing at all. */
static bool has_only(const char *name)
{
    if (name && unlink(name) != 0)
        return false;
    return chdir("/") == 0 && rmdir(folder) == 0 && mkdir(folder, 0700) == 0 && chdir(folder) == 0;
}

static void refuse_too_many(void)
{
    static struct tm_out_file files[TM_UNFINISHED_MAX + 1];
    struct tm_error err = {0};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < TM_UNFINISHED_MAX; i++)
            open_one(&files[i], "result");
        files[TM_UNFINISHED_MAX].fd = -1;
        is_int(tm_unfinished_open(&files[TM_UNFINISHED_MAX], "result", NULL, &err), TM_E_SYSTEM);
        for (int i = 0; i <= TM_UNFINISHED_MAX; i++)
            tm_unfinished_abandon(&files[i]);
    }
    ok_named(has_only(NULL), "abandoned files are gone");
}

int main(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        (void)signal(signals[i], SIG_DFL); /* callers may ignore them, as nohup does */
    ok(mkdtemp(folder) != NULL && chdir(folder) == 0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        is_int(end_of(only_open, signals[i]), signals[i]);
        ok_named(has_only(NULL), "a file that is open is removed");
        is_int(end_of(commit, signals[i]), signals[i]);
        ok_named(has_only("result"), "a committed file stays");
    }
    is_int(end_of(write_member, SIGTERM), SIGTERM);
    ok_named(has_only(NULL), "a folder that was made is removed with its members");
    is_int(end_of(open_several, SIGTERM), SIGTERM);
    ok_named(has_only(NULL), "all files are removed");
    is_int(end_of(put, SIGTERM), SIGTERM);
    ok_named(has_only("result"), "what was put stays");
    is_int(end_of(ignore, SIGTERM), SIGTERM);
    ok_named(has_only(NULL), "an ignored signal removes nothing, the next one does");
    int writer = 0;
    ok(pipe(writer_pipe) == 0);
    is_int(end_of(have_writer, SIGTERM), SIGTERM);
    ok(read(writer_pipe[0], &writer, sizeof writer) == (ssize_t)sizeof writer);
    ok_named(writer > 0 && close(writer_pipe[1]) == 0 && read(writer_pipe[0], &writer, 1) == 0, "the writer is gone");
    ok_named(has_only(NULL), "the file of a child is removed");
    refuse_too_many();
    ok_named(chdir("/") == 0 && rmdir(folder) == 0, "nothing else is left");
    return tap_done();
}

/* A preloaded library that acts like a bug. When its program ends well (or, with TM_ESCAPE_APART set, a process that
 * the program forked), it tries actions that a stage must not do. For each it prints on standard error "escape: WHAT:
 * done" or "escape: WHAT: refused". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *what, bool done)
{
    fprintf(stderr, "escape: %s: %s\n", what, done ? "done" : "refused");
}

static void try_open(const char *what, const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    tell(what, fd >= 0);
    if (fd >= 0)
        close(fd);
}

static void try_exec(void)
{
    static char *const argv[] = {(char *)"true", NULL};
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        unsetenv("LD_PRELOAD");
        execv("/bin/true", argv);
        _exit(9);
    }
    waitpid(pid, &status, 0);
    tell("exec", WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void escape(void)
{
    const char *in = getenv("TM_ESCAPE_IN"), *path = getenv("TM_ESCAPE_PATH");
    if (in == NULL || path == NULL || strcmp(in, program_invocation_short_name) != 0)
        return;
    unsetenv("TM_ESCAPE_IN");
    try_open("read", "/etc/passwd", O_RDONLY);
    try_open("write", path, O_WRONLY | O_CREAT | O_TRUNC);
    try_exec();
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    tell("socket", fd >= 0);
    tell("ptrace", ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
}

__attribute__((destructor)) static void at_end(void)
{
    if (getenv("TM_ESCAPE_APART") == NULL)
        escape();
}

/* The end of a process that our programs fork. */
__attribute__((noreturn)) void _exit(int status)
{
    if (getenv("TM_ESCAPE_APART"))
        escape();
    for (;;)
        syscall(SYS_exit_group, status);
}

#include "os/temporary_folder.h"

#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_PATH_BYTES = TM_TEMPORARY_PATH_BYTES + 256, DESCRIPTORS_MAX = 4096 };

/* The file that has a name instead of a number. */
static const char named[] = "metadata";

static void remove_files(const char *path)
{
    char file[FILE_PATH_BYTES];
    (void)snprintf(file, sizeof file, "%s/%s", path, named);
    (void)unlink(file);
    for (unsigned i = 0; snprintf(file, sizeof file, "%s/%u", path, i) > 0 && unlink(file) == 0; i++)
        ;
    (void)rmdir(path);
}

/* Runs in a process of its own. Removes PATH once no process holds the other end of WAITS_AT. It keeps no other file
 * open, so nobody waits for its end. It ignores the signals of a terminal. */
static void remove_at_end(const char *path, int waits_at)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    char byte;
    ssize_t got;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        (void)signal(ignored[i], SIG_IGN);
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = 0; fd < DESCRIPTORS_MAX && (most < 0 || fd < most); fd++)
        if (fd != waits_at)
            (void)close(fd);
    do
        got = read(waits_at, &byte, 1);
    while (got > 0 || (got < 0 && errno == EINTR));
    remove_files(path);
}

enum tm_status tm_temporary_folder_open(struct tm_temporary_folder *folder, const char *dir, struct tm_error *err)
{
    int ends[2];
    dir = tm_io_temporary_dir(dir);
    int n = snprintf(folder->path, sizeof folder->path, "%s/tracemerge.XXXXXX", dir);
    if (n < 0 || (size_t)n >= sizeof folder->path)
        return tm_error_set(err, TM_E_SYSTEM, "%s: name of the folder for temporary files is too long", dir);
    if (pipe(ends) != 0)
        return tm_error_errno(err, errno, "cannot make a pipe");
    if (mkdtemp(folder->path) == NULL) {
        int errnum = errno;
        (void)close(ends[0]);
        (void)close(ends[1]);
        return tm_error_errno(err, errnum, "%s: cannot make a temporary folder", dir);
    }
    folder->remover = fork();
    if (folder->remover == 0) {
        remove_at_end(folder->path, ends[0]);
        _exit(0);
    }
    int errnum = errno;
    (void)close(ends[0]);
    folder->alive = ends[1];
    (void)fcntl(folder->alive, F_SETFD, FD_CLOEXEC);
    if (folder->remover > 0)
        return TM_OK;
    folder->remover = 0;
    (void)close(ends[1]);
    remove_files(folder->path);
    return tm_error_errno(err, errnum, "cannot start a process");
}

enum tm_status tm_temporary_folder_add(struct tm_temporary_folder *folder, bool is_metadata, int *fd,
                                       struct tm_error *err)
{
    char path[FILE_PATH_BYTES];
    if (is_metadata)
        (void)snprintf(path, sizeof path, "%s/%s", folder->path, named);
    else
        (void)snprintf(path, sizeof path, "%s/%u", folder->path, folder->count++);
    *fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return *fd >= 0 ? TM_OK : tm_error_errno(err, errno, "cannot make a temporary file");
}

void tm_temporary_folder_close(struct tm_temporary_folder *folder)
{
    if (folder->remover == 0)
        return;
    (void)close(folder->alive);
    while (waitpid(folder->remover, NULL, 0) < 0 && errno == EINTR)
        ;
    *folder = (struct tm_temporary_folder){0};
}

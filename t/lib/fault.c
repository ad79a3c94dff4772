/* A preloaded library that makes one call of one program fail, so tests can try every place where the system may
 * refuse.
 *
 *     LD_PRELOAD=fault.so TM_FAULT=write:3 TM_FAULT_IN=tm-sort TM_FAULT_HIT=hit tm-merge …
 *
 * TM_FAULT    CALL:N, the Nth such call fails; CALL:N+, all from the Nth on
 * TM_FAULT_IN the program; all programs if not set
 * TM_FAULT_SIGNAL a number: the call works, but before it this signal comes
 * TM_FAULT_HIT a file that gets a byte for each failed call, so a test knows whether a call failed */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);

enum { NAME_MAX_BYTES = 32 };

static struct {
    bool started, known, active, onwards;
    char call[NAME_MAX_BYTES];
    long at, count;
    int signal; /* 0: the call fails */
    long mark; /* opened before the program's sandbox is set up */
} fault;

enum { MARK_DESCRIPTOR = 900, MARK_LEAST = 40 };

static void look(void)
{
    const char *what = getenv("TM_FAULT"), *in = getenv("TM_FAULT_IN");
    const char *colon = what ? strchr(what, ':') : NULL;
    fault.known = true;
    if (colon == NULL || (size_t)(colon - what) >= sizeof fault.call)
        return;
    if (in && strcmp(in, program_invocation_short_name) != 0)
        return;
    memcpy(fault.call, what, (size_t)(colon - what));
    fault.at = atol(colon + 1);
    fault.onwards = strchr(colon, '+') != NULL;
    fault.active = true;
    const char *signum = getenv("TM_FAULT_SIGNAL");
    fault.signal = signum ? atoi(signum) : 0;
    const char *mark = getenv("TM_FAULT_HIT");
    long fd = mark ? syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    fault.mark = -1;
    for (int at = MARK_DESCRIPTOR; fd >= 0 && fault.mark < 0 && at >= MARK_LEAST; at /= 2) /* the limit may be lower */
        fault.mark = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, at);
    if (fd >= 0)
        syscall(SYS_close, fd);
}

/* Libraries that are initialised before the program may end it if memory fails, as GLib does, which libbabeltrace2
 * needs. Their calls are not counted: a preloaded library is initialised after them. */
__attribute__((constructor)) static void start(void)
{
    fault.started = true;
}

/* Ends the faults: the program has ended, and its counts (t/lib/coverage.c) are written. */
void tm_fault_end(void);
void tm_fault_end(void)
{
    fault.active = false;
    fault.known = true;
}

/* True if this CALL has to fail; then errno is ERRNUM. */
static bool hit(const char *call, int errnum)
{
    if (!fault.started)
        return false;
    if (!fault.known)
        look();
    if (!fault.active || strcmp(fault.call, call) != 0)
        return false;
    fault.count++;
    if (fault.count != fault.at && !(fault.onwards && fault.count > fault.at))
        return false;
    if (fault.mark >= 0)
        syscall(SYS_write, fault.mark, "x", 1);
    if (fault.signal) {
        (void)raise(fault.signal);
        return false;
    }
    errno = errnum;
    return true;
}

/* Sets *FN, a pointer to a function, to the next definition of NAME. */
static void find(void *fn, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(fn, &symbol, sizeof symbol);
}

void *malloc(size_t size)
{
    return hit("malloc", ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return hit("malloc", ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
    return hit("malloc", ENOMEM) ? NULL : __libc_realloc(p, size);
}

ssize_t read(int fd, void *data, size_t len)
{
    return hit("read", EIO) ? -1 : syscall(SYS_read, fd, data, len);
}

ssize_t write(int fd, const void *data, size_t len)
{
    return hit("write", ENOSPC) ? -1 : syscall(SYS_write, fd, data, len);
}

ssize_t pread(int fd, void *data, size_t len, off_t offset)
{
    return hit("read", EIO) ? -1 : syscall(SYS_pread64, fd, data, len, offset);
}

ssize_t pread64(int fd, void *data, size_t len, off64_t offset)
{
    return hit("read", EIO) ? -1 : syscall(SYS_pread64, fd, data, len, offset);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t offset)
{
    return hit("write", ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, data, len, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t len, off64_t offset)
{
    return hit("write", ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, data, len, offset);
}

ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    return hit("write", ENOSPC) ? -1 : syscall(SYS_writev, fd, pieces, count);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    static void *(*next)(size_t, size_t);
    if (next == NULL)
        find(&next, "aligned_alloc");
    return hit("malloc", ENOMEM) ? NULL : next(alignment, size);
}

static int open_any(const char *path, int flags, va_list args)
{
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    return hit("open", EMFILE) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int fd = open_any(path, flags, args);
    va_end(args);
    return fd;
}

int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int fd = open_any(path, flags | O_LARGEFILE, args);
    va_end(args);
    return fd;
}

static int mkstemp_any(char *path, const char *name)
{
    int (*next)(char *);
    find(&next, name);
    return hit("mkstemp", ENOSPC) ? -1 : next(path);
}

int mkstemp(char *path)
{
    return mkstemp_any(path, "mkstemp");
}

int mkstemp64(char *path)
{
    return mkstemp_any(path, "mkstemp64");
}

int close(int fd)
{
    long r = syscall(SYS_close, fd);
    return hit("close", EIO) ? -1 : (int)r;
}

int rename(const char *from, const char *to)
{
    return hit("rename", EACCES) ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int fsync(int fd)
{
    return hit("fsync", EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return hit("fsync", EIO) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int ftruncate(int fd, off_t len)
{
    return hit("ftruncate", EIO) ? -1 : (int)syscall(SYS_ftruncate, fd, len);
}

int ftruncate64(int fd, off64_t len)
{
    return hit("ftruncate", EIO) ? -1 : (int)syscall(SYS_ftruncate, fd, len);
}

int fallocate(int fd, int mode, off_t offset, off_t len)
{
    return hit("fallocate", EOPNOTSUPP) ? -1 : (int)syscall(SYS_fallocate, fd, mode, offset, len);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t len)
{
    return hit("fallocate", EOPNOTSUPP) ? -1 : (int)syscall(SYS_fallocate, fd, mode, offset, len);
}

off_t lseek(int fd, off_t offset, int whence)
{
    return hit("lseek", ESPIPE) ? -1 : syscall(SYS_lseek, fd, offset, whence);
}

off64_t lseek64(int fd, off64_t offset, int whence)
{
    return hit("lseek", ESPIPE) ? -1 : syscall(SYS_lseek, fd, offset, whence);
}

void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
    if (hit("mmap", ENOMEM))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, len, prot, flags, fd, offset);
}

void *mmap64(void *at, size_t len, int prot, int flags, int fd, off64_t offset)
{
    return mmap(at, len, prot, flags, fd, offset);
}

int pipe(int fds[2])
{
    return hit("pipe", EMFILE) ? -1 : (int)syscall(SYS_pipe2, fds, 0);
}

/* A child of vfork must not return from the function that called it, so the child is one of fork. Then the caller does
 * not learn why a program could not be started. */
pid_t vfork(void)
{
    return hit("fork", EAGAIN) ? -1 : fork();
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *), void *arg)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    find(&next, "pthread_create");
    return hit("thread", EAGAIN) ? EAGAIN : next(thread, attr, work, arg);
}

/* Only calls of the sandbox fail: landlock's three calls here, and seccomp in prctl. */
long syscall(long number, ...)
{
    static long (*next)(long, ...);
    long args[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        args[i] = va_arg(list, long);
    va_end(list);
    if (next == NULL)
        find(&next, "syscall");
    if (number >= SYS_landlock_create_ruleset && number <= SYS_landlock_restrict_self && hit("landlock", ENOMEM))
        return -1;
    return next(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

int prctl(int option, ...)
{
    static int (*next)(int, ...);
    unsigned long args[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        args[i] = va_arg(list, unsigned long);
    va_end(list);
    if (next == NULL)
        find(&next, "prctl");
    if (option == PR_SET_SECCOMP && hit("seccomp", ENOMEM))
        return -1;
    return next(option, args[0], args[1], args[2], args[3]);
}

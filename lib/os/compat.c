#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "os/compat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#ifdef __linux__
#include <malloc.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#endif
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void tm_compat_end_with_parent(int signum)
{
#ifdef PR_SET_PDEATHSIG
    (void)prctl(PR_SET_PDEATHSIG, signum, 0, 0, 0);
#else
    (void)signum;
#endif
}

void tm_compat_widen_pipe(int fd, int bytes)
{
#ifdef F_SETPIPE_SZ
    (void)fcntl(fd, F_SETPIPE_SZ, bytes);
#else
    (void)fd;
    (void)bytes;
#endif
}

bool tm_compat_can_splice(int in, int out)
{
#ifdef SPLICE_F_MOVE
    struct stat a, b;
    return fstat(in, &a) == 0 && fstat(out, &b) == 0 && S_ISFIFO(a.st_mode) && S_ISFIFO(b.st_mode);
#else
    (void)in;
    (void)out;
    return false;
#endif
}

long tm_compat_splice(int in, int out, size_t len)
{
#ifdef SPLICE_F_MOVE
    return splice(in, NULL, out, NULL, len, SPLICE_F_MOVE);
#else
    (void)in;
    (void)out;
    (void)len;
    errno = ENOSYS;
    return -1;
#endif
}

unsigned tm_compat_processors(void)
{
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return (unsigned)CPU_COUNT(&allowed);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 1 ? (unsigned)n : 1;
}

uint64_t tm_compat_memory_bytes(void)
{
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page_bytes > 0)
        return (uint64_t)pages * (uint64_t)page_bytes;
#endif
    return UINT64_MAX;
}

int tm_compat_shared_memory(size_t bytes)
{
#if defined MFD_ALLOW_SEALING && defined F_ADD_SEALS
    int fd = memfd_create("tracemerge", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
        return fd;
    if (fd >= 0)
        (void)close(fd);
    return -1;
#else
    (void)bytes;
    errno = ENOSYS;
    return -1;
#endif
}

void *tm_compat_map(size_t bytes)
{
#ifdef MAP_ANONYMOUS
    void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mem == MAP_FAILED ? NULL : mem;
#else
    (void)bytes;
    return NULL;
#endif
}

void tm_compat_unmap(void *mem, size_t bytes)
{
    (void)munmap(mem, bytes);
}

#if defined MADV_HUGEPAGE || defined MADV_POPULATE_WRITE || defined MADV_DONTNEED
/* Gives ADVICE on the whole pages of BYTES at MEM. */
static bool advise(void *mem, size_t bytes, int advice)
{
    const uintptr_t page = 4096;
    uintptr_t start = ((uintptr_t)mem + page - 1) & ~(page - 1);
    uintptr_t end = ((uintptr_t)mem + bytes) & ~(page - 1);
    return start >= end || madvise((void *)start, end - start, advice) == 0;
}
#endif

void tm_compat_large_pages(void *mem, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    (void)advise(mem, bytes, MADV_HUGEPAGE);
#else
    (void)mem;
    (void)bytes;
#endif
}

bool tm_compat_join_pages(void *mem, size_t bytes)
{
#ifdef __linux__
    enum { COLLAPSE = 25 }; /* MADV_COLLAPSE, which libc's headers have later than the kernel: Linux 6.1 */
    return madvise(mem, bytes, COLLAPSE) == 0;
#else
    (void)mem;
    (void)bytes;
    return false;
#endif
}

void tm_compat_small_pages(void *mem, size_t bytes)
{
#ifdef MADV_NOHUGEPAGE
    (void)advise(mem, bytes, MADV_NOHUGEPAGE);
#else
    (void)mem;
    (void)bytes;
#endif
}

uint64_t tm_compat_thread_ns(void)
{
#ifdef CLOCK_THREAD_CPUTIME_ID
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0)
        return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
#endif
    return 0;
}

void tm_compat_prepare_heap(void)
{
#if defined M_ARENA_MAX && defined MADV_HUGEPAGE
    enum { HEAP_BYTES = 16 << 20, MAPPED_BYTES = 2 << 20, GROWTH_BYTES = 256 << 10, LIMIT_PART = 8,
           LARGE_PAGE = 2 << 20 };
    static const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
    int bytes = HEAP_BYTES;
    struct rlimit limit;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (getrlimit(kinds[i], &limit) == 0 && limit.rlim_cur / LIMIT_PART < HEAP_BYTES) /* or RLIM_INFINITY */
            bytes = 0;
    const uintptr_t start = (uintptr_t)sbrk(0);
    if (bytes > 0 && start % LARGE_PAGE && start != UINTPTR_MAX)
        (void)sbrk((intptr_t)(LARGE_PAGE - start % LARGE_PAGE));
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_TOP_PAD, bytes);
    (void)mallopt(M_TRIM_THRESHOLD, HEAP_BYTES);
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    uint8_t *const begin = sbrk(0), *first = malloc(GROWTH_BYTES);
    const size_t grown = (uintptr_t)sbrk(0) - (uintptr_t)begin;
    if (first && grown > 0 && grown <= 2 * HEAP_BYTES) /* it is in the heap */
        tm_compat_large_pages(begin, grown);
    free(first);
#endif
}

bool tm_compat_populate(void *mem, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    return advise(mem, bytes, MADV_POPULATE_WRITE);
#else
    (void)mem;
    (void)bytes;
    return false;
#endif
}

void tm_compat_give_back(void *mem, size_t bytes)
{
#if defined MADV_DONTNEED && defined __linux__ /* elsewhere the advice may leave the pages where they are */
    (void)advise(mem, bytes, MADV_DONTNEED);
#else
    (void)mem;
    (void)bytes;
#endif
}

bool tm_compat_punch_hole(int fd, uint64_t offset, uint64_t len)
{
#ifdef FALLOC_FL_PUNCH_HOLE
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)len) == 0;
#else
    (void)fd;
    (void)offset;
    (void)len;
    return false;
#endif
}

void tm_compat_start_writeback(int fd, uint64_t offset, uint64_t len)
{
#ifdef SYNC_FILE_RANGE_WRITE
    (void)sync_file_range(fd, (off_t)offset, (off_t)len, SYNC_FILE_RANGE_WRITE);
#else
    (void)fd;
    (void)offset;
    (void)len;
#endif
}

size_t tm_compat_columns(int fd)
{
#ifdef TIOCGWINSZ
    struct winsize size = {0};
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col;
#endif
    (void)fd;
    return 80;
}

char *tm_compat_real_path(const char *path)
{
#ifdef _GNU_SOURCE
    return realpath(path, NULL);
#else
    return strdup(path);
#endif
}

pid_t tm_compat_spawn(void (*become)(void *), void *context)
{
/* POSIX.1-2008 has no vfork. clang's analyzer refuses it, and each call after it; compat.h states which are allowed. */
#if defined __linux__ && !defined __clang_analyzer__
    pid_t pid = vfork();
#else
    pid_t pid = fork();
#endif
    if (pid == 0) {
        become(context);
        _Exit(127); /* not _exit, in which a build for coverage writes the counts of the caller */
    }
    return pid;
}

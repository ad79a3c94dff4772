/* Linked into all programs of make coverage, with --wrap=_exit and --wrap=syscall. Counts are written at the end of
 * every process. This includes processes that end by _exit, that are in a sandbox, and whose calls fail on purpose
 * (t/lib/fault.c). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void __gcov_dump(void);
_Noreturn void __real__exit(int status);
long __real_syscall(long number, ...);
_Noreturn void __wrap__exit(int status);
long __wrap_syscall(long number, ...);

/* Runs before the destructor that writes the counts, because that one has a priority. */
__attribute__((destructor)) static void end_faults(void)
{
    void (*end)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "tm_fault_end");
    memcpy(&end, &symbol, sizeof end);
    if (symbol)
        end();
}

_Noreturn void __wrap__exit(int status)
{
    end_faults();
    __gcov_dump();
    __real__exit(status);
}

/* Returns the C library's own syscall, which no preloaded library makes fail. */
static long (*own_syscall(void))(long number, ...)
{
    long (*call)(long number, ...) = __real_syscall;
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = library ? dlsym(library, "syscall") : NULL;
    if (symbol)
        memcpy(&call, &symbol, sizeof call);
    return call;
}

/* Adds the folder of the counts, TM_COVERAGE_FOLDER, to the sandbox RULESET. */
static void allow_counts(int ruleset)
{
    long (*call)(long number, ...) = own_syscall();
    enum { TRUNCATE = 1 << 14 };
    const uint64_t write = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;
    const uint64_t read = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    const uint64_t rights[] = {write | read | TRUNCATE, write | TRUNCATE, write | read, write};
    struct landlock_path_beneath_attr rule = {.parent_fd = open(TM_COVERAGE_FOLDER, O_PATH | O_CLOEXEC)};
    /* Rights that the ruleset does not limit are refused. */
    for (unsigned i = 0; i < sizeof rights / sizeof *rights; i++) {
        rule.allowed_access = rights[i];
        if (call(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0)
            break;
    }
    close(rule.parent_fd);
}

long __wrap_syscall(long number, ...)
{
    long a[6];
    va_list args;
    va_start(args, number);
    for (unsigned i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    if (number == SYS_landlock_restrict_self)
        allow_counts((int)a[0]);
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

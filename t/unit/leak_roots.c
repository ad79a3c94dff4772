/* Tests t/lib/leak_roots.c: LeakSanitizer finds a pointer wherever it lies in data that is hardly written, and reports
 * memory whose pointer is gone. Only a sanitized build searches for leaks. */
#include "tap.h"

#ifdef __SANITIZE_ADDRESS__
#include <fcntl.h>
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 16, POINTERS_IN_ROW = 128 * 1024, BLOCKS = 50 };

/* 16 MiB. Most of its pages are never written. */
static void *volatile sparse[ROWS][POINTERS_IN_ROW];

/* Allocates a block in each of BLOCKS neighbours at COLUMN of each row. IS_LOST: their pointers are removed. */
static __attribute__((noinline)) void allocate(unsigned column, bool is_lost)
{
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned i = 0; i < BLOCKS; i++) {
            sparse[row][column + i] = malloc(24);
            if (is_lost)
                sparse[row][column + i] = NULL;
        }
}

/* True if LeakSanitizer reports blocks at COLUMN, searched in a process of their own. */
static bool is_reported(unsigned column, bool is_lost)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        allocate(column, is_lost);
        _exit(__lsan_do_recoverable_leak_check() ? 1 : 0);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

int main(void)
{
    static const unsigned COLUMNS[] = {0, 1, 511, 70000, POINTERS_IN_ROW - BLOCKS};
    for (unsigned i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++) {
        ok(!is_reported(COLUMNS[i], false));
        ok(is_reported(COLUMNS[i], true));
    }
    return tap_done();
}
#else
int main(void)
{
    return tap_skip("the build has no sanitizer");
}
#endif

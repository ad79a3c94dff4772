/* Unit test of tm_memory_size: files of control groups below a folder, and limits of this process. */
#include "os/memory_size.h"
#include "sort/sorter.h"

#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 512, MADE_MAX = 64 };

static char root[] = "/tmp/memory_size.XXXXXX";

/* Files and folders, in the order in which they were made. */
static char *made[MADE_MAX];
static int made_count;

static void note_made(const char *path)
{
    if (made_count < MADE_MAX)
        made[made_count++] = strdup(path);
}

/* Writes TEXT to the file PATH below the root, and makes its folders. */
static void put_file(const char *path, const char *text)
{
    char full[PATH_BYTES];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        if (mkdir(full, 0700) == 0)
            note_made(full);
        *slash = '/';
    }
    if (access(full, F_OK) != 0)
        note_made(full);
    int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ok(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
}

static void remove_all(void)
{
    while (made_count > 0) {
        (void)remove(made[--made_count]);
        free(made[made_count]);
    }
    ok(remove(root) == 0);
}

static void test_groups(void)
{
    uint64_t machine = tm_memory_size(root);
    ok_named(machine > 2 << 20, "without control groups there is the memory of the machine");
    put_file("proc/self/cgroup", "7:cpu,memoryless:/job\n4:blkio,memory:/job/step\n0::/unit/step\n");
    ok(tm_memory_size(root) == machine);
    put_file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put_file("sys/fs/cgroup/unit/memory.max", "max\n");
    ok(tm_memory_size(root) == machine);
    put_file("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2000000\n");
    is_int(tm_memory_size(root), 2000000);
    put_file("sys/fs/cgroup/memory/job/step/memory.limit_in_bytes", "1900000\n");
    is_int(tm_memory_size(root), 1900000);
    put_file("sys/fs/cgroup/unit/step/memory.max", "1800000\n");
    is_int(tm_memory_size(root), 1800000);
    put_file("sys/fs/cgroup/memory.max", "1700000\n");
    is_int(tm_memory_size(root), 1700000);
    put_file("proc/self/cgroup", "damaged\n4:memory\n:\n0::\n");
    is_int(tm_memory_size(root), 1700000);
    put_file("sys/fs/cgroup/memory.max", "0x10\n");
    ok(tm_memory_size(root) == machine);
}

static void test_process(int resource)
{
    enum { LITTLE = 1 << 20 };
    struct rlimit before, less;
    ok(getrlimit(resource, &before) == 0);
    less = (struct rlimit){LITTLE, before.rlim_max};
    ok(setrlimit(resource, &less) == 0);
    uint64_t size = tm_memory_size(root);
    ok(setrlimit(resource, &before) == 0);
    is_int(size, LITTLE);
}

static void test_default(void)
{
    const uint64_t gib = UINT64_C(1) << 30;
    is_int(tm_sort_memory_of(0), 0);
    is_int(tm_sort_memory_of(gib / 4), 64 << 20);
    is_int(tm_sort_memory_of(gib - 4), (256 << 20) - 1);
    is_int(tm_sort_memory_of(gib), 256 << 20);
    is_int(tm_sort_memory_of(4 * gib), 256 << 20);
    is_int(tm_sort_memory_of(8 * gib), 512 << 20);
    is_int(tm_sort_memory_of(64 * gib), 4 * gib);
    is_int(tm_sort_memory_of(UINT64_MAX), 4 * gib);
}

int main(void)
{
    ok(mkdtemp(root) != NULL);
    test_groups();
    test_process(RLIMIT_AS);
    test_process(RLIMIT_DATA);
    test_default();
    remove_all();
    return tap_done();
}

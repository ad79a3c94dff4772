#include "os/memory_size.h"

#include "base/decimal.h"
#include "os/compat.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TEXT_BYTES = 8192, PATH_BYTES = 8192, NUMBER_BYTES = 64 };

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Reads the beginning of the file PATH into TEXT of SIZE bytes and ends it with a 0. An empty text stands for a file
 * that cannot be read. */
static void read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, size - 1) : 0;
    text[got > 0 ? got : 0] = '\0';
    if (fd >= 0)
        (void)close(fd);
}

/* Returns the number in the file PATH; UINT64_MAX if it holds something else, such as "max". */
static uint64_t read_limit(const char *path)
{
    char text[NUMBER_BYTES];
    int64_t limit;
    read_text(path, text, sizeof text);
    bool is_number = tm_decimal_int(text, strcspn(text, "\n"), &limit) == TM_OK && limit >= 0;
    return is_number ? (uint64_t)limit : UINT64_MAX;
}

/* Returns the least limit of GROUP, a path from the root of its hierarchy, and of all groups around it. FOLDER is where
 * the hierarchy is mounted, FILE the name of the file with the limit. Shortens GROUP to nothing. */
static uint64_t least_of_groups(const char *folder, char *group, const char *file)
{
    uint64_t least = UINT64_MAX;
    char path[PATH_BYTES];
    for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
        *end = '\0';
        if (snprintf(path, sizeof path, "%s%s/%s", folder, group, file) < (int)sizeof path)
            least = lesser(least, read_limit(path));
    }
    return least;
}

/* True if ITEM is one of the items of LIST, which commas separate. */
static bool has_item(const char *list, const char *item)
{
    const size_t len = strlen(item);
    for (;; list++) {
        size_t end = strcspn(list, ",");
        if (end == len && memcmp(list, item, len) == 0)
            return true;
        list += end;
        if (*list == '\0')
            return false;
    }
}

/* Returns the least limit of the control groups in LINE of /proc/self/cgroup, which is NUMBER:CONTROLLERS:GROUP. The
 * line of version 2 has no controllers. */
static uint64_t least_of_line(const char *root, char *line)
{
    char folder[PATH_BYTES];
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL)
        return UINT64_MAX;
    *controllers++ = *group++ = '\0';
    bool is_second = *controllers == '\0';
    if (!is_second && !has_item(controllers, "memory"))
        return UINT64_MAX;
    if (snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s", root, is_second ? "" : "/memory") >= (int)sizeof folder)
        return UINT64_MAX;
    return least_of_groups(folder, group, is_second ? "memory.max" : "memory.limit_in_bytes");
}

static uint64_t least_of_control_groups(const char *root)
{
    uint64_t least = UINT64_MAX;
    char path[PATH_BYTES], text[TEXT_BYTES];
    if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path)
        return least;
    read_text(path, text, sizeof text);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        least = lesser(least, least_of_line(root, line));
    }
    return least;
}

static uint64_t resource_limit(int resource)
{
    struct rlimit limit;
    bool is_known = getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_known ? (uint64_t)limit.rlim_cur : UINT64_MAX;
}

uint64_t tm_memory_size(const char *root)
{
    uint64_t process = lesser(resource_limit(RLIMIT_AS), resource_limit(RLIMIT_DATA));
    return lesser(tm_compat_memory_bytes(), lesser(process, least_of_control_groups(root)));
}

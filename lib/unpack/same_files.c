#include "unpack/same_files.h"

#include "unpack/file_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMED_MAX = 3 };

/* A regular file, number I of the list. */
struct seen {
    dev_t device;
    ino_t inode;
    uint32_t i;
};

static int compare(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->inode != y->inode)
        return x->inode < y->inode ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

/* Warns of files in SEEN, which is sorted, that are given twice: of the first NAMED_MAX by name, of the others by
 * number. */
static void warn_of_same(const struct tm_file_list *list, const struct seen *seen, uint32_t count,
                         void (*warn)(const char *text))
{
    char text[1024];
    uint32_t count_of_same = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (seen[i].device != seen[i - 1].device || seen[i].inode != seen[i - 1].inode)
            continue;
        if (count_of_same++ >= NAMED_MAX)
            continue;
        const char *path = tm_file_list_path(list, seen[i].i), *before = tm_file_list_path(list, seen[i - 1].i);
        if (strcmp(path, before) == 0)
            snprintf(text, sizeof text, "%s: is given twice", path);
        else
            snprintf(text, sizeof text, "%s: the same file is given twice, as %s too", path, before);
        warn(text);
    }
    if (count_of_same <= NAMED_MAX)
        return;
    const uint32_t more = count_of_same - NAMED_MAX;
    snprintf(text, sizeof text, "and %u more file%s given twice", more, more == 1 ? " is" : "s are");
    warn(text);
}

/* Sets *INFO to that of the file at PATH. False: it is no regular file, or cannot be examined. */
static bool find_regular(const char *path, struct stat *info)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    return (is_stdin ? fstat(STDIN_FILENO, info) : stat(path, info)) == 0 && S_ISREG(info->st_mode);
}

/* TM_E_USAGE if INPUT, a regular file that is to be read, is one of OUTS. */
static enum tm_status check_outs(const char *const *outs, const struct stat *input, struct tm_error *err)
{
    struct stat info;
    for (; *outs; outs++)
        if (stat(*outs, &info) == 0 && S_ISREG(info.st_mode) && info.st_dev == input->st_dev &&
            info.st_ino == input->st_ino)
            return tm_error_set(err, TM_E_USAGE, "%s: is both an input and an output", *outs);
    return TM_OK;
}

static size_t count_of_stdin(char *const *paths, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += strcmp(paths[i], "-") == 0;
    return found;
}

enum tm_status tm_same_files_check(char *const *paths, size_t count, const char *const *outs,
                                   void (*warn)(const char *text), struct tm_error *err)
{
    struct tm_file_list list = {0};
    struct tm_error ignored = {0};
    struct stat info;
    struct seen *seen = NULL;
    uint32_t regular = 0;
    enum tm_status st = TM_OK;
    if (count_of_stdin(paths, count) > 1)
        return tm_error_set(err, TM_E_USAGE, "-: standard input can be read only once, but is given twice");
    if (*outs == NULL && warn == NULL)
        return TM_OK;
    for (size_t i = 0; i < count; i++)
        (void)tm_file_list_add(&list, paths[i], true, &ignored);
    if (count == 0)
        (void)tm_file_list_add(&list, "-", true, &ignored);
    if ((seen = calloc((size_t)list.count + 1, sizeof *seen)) == NULL)
        st = tm_error_nomem(err);
    for (uint32_t i = 0; i < list.count && st == TM_OK; i++) {
        if (!find_regular(tm_file_list_path(&list, i), &info))
            continue;
        seen[regular++] = (struct seen){info.st_dev, info.st_ino, i};
        st = check_outs(outs, &info, err);
    }
    if (st == TM_OK && regular > 1) {
        qsort(seen, regular, sizeof *seen, compare);
        if (warn)
            warn_of_same(&list, seen, regular, warn);
    }
    free(seen);
    tm_file_list_release(&list);
    return st;
}

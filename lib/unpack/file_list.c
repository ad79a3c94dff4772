#include "unpack/file_list.h"

#include "base/path.h"
#include "base/table.h"
#include "container/limits.h"
#include "os/io.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DIRECTORY_DEPTH_MAX = 64, NAMES_MAX = 2 * TM_FILES_MAX /* of a directory */ };

struct entry {
    size_t path, name; /* where they start in text */
    bool is_in_directory;
};

static enum tm_status add_file(struct tm_file_list *list, const char *path, const char *name, bool is_in_directory,
                               struct tm_error *err)
{
    struct entry entry = {.path = list->text.len,
                          .name = list->text.len + (size_t)(name - path),
                          .is_in_directory = is_in_directory};
    if (list->count >= TM_FILES_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than the limit of %d files", TM_FILES_MAX);
    if (list->text.len + strlen(path) >= TM_NAMES_BYTES_MAX)
        return tm_error_set(err, TM_E_INPUT, "names exceed the limit of %d bytes", TM_NAMES_BYTES_MAX);
    if (tm_buf_add(&list->text, path, strlen(path) + 1) != TM_OK ||
        tm_buf_add(&list->entries, &entry, sizeof entry) != TM_OK)
        return tm_error_nomem(err);
    list->count++;
    return TM_OK;
}

static enum tm_status cannot(const char *path, const char *what, struct tm_error *err)
{
    return tm_error_open(err, errno, "%s: %s", path, what);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a directory that are not hidden, sorted. */
struct names {
    char **names;
    uint32_t count, cap;
};

static enum tm_status read_names(const char *path, struct names *names, struct tm_error *err)
{
    DIR *dir = opendir(path);
    if (dir == NULL)
        return cannot(path, "cannot open", err);
    enum tm_status st = TM_OK;
    struct dirent *item;
    for (errno = 0; st == TM_OK && (item = readdir(dir)) != NULL; errno = 0) {
        if (item->d_name[0] == '.')
            continue;
        if (names->count >= NAMES_MAX)
            st = tm_error_set(err, TM_E_INPUT, "%s: a directory with more than the limit of %d names", path, NAMES_MAX);
        else
            st = tm_array_grow(&names->names, &names->cap, names->count, sizeof *names->names, err);
        if (st < 0)
            break;
        if ((names->names[names->count] = strdup(item->d_name)) == NULL)
            st = tm_error_nomem(err);
        else
            names->count++;
    }
    if (st == TM_OK && errno != 0)
        st = cannot(path, "cannot read", err);
    closedir(dir);
    if (names->count > 0)
        qsort(names->names, names->count, sizeof *names->names, compare_names);
    return st;
}

static void names_release(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
}

/* Adds the files in PATH; the members' names begin at byte BASE of their paths. */
static enum tm_status walk(struct tm_file_list *list, const char *path, size_t base, unsigned depth,
                           struct tm_error *err)
{
    struct names names = {0};
    struct tm_buf inner = {0};
    if (depth > DIRECTORY_DEPTH_MAX)
        return tm_error_set(err, TM_E_INPUT, "%s: directories nest deeper than %d", path, DIRECTORY_DEPTH_MAX);
    enum tm_status st = read_names(path, &names, err);
    for (size_t i = 0; st == TM_OK && i < names.count; i++) {
        struct stat info;
        tm_buf_clear(&inner);
        if (tm_buf_addf(&inner, "%s/%s", path, names.names[i]) != TM_OK || tm_buf_cstr(&inner) == NULL) {
            st = tm_error_nomem(err);
            break;
        }
        const char *to = (const char *)inner.data;
        bool is_link = lstat(to, &info) == 0 && S_ISLNK(info.st_mode);
        if (stat(to, &info) != 0)
            st = cannot(to, is_link ? "cannot follow the link" : "cannot open", err);
        else if (S_ISDIR(info.st_mode) && !is_link)
            st = walk(list, to, base, depth + 1, err);
        else if (S_ISREG(info.st_mode))
            st = add_file(list, to, to + base, true, err);
    }
    tm_buf_release(&inner);
    names_release(&names);
    return st;
}

enum tm_status tm_file_list_add(struct tm_file_list *list, const char *path, bool with_directory, struct tm_error *err)
{
    if (*path == '\0')
        return tm_error_set(err, TM_E_INPUT, "'': a file needs a name");
    if (!tm_io_is_folder(path))
        return add_file(list, path, tm_path_bare(path), false, err);
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    char *bare = strndup(path, len);
    if (bare == NULL)
        return tm_error_nomem(err);
    uint32_t before = list->count;
    bool is_here = strcmp(bare, ".") == 0;
    size_t base = with_directory && !is_here ? (size_t)(tm_path_bare(bare) - bare) : len + 1;
    enum tm_status st = walk(list, bare, base, 1, err);
    if (st == TM_OK && list->count == before)
        st = tm_error_set(err, TM_E_INPUT, "%s: a directory without files", path);
    free(bare);
    return st;
}

static struct entry entry_of(const struct tm_file_list *list, uint32_t i)
{
    struct entry entry;
    memcpy(&entry, list->entries.data + i * sizeof entry, sizeof entry);
    return entry;
}

const char *tm_file_list_path(const struct tm_file_list *list, uint32_t i)
{
    return (const char *)list->text.data + entry_of(list, i).path;
}

const char *tm_file_list_name(const struct tm_file_list *list, uint32_t i)
{
    return (const char *)list->text.data + entry_of(list, i).name;
}

bool tm_file_list_is_in_directory(const struct tm_file_list *list, uint32_t i)
{
    return entry_of(list, i).is_in_directory;
}

void tm_file_list_release(struct tm_file_list *list)
{
    tm_buf_release(&list->text);
    tm_buf_release(&list->entries);
    list->count = 0;
}

/* Paths as text. Nothing is looked up in the file system. */
#ifndef TM_BASE_PATH_H
#define TM_BASE_PATH_H

#include <string.h>

/* Returns the part of PATH after its last slash, or all of PATH if it has none. */
static inline const char *tm_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns PATH without the "./" that it begins with, however often and with however many slashes. */
static inline const char *tm_path_bare(const char *path)
{
    while (path[0] == '.' && path[1] == '/') {
        path += 2;
        while (*path == '/')
            path++;
    }
    return path;
}

#endif

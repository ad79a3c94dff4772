#include "emit/paths.h"

#include <stdlib.h>

static enum tm_status make_room(struct tm_paths *p, uint32_t count)
{
    char **paths = realloc(p->paths, count * sizeof *paths);
    if (paths == NULL)
        return TM_E_SYSTEM;
    p->paths = paths;
    size_t *lens = realloc(p->lens, count * sizeof *lens);
    if (lens == NULL)
        return TM_E_SYSTEM;
    p->lens = lens;
    memset(paths + p->count, 0, (count - p->count) * sizeof *paths);
    p->count = count;
    return TM_OK;
}

enum tm_status tm_paths_get(struct tm_paths *p, const struct tm_catalog *catalog, uint32_t file, const char **path,
                            size_t *len)
{
    char text[TM_PATH_TEXT_MAX];
    if (file >= p->count && make_room(p, file < catalog->file_count ? catalog->file_count : file + 1) < 0)
        return TM_E_SYSTEM;
    if (p->paths[file] == NULL) {
        tm_catalog_path(catalog, file, text, sizeof text);
        p->lens[file] = strlen(text);
        if ((p->paths[file] = malloc(p->lens[file] + 1)) == NULL)
            return TM_E_SYSTEM;
        memcpy(p->paths[file], text, p->lens[file] + 1);
    }
    *path = p->paths[file];
    *len = p->lens[file];
    return TM_OK;
}

void tm_paths_release(struct tm_paths *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        free(p->paths[i]);
    free(p->paths);
    free(p->lens);
    *p = (struct tm_paths){0};
}

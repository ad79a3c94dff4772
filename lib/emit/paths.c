#include "emit/paths.h"

#include <stdlib.h>

static enum tm_status make_room(struct tm_paths *p, uint32_t count)
{
    struct tm_paths_row *rows = realloc(p->rows, count * sizeof *rows);
    if (rows == NULL)
        return TM_E_SYSTEM;
    memset(rows + p->count, 0, (count - p->count) * sizeof *rows);
    p->rows = rows;
    p->count = count;
    return TM_OK;
}

enum tm_status tm_paths_get(struct tm_paths *p, const struct tm_catalog *catalog, uint32_t file, struct tm_text *path)
{
    if (file >= p->count && make_room(p, file < catalog->file_count ? catalog->file_count : file + 1) < 0)
        return TM_E_SYSTEM;
    struct tm_paths_row *row = &p->rows[file];
    if (row->data == NULL) {
        char text[TM_PATH_TEXT_MAX];
        tm_catalog_path(catalog, file, text, sizeof text);
        row->len = strlen(text);
        if ((row->data = malloc(row->len + 1)) == NULL)
            return TM_E_SYSTEM;
        memcpy(row->data, text, row->len);
    }
    *path = tm_text_at(row->data, row->len);
    return TM_OK;
}

void tm_paths_release(struct tm_paths *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        free(p->rows[i].data);
    free(p->rows);
    *p = (struct tm_paths){0};
}

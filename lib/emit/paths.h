/* Paths of files, made once each, because outputs name the file in every row. */
#ifndef TM_EMIT_PATHS_H
#define TM_EMIT_PATHS_H

#include "model/catalog.h"

enum { TM_PATH_TEXT_MAX = 1024 }; /* bytes of a path in a text, with its NUL; a longer one is cut */

/* Zero-initialise. */
struct tm_paths {
    struct tm_paths_row {
        uint8_t *data; /* NULL: not made yet */
        size_t len;
    } * rows; /* by file */
    uint32_t count;
};

/* Sets *PATH to tm_catalog_path of FILE, cut at TM_PATH_TEXT_MAX. It belongs to PATHS. TM_OK or TM_E_SYSTEM (no
 * memory). */
enum tm_status tm_paths_get(struct tm_paths *paths, const struct tm_catalog *catalog, uint32_t file,
                            struct tm_text *path);

void tm_paths_release(struct tm_paths *paths);

#endif

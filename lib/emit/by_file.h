/* Numbers of things that each belong to a file, in the order of their files. */
#ifndef TM_EMIT_BY_FILE_H
#define TM_EMIT_BY_FILE_H

#include "model/catalog.h"

/* Things of file I are order[starts[I]] to before order[starts[I + 1]]. Zero-initialise. */
struct tm_by_file {
    uint32_t *starts, *order;
};

/* Orders the catalog's accounts, placements, statistics, or metadata of a file. TM_OK or TM_E_SYSTEM; call it once for
 * each struct. */
enum tm_status tm_by_file_accounts(struct tm_by_file *by_file, const struct tm_catalog *catalog);
enum tm_status tm_by_file_placements(struct tm_by_file *by_file, const struct tm_catalog *catalog);
enum tm_status tm_by_file_stats(struct tm_by_file *by_file, const struct tm_catalog *catalog);
enum tm_status tm_by_file_metadata(struct tm_by_file *by_file, const struct tm_catalog *catalog);

void tm_by_file_release(struct tm_by_file *by_file);

#endif

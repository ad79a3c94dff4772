/* The entry point of tracemerge.so: `.load tracemerge` adds functions of Perfetto's SQL to a connection. doc/model.md
 * lists them. */
#include "extension/internal.h"

/* The functions of the SQLite that loads this. Every loadable extension has this variable. */
SQLITE_EXTENSION_INIT1

__attribute__((visibility("default"))) int sqlite3_tracemerge_init(sqlite3 *db, char **message,
                                                                   const sqlite3_api_routines *api);

int sqlite3_tracemerge_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
    (void)message;
    SQLITE_EXTENSION_INIT2(api)
    int rc = tm_extension_add_clock_functions(db);
    if (rc == SQLITE_OK)
        rc = tm_extension_add_query_functions(db);
    return rc == SQLITE_OK ? tm_extension_add_text_functions(db) : rc;
}

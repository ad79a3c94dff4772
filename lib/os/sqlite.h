/* SQLite, which is loaded when it is needed (os/library.h). Include this instead of <sqlite3.h>: calls then go through
 * SQLite's table of its functions, as those of extensions do. */
#ifndef TM_OS_SQLITE_H
#define TM_OS_SQLITE_H

#include "base/status.h"

#include <sqlite3ext.h>

/* What the macros of sqlite3ext.h call. NULL until tm_sqlite_load succeeds. */
extern const sqlite3_api_routines *sqlite3_api;

/* Must succeed before any call of SQLite. Threads may call it at the same time. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_sqlite_load(struct tm_error *err);

#endif

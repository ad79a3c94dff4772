/* Declarations that the files of the SQLite extension share. It is a library of its own: it is linked with nothing but
 * what SQLite hands it, so that it can be loaded by any program that has an SQLite. */
#ifndef TM_EXTENSION_INTERNAL_H
#define TM_EXTENSION_INTERNAL_H

#include <sqlite3ext.h>

/* Each of these adds functions to DB and returns an SQLite result code. */

/* clock_functions.c: to_realtime, to_monotonic and abs_time_str, which read clock_snapshot at their first use. */
int tm_extension_add_clock_functions(sqlite3 *db);

/* query_functions.c: extract_arg, extract_metadata and others that are a query of the database each. */
int tm_extension_add_query_functions(sqlite3 *db);

/* text_functions.c: to_timecode, str_split and unhex, which need no database. */
int tm_extension_add_text_functions(sqlite3 *db);

#endif

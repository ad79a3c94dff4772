/* Declarations that the files of the SQLite extension share. The extension is a library of its own. It is linked only
 * with the functions that SQLite passes to it, so any program with SQLite can load it. */
#ifndef TM_EXTENSION_INTERNAL_H
#define TM_EXTENSION_INTERNAL_H

#include <sqlite3ext.h>

/* Each of these adds functions to DB and returns an SQLite result code. */

/* clock_functions.c: to_realtime, to_monotonic and abs_time_str, which read clock_snapshot at their first use. */
int tm_extension_add_clock_functions(sqlite3 *db);

/* query_functions.c: extract_arg, extract_metadata and others; each is one query of the database. */
int tm_extension_add_query_functions(sqlite3 *db);

/* text_functions.c: to_timecode, str_split, unhex and conversions of durations, which need no database. */
int tm_extension_add_text_functions(sqlite3 *db);

#endif

/* A SQLite database in an extent of a file, read only. SQLite reads it through a file system of our own that opens no
 * files. So it can be a member of an archive, and it works where no file may be opened.
 *
 * The database is untrusted. Views, triggers, virtual tables and functions are refused; rows and steps are limited by
 * the size of the file. */
#ifndef TM_FORMAT_NSIGHT_DATABASE_H
#define TM_FORMAT_NSIGHT_DATABASE_H

#include "container/extent.h"
#include "os/sqlite.h"

/* Zero-initialise. Must not move while it is open. */
struct tm_nsight_database {
    sqlite3 *db;
    bool is_wal; /* the database has a write-ahead log, which is not read */
    bool is_cut; /* the file is shorter than its header says */
    /* private */
    struct tm_extent file;
    uint64_t len; /* the length that SQLite sees */
    sqlite3_vfs vfs;
    char vfs_name[40];
    bool is_registered;
    uint64_t steps_left, rows_left;
    struct tm_error read_error; /* error of reading the file; SQLite cannot pass it on */
};

/* Opens the database in FILE, whose descriptor is borrowed. tm_sqlite_load has succeeded before. TM_OK; TM_E_INPUT: it
 * is damaged; TM_E_SYSTEM. A truncated file is damaged; with SALVAGE only its last pages are. Close it after an error,
 * too. */
enum tm_status tm_nsight_database_open(struct tm_nsight_database *d, const struct tm_extent *file, bool salvage,
                                       struct tm_error *err);

/* Prepares SQL. TM_OK, or an error; *STATEMENT is NULL then. */
enum tm_status tm_nsight_database_prepare(struct tm_nsight_database *d, const char *sql, sqlite3_stmt **statement,
                                          struct tm_error *err);

/* Steps to the next row of STATEMENT. TM_OK; TM_END; TM_E_INPUT: damage, or more rows than fit into the file;
 * TM_E_SYSTEM. */
enum tm_status tm_nsight_database_step(struct tm_nsight_database *d, sqlite3_stmt *statement, struct tm_error *err);

void tm_nsight_database_close(struct tm_nsight_database *d);

#endif

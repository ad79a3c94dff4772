/* A database of SQLite that lies in a stretch of a file, for reading alone. SQLite reads it by a file system of our
 * own, which opens nothing: so it works in a member of an archive and where no file may be opened.
 *
 * The database comes from a stranger. Views, triggers, virtual tables and functions are refused, rows and steps are
 * bounded by the size of the file. */
#ifndef TM_FORMAT_NSIGHT_DATABASE_H
#define TM_FORMAT_NSIGHT_DATABASE_H

#include "container/extent.h"

#include <sqlite3.h>

/* Zero-initialise. Must not move while it is open. */
struct tm_nsight_database {
    sqlite3 *db;
    bool is_wal; /* it was written with a log beside it, which is not read */
    bool is_cut; /* the file is shorter than its header says */
    /* private */
    struct tm_extent file;
    uint64_t len; /* bytes that SQLite takes it to have */
    sqlite3_vfs vfs;
    char vfs_name[40];
    bool is_registered;
    uint64_t steps_left, rows_left;
    struct tm_error read_error; /* of the file, which SQLite cannot pass on */
};

/* Opens the database in FILE, whose descriptor is borrowed. TM_OK; TM_E_INPUT: it is damaged; TM_E_SYSTEM. A file that
 * was cut is damaged, or with SALVAGE one whose last pages are. Close it after an error, too. */
enum tm_status tm_nsight_database_open(struct tm_nsight_database *d, const struct tm_extent *file, bool salvage,
                                       struct tm_error *err);

/* Prepares SQL. TM_OK, or an error; *STATEMENT is NULL then. */
enum tm_status tm_nsight_database_prepare(struct tm_nsight_database *d, const char *sql, sqlite3_stmt **statement,
                                          struct tm_error *err);

/* The next row of STATEMENT. TM_OK; TM_END; TM_E_INPUT: damage, or more rows than the file has room for;
 * TM_E_SYSTEM. */
enum tm_status tm_nsight_database_step(struct tm_nsight_database *d, sqlite3_stmt *statement, struct tm_error *err);

void tm_nsight_database_close(struct tm_nsight_database *d);

#endif

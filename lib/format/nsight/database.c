#include "format/nsight/database.h"

#include "base/bytes.h"

#include <stdio.h>
#include <string.h>

/* Limits of the work on a database. A row takes at least two bytes, so rows are limited to the bytes of the file. A
 * step is an instruction of SQLite's virtual machine. Table scans and look-ups by key need fewer than
 * STEPS_PER_BYTE. */
enum { STEPS_AT_ONCE = 1000, STEPS_PER_BYTE = 64, VALUE_MAX = 1 << 20 };
enum { HEADER_PAGE_SIZE = 16, HEADER_WRITE_VERSION = 18, HEADER_READ_VERSION = 19, HEADER_PAGES = 28, HEADER_LEN = 32 };
enum { VERSION_ROLLBACK = 1, VERSION_WAL = 2, PAGE_LEAST = 512, PAGE_OF_1 = 65536 };

static const uint64_t steps_least = 10000000;

/* SQLite's handle for the file. */
struct handle {
    sqlite3_file base;
    struct tm_nsight_database *d;
};

static int file_close(sqlite3_file *file)
{
    (void)file;
    return SQLITE_OK;
}

/* Hides that the database has a write-ahead log, which two bytes of its header state. SQLite then reads the database
 * without the log, and asks for no memory shared with writers. */
static void hide_log(struct tm_nsight_database *d, uint8_t *data, uint64_t at, uint64_t len)
{
    for (uint64_t i = HEADER_WRITE_VERSION; i <= HEADER_READ_VERSION; i++)
        if (i >= at && i - at < len && data[i - at] == VERSION_WAL) {
            data[i - at] = VERSION_ROLLBACK;
            d->is_wal = true;
        }
}

static int file_read(sqlite3_file *file, void *data, int len, sqlite3_int64 at)
{
    struct tm_nsight_database *d = ((struct handle *)(void *)file)->d;
    uint64_t want = (uint64_t)len, from = (uint64_t)at;
    uint64_t left = from < d->file.len ? d->file.len - from : 0;
    uint64_t have = want < left ? want : left;
    if (have < want && from + want <= d->len) /* the file lacks a part of the page */
        return SQLITE_CORRUPT;
    if (have > 0 && tm_extent_read(&d->file, from, data, (size_t)have, &d->read_error) < 0)
        return SQLITE_IOERR_READ;
    hide_log(d, data, from, have);
    memset((uint8_t *)data + have, 0, (size_t)(want - have));
    return have < want ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int file_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 at)
{
    (void)file, (void)data, (void)len, (void)at;
    return SQLITE_READONLY;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    (void)file, (void)size;
    return SQLITE_READONLY;
}

static int file_flags(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = (sqlite3_int64)((struct handle *)(void *)file)->d->len;
    return SQLITE_OK;
}

static int file_is_reserved(sqlite3_file *file, int *result)
{
    (void)file;
    *result = 0;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *file, int op, void *arg)
{
    (void)file, (void)op, (void)arg;
    return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *file)
{
    (void)file;
    return 4096;
}

/* States that the file has no writers. SQLite then uses no locks and no journals. */
static int file_characteristics(sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_flags,
    .xFileSize = file_size,
    .xLock = file_flags,
    .xUnlock = file_flags,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
};

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    struct handle *handle = (struct handle *)(void *)file;
    (void)name;
    *handle = (struct handle){{NULL}, vfs->pAppData};
    if (!(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    handle->base.pMethods = &methods;
    if (out_flags)
        *out_flags = SQLITE_OPEN_READONLY;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)name, (void)sync;
    return SQLITE_IOERR_DELETE;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
    (void)vfs, (void)name, (void)flags;
    *result = 0;
    return SQLITE_OK;
}

static int vfs_full_name(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    (void)vfs;
    snprintf(out, (size_t)size, "%s", name);
    return SQLITE_OK;
}

static int vfs_randomness(sqlite3_vfs *vfs, int len, char *out)
{
    (void)vfs;
    memset(out, 0, (size_t)len);
    return len;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return microseconds;
}

static int vfs_time(sqlite3_vfs *vfs, double *days)
{
    (void)vfs;
    *days = 0;
    return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *out)
{
    (void)vfs, (void)size, (void)out;
    return 0;
}

static int count_steps(void *arg)
{
    struct tm_nsight_database *d = arg;
    if (d->steps_left < STEPS_AT_ONCE)
        return 1;
    d->steps_left -= STEPS_AT_ONCE;
    return 0;
}

/* Permits only reading of table columns. Functions and virtual tables that a schema names are refused. */
static int allow(void *arg, int action, const char *a, const char *b, const char *database, const char *inner)
{
    (void)arg, (void)a, (void)b, (void)database, (void)inner;
    return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_PRAGMA ? SQLITE_OK : SQLITE_DENY;
}

/* False if memory ran out. SQLite also reports that if the length in a record exceeds all limits. */
static bool has_memory(void)
{
    void *probe = sqlite3_malloc64(2 * VALUE_MAX);
    sqlite3_free(probe);
    return probe != NULL;
}

static enum tm_status fail(struct tm_nsight_database *d, int rc, struct tm_error *err)
{
    if (d->read_error.status < 0) {
        *err = d->read_error;
        return err->status;
    }
    if ((rc & 0xff) == SQLITE_NOMEM)
        return has_memory() ? tm_error_set(err, TM_E_INPUT, "SQLite: a record that is longer than its file")
                            : tm_error_nomem(err);
    if ((rc & 0xff) == SQLITE_INTERRUPT)
        return tm_error_set(err, TM_E_INPUT, "SQLite: more work than a file of this size can need");
    return tm_error_set(err, TM_E_INPUT, "SQLite: %s", d->db ? sqlite3_errmsg(d->db) : sqlite3_errstr(rc));
}

static enum tm_status register_vfs(struct tm_nsight_database *d, struct tm_error *err)
{
    snprintf(d->vfs_name, sizeof d->vfs_name, "tm-nsight-%p", (void *)d);
    d->vfs = (sqlite3_vfs){.iVersion = 1,
                           .szOsFile = (int)sizeof(struct handle),
                           .mxPathname = 64,
                           .zName = d->vfs_name,
                           .pAppData = d,
                           .xOpen = vfs_open,
                           .xDelete = vfs_delete,
                           .xAccess = vfs_access,
                           .xFullPathname = vfs_full_name,
                           .xRandomness = vfs_randomness,
                           .xSleep = vfs_sleep,
                           .xCurrentTime = vfs_time,
                           .xGetLastError = vfs_last_error};
    int rc = sqlite3_vfs_register(&d->vfs, 0);
    d->is_registered = rc == SQLITE_OK;
    return rc == SQLITE_OK ? TM_OK : fail(d, rc, err);
}

/* Limits what an untrusted database can make SQLite do. */
static int defend(struct tm_nsight_database *d)
{
    static const struct {
        int limit, value;
    } limits[] = {{SQLITE_LIMIT_LENGTH, VALUE_MAX}, {SQLITE_LIMIT_ATTACHED, 0}, {SQLITE_LIMIT_WORKER_THREADS, 0},
                  {SQLITE_LIMIT_TRIGGER_DEPTH, 1}, {SQLITE_LIMIT_EXPR_DEPTH, 100}, {SQLITE_LIMIT_FUNCTION_ARG, 8}};
    static const struct {
        int option, value;
    } options[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1}, {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                   {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(d->db, limits[i].limit, limits[i].value);
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof options / sizeof *options && rc == SQLITE_OK; i++)
        rc = sqlite3_db_config(d->db, options[i].option, options[i].value, (int *)NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_set_authorizer(d->db, allow, NULL);
    sqlite3_progress_handler(d->db, STEPS_AT_ONCE, count_steps, d);
    return rc;
}

/* Reads the length that the file should have from its header. Source: the database file format of SQLite, 1.3. */
static enum tm_status read_length(struct tm_nsight_database *d, uint64_t *len, struct tm_error *err)
{
    uint8_t h[HEADER_LEN] = {0};
    enum tm_status st = d->file.len < sizeof h ? TM_OK : tm_extent_read(&d->file, 0, h, sizeof h, err);
    uint32_t page = tm_get_be16(h + HEADER_PAGE_SIZE);
    uint64_t pages = tm_get_be32(h + HEADER_PAGES);
    *len = (page == 1 ? PAGE_OF_1 : page < PAGE_LEAST ? 0 : page) * pages;
    return st;
}

enum tm_status tm_nsight_database_open(struct tm_nsight_database *d, const struct tm_extent *file, bool salvage,
                                       struct tm_error *err)
{
    uint64_t should;
    d->file = *file;
    d->len = file->len;
    d->rows_left = file->len;
    d->steps_left = steps_least + file->len * STEPS_PER_BYTE;
    enum tm_status st = read_length(d, &should, err);
    if (st == TM_OK)
        st = register_vfs(d, err);
    if (st < 0)
        return st;
    d->is_cut = should > d->len;
    d->len = d->is_cut && salvage ? should : d->len;
    int rc = sqlite3_open_v2("export", &d->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, d->vfs_name);
    if (rc == SQLITE_OK)
        rc = defend(d);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(d->db, "PRAGMA cell_size_check=1; PRAGMA temp_store=2; PRAGMA cache_size=-4096;", NULL, NULL,
                          NULL);
    return rc == SQLITE_OK ? TM_OK : fail(d, rc, err);
}

enum tm_status tm_nsight_database_prepare(struct tm_nsight_database *d, const char *sql, sqlite3_stmt **statement,
                                          struct tm_error *err)
{
    *statement = NULL;
    int rc = sqlite3_prepare_v2(d->db, sql, -1, statement, NULL);
    return rc == SQLITE_OK ? TM_OK : fail(d, rc, err);
}

enum tm_status tm_nsight_database_step(struct tm_nsight_database *d, sqlite3_stmt *statement, struct tm_error *err)
{
    int rc = sqlite3_step(statement);
    if (rc == SQLITE_DONE)
        return TM_END;
    if (rc != SQLITE_ROW)
        return fail(d, rc, err);
    if (d->rows_left == 0)
        return tm_error_set(err, TM_E_INPUT, "SQLite: more rows than a file of this size can have");
    d->rows_left--;
    return TM_OK;
}

void tm_nsight_database_close(struct tm_nsight_database *d)
{
    if (d->db) /* otherwise SQLite need not be loaded */
        sqlite3_close(d->db);
    if (d->is_registered)
        sqlite3_vfs_unregister(&d->vfs);
    *d = (struct tm_nsight_database){0};
}

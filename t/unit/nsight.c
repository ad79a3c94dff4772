/* Unit tests of databases that Nsight Systems exports: read inside another file, damaged, or with an unknown schema.
 * t/134-nsight.bats tests the content of rows. */
#include "format/nsight/database.h"
#include "os/io.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BEFORE = 777 };

/* Writes a database that SQL makes to a temporary file, after BEFORE other bytes. */
static struct tm_extent make_database(const char *sql)
{
    struct tm_extent extent = {.fd = -1, .start = BEFORE};
    struct tm_error err = {0};
    sqlite3 *db = NULL;
    sqlite3_int64 len = 0;
    static const uint8_t before[BEFORE];
    if (sqlite3_open(":memory:", &db) != SQLITE_OK || sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        abort();
    unsigned char *bytes = sqlite3_serialize(db, "main", &len, 0);
    if (bytes == NULL || tm_io_temporary(NULL, &extent.fd, &err) < 0 ||
        tm_io_write(extent.fd, before, sizeof before, &err) < 0 ||
        tm_io_write(extent.fd, bytes, (size_t)len, &err) < 0)
        abort();
    extent.len = (uint64_t)len;
    sqlite3_free(bytes);
    sqlite3_close(db);
    return extent;
}

static void poke(const struct tm_extent *extent, uint64_t at, uint8_t byte)
{
    if (pwrite(extent->fd, &byte, 1, (off_t)(extent->start + at)) != 1)
        abort();
}

/* Returns the sum of all rows of SQL in the database of EXTENT; an error is in *ERR. */
static int64_t sum_of(const struct tm_extent *extent, bool salvage, const char *sql, struct tm_error *err)
{
    struct tm_nsight_database *d = calloc(1, sizeof *d);
    sqlite3_stmt *statement = NULL;
    int64_t sum = 0;
    if (d == NULL)
        abort();
    *err = (struct tm_error){0};
    enum tm_status st = tm_nsight_database_open(d, extent, salvage, err);
    if (st == TM_OK)
        st = tm_nsight_database_prepare(d, sql, &statement, err);
    while (st == TM_OK && (st = tm_nsight_database_step(d, statement, err)) == TM_OK)
        sum += sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    tm_nsight_database_close(d);
    free(d);
    return sum;
}

#define MANY \
    "PRAGMA page_size=512; CREATE TABLE t (x INT, y TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 " \
    "FROM n WHERE i < 200) INSERT INTO t SELECT i, hex(zeroblob(20)) FROM n; CREATE VIEW v AS SELECT x FROM t;"

static void test_reading(void)
{
    struct tm_error err;
    struct tm_extent extent = make_database(MANY);
    is_int(sum_of(&extent, false, "SELECT x FROM t", &err), 20100);
    is_int(err.status, TM_OK);
    /* as if a log were beside it */
    poke(&extent, 18, 2);
    poke(&extent, 19, 2);
    is_int(sum_of(&extent, false, "SELECT x FROM t", &err), 20100);
    close(extent.fd);
}

static void test_refusals(void)
{
    static const char *const refused[] = {"SELECT x FROM v", "SELECT abs(x) FROM t", "DELETE FROM t",
                                          "CREATE TABLE u (x)", "ATTACH '/etc/passwd' AS p",
                                          "SELECT load_extension('x')"};
    struct tm_error err;
    struct tm_extent extent = make_database(MANY);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        sum_of(&extent, false, refused[i], &err);
        ok_named(err.status == TM_E_INPUT && strncmp(err.text, "SQLite: ", 8) == 0, refused[i]);
    }
    /* more steps than a file of this size needs */
    sum_of(&extent, false, "SELECT a.x FROM t a, t b, t c, t d, t e WHERE a.x + b.x + c.x + d.x + e.x < 0", &err);
    is_str(err.text, "SQLite: more work than a file of this size can need");
    /* more rows than it has bytes */
    sum_of(&extent, false, "SELECT 1 FROM t a, t b", &err);
    is_str(err.text, "SQLite: more rows than a file of this size can have");
    close(extent.fd);
}

static void test_damage(void)
{
    struct tm_error err;
    struct tm_extent extent = make_database(MANY);
    uint64_t whole = extent.len;
    extent.len = whole - 700;
    is_int(sum_of(&extent, false, "SELECT x FROM t", &err), 0);
    is_str(err.text, "SQLite: database disk image is malformed");
    ok(sum_of(&extent, true, "SELECT x FROM t", &err) > 15000);
    is_str(err.text, "SQLite: database disk image is malformed");
    extent.len = 20;
    sum_of(&extent, true, "SELECT x FROM t", &err);
    is_int(err.status, TM_E_INPUT);
    extent.len = 0;
    sum_of(&extent, true, "SELECT x FROM t", &err);
    is_int(err.status, TM_E_INPUT);
    extent.len = whole;
    poke(&extent, 512 + 3, 0xff);
    sum_of(&extent, false, "SELECT x FROM t", &err);
    is_str(err.text, "SQLite: database disk image is malformed");
    close(extent.fd);
}

/* A row of the schema whose length is 2^32 - 1. SQLite reports it as lack of memory. */
static void test_length_that_lies(void)
{
    static const uint8_t second_cell = 100 + 8 + 2, len[] = {0x8f, 0xff, 0xff, 0xff, 0x7f};
    struct tm_error err;
    struct tm_extent extent = make_database(MANY);
    uint8_t at[2];
    if (pread(extent.fd, at, sizeof at, (off_t)(extent.start + second_cell)) != sizeof at)
        abort();
    for (size_t i = 0; i < sizeof len; i++)
        poke(&extent, (uint64_t)(at[0] << 8 | at[1]) + i, len[i]);
    sum_of(&extent, false, "SELECT x FROM t", &err);
    is_int(err.status, TM_E_INPUT);
    is_str(err.text, "SQLite: a record that is longer than its file");
    close(extent.fd);
}

int main(void)
{
    ok(tm_sqlite_load(NULL) == TM_OK);
    test_length_that_lies();
    test_reading();
    test_refusals();
    test_damage();
    return tap_done();
}

/* Unit tests of database rows that are written without SQLite: SQLite reads them and finds the file intact. */
#include "base/bytes.h"
#include "emit/sqlite/btree.h"
#include "os/sqlite.h"
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/btree.XXXXXX";

/* Makes a new database with the tables a and b. ROOTS gets the pages of their roots. */
static void make(uint32_t roots[2])
{
    sqlite3 *db;
    sqlite3_stmt *stmt;
    unlink(path);
    ok(sqlite3_open(path, &db) == SQLITE_OK);
    ok(sqlite3_exec(db, "PRAGMA page_size=8192; CREATE TABLE a(id INTEGER PRIMARY KEY, n INTEGER, r REAL, t TEXT);"
                        "CREATE TABLE b(id INTEGER PRIMARY KEY, n INTEGER)", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema ORDER BY name", -1, &stmt, NULL);
    for (int i = 0; i < 2 && sqlite3_step(stmt) == SQLITE_ROW; i++)
        roots[i] = (uint32_t)sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
}

/* Returns the first row of SQL as text. */
static const char *ask(const char *sql)
{
    static char answer[256];
    sqlite3 *db;
    sqlite3_stmt *stmt;
    answer[0] = 0;
    if (sqlite3_open(path, &db) == SQLITE_OK && sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK) {
        if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_text(stmt, 0))
            snprintf(answer, sizeof answer, "%s", (const char *)sqlite3_column_text(stmt, 0));
        sqlite3_finalize(stmt);
    }
    sqlite3_close(db);
    return answer;
}

/* Returns the text of row ID of SIZES: from empty to several pages. */
static struct tm_text text_of(struct tm_buf *buf, int64_t id, const size_t *sizes, size_t count)
{
    size_t len = sizes[(uint64_t)id % count];
    tm_buf_clear(buf);
    for (size_t i = 0; i < len; i++)
        tm_buf_add_byte(buf, (uint8_t)('a' + (id + (int64_t)i) % 26));
    return (struct tm_text){buf->data ? buf->data : (const uint8_t *)"", len};
}

struct files {
    struct tm_sqlite_pages pages;
    struct tm_sqlite_btree a, b;
    struct tm_sqlite_record record;
    struct tm_buf text;
};

static void open_files(struct files *f, const uint32_t roots[2])
{
    struct tm_error err = {0};
    *f = (struct files){0};
    ok(tm_sqlite_pages_open(&f->pages, path, path, &err) == TM_OK);
    tm_sqlite_btree_init(&f->a, &f->pages, roots[0]);
    tm_sqlite_btree_init(&f->b, &f->pages, roots[1]);
}

static void close_files(struct files *f)
{
    struct tm_error err = {0};
    ok(tm_sqlite_btree_finish(&f->a, &err) == TM_OK);
    ok(tm_sqlite_btree_finish(&f->b, &err) == TM_OK);
    ok(tm_sqlite_pages_finish(&f->pages, &err) == TM_OK);
    tm_sqlite_btree_release(&f->a);
    tm_sqlite_btree_release(&f->b);
    tm_sqlite_pages_release(&f->pages);
    tm_sqlite_record_release(&f->record);
    tm_buf_release(&f->text);
}

static enum tm_status add_a(struct files *f, int64_t id, struct tm_text text)
{
    struct tm_error err = {0};
    tm_sqlite_record_begin(&f->record);
    tm_sqlite_record_null(&f->record);
    tm_sqlite_record_int(&f->record, id * 3);
    tm_sqlite_record_real(&f->record, (double)id / 4);
    tm_sqlite_record_text(&f->record, text);
    return tm_sqlite_btree_add(&f->a, id, &f->record, &err);
}

static enum tm_status add_b(struct files *f, int64_t id, int64_t value)
{
    struct tm_error err = {0};
    tm_sqlite_record_begin(&f->record);
    tm_sqlite_record_null(&f->record);
    tm_sqlite_record_maybe(&f->record, value != INT64_MIN, value);
    return tm_sqlite_btree_add(&f->b, id, &f->record, &err);
}

/* Adds a row whose number may change. */
static enum tm_status add_wide_b(struct files *f, int64_t id)
{
    struct tm_error err = {0};
    tm_sqlite_record_begin(&f->record);
    tm_sqlite_record_null(&f->record);
    tm_sqlite_record_wide(&f->record, -1);
    return tm_sqlite_btree_add(&f->b, id, &f->record, &err);
}

/* Lengths near those at which a record continues on an overflow page, and on a second and a third one. */
static const size_t sizes[] = {0,    1,    50,   120,  8100,  8140,  8145,  8146,  8147,  8148,  8149,  8150, 8151,
                               8152, 9000, 9170, 9175, 16300, 16320, 16330, 16340, 16350, 30000, 100,   7,    65};
enum { SIZES = sizeof sizes / sizeof *sizes };

static bool is_found(struct files *f, int64_t id, struct tm_buf *payload)
{
    struct tm_error err = {0};
    struct tm_text found = {0}, text = text_of(&f->text, id, sizes, SIZES);
    return tm_sqlite_btree_find(&f->a, id, payload, &err) == TM_OK &&
           tm_sqlite_record_get_text(payload->data, payload->len, 3, &found) == TM_OK && found.len == text.len &&
           memcmp(found.data, text.data, text.len) == 0;
}

/* Writes COUNT rows of a, with gaps between their ids, alternating with the same number of rows of b. */
static void test_rows(int64_t count)
{
    struct tm_buf payload = {0};
    struct tm_error err = {0};
    struct files f;
    uint32_t roots[2];
    char expected[64];
    bool added = true, found = true;
    make(roots);
    open_files(&f, roots);
    for (int64_t id = 0; id < count; id++) {
        added = added && add_a(&f, id * 7, text_of(&f.text, id * 7, sizes, SIZES)) == TM_OK &&
                add_b(&f, id, id % 3) == TM_OK;
        if (id % 97 == 0 || id + 1 == count)
            found = found && is_found(&f, id / 2 * 7, &payload) && is_found(&f, id * 7, &payload);
    }
    ok(added);
    ok(found);
    is_int(tm_sqlite_btree_find(&f.a, 3, &payload, &err), TM_END);
    is_int(tm_sqlite_btree_find(&f.a, count * 7, &payload, &err), TM_END);
    close_files(&f);
    is_str(ask("PRAGMA integrity_check"), "ok");
    snprintf(expected, sizeof expected, "%" PRId64, count);
    is_str(ask("SELECT count(*) FROM a WHERE n = id * 3 AND r = id / 4.0 AND typeof(r) = 'real'"), expected);
    is_str(ask("SELECT count(*) FROM b WHERE n = id % 3"), expected);
    tm_buf_release(&payload);
}

/* Each integer and each real is read back unchanged. */
static void test_values(void)
{
    struct tm_buf payload = {0};
    static const int64_t values[] = {0, 1, -1, 2, 127, 128, -128, -129, 32767, 32768, -32768, -32769, 8388607, 8388608,
                                     -8388608, -8388609, INT32_MAX, INT32_MIN, 140737488355327, 140737488355328,
                                     -140737488355328, -140737488355329, INT64_MAX, INT64_MIN + 1};
    static const double reals[] = {0.0, 0.5, -1e300, 1e18, 140737488355327.0, 140737488355328.0, 3.0};
    struct tm_error err = {0};
    struct files f;
    uint32_t roots[2];
    make(roots);
    open_files(&f, roots);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        ok(add_b(&f, (int64_t)i, values[i]) == TM_OK);
    ok(add_b(&f, INT64_MAX, INT64_MIN) == TM_OK);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        tm_sqlite_record_begin(&f.record);
        tm_sqlite_record_null(&f.record);
        tm_sqlite_record_null(&f.record);
        tm_sqlite_record_real(&f.record, reals[i]);
        ok(tm_sqlite_btree_add(&f.a, (int64_t)i - 3, &f.record, &err) == TM_OK);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        double value = 1;
        ok(tm_sqlite_btree_find(&f.a, (int64_t)i - 3, &payload, &err) == TM_OK);
        ok(tm_sqlite_record_get_real(payload.data, payload.len, 2, &value) == TM_OK && !(value < reals[i]) &&
           !(value > reals[i]));
        ok(tm_sqlite_record_get_real(payload.data, payload.len, 1, &value) == TM_END);
    }
    tm_buf_release(&payload);
    ok_named(add_b(&f, 5, 0) == TM_E_SYSTEM, "rows out of order");
    close_files(&f);
    is_str(ask("PRAGMA integrity_check"), "ok");
    is_str(ask("SELECT group_concat(n, ' ') FROM (SELECT n FROM b WHERE n IS NOT NULL ORDER BY id)"),
           "0 1 -1 2 127 128 -128 -129 32767 32768 -32768 -32769 8388607 8388608 -8388608 -8388609 2147483647 "
           "-2147483648 140737488355327 140737488355328 -140737488355328 -140737488355329 9223372036854775807 "
           "-9223372036854775807");
    is_str(ask("SELECT id FROM b WHERE n IS NULL"), "9223372036854775807");
    is_str(ask("SELECT group_concat(typeof(r) || r, ' ') FROM (SELECT r FROM a ORDER BY id)"),
           "real0.0 real0.5 real-1.0e+300 real1.0e+18 real140737488355327.0 real140737488355328.0 real3.0");
}

/* A text that is not copied to its record is the same as one that is. */
static void test_long_text(void)
{
    static const size_t lengths[] = {0, 50, 8145, 8150, 30000};
    struct files f;
    struct tm_error err = {0};
    uint32_t roots[2];
    make(roots);
    open_files(&f, roots);
    for (int64_t id = 0; id < 10; id++) {
        struct tm_text text = text_of(&f.text, id / 2, lengths, sizeof lengths / sizeof *lengths);
        tm_sqlite_record_begin(&f.record);
        tm_sqlite_record_null(&f.record);
        if (id % 2)
            tm_sqlite_record_text(&f.record, text);
        else
            tm_sqlite_record_long_text(&f.record, text);
        ok(tm_sqlite_btree_add(&f.b, id, &f.record, &err) == TM_OK);
    }
    close_files(&f);
    is_str(ask("PRAGMA integrity_check"), "ok");
    is_str(ask("SELECT group_concat(length(x.n) || ' ' || (x.n = y.n), ', ') FROM b x JOIN b y ON y.id = x.id + 1"
               " WHERE x.id % 2 = 0"),
           "0 1, 50 1, 8145 1, 8150 1, 30000 1");
}

/* Rows change after they were added: in the open leaf, in a page that is not written yet, and in the file. */
static void test_change(void)
{
    enum { ROWS = 400000, STEP = 997, COLUMN = 1 };
    struct files f;
    struct tm_error err = {0};
    uint32_t roots[2];
    bool good = true;
    make(roots);
    open_files(&f, roots);
    for (int64_t id = 0; good && id < ROWS; id++) {
        good = (id % STEP == 0 ? add_wide_b(&f, id) : add_b(&f, id, -1)) == TM_OK;
        if (id % STEP == 1) /* the last one, one in the pages before, and one far back */
            good = good && tm_sqlite_btree_change(&f.b, id - 1, COLUMN, id - 1, &err) == TM_OK &&
                   (id < 9 * STEP || tm_sqlite_btree_change(&f.b, id - 1 - 8 * STEP, COLUMN, id, &err) == TM_OK) &&
                   tm_sqlite_btree_change(&f.b, (id - 1) / 2 / STEP * STEP, COLUMN, 5, &err) == TM_OK;
    }
    ok_named(good, "rows are changed");
    is_int(tm_sqlite_btree_change(&f.b, 1, COLUMN, 7, &err), TM_END);
    is_int(tm_sqlite_btree_change(&f.b, ROWS, COLUMN, 7, &err), TM_END);
    is_int(tm_sqlite_btree_change(&f.b, 0, COLUMN + 1, 7, &err), TM_END);
    close_files(&f);
    is_str(ask("PRAGMA integrity_check"), "ok");
    is_str(ask("SELECT count(*) || ' ' || sum(n = -1) FROM b WHERE id % 997 <> 0"), "399598 399598");
    /* The first rows changed once more after they were half of the last one. */
    is_str(ask("SELECT count(*) || ' ' || sum(CASE WHEN id / 997 BETWEEN 1 AND 6 THEN n = id + 8 * 997 + 1"
               " WHEN id / 997 <= 200 THEN n = 5 WHEN id / 997 <= 393 THEN n = id + 8 * 997 + 1 ELSE n = id END)"
               " FROM b WHERE id % 997 = 0"),
           "402 402");
}

/* Adds COUNT rows to table b. True if all were added. */
static bool add_wides(struct files *f, int64_t count)
{
    bool good = true;
    for (int64_t id = 0; good && id < count; id++)
        good = add_wide_b(f, id) == TM_OK;
    return good;
}

/* A row changes although a later one has taken the place where its number was remembered. */
static void test_forgotten_place(void)
{
    enum { ROWS = TM_WIDE_PLACES + 5, COLUMN = 1 };
    struct files f;
    struct tm_error err = {0};
    uint32_t roots[2];
    make(roots);
    open_files(&f, roots);
    bool good = add_wides(&f, ROWS);
    ok(good);
    ok(tm_wide_places_find(&f.b.wides, 3, COLUMN) == NULL);
    ok(tm_wide_places_find(&f.b.wides, 3 + TM_WIDE_PLACES, COLUMN) != NULL);
    is_int(tm_sqlite_btree_change(&f.b, 3, COLUMN, 7, &err), TM_OK);
    is_int(tm_sqlite_btree_change(&f.b, 3 + TM_WIDE_PLACES, COLUMN, 8, &err), TM_OK);
    close_files(&f);
    is_str(ask("SELECT group_concat(id || ' ' || n, ', ') FROM b WHERE n <> -1"), "3 7, 65539 8");
}

/* Returns how often this process has called write(2) or its like; 0 if the system does not say. */
static unsigned long writes(void)
{
    FILE *io = fopen("/proc/self/io", "r");
    char line[64];
    unsigned long count = 0;
    while (io && fgets(line, sizeof line, io))
        (void)sscanf(line, "syscw: %lu", &count);
    if (io)
        fclose(io);
    return count;
}

/* Many rows in the file change, in places that are close to each other, and some of them twice. A page that is read
 * before the changes are in the file has them. */
static void test_close_changes(void)
{
    enum { ROWS = TM_WIDE_PLACES, CHANGED = 6000, TWICE = 500, COLUMN = 1 };
    struct files f;
    struct tm_error err = {0};
    struct tm_buf row = {0};
    uint32_t roots[2];
    make(roots);
    open_files(&f, roots);
    bool good = add_wides(&f, ROWS);
    const unsigned long before = writes();
    for (int64_t id = CHANGED - 1; good && id >= 0; id--)
        good = tm_sqlite_btree_change(&f.b, id, COLUMN, id, &err) == TM_OK;
    for (int64_t id = 0; good && id < TWICE; id++)
        good = tm_sqlite_btree_change(&f.b, id, COLUMN, -2 - id, &err) == TM_OK;
    ok(good);
    ok_named(before == 0 || writes() < before + CHANGED / 100, "changes that are close take few writes");
    is_int(tm_sqlite_btree_find(&f.b, 7, &row, &err), TM_OK);
    ok_named(row.len >= TM_SQLITE_NUMBER && (int32_t)tm_get_be32(row.data + row.len - 4) == -9,
             "a row is read as it was changed last");
    tm_buf_release(&row);
    close_files(&f);
    is_str(ask("SELECT count(*) || ' ' || min(id) || ' ' || max(id) FROM b WHERE n = id"), "5500 500 5999");
    is_str(ask("SELECT count(*) || ' ' || max(id) FROM b WHERE n = -2 - id"), "500 499");
    is_str(ask("SELECT count(*) FROM b WHERE n = -1"), "59536");
    is_str(ask("PRAGMA integrity_check"), "ok");
}

/* A text that SQLite cannot read is refused. */
static void test_too_long(void)
{
    struct files f;
    uint32_t roots[2];
    make(roots);
    open_files(&f, roots);
    is_int(add_a(&f, 1, (struct tm_text){(const uint8_t *)"", TM_RECORD_TEXT_MAX + 1}), TM_E_INPUT);
    close_files(&f);
    is_str(ask("PRAGMA integrity_check"), "ok");
}

/* SQLite stores nothing in the page whose bytes it locks, the first after 1 GB. The file is sparse. */
static void test_lock_page(void)
{
    enum { LOCK = 131073, ROWS = 200 };
    struct tm_buf payload = {0};
    struct files f;
    uint32_t roots[2];
    bool added = true;
    make(roots);
    open_files(&f, roots);
    f.pages.count = LOCK - 40;
    for (int64_t id = 0; id < ROWS; id++)
        added = added && add_a(&f, id, text_of(&f.text, id, sizes, SIZES)) == TM_OK;
    ok(added);
    ok(f.pages.count > LOCK + 40);
    ok(is_found(&f, 20, &payload) && is_found(&f, ROWS / 2, &payload) && is_found(&f, ROWS - 1, &payload));
    close_files(&f);
    is_str(ask("SELECT count(*) FROM a WHERE n = id * 3 AND length(t) >= 0"), "200");
    tm_buf_release(&payload);
    unlink(path);
}

int main(void)
{
    int fd = mkstemp(path);
    ok(fd >= 0 && close(fd) == 0);
    ok(tm_sqlite_load(NULL) == TM_OK);
    test_values();
    for (int64_t count = 1; count < 40; count += 3)
        test_rows(count);
    test_rows(20000); /* enough overflow pages for a third level of the tree */
    test_long_text();
    test_change();
    test_forgotten_place();
    test_close_changes();
    test_too_long();
    test_lock_page();
    return tap_done();
}

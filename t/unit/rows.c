/* Unit tests of rows of text, CSV and JSON lines: args as a tree, rows that are pending until their end, in order, and
 * freed pages. */
#include "emit/text/arg_tree.h"
#include "emit/text/unfinished_rows.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void add(struct tm_buf *list, const char *key, const char *value, bool is_text)
{
    const struct tm_arg_value arg = {tm_text_str(key), tm_text_str(value), is_text};
    ok_named(tm_arg_list_add(list, &arg) == TM_OK, key);
}

/* LIST as JSON, or the node of it that --arg=PATH finds, must be EXPECTED. Releases LIST. */
static void is_json(struct tm_buf *list, const char *path, const char *expected)
{
    struct tm_arg_tree tree = {0};
    struct tm_error err = {0};
    struct tm_out out;
    tm_out_init(&out, -1, NULL);
    ok_named(tm_arg_tree_read(&tree, list->data, list->len, &err) == TM_OK, "a tree");
    uint32_t node = path ? tm_arg_tree_find(&tree, tm_text_str(path)) : 0;
    if (path && node == 0)
        tm_out_str(&out, "none");
    else
        tm_arg_tree_json(&tree, node, &out);
    is_str(tm_buf_cstr(&out.buf), expected);
    tm_out_release(&out);
    tm_arg_tree_release(&tree);
    tm_buf_release(list);
}

static void test_trees(void)
{
    struct tm_buf list = {0};
    add(&list, "args.grid[0]", "128", false);
    add(&list, "args.grid[1]", "1", false);
    add(&list, "args.a.b[0].c", "x\"y", true);
    add(&list, "args.a.b[0].d", "true", false);
    add(&list, "debug.top", "null", false);
    add(&list, "plain", "1.5", false);
    is_json(&list, NULL, "{\"grid\":[128,1],\"a\":{\"b\":[{\"c\":\"x\\\"y\",\"d\":true}]},\"top\":null,\"plain\":1.5}");
    add(&list, "args.x", "1", false);
    add(&list, "args.y", "2", false);
    add(&list, "args.x", "3", true);
    is_json(&list, NULL, "{\"x\":\"3\",\"y\":2}");
    add(&list, "args.list[1]", "1", false);
    add(&list, "args.list[0]", "2", false);
    is_json(&list, NULL, "{\"list\":{\"1\":1,\"0\":2}}");
    add(&list, "args.x", "1", false);
    add(&list, "args.x.y", "2", false);
    is_json(&list, NULL, "{\"x\":{\"\":1,\"y\":2}}");
    add(&list, "", "1", false);
    add(&list, "a.", "2", false);
    add(&list, "b[", "3", false);
    add(&list, "c[x]", "4", false);
    add(&list, "[0]", "5", false);
    add(&list, "args.", "6", false);
    is_json(&list, NULL, "{\"\":1,\"a.\":2,\"b[\":3,\"c[x]\":4,\"0\":5,\"args.\":6}");
}

static void test_paths(void)
{
    static const char *const expected[][2] = {{"grid", "[128,1]"}, {"args.grid", "[128,1]"}, {"grid[1]", "1"},
                                              {"a.b", "\"t\""},    {"a", "{\"b\":\"t\"}"},   {"grid[2]", "none"},
                                              {"b", "none"}};
    struct tm_buf none = {0};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct tm_buf list = {0};
        add(&list, "args.grid[0]", "128", false);
        add(&list, "args.grid[1]", "1", false);
        add(&list, "args.a.b", "t", true);
        is_json(&list, expected[i][0], expected[i][1]);
    }
    is_json(&none, "x", "none");
}

/* Beyond the size from which children are looked up in a table, and below it again. */
static void test_large(void)
{
    struct tm_buf list = {0};
    char key[32], *large = malloc(1 << 16), *end = large;
    end += sprintf(end, "{\"n\":[");
    for (int i = 0; i < 500; i++) {
        snprintf(key, sizeof key, "args.n[%d]", i);
        add(&list, key, "1", false);
        end += sprintf(end, i ? ",1" : "1");
    }
    add(&list, "args.n[7]", "2", false);
    end += sprintf(end, "]}");
    large[6 + 2 * 7] = '2';
    is_json(&list, NULL, large);
    free(large);
    char deep[1024] = "args";
    for (int i = 0; i < 200; i++)
        strcat(deep, ".a");
    add(&list, deep, "1", false);
    is_json(&list, "a.b", "none");
}

static struct tm_buf_view view(const char *s)
{
    return (struct tm_buf_view){(const uint8_t *)s, strlen(s)};
}

static void put(struct tm_unfinished_rows *pending, const char *text, enum tm_unfinished_end end, int64_t number)
{
    const struct tm_unfinished_row row = {
        .end = end, .dur = 5, .before = view(text), .after = view("|"), .args = view("a")};
    struct tm_error err = {0};
    ok_named(tm_unfinished_rows_add(pending, &row, TM_SERIES_SLICES, number, &err) == TM_OK, text);
}

static void update(struct tm_unfinished_rows *pending, int64_t number, int64_t dur, const char *args)
{
    const struct tm_buf_view more = view(args);
    struct tm_error err = {0};
    ok_named(tm_unfinished_rows_update(pending, &(struct tm_row_update){TM_SERIES_SLICES, number, dur, more}, &err) ==
                 TM_OK,
             "more of a row");
}

/* The rows written since the last call must be EXPECTED: text, duration (? if it is not known) and args of each. */
static void takes(struct tm_unfinished_rows *pending, bool all, const char *expected)
{
    struct tm_unfinished_row row;
    struct tm_error err = {0};
    struct tm_buf text = {0};
    enum tm_status st;
    while ((st = tm_unfinished_rows_take(pending, all, &row, &err)) == TM_OK) {
        (void)tm_buf_add(&text, row.before.data, row.before.len);
        if (row.end == TM_ROW_ENDED)
            (void)tm_buf_addf(&text, "%lld", (long long)row.dur);
        else
            (void)tm_buf_add_str(&text, row.end == TM_ROW_OPEN ? "?" : row.end == TM_ROW_UNKNOWN_END ? "!" : "");
        (void)tm_buf_add(&text, row.after.data, row.after.len);
        (void)tm_buf_add(&text, row.args.data, row.args.len);
        (void)tm_buf_add_byte(&text, ' ');
    }
    ok(st == TM_END);
    is_str(tm_buf_cstr(&text), expected);
    tm_buf_release(&text);
}

static void test_order(void)
{
    struct tm_unfinished_rows pending = {0};
    ok(!tm_unfinished_rows_any(&pending));
    put(&pending, "A", TM_ROW_OPEN, 0);
    put(&pending, "B", TM_ROW_ENDED, 1);
    put(&pending, "C", TM_ROW_OPEN, 2);
    put(&pending, "D", TM_ROW_NO_DURATION, -1);
    takes(&pending, false, "");
    update(&pending, 2, -1, "x");
    update(&pending, 2, 7, "yz");
    takes(&pending, false, "");
    update(&pending, 0, 9, "");
    takes(&pending, false, "A9|a B5|a C7|axyz D|a ");
    ok(!tm_unfinished_rows_any(&pending));
    update(&pending, 0, 1, "late"); /* it is already written */
    put(&pending, "E", TM_ROW_OPEN, 3);
    put(&pending, "F", TM_ROW_OPEN, 4);
    update(&pending, 4, -1000, "q");
    update(&pending, 1, 1, "late");
    takes(&pending, false, "");
    takes(&pending, true, "E?|a F!|aq ");
    tm_unfinished_rows_release(&pending);
}

/* Much more than fits into memory: all rows after one open row, then rows of which some are always open. */
static void test_spill(void)
{
    enum { ROWS = 3000, LARGE = 10000 };
    struct tm_unfinished_rows pending = {0};
    struct tm_error err = {0};
    struct tm_unfinished_row row;
    char *large = malloc(LARGE);
    memset(large, 'x', LARGE);
    int64_t wrong = 0, out = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        const struct tm_unfinished_row add = {
            .end = TM_ROW_OPEN, .before = {(const uint8_t *)&i, sizeof i}, .after = {(const uint8_t *)large, LARGE}};
        wrong += tm_unfinished_rows_add(&pending, &add, TM_SERIES_RUNS, i, &err) != TM_OK;
    }
    for (int64_t i = ROWS; i-- > 0;) {
        const struct tm_buf_view more = {(const uint8_t *)&i, sizeof i};
        wrong += tm_unfinished_rows_update(&pending, &(struct tm_row_update){TM_SERIES_RUNS, i, 2 * i, more}, &err) !=
                 TM_OK;
    }
    while (tm_unfinished_rows_take(&pending, false, &row, &err) == TM_OK) {
        int64_t first, last;
        memcpy(&first, row.before.data, sizeof first);
        memcpy(&last, row.args.data, sizeof last);
        wrong += first != out || last != out || row.dur != 2 * out || row.after.len != LARGE;
        out++;
    }
    is_int(wrong, 0);
    is_int(out, ROWS);
    tm_unfinished_rows_release(&pending);
    free(large);
}

/* Pages before an offset leave memory without being written, and the storage of written ones is reclaimed. */
static void test_forget(void)
{
    enum { PIECE = 1 << 14, PIECES = 1 << 10 };
    struct tm_paged_file paged;
    struct tm_error err = {0};
    struct stat info = {0};
    static uint8_t data[PIECE], got[PIECE];
    int wrong = 0;
    tm_paged_file_init(&paged, NULL, 1 << 20);
    for (int i = 0; i < PIECES; i++) { /* one after the other, as in a pipe: no page is written */
        memset(data, i, sizeof data);
        wrong += tm_paged_file_write(&paged, (uint64_t)i * PIECE, data, sizeof data, &err) != TM_OK;
        wrong += tm_paged_file_read(&paged, (uint64_t)i * PIECE, got, sizeof got, &err) != TM_OK;
        wrong += memcmp(data, got, sizeof got) != 0;
        tm_paged_file_discard(&paged, (uint64_t)i * PIECE);
    }
    is_int(wrong, 0);
    is_int(paged.file_end, 0);
    for (int i = PIECES; i < 3 * PIECES; i++)
        wrong += tm_paged_file_write(&paged, (uint64_t)i * PIECE, data, sizeof data, &err) != TM_OK;
    ok(paged.file_end > 0 && fstat(paged.fd, &info) == 0);
    long long before = (long long)info.st_blocks;
    tm_paged_file_discard(&paged, (uint64_t)(3 * PIECES - 1) * PIECE);
    ok(fstat(paged.fd, &info) == 0);
    ok_named(paged.reclaim.gave_up || (long long)info.st_blocks < before / 4, "storage is given back");
    wrong += tm_paged_file_read(&paged, (uint64_t)(3 * PIECES - 1) * PIECE, got, sizeof got, &err) != TM_OK;
    wrong += memcmp(data, got, sizeof got) != 0;
    is_int(wrong, 0);
    tm_paged_file_clear(&paged);
    is_int(paged.end, 0);
    tm_paged_file_release(&paged);
}

int main(void)
{
    test_trees();
    test_paths();
    test_large();
    test_order();
    test_spill();
    test_forget();
    return tap_done();
}

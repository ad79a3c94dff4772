/* Output with holes: what is decided late comes where it belongs, and what is behind waits, in memory and on disk. */
#include "emit/perfetto/placeholders.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct tm_buf text_of(const char *s)
{
    struct tm_buf buf = {0};
    ok_named(tm_buf_add_str(&buf, s) == TM_OK, "a text");
    return buf;
}

static uint32_t open_hole(struct tm_placeholders *holes, const char *one, const char *other)
{
    struct tm_buf versions[2] = {text_of(one), text_of(other)};
    struct tm_error err = {0};
    uint32_t hole = UINT32_MAX;
    ok_named(tm_holes_open(holes, versions, &hole, &err) == TM_OK, "a hole");
    return hole;
}

static void put(struct tm_placeholders *holes, const char *s)
{
    struct tm_error err = {0};
    ok_named(tm_holes_put(holes, s, strlen(s), &err) == TM_OK, "bytes behind it");
}

/* All that comes out now. */
static void take(struct tm_placeholders *holes, const char *expected, const char *what)
{
    struct tm_buf out = {0};
    struct tm_error err = {0};
    enum tm_status st;
    while ((st = tm_holes_take(holes, &out, 1, &err)) == TM_OK)
        ;
    ok_named(st == TM_END && out.len == strlen(expected) && (out.len == 0 || memcmp(out.data, expected, out.len) == 0),
             what);
    tm_buf_release(&out);
}

static void test_order(void)
{
    struct tm_placeholders holes = {0};
    struct tm_error err = {0};
    ok_named(!tm_holes_any(&holes), "nothing at first");
    put(&holes, "a");
    uint32_t first = open_hole(&holes, "one ", "ONE AND MORE ");
    put(&holes, "b");
    uint32_t second = open_hole(&holes, "", "two ");
    put(&holes, "c");
    take(&holes, "a", "nothing passes a hole that is open");
    ok_named(tm_holes_decide(&holes, second, 1, &err) == TM_OK, "the second");
    take(&holes, "", "nor where one behind it is decided");
    ok_named(tm_holes_decide(&holes, first, 0, &err) == TM_OK, "the first, the shorter version");
    take(&holes, "one btwo c", "all of it in its order");
    ok_named(!tm_holes_any(&holes), "nothing is left");
    uint32_t third = open_hole(&holes, "", "");
    ok_named(tm_holes_decide(&holes, third, 0, &err) == TM_OK, "a hole of nothing");
    take(&holes, "", "is nothing");
    tm_holes_release(&holes);
}

/* More than the memory holds, with holes all over, decided in any order. */
static void test_spill(void)
{
    enum { PIECES = 600, PIECE_BYTES = 50000 };
    struct tm_placeholders holes = {0};
    struct tm_error err = {0};
    struct tm_buf expected = {0}, out = {0};
    uint32_t numbers[PIECES];
    char *piece = malloc(PIECE_BYTES);
    enum tm_status st = TM_OK;
    for (int i = 0; i < PIECES; i++) {
        char text[2][32];
        struct tm_buf versions[2] = {{0}, {0}};
        snprintf(text[0], sizeof text[0], "<%d>", i);
        snprintf(text[1], sizeof text[1], "<%d, moved>", i);
        memset(piece, 'a' + i % 26, PIECE_BYTES);
        for (int v = 0; v < 2; v++)
            versions[v] = text_of(text[v]);
        if (st == TM_OK)
            st = tm_holes_open(&holes, versions, &numbers[i], &err);
        if (st == TM_OK)
            st = tm_holes_put(&holes, piece, PIECE_BYTES, &err);
        tm_buf_add_str(&expected, text[i % 3 == 0]);
        tm_buf_add(&expected, piece, PIECE_BYTES);
    }
    for (int step = 0; step < PIECES && st == TM_OK; step++) {
        int i = step * 7 % PIECES; /* 7 and PIECES have no common divisor */
        st = tm_holes_decide(&holes, numbers[i], i % 3 == 0, &err);
        while (st == TM_OK && (st = tm_holes_take(&holes, &out, 1 << 16, &err)) == TM_OK)
            ;
        st = st == TM_END ? TM_OK : st;
    }
    ok_named(st == TM_OK, "thirty megabytes behind holes");
    ok_named(out.len == expected.len && memcmp(out.data, expected.data, out.len) == 0, "come out as they went in");
    ok_named(!tm_holes_any(&holes), "all of them");
    tm_buf_release(&expected);
    tm_buf_release(&out);
    free(piece);
    tm_holes_release(&holes);
}

int main(void)
{
    test_order();
    test_spill();
    return tap_done();
}

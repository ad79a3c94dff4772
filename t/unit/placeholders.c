/* Unit tests of output with placeholders: text that is decided later is at its place, and the text after it is pending,
 * in memory and on disk. */
#include "emit/perfetto/packet_sink.h"
#include "emit/perfetto/placeholders.h"
#include "tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct tm_buf text_of(const char *s)
{
    struct tm_buf buf = {0};
    ok_named(tm_buf_add_str(&buf, s) == TM_OK, "a text");
    return buf;
}

static void open_hole(struct tm_placeholders *placeholders, uint32_t number, const char *one, const char *other)
{
    struct tm_buf versions[2] = {text_of(one), text_of(other)};
    struct tm_error err = {0};
    ok_named(tm_placeholders_open(placeholders, number, versions, &err) == TM_OK, "a hole");
}

static void put(struct tm_placeholders *placeholders, const char *s)
{
    struct tm_error err = {0};
    ok_named(tm_placeholders_put(placeholders, s, strlen(s), &err) == TM_OK, "bytes behind it");
}

/* Compares the output since the last call with EXPECTED. */
static void take(struct tm_placeholders *placeholders, const char *expected, const char *what)
{
    struct tm_buf out = {0};
    struct tm_error err = {0};
    enum tm_status st;
    while ((st = tm_placeholders_take(placeholders, &out, 1, &err)) == TM_OK)
        ;
    ok_named(st == TM_END && out.len == strlen(expected) && (out.len == 0 || memcmp(out.data, expected, out.len) == 0),
             what);
    tm_buf_release(&out);
}

static void test_order(void)
{
    enum { FIRST = 3, SECOND = 0 };
    struct tm_placeholders placeholders = {0};
    struct tm_error err = {0};
    ok_named(!tm_placeholders_any(&placeholders), "nothing at first");
    put(&placeholders, "a");
    open_hole(&placeholders, FIRST, "one ", "ONE AND MORE ");
    put(&placeholders, "b");
    open_hole(&placeholders, SECOND, "", "two ");
    ok_named(tm_placeholders_any_open(&placeholders), "two are open");
    put(&placeholders, "c");
    take(&placeholders, "a", "nothing passes a placeholder that is open");
    ok_named(tm_placeholders_decide(&placeholders, SECOND, 1, &err) == TM_OK, "the second");
    take(&placeholders, "", "nor where one behind it is decided");
    ok_named(tm_placeholders_decide(&placeholders, FIRST, 0, &err) == TM_OK, "the first, the shorter version");
    take(&placeholders, "one btwo c", "all of it in its order");
    ok_named(!tm_placeholders_any(&placeholders), "nothing is left");
    ok_named(!tm_placeholders_any_open(&placeholders), "none is open");
    open_hole(&placeholders, FIRST, "", "");
    ok_named(tm_placeholders_decide(&placeholders, FIRST, 0, &err) == TM_OK, "a placeholder of nothing");
    take(&placeholders, "", "is nothing");
    tm_placeholders_release(&placeholders);
}

/* More text than fits into memory, with placeholders everywhere, decided in any order. */
static void test_spill(void)
{
    enum { PIECES = 600, PIECE_BYTES = 50000 };
    struct tm_placeholders placeholders = {0};
    struct tm_error err = {0};
    struct tm_buf expected = {0}, out = {0};
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
            st = tm_placeholders_open(&placeholders, (uint32_t)i, versions, &err);
        if (st == TM_OK)
            st = tm_placeholders_put(&placeholders, piece, PIECE_BYTES, &err);
        tm_buf_add_str(&expected, text[i % 3 == 0]);
        tm_buf_add(&expected, piece, PIECE_BYTES);
    }
    for (int step = 0; step < PIECES && st == TM_OK; step++) {
        int i = step * 7 % PIECES; /* 7 and PIECES have no common divisor */
        st = tm_placeholders_decide(&placeholders, (uint32_t)i, i % 3 == 0, &err);
        while (st == TM_OK && (st = tm_placeholders_take(&placeholders, &out, 1 << 16, &err)) == TM_OK)
            ;
        st = st == TM_END ? TM_OK : st;
    }
    ok_named(st == TM_OK, "thirty megabytes behind holes");
    ok_named(out.len == expected.len && memcmp(out.data, expected.data, out.len) == 0, "come out as they went in");
    ok_named(!tm_placeholders_any(&placeholders), "all of them");
    tm_buf_release(&expected);
    tm_buf_release(&out);
    free(piece);
    tm_placeholders_release(&placeholders);
}

/* One placeholder is always open, and small pieces follow. What is decided leaves the sink all the same. */
static void test_sink_is_bounded(void)
{
    enum { PIECE = 10000, PIECES = 1000, BOUND = 1 << 20 };
    struct tm_packet_sink sink = {.ready = {0}};
    struct tm_error err = {0};
    struct tm_buf piece = {0};
    uint64_t most = 0;
    int fd = open("/dev/null", O_WRONLY);
    enum tm_status st = TM_OK;
    tm_block_output_init(&sink.blocks, fd, NULL);
    for (uint32_t i = 0; i < PIECES && st == TM_OK; i++) {
        struct tm_buf versions[2] = {{0}};
        st = tm_buf_add_str(&versions[0], "one");
        st = st == TM_OK ? tm_packet_sink_open(&sink, i, versions, &err) : st;
        for (int k = 0; k < PIECE && st == TM_OK; k++)
            st = tm_buf_add_byte(&piece, (uint8_t)k);
        st = st == TM_OK ? tm_packet_sink_put(&sink, &piece, &err) : st;
        st = st == TM_OK && i > 0 ? tm_packet_sink_decide(&sink, i - 1, 0, &err) : st;
        uint64_t held = sink.undecided.end - sink.undecided.begin;
        most = held > most ? held : most;
    }
    ok_named(st == TM_OK && most < BOUND, "few bytes are held back while a placeholder is open");
    tm_packet_sink_release(&sink);
    tm_buf_release(&piece);
    (void)close(fd);
}

int main(void)
{
    test_order();
    test_spill();
    test_sink_is_bounded();
    return tap_done();
}

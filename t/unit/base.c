/* Unit tests of lib/base. */
#include "base/bytes.h"
#include "base/decimal.h"
#include "base/hash.h"
#include "os/input.h"
#include "base/intern.h"
#include "base/name_set.h"
#include "base/natural.h"
#include "json/event_id.h"
#include "json/unicode.h"
#include "os/io.h"
#include "base/pb.h"
#include "os/program.h"
#include "os/reclaim.h"
#include "base/utf8.h"

#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void test_status(void)
{
    struct tm_error err = {0};
    is_int(tm_error_set(&err, TM_E_INPUT, "byte %d: bad", 7), TM_E_INPUT);
    tm_error_set(&err, TM_E_SYSTEM, "later");
    tm_error_prefix(&err, "a\033[31m");
    is_str(err.text, "a\\x1b[31m: byte 7: bad");
    is_int(tm_status_exit(TM_END), 0);
    is_int(tm_status_exit(TM_E_STRICT), 4);
    char out[16];
    tm_text_escape("abc\xff\xc3\xa9", 6, out, sizeof out);
    is_str(out, "abc\\xff\xc3\xa9");
    tm_text_escape("abcdefghijklmnopqrst", 20, out, sizeof out);
    is_str(out, "abcdefghijkl...");
}

/* A message of parts of any length is bounded, and begins with the object that it is about. */
static void test_long_status(void)
{
    static char name[2 * TM_ERROR_TEXT_MAX];
    struct tm_error err = {0};
    memset(name, 'n', sizeof name - 1);
    tm_error_errno(&err, ENOENT, "%s", name);
    static const char missing[] = "nnn: No such file or directory";
    ok(strlen(err.text) < TM_ERROR_TEXT_MAX); /* cut in its middle */
    ok(strstr(err.text, "nnn...nnn") != NULL);
    is_str(err.text + strlen(err.text) - strlen(missing), missing);
    err = (struct tm_error){0};
    is_int(tm_error_open(&err, ENOENT, "%s", "gone"), TM_E_INPUT);
    is_str(err.text, "gone: No such file or directory");
    err = (struct tm_error){0};
    is_int(tm_error_open(&err, EMFILE, "%s", "gone"), TM_E_SYSTEM);
    err = (struct tm_error){0};
    tm_error_set(&err, TM_E_INPUT, "%s: cause", name);
    ok(strlen(err.text) < TM_ERROR_TEXT_MAX);
    is_str(err.text + strlen(err.text) - strlen("nnn: cause"), "nnn: cause");
    err = (struct tm_error){0};
    tm_error_set(&err, TM_E_INPUT, "%.*s", TM_ERROR_TEXT_MAX - 100, name);
    is_int(tm_error_append(&err, name), TM_E_INPUT);
    is_int(strlen(err.text), TM_ERROR_TEXT_MAX - 1);
    is_int(tm_error_prefix(&err, "%s", "run.tar"), TM_E_INPUT);
    is_int(strlen(err.text), TM_ERROR_TEXT_MAX - 1);
    ok(strncmp(err.text, "run.tar: nnn", 12) == 0);
    err.text[3] = '\0';
    tm_error_prefix(&err, "%s", name);
    ok(strstr(err.text, "nnn...nnn") != NULL); /* a long name leaves space for the cause */
    is_str(err.text + strlen(err.text) - strlen("nnn: run"), "nnn: run");
    memset(name, '\n', sizeof name - 1);
    tm_error_prefix(&err, "%s", name);
    ok(strncmp(err.text, "\\x0a\\x0a", 8) == 0);
    ok(strstr(err.text, "...: nnn") != NULL);
    /* Without an error nothing is added. */
    err = (struct tm_error){0};
    is_int(tm_error_append(&err, "x"), TM_OK);
    is_int(tm_error_prefix(&err, "x"), TM_OK);
    is_str(err.text, "");
    is_int(tm_error_append(NULL, "x"), TM_OK);
    is_int(tm_error_prefix(NULL, "x"), TM_OK);
    is_int(tm_error_errno(NULL, ENOENT, "x"), TM_E_SYSTEM);
    is_int(tm_error_at(NULL, 7, "x"), TM_E_INPUT);
    char none[1] = {'x'};
    tm_text_escape("abc", 3, none, 0);
    is_int(none[0], 'x');
}

/* Numbers in names are compared as numbers; names that differ only in leading zeros still have an order. */
static void test_natural(void)
{
    static const char *const sorted[] = {"", "1", "2", "10", "a", "a01", "a1", "a1b", "a02", "a2", "a10", "a10.b", "b"};
    for (size_t i = 0; i < sizeof sorted / sizeof *sorted; i++)
        for (size_t k = 0; k < sizeof sorted / sizeof *sorted; k++) {
            int order = tm_natural_compare(sorted[i], sorted[k]);
            if (!((i < k && order < 0) || (i > k && order > 0) || (i == k && order == 0)))
                ok_named(false, sorted[i]);
        }
    ok_named(true, "names are in order");
}

/* Ids of flows are hexadecimal with or without 0x, up to 64 bits; other texts are names. */
static void test_flow_ids(void)
{
    static const struct {
        const char *text;
        bool is_number;
        uint64_t number;
    } ids[] = {{"0x1f", true, 0x1f}, {"0XAB", true, 0xab}, {"beef", true, 0xbeef}, {"0x", false, 0}, {"", false, 0},
               {"g", false, 0}, {"1/2", false, 0}, {"ffffffffffffffff", true, UINT64_MAX}, {"{", false, 0},
               {"1ffffffffffffffff", false, 0}};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const size_t len = strlen(ids[i].text);
        struct tm_json_id id = {.is_text = true, .text = (const uint8_t *)ids[i].text, .len = len};
        uint64_t got = tm_json_id_flow(&id);
        ok_named(got == (ids[i].is_number ? ids[i].number : tm_hash64(ids[i].text, len)), ids[i].text);
    }
    struct tm_json_id number = {.number = 77, .text = (const uint8_t *)"77", .len = 2};
    is_int(tm_json_id_flow(&number), 77);
}

/* Written strings are valid JSON and contain no control sequence of a terminal. */
static void test_json_strings(void)
{
    static const struct {
        const char *in;
        size_t len;
        const char *out;
    } rows[] = {{"plain", 5, "\"plain\""},
                {"q\"\\\b\f\n\r\t", 8, "\"q\\\"\\\\\\b\\f\\n\\r\\t\""},
                {"\0\x1b\x7f", 3, "\"\\u0000\\u001b\\u007f\""},
                {"\xc2\x85|\xc2\xa0", 5, "\"\\u0085|\xc2\xa0\""},
                {"a\xff\xc3z", 4, "\"a\xef\xbf\xbd\xef\xbf\xbdz\""},
                {"\xc2", 1, "\"\xef\xbf\xbd\""},
                {"", 0, "\"\""}};
    struct tm_buf out = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tm_buf_clear(&out);
        ok(tm_json_put_string(&out, rows[i].in, rows[i].len) == TM_OK);
        is_str(tm_buf_cstr(&out), rows[i].out);
    }
    /* Surrogates without a partner become the replacement character. */
    static const char text[] = "\\ud83d\\ude00|\\ud83d|\\ude00|\\ud83d\\u0041|\\u00E9\\/\\ud83dx";
    struct tm_json_value value = {.data = (const uint8_t *)text, .len = sizeof text - 1, .escaped = true};
    tm_buf_clear(&out);
    ok(tm_json_unescape(&value, &out) == TM_OK);
    is_str(tm_buf_cstr(&out), "\xf0\x9f\x98\x80|\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd" "A|\xc3\xa9/\xef\xbf\xbdx");
    uint8_t room[8];
    is_int(tm_json_resolve(&value, room, sizeof room), sizeof room + 1);
    ok(!tm_json_is_escaped(&value, text, 65));
    tm_buf_release(&out);
}

/* What means no character in JSON is found at any place, and replaced; all else stays. */
static void test_json_characters(void)
{
    static const struct {
        const char *in, *out;
    } rows[] = {{"plain", "plain"},
                {"\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd", "\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd"},
                {"\xe9z\xed\xa0\x80", "\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                {"\xf0\x9f\x98", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                {"\\ud83d\\ude00\\u0000\\ufffd\\n\\\\ud800", "\\ud83d\\ude00\\u0000\\ufffd\\n\\\\ud800"},
                {"\\ud83d|\\ude00|\\uD83D\\u0041", "\\ufffd|\\ufffd|\\ufffd\\u0041"},
                {"\\ud800\\ud83d\\ude00\\udc00", "\\ufffd\\ud83d\\ude00\\ufffd"},
                /* not JSON: nothing is read after its end */
                {"\\", "\\"},
                {"\\ud80", "\\ud80"},
                {"\\uz800", "\\uz800"},
                {"\\ud83d\\ude0", "\\ufffd\\ude0"}};
    struct tm_buf out = {0}, text = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t before = 0; before < 40; before += 13) { /* blocks of 32 bytes, and the rest */
            tm_buf_clear(&text);
            tm_buf_clear(&out);
            ok(tm_buf_addf(&text, "%0*d%s", (int)before + 1, 0, rows[i].in) == TM_OK);
            const uint8_t *bad = tm_json_find_no_character(text.data, text.data + text.len);
            ok((bad == text.data + text.len) == (strcmp(rows[i].in, rows[i].out) == 0));
            ok(tm_json_put_characters(&out, text.data, text.len) == TM_OK);
            is_str(tm_buf_cstr(&out) + before + 1, rows[i].out);
        }
    }
    tm_buf_release(&text);
    tm_buf_release(&out);
}

static int64_t scaled(const char *s, int scale)
{
    int64_t v = -999;
    enum tm_status st = tm_decimal_scale(s, strlen(s), scale, &v);
    return st == TM_OK ? v : st == TM_END ? -1000 : -1001;
}

static void test_decimal(void)
{
    is_int(scaled("1.5", 3), 1500);
    is_int(scaled("-1.5", 3), -1500);
    is_int(scaled("1234567890123.4567", 3), 1234567890123457);
    is_int(scaled("0.0005", 3), 1);
    is_int(scaled("0.00049999999999999999999999", 3), 0);
    is_int(scaled("-0.0005", 3), -1);
    is_int(scaled("9223372036854775.807", 3), INT64_MAX);
    is_int(scaled("9223372036854775.8075", 3), -1000);
    is_int(scaled("-9223372036854775.808", 3), INT64_MIN);
    is_int(scaled("1e3", 3), 1000000);
    is_int(scaled("15e-1", 3), 1500);
    is_int(scaled("1e-999999999999999", 3), 0);
    is_int(scaled("0e999999999999999", 3), 0);
    is_int(scaled("1e999999999999999", 3), -1000);
    is_int(scaled("00000000000000000000000000001", 0), 1);
    is_int(scaled(".5", 3), 500);
    is_int(scaled("5.", 3), 5000);
    is_int(scaled(".", 3), -1001);
    is_int(scaled("1e", 3), -1001);
    is_int(scaled("1x", 3), -1001);
    is_int(scaled("", 3), -1001);
    char text[TM_DECIMAL_TEXT_MAX];
    tm_decimal_format(1500, 3, text);
    is_str(text, "1.5");
    tm_decimal_format(-5, 3, text);
    is_str(text, "-0.005");
    tm_decimal_format(INT64_MIN, 3, text);
    is_str(text, "-9223372036854775.808");
    tm_decimal_format(0, 3, text);
    is_str(text, "0");
    tm_decimal_format(2000, 3, text);
    is_str(text, "2");
    tm_decimal_format(1020, 3, text);
    is_str(text, "1.02");
    tm_decimal_format(123456700, 3, text);
    is_str(text, "123456.7");
    unsigned length = 1;
    for (uint64_t v = 1; v <= UINT64_MAX / 10; v *= 10, length++)
        ok(tm_decimal_length(v) == length && tm_decimal_length(v * 10 - 1) == length);
    is_int(tm_decimal_length(0), 1);
    is_int(tm_decimal_length(UINT64_MAX), TM_DECIMAL_DIGITS_MAX);
}

static void test_varint(void)
{
    static const uint64_t values[] = {0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint8_t wire[TM_VARINT_MAX];
        uint64_t back = 42;
        uint8_t *end = tm_varint_put(wire, values[i]);
        ok((size_t)(end - wire) == tm_varint_size(values[i]));
        ok(tm_varint_get(wire, end, &back) == end && back == values[i]);
        ok(tm_varint_get(wire, end - 1, &back) == NULL);
    }
    /* Long numbers with space after them are read eight bytes at a time. */
    bool all = true;
    for (unsigned bits = 0; bits < 64; bits++) {
        for (uint64_t v = UINT64_C(1) << bits, i = 0; i < 3; i++) {
            uint8_t wire[2 * TM_VARINT_MAX];
            uint64_t value = i == 0 ? v : i == 1 ? v - 1 : v | 0x5a5a5a5a5a5a5a5a >> (63 - bits), back = 42;
            memset(wire, 0xff, sizeof wire);
            uint8_t *end = tm_varint_put(wire, value);
            all = all && tm_varint_get(wire, wire + sizeof wire, &back) == end && back == value;
            all = all && tm_varint_get_any(wire, wire + sizeof wire, &back) == end && back == value;
            all = all && tm_varint_get_any(wire, end, &back) == end && tm_varint_get_any(wire, end - 1, &back) == NULL;
            uint8_t over[TM_VARINT_MAX];
            size_t len = (size_t)(tm_varint_put_over(over, value) - over);
            all = all && len == (size_t)(end - wire) && memcmp(over, wire, len) == 0;
            uint8_t two[2];
            all = all && (value >= 0x4000 || ((size_t)(tm_varint_put_two(two, value) - two) == len &&
                                              memcmp(two, wire, len) == 0));
        }
    }
    ok(all);
    uint8_t big[] = {0x81, 2, 3, 4}, copy[4];
    tm_put_be32(copy, tm_get_be32(big));
    ok(tm_get_be16(big) == 0x8102 && tm_get_be32(big) == 0x81020304 && memcmp(copy, big, sizeof big) == 0);
    uint8_t endless[16];
    memset(endless, 0x80, sizeof endless);
    uint64_t ignored;
    ok(tm_varint_get(endless, endless + sizeof endless, &ignored) == NULL);
    ok(tm_unzigzag(tm_zigzag(INT64_MIN)) == INT64_MIN);
    ok(tm_zigzag(-1) == 1);
}

static void test_intern(void)
{
    struct tm_intern in;
    uint32_t id;
    bool is_new;
    tm_intern_init(&in, 1000, 1 << 20);
    for (int i = 0; i < 1000; i++) {
        char s[16];
        snprintf(s, sizeof s, "s%d", i);
        if (tm_intern_add(&in, s, strlen(s), &id, &is_new) != TM_OK || id != (uint32_t)i || !is_new)
            break;
    }
    is_int(in.count, 1000);
    ok(tm_intern_add(&in, "s999", 4, &id, &is_new) == TM_OK && id == 999 && !is_new);
    is_int(tm_intern_add(&in, "one more", 8, &id, &is_new), TM_END);
    ok(tm_intern_find(&in, "s998", 4, &id) && id == 998 && !tm_intern_find(&in, "one more", 8, &id));
    size_t len;
    const uint8_t *s = tm_intern_get(&in, 10, &len);
    ok(len == 3 && memcmp(s, "s10", 3) == 0);
    tm_intern_release(&in);
}

static enum tm_status slow_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    int *left = source;
    (void)err;
    *got = 0;
    if (*left == 0)
        return TM_END;
    *got = len < 3 ? len : 3;
    if ((int)*got > *left)
        *got = (size_t)*left;
    memset(data, 'a' + *left % 26, *got);
    *left -= (int)*got;
    return TM_OK;
}

static void test_input(void)
{
    static const struct tm_input_ops ops = {.read = slow_read};
    struct tm_error err = {0};
    struct tm_input in;
    int left = 1000000;
    uint64_t total = 0;
    tm_input_init(&in, &ops, &left);
    while (tm_input_fill(&in, 7, &err) == TM_OK) {
        tm_input_skip(&in, 7);
        total += 7;
    }
    is_int(total + in.len, 1000000);
    is_int(in.offset, total);
    tm_input_release(&in);
    left = 1000; /* a length beyond the input takes no memory */
    tm_input_init(&in, &ops, &left);
    is_int(tm_input_fill(&in, TM_INPUT_WINDOW_MAX, &err), TM_END);
    is_int(in.len, 1000);
    ok(in.cap <= 4 << 20);
    tm_input_release(&in);
}

static void test_pb(void)
{
    struct tm_buf buf = {0};
    struct tm_pb_field f;
    size_t mark = 0;
    char long_text[300];
    memset(long_text, 'x', sizeof long_text);
    ok(tm_pb_put_varint(&buf, 1, 300) == TM_OK && tm_pb_begin(&buf, 2, &mark) == TM_OK);
    ok(tm_pb_put_bytes(&buf, 3, long_text, sizeof long_text) == TM_OK && tm_pb_end(&buf, mark) == TM_OK);
    ok(tm_pb_put_i64(&buf, 4, 5) == TM_OK && tm_pb_put_i32(&buf, 5, 6) == TM_OK);
    struct tm_pb pb = tm_pb_of(buf.data, buf.len);
    ok(tm_pb_next(&pb, &f) == TM_OK && f.id == 1 && f.value == 300);
    ok(tm_pb_next(&pb, &f) == TM_OK && f.id == 2 && f.len == 303);
    struct tm_pb inner = tm_pb_of(f.data, f.len);
    struct tm_pb_field g;
    ok(tm_pb_next(&inner, &g) == TM_OK && g.id == 3 && g.len == 300 && tm_pb_next(&inner, &g) == TM_END);
    ok(tm_pb_next(&pb, &f) == TM_OK && f.value == 5 && tm_pb_next(&pb, &f) == TM_OK && f.value == 6);
    is_int(tm_pb_next(&pb, &f), TM_END);
    for (size_t cut = 1; cut < buf.len; cut++) {
        enum tm_status st;
        pb = tm_pb_of(buf.data, cut);
        while ((st = tm_pb_next(&pb, &f)) == TM_OK)
            ;
        if (st != TM_E_INPUT && cut != 3 && cut != 309 && cut != 318)
            ok_named(false, "a cut message is noticed");
    }
    tm_buf_release(&buf);
}

/* Digits, and formatted text in a buffer with space for all, for some and for none of it. */
static void test_buf_text(void)
{
    struct tm_buf buf = {0};
    ok(tm_buf_addf(&buf, "%d", 7) == TM_OK && tm_buf_add_byte(&buf, ' ') == TM_OK);
    ok(tm_buf_add_decimal(&buf, UINT64_MAX, 1) == TM_OK && tm_buf_add_byte(&buf, ' ') == TM_OK);
    ok(tm_buf_add_decimal(&buf, 0, 1) == TM_OK && tm_buf_add_decimal(&buf, 5, 3) == TM_OK);
    ok(tm_buf_add_byte(&buf, ' ') == TM_OK && tm_buf_add_hex(&buf, 0xdeadbeef12345678, 1) == TM_OK);
    ok(tm_buf_add_hex(&buf, 0xf, 2) == TM_OK && tm_buf_add_hex(&buf, 1, TM_BUF_DIGITS_MAX + 5) == TM_OK);
    is_str(tm_buf_cstr(&buf), "7 18446744073709551615 0005 deadbeef123456780f00000000000000000001");
    while (buf.len < buf.cap - 3)
        ok(tm_buf_add_byte(&buf, '.') == TM_OK);
    ok(tm_buf_addf(&buf, "%s", "abcdef") == TM_OK);
    ok_named(memcmp(buf.data + buf.len - 7, ".abcdef", 7) == 0, "a text for which room has to be made");
    tm_buf_release(&buf);
}

static void test_size(void)
{
    unsigned long long v;
    ok(tm_program_size("64M", &v) == TM_OK && v == 64 << 20);
    ok(tm_program_size("1k", &v) == TM_OK && v == 1024);
    ok(tm_program_size("10", &v) == TM_OK && v == 10);
    ok(tm_program_size("2GiB", &v) == TM_OK && v == 2ULL << 30);
    ok(tm_program_size("", &v) == TM_E_USAGE);
    ok(tm_program_size("-1", &v) == TM_E_USAGE);
    ok(tm_program_size("1Q", &v) == TM_E_USAGE);
    ok(tm_program_size("99999999999999999999", &v) == TM_E_USAGE);
}

static void test_utf8(void)
{
    static const struct {
        uint32_t cp;
        size_t columns;
    } widths[] = {{'a', 1},    {0xe9, 1},   {0x2ff, 1},   {0x300, 0},   {0x36f, 0},    {0x370, 1},   {0x200d, 0},
                  {0x2026, 1}, {0x3042, 2}, {0x4e00, 2},  {0xd55c, 2},  {0xff21, 2},   {0xff71, 1},  {0xfe0f, 0},
                  {0x1f600, 2}, {0x20000, 2}, {0x3fffd, 2}, {0xe0100, 0}, {0x10ffff, 1}};
    ok(tm_utf8_valid((const uint8_t *)"a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10));
    ok(!tm_utf8_valid((const uint8_t *)"\xc0\xaf", 2));
    ok(!tm_utf8_valid((const uint8_t *)"\xed\xa0\x80", 3));
    ok(!tm_utf8_valid((const uint8_t *)"\xf4\x90\x80\x80", 4));
    uint8_t out[4];
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const size_t n = tm_utf8_encode(widths[i].cp, out);
        ok(tm_utf8_columns(out, n) == widths[i].columns);
    }
    ok(tm_utf8_encode(0x20ac, out) == 3 && memcmp(out, "\xe2\x82\xac", 3) == 0);
}

/* Pieces are hashed and written as if they were one. */
static void test_pieces(void)
{
    enum { PIECES = 3000, BYTES = 300000 };
    struct tm_error err = {0};
    struct iovec *pieces = calloc(PIECES, sizeof *pieces);
    uint8_t *bytes = malloc(BYTES), *back = malloc(BYTES);
    int fd;
    size_t at = 0;
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    for (size_t i = 0; i < PIECES; i++) {
        size_t len = i + 1 == PIECES ? BYTES - at : i == 5 ? 100000 : i % 7;
        pieces[i] = (struct iovec){bytes + at, len};
        at += len;
    }
    ok(tm_hash64_pieces(pieces, PIECES) == tm_hash64(bytes, BYTES));
    ok(tm_hash64_pieces(pieces, 5) == tm_hash64(bytes, 10));
    ok(tm_hash64_pieces(pieces, 0) == tm_hash64(bytes, 0));
    bool all = true; /* the code paths are plain (always with a seed), wide from some length on, and in pieces */
    for (size_t len = 0; len < 5000; len += len < 300 ? 1 : 37) {
        struct iovec two[2] = {{bytes, len / 3}, {bytes + len / 3, len - len / 3}};
        uint64_t hash = tm_hash64_seed(bytes, len, 0);
        all = all && tm_hash64(bytes, len) == hash && tm_hash64_pieces(two, 2) == hash;
    }
    ok(all);
    ok(tm_io_temporary(NULL, &fd, &err) == TM_OK && tm_io_writev(fd, pieces, PIECES, &err) == TM_OK);
    ok(lseek(fd, 0, SEEK_END) == BYTES && tm_io_pread(fd, back, BYTES, 0, &err) == TM_OK);
    ok(memcmp(bytes, back, BYTES) == 0);
    close(fd);
    free(pieces);
    free(bytes);
    free(back);
}

/* Returns 1 if FD's byte at OFFSET has been changed from 0, else 0. */
static int is_there(int fd, uint64_t offset)
{
    char c = 0;
    return pread(fd, &c, 1, (off_t)offset) == 1 && c != 0;
}

/* A file of four and a half units is read in any order. Only units that were read completely are reclaimed. */
static void test_reclaim(void)
{
    enum { PIECES = 2000 };
    const uint64_t size = 4 * TM_RECLAIM_UNIT + TM_RECLAIM_UNIT / 2;
    struct tm_error err = {0};
    struct tm_reclaim reclaim = {.fd = -1};
    uint64_t bounds[PIECES + 1] = {0}, left[5] = {0};
    uint8_t *bytes = malloc(size);
    char name[] = "/tmp/reclaim.XXXXXX";
    uint32_t order[PIECES], random = 12345;
    bool early = false, late = false, gone = false;
    reclaim.fd = mkstemp(name);
    memset(bytes, 'x', size);
    ok(reclaim.fd >= 0 && tm_io_pwrite(reclaim.fd, bytes, size, 0, &err) == TM_OK);
    for (uint32_t i = 0; i < PIECES; i++) {
        bounds[i + 1] = i + 1 == PIECES ? size : size / PIECES * (i + 1) + i % 97;
        order[i] = i;
    }
    for (uint32_t i = PIECES - 1; i > 0; i--) {
        random = random * 1664525 + 1013904223;
        uint32_t j = random % (i + 1), k = order[i];
        order[i] = order[j];
        order[j] = k;
    }
    for (int i = 0; i < 4; i++)
        left[i] = TM_RECLAIM_UNIT;
    for (uint32_t i = 0; i < PIECES; i++) {
        uint64_t from = bounds[order[i]], to = bounds[order[i] + 1];
        tm_reclaim_add(&reclaim, from, to - from);
        for (uint64_t b = from; b < to; b++)
            left[b / TM_RECLAIM_UNIT]--;
        for (uint64_t u = 0; u < 4; u++) {
            int there = is_there(reclaim.fd, u * TM_RECLAIM_UNIT) + is_there(reclaim.fd, (u + 1) * TM_RECLAIM_UNIT - 1);
            early = early || (left[u] > 0 && there != 2);
            late = late || (left[u] == 0 && there != 0);
            gone = gone || tm_reclaim_has(&reclaim, u * TM_RECLAIM_UNIT + i) != (left[u] == 0);
        }
    }
    ok(!early);
    ok(reclaim.gave_up || !late);
    ok(reclaim.gave_up || !gone);
    ok(is_there(reclaim.fd, size - 1) && !tm_reclaim_has(&reclaim, size - 1) &&
       !tm_reclaim_has(&reclaim, 99 * size));
    struct stat info;
    ok(reclaim.gave_up || (fstat(reclaim.fd, &info) == 0 && info.st_size == (off_t)size && info.st_blocks <= 2048));
    close(reclaim.fd);
    tm_reclaim_release(&reclaim);
    reclaim.fd = open(name, O_RDONLY); /* storage that cannot be reclaimed stays */
    tm_reclaim_add(&reclaim, 4 * TM_RECLAIM_UNIT, TM_RECLAIM_UNIT);
    tm_reclaim_add(&reclaim, 0, TM_RECLAIM_UNIT);
    ok(reclaim.gave_up && !tm_reclaim_has(&reclaim, 4 * TM_RECLAIM_UNIT) && is_there(reclaim.fd, size - 1));
    close(reclaim.fd);
    tm_reclaim_release(&reclaim);
    unlink(name);
    free(bytes);
}

static bool has(const struct tm_name_set *set, struct tm_name_memo *memo, const char *path)
{
    const uint8_t *p = (const uint8_t *)path;
    bool does = tm_name_set_has(set, p, strlen(path));
    for (int i = 0; i < 2; i++)
        if (tm_name_memo_has(memo, set, p, strlen(path)) != does)
            return !does;
    return does;
}

static void test_name_set(void)
{
    static const char *const yes[] = {"traceid", "trace_id", "traceID",   "trace.id",      "otel.span_id",
                                      "span-id", "Seq",      "a.b.seq",   "Process Group", "process_group_",
                                      "Seq.",    "x.SpanID", "spanid..._"};
    static const char *const no[] = {"", ".", "trace", "id", "xtraceid", "traceid.x", "sequence", "Seq[0]", "q", "ids"};
    struct tm_name_set set = {0};
    struct tm_name_memo *memo = calloc(1, sizeof *memo);
    char name[TM_NAME_SET_BYTES_MAX + 2];
    is_int(tm_name_set_add(&set, "trace_id,SpanID,Process Group"), TM_OK);
    is_int(tm_name_set_add(&set, "Seq"), TM_OK);
    is_int(set.count, 4);
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        ok_named(has(&set, memo, yes[i]), yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        ok_named(!has(&set, memo, no[i]), no[i]);
    is_int(tm_name_set_add(&set, "a,,b"), TM_E_INPUT);
    is_int(tm_name_set_add(&set, "_."), TM_E_INPUT);
    memset(name, 'n', sizeof name);
    name[TM_NAME_SET_BYTES_MAX] = '\0';
    ok(tm_name_set_add(&set, name) == TM_OK && has(&set, memo, name));
    name[TM_NAME_SET_BYTES_MAX] = 'n';
    name[TM_NAME_SET_BYTES_MAX + 1] = '\0';
    ok(tm_name_set_add(&set, name) == TM_E_INPUT && !has(&set, memo, name));
    while (set.count < TM_NAME_SET_MAX)
        if (tm_name_set_add(&set, "more") != TM_OK)
            break;
    is_int(set.count, TM_NAME_SET_MAX);
    is_int(tm_name_set_add(&set, "more"), TM_E_INPUT);
    tm_name_set_release(&set);
    free(memo);
}

int main(void)
{
    test_name_set();
    test_pieces();
    test_reclaim();
    test_status();
    test_long_status();
    test_natural();
    test_flow_ids();
    test_json_strings();
    test_json_characters();
    test_decimal();
    test_varint();
    test_intern();
    test_input();
    test_pb();
    test_buf_text();
    test_size();
    test_utf8();
    return tap_done();
}

/* Unit tests of the fast paths over a container. tm_json_pass ends where a full read ends, for any position of quotes,
 * escapes and brackets in its blocks. tm_json_value accepts and refuses the same texts as a read member by member. */
#include "json/cursor.h"
#include "json/scan.h"
#include "format/json_args.h"

#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

static void put_string(struct tm_buf *out, uint64_t *seed)
{
    static const char *const parts[] = {"{",    "}",    "[",       "]", ",",       ":",
                                        "\\\"", "\\\\", "\\u005b", "a", "bcdefgh", "\xc3\xa9"};
    (void)tm_buf_add_byte(out, '"');
    for (uint64_t n = random_next(seed) >> 60; n > 0; n--)
        (void)tm_buf_add_str(out, parts[(random_next(seed) >> 8) % (sizeof parts / sizeof *parts)]);
    (void)tm_buf_add_byte(out, '"');
}

static void put_container(struct tm_buf *out, uint64_t *seed, int depth)
{
    bool object = random_next(seed) >> 63;
    (void)tm_buf_add_byte(out, object ? '{' : '[');
    uint64_t members = random_next(seed) >> 61;
    for (uint64_t i = 0; i < members; i++) {
        if (object) {
            put_string(out, seed);
            (void)tm_buf_add_byte(out, ':');
        }
        uint64_t what = random_next(seed) >> 62;
        if (what == 0 && depth < 6)
            put_container(out, seed, depth + 1);
        else if (what == 1)
            put_string(out, seed);
        else
            (void)tm_buf_addf(out, "%llu", (unsigned long long)(random_next(seed) >> 50));
        if (i + 1 < members)
            (void)tm_buf_add_str(out, what & 1 ? ", " : ",");
    }
    (void)tm_buf_add_byte(out, object ? '}' : ']');
}

/* Returns the result of one path over the container: its bytes, or the negative error. */
static long verdict(enum tm_json_status st, const struct tm_json_scan *scan, const uint8_t *start)
{
    return st == TM_JSON_OK ? scan->p - start : st == TM_JSON_MORE ? -1 : -2 - (scan->p - start);
}

static void test_mutations(void)
{
    static const char bytes[] = "{}[],:\"\\0123456789.eE+- \ntfn\x01\x80x";
    struct tm_buf text = {0};
    struct tm_json_args args = {0}, again = {.places = calloc(1, sizeof *again.places)};
    uint64_t seed = 99;
    bool same = true;
    long accepted = 0, refused = 0;
    for (int i = 0; i < random_cases(200000) && same; i++) {
        struct tm_json_value value;
        if (i % 20 == 0) {
            tm_buf_clear(&text);
            put_container(&text, &seed, 2);
        }
        uint64_t r = random_next(&seed);
        uint8_t *byte = &text.data[(r >> 32) % text.len], old = *byte;
        *byte = i % 20 == 0 ? old : (uint8_t)bytes[(r >> 8) % (sizeof bytes - 1)];
        if (text.data[0] == '{' || text.data[0] == '[') {
            struct tm_json_scan a = tm_json_scan_bytes(text.data, text.data + text.len, r & 1), b = a, c = a;
            long one = verdict(tm_json_value(&a, &value), &a, text.data);
            long other = verdict(tm_json_args_read(&args, "args", &b, &value), &b, text.data);
            same = one == other && one == verdict(tm_json_args_read(&again, "args", &c, &value), &c, text.data);
            if (!same)
                printf("# %ld and %ld for %s\n", one, other, tm_buf_cstr(&text));
            accepted += one > 0;
            refused += one < 0;
        }
        *byte = old;
    }
    ok_named(same, "what is accepted, and where it fails, is the same each way");
    ok(accepted > 1000 && refused > 1000);
    printf("# %ld accepted, %ld refused\n", accepted, refused);
    tm_json_args_release(&args);
    free(again.places);
    tm_json_args_release(&again);
    tm_buf_release(&text);
}

/* Where skipping the container at TEXT ends, found byte by byte: the bytes skipped, or the negative place of a bracket
 * that fits no other, minus 1; 0: it does not end. */
static long skipped(const struct tm_buf *text)
{
    uint8_t open[256];
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text->len; i++) {
        uint8_t c = text->data[i];
        if (in_string && c == '\\') {
            i++;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '{' || c == '[')) {
            open[depth++] = c;
        } else if (!in_string && (c == '}' || c == ']')) {
            if ((open[depth - 1] == '{') != (c == '}'))
                return -(long)i - 1;
            if (--depth == 0)
                return (long)i + 1;
        }
    }
    return 0;
}

/* Gives the bytes of a text in pieces of random lengths. */
struct pieces {
    const struct tm_buf *text;
    size_t at;
    uint64_t seed;
};

static enum tm_status read_piece(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct pieces *pieces = source;
    size_t left = pieces->text->len - pieces->at, n = (size_t)(random_next(&pieces->seed) >> 57) + 1;
    (void)err;
    n = n < len ? n : len;
    *got = n < left ? n : left;
    memcpy(data, pieces->text->data + pieces->at, *got);
    pieces->at += *got;
    return *got ? TM_OK : TM_END;
}

/* A cursor skips a container that arrives in pieces, good or damaged, as a walk byte by byte does. */
static void test_skip(void)
{
    static const char bytes[] = "{}[]\"\"\\,:1";
    static const struct tm_input_ops ops = {.read = read_piece};
    struct tm_buf text = {0};
    uint64_t seed = 5;
    bool same = true;
    long good = 0, bad = 0, cut = 0;
    for (int i = 0; i < random_cases(50000) && same; i++) {
        struct tm_error err = {0};
        struct tm_input in;
        tm_buf_clear(&text);
        put_container(&text, &seed, 1);
        (void)tm_buf_add_str(&text, ",{\"a\":[]},\"]}\"");
        uint64_t r = random_next(&seed);
        if (r & 1)
            text.data[1 + (r >> 32) % (text.len - 1)] = (uint8_t)bytes[(r >> 8) % (sizeof bytes - 1)];
        struct pieces pieces = {.text = &text, .seed = r | 1};
        tm_input_init(&in, &ops, &pieces);
        struct tm_json_cursor cursor = {.in = &in};
        enum tm_status st = tm_json_cursor_skip(&cursor, &err);
        long end = skipped(&text);
        same = end == 0 ? st == TM_E_INPUT && in.offset + in.len == text.len
                        : st == (end > 0 ? TM_OK : TM_E_INPUT) && (long)in.offset == (end > 0 ? end : -end - 1);
        if (!same)
            printf("# %d at %lu, not %ld, for %s\n", st, (unsigned long)in.offset, end, tm_buf_cstr(&text));
        good += end > 0;
        bad += end < 0;
        cut += end == 0;
        tm_input_release(&in);
    }
    ok_named(same, "a container in pieces is skipped as it is byte by byte");
    const int cases = random_cases(50000);
    ok(good > cases / 5 && bad > cases / 50 && cut > cases / 100);
    printf("# %ld good, %ld bad, %ld cut short\n", good, bad, cut);
    tm_buf_release(&text);
}

/* Other values end where reading ends. */
static void test_scalars(void)
{
    static const char *const values[] = {"true,", "null]", "-1.5e3 ,", "7}", "\"a\\\"]b\":"};
    bool same = true;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const uint8_t *text = (const uint8_t *)values[i];
        struct tm_json_scan a = tm_json_scan_bytes(text, text + strlen(values[i]), true), b = a;
        struct tm_json_value read, passed;
        same = same && tm_json_value(&a, &read) == TM_JSON_OK && tm_json_pass(&b, &passed) == TM_JSON_OK &&
               a.p == b.p && passed.len == read.len && passed.data == read.data && passed.type == read.type &&
               passed.escaped == read.escaped;
    }
    ok_named(same, "passing over scalars is reading");
}

int main(void)
{
    struct tm_buf text = {0};
    uint64_t seed = 7;
    bool same = true, cut = true;
    size_t longest = 0;
    for (int i = 0; i < random_cases(20000); i++) {
        struct tm_json_value whole, passed;
        tm_buf_clear(&text);
        put_container(&text, &seed, 0);
        size_t len = text.len;
        (void)tm_buf_add_str(&text, ", \"]}]}\"]}");
        /* A copy of exactly its length, so AddressSanitizer detects a read past the end. */
        uint8_t *copy = malloc(text.len);
        memcpy(copy, text.data, text.len);
        struct tm_json_scan a = tm_json_scan_bytes(copy, copy + text.len, true), b = a;
        struct tm_json_scan c = tm_json_scan_bytes(copy, copy + len - 1, false);
        same = same && tm_json_value(&a, &whole) == TM_JSON_OK && tm_json_pass(&b, &passed) == TM_JSON_OK &&
               a.p == b.p && passed.len == len && passed.data == whole.data && passed.type == whole.type;
        cut = cut && tm_json_pass(&c, &passed) == TM_JSON_MORE;
        longest = len > longest ? len : longest;
        free(copy);
    }
    ok_named(same, "passing over ends where reading does");
    ok_named(cut, "one byte less is not enough");
    ok(longest > 2000);
    tm_buf_release(&text);
    test_scalars();
    test_mutations();
    test_skip();
    return tap_done();
}

/* Unit test of json/standard.h: random texts, each written in two forms at once, as scan.h accepts it and as RFC 8259
 * has it. */
#include "json/standard.h"

#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

enum { CASES = 200000, DEPTH_MAX = 5 };

/* The two forms of a text. */
struct forms {
    struct tm_buf lenient, standard;
    bool has_extension;
};

static void put_both(struct forms *forms, const char *text)
{
    (void)tm_buf_add_str(&forms->lenient, text);
    (void)tm_buf_add_str(&forms->standard, text);
}

static void put_space(struct forms *forms, uint64_t *seed)
{
    static const char *const spaces[] = {"", "", "", " ", "\n", "\t  ", "\r\n      ", "                  "};
    put_both(forms, spaces[random_below(seed, sizeof spaces / sizeof *spaces)]);
}

/* Puts a string whose text looks like what is repaired elsewhere. */
static void put_string(struct forms *forms, uint64_t *seed)
{
    static const char *const parts[] = {"NaN",  ",]", ",}", ", }", ":nan,", "[inf]", "\\\"", "\\\\", "\\\",NaN,",
                                        "-inf", "x",  " ",  "name", "aten::nan_to_num(", "\xc3\xa9"};
    put_both(forms, "\"");
    for (uint64_t n = random_below(seed, 6); n > 0; n--)
        put_both(forms, parts[random_below(seed, sizeof parts / sizeof *parts)]);
    put_both(forms, "\"");
}

static void put_scalar(struct forms *forms, uint64_t *seed)
{
    static const char *const standard[] = {"1", "-2.5e3", "true", "false", "null", "0"};
    static const char *const words[] = {"NaN", "nan", "Infinity", "inf", "-NaN", "-nan", "-Infinity", "-inf"};
    if (random_below(seed, 4) > 0) {
        put_both(forms, standard[random_below(seed, sizeof standard / sizeof *standard)]);
        return;
    }
    const char *word = words[random_below(seed, sizeof words / sizeof *words)];
    (void)tm_buf_add_str(&forms->lenient, word);
    (void)tm_buf_addf(&forms->standard, "\"%s\"", word);
    forms->has_extension = true;
}

static void put_container(struct forms *forms, uint64_t *seed, int depth)
{
    const bool is_object = random_below(seed, 2);
    const uint64_t members = random_below(seed, 5);
    put_both(forms, is_object ? "{" : "[");
    for (uint64_t i = 0; i < members; i++) {
        put_both(forms, i > 0 ? "," : "");
        put_space(forms, seed);
        if (is_object) {
            put_string(forms, seed);
            put_space(forms, seed);
            put_both(forms, ":");
            put_space(forms, seed);
        }
        const uint64_t what = random_below(seed, 4);
        if (what == 0 && depth < DEPTH_MAX)
            put_container(forms, seed, depth + 1);
        else if (what == 1)
            put_string(forms, seed);
        else
            put_scalar(forms, seed);
        put_space(forms, seed);
    }
    if (members > 0 && random_below(seed, 10) == 0) {
        (void)tm_buf_add_str(&forms->lenient, ",");
        forms->has_extension = true;
    }
    put_space(forms, seed);
    put_both(forms, is_object ? "}" : "]");
}

/* Returns a copy of TEXT of exactly its length, so AddressSanitizer detects a read past either end. */
static uint8_t *copy_of(const struct tm_buf *text)
{
    uint8_t *copy = malloc(text->len);
    memcpy(copy, text->data, text->len);
    return copy;
}

static void test_random(void)
{
    struct forms forms = {0};
    struct tm_buf out = {0};
    uint64_t seed = 11;
    bool is_found = true, is_same = true, stays = true;
    int extended = 0;
    for (int i = 0; i < random_cases(CASES); i++) {
        tm_buf_clear(&forms.lenient);
        tm_buf_clear(&forms.standard);
        tm_buf_clear(&out);
        forms.has_extension = false;
        put_container(&forms, &seed, 0);
        uint8_t *copy = copy_of(&forms.lenient), *end = copy + forms.lenient.len;
        is_found &= (tm_json_find_extension(copy, end) < end) == forms.has_extension;
        extended += forms.has_extension;
        (void)tm_json_put_standard(&out, copy, forms.lenient.len);
        is_same &= out.len == forms.standard.len && memcmp(out.data, forms.standard.data, out.len) == 0;
        free(copy);
        copy = copy_of(&forms.standard), end = copy + forms.standard.len;
        stays &= tm_json_find_extension(copy, end) == end;
        free(copy);
    }
    ok_named(is_found, "a text has a place to repair if an extension was put into it");
    ok_named(is_same, "the repaired text is what RFC 8259 has");
    ok_named(stays, "in a text as RFC 8259 has it nothing is found");
    ok(extended > random_cases(CASES) / 10 && extended < random_cases(CASES));
    tm_buf_release(&forms.lenient);
    tm_buf_release(&forms.standard);
    tm_buf_release(&out);
}

/* TEXT becomes WANT. */
static void becomes(const char *text, const char *want)
{
    struct tm_buf out = {0};
    (void)tm_json_put_standard(&out, (const uint8_t *)text, strlen(text));
    is_str(tm_buf_cstr(&out), want);
    tm_buf_release(&out);
}

int main(void)
{
    test_random();
    becomes("", "");
    becomes("]", "]");
    becomes(",]", "]");
    becomes("NaN", "\"NaN\"");
    becomes("-inf", "\"-inf\"");
    becomes("{\"a\":[NaN,-Infinity,{\"b\":nan , }]}", "{\"a\":[\"NaN\",\"-Infinity\",{\"b\":\"nan\"  }]}");
    becomes("{\"nan\":\"inf\"}, {\"a\\\\\":inf}", "{\"nan\":\"inf\"}, {\"a\\\\\":\"inf\"}");
    return tap_done();
}

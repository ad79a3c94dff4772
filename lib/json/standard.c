#include "json/standard.h"

#include "base/cpu.h"

#include <stdbool.h>
#include <string.h>

enum { LETTERS = 3 /* by which a word is found: "nan" or "inf", in any case */ };

static bool is_space(uint8_t c)
{
    return c <= ' ';
}

/* True if the byte at Q can end what is searched, in a text that begins at START: the third letter of a word, or a
 * closing bracket after a comma or white space. */
static bool is_candidate(const uint8_t *start, const uint8_t *q)
{
    if ((*q | 0x20) == '}')
        return q > start && (q[-1] == ',' || is_space(q[-1]));
    if (q - start < LETTERS - 1)
        return false;
    const uint8_t letters[LETTERS] = {q[-2] | 0x20, q[-1] | 0x20, q[0] | 0x20};
    return memcmp(letters, "nan", LETTERS) == 0 || memcmp(letters, "inf", LETTERS) == 0;
}

#if TM_HAS_BYTES16
/* Gives 0xff for those of the 16 bytes at Q that can be candidates: an n after an a, an f after an n, and the closing
 * brackets that are. The byte before Q is readable. */
static inline tm_bytes16 like_candidates(const uint8_t *q)
{
    const tm_bytes16 b = tm_bytes16_load(q - 1), c = tm_bytes16_load(q);
    const tm_bytes16 before = tm_bytes16_or(tm_bytes16_is(b, ','), tm_bytes16_at_most(b, ' '));
    const tm_bytes16 closes = tm_bytes16_and(tm_bytes16_is_either_case(c, '}'), before);
    const tm_bytes16 nan = tm_bytes16_and(tm_bytes16_is_either_case(b, 'a'), tm_bytes16_is_either_case(c, 'n'));
    const tm_bytes16 inf = tm_bytes16_and(tm_bytes16_is_either_case(b, 'n'), tm_bytes16_is_either_case(c, 'f'));
    return tm_bytes16_or(closes, tm_bytes16_or(nan, inf));
}
#endif

/* Returns the first candidate from Q on in the text from START to END, or END. */
static const uint8_t *find_candidate(const uint8_t *start, const uint8_t *q, const uint8_t *end)
{
    for (; q < end && q - start < LETTERS - 1; q++)
        if (is_candidate(start, q))
            return q;
#if TM_HAS_BYTES16
    for (; end - q >= 32; q += 32) {
        const tm_bytes16 a = like_candidates(q), b = like_candidates(q + 16);
        if (tm_bytes16_mask(tm_bytes16_or(a, b)) == 0)
            continue;
        uint64_t mask = tm_bytes16_mask(a) | (uint64_t)tm_bytes16_mask(b) << 16;
        for (; mask; mask &= mask - 1)
            if (is_candidate(start, q + tm_trailing_zeros(mask)))
                return q + tm_trailing_zeros(mask);
    }
#endif
    while (q < end && !is_candidate(start, q))
        q++;
    return q;
}

/* Returns how many bytes the word at P, without a sign, takes. 0: it is not one for a number that is not finite. */
static size_t word_length(const uint8_t *p, const uint8_t *end)
{
    static const char *const words[] = {"NaN", "nan", "Infinity", "inf"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t len = strlen(words[i]);
        if ((size_t)(end - p) < len || memcmp(p, words[i], len) != 0)
            continue;
        if (p + len == end || is_space(p[len]) || strchr(",]}", p[len]))
            return len;
    }
    return 0;
}

/* Returns the first byte of what the candidate at Q ends if it is outside of strings: a comma, or a word with its sign.
 * NULL: it ends nothing. */
static const uint8_t *begin_of(const uint8_t *start, const uint8_t *q, const uint8_t *end)
{
    const uint8_t *p = q;
    if ((*q | 0x20) == '}') {
        do
            p--;
        while (p > start && is_space(*p));
        return *p == ',' ? p : NULL;
    }
    p = q - (LETTERS - 1);
    if (word_length(p, end) == 0)
        return NULL;
    p -= p > start && p[-1] == '-';
    return p == start || is_space(p[-1]) || strchr(":,[", p[-1]) ? p : NULL;
}

/* How far the strings of a text are known. */
struct strings {
    const uint8_t *at;
    bool is_inside; /* AT is inside a string */
};

/* True if PLACE, which is after the places asked before, is inside a string. */
static bool is_inside(struct strings *strings, const uint8_t *place)
{
    const uint8_t *p = strings->at;
    for (; p < place; p++)
        if (*p == '"')
            strings->is_inside = !strings->is_inside;
        else if (*p == '\\')
            p++; /* only in a string */
    strings->at = p;
    return strings->is_inside;
}

const uint8_t *tm_json_find_extension(const uint8_t *p, const uint8_t *end)
{
    struct strings strings = {p, false};
    for (const uint8_t *q = p; (q = find_candidate(p, q, end)) < end; q++) {
        const uint8_t *begin = begin_of(p, q, end);
        if (begin && !is_inside(&strings, begin))
            return begin;
    }
    return end;
}

enum tm_status tm_json_put_standard(struct tm_buf *out, const uint8_t *s, size_t len)
{
    const uint8_t *end = s + len, *at;
    enum tm_status st = TM_OK;
    while (st == TM_OK && (at = tm_json_find_extension(s, end)) < end) {
        st = tm_buf_add(out, s, (size_t)(at - s));
        s = at + 1;
        if (*at == ',')
            continue;
        s = at + (*at == '-');
        s += word_length(s, end);
        if (st == TM_OK)
            st = tm_buf_add_byte(out, '"');
        if (st == TM_OK)
            st = tm_buf_add(out, at, (size_t)(s - at));
        if (st == TM_OK)
            st = tm_buf_add_byte(out, '"');
    }
    return st == TM_OK ? tm_buf_add(out, s, (size_t)(end - s)) : st;
}

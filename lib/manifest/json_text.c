#include "manifest/json_text.h"

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/intern.h"
#include "base/table.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS_MAX = 1 << 30, KEY_ID_BYTES = 4 };

struct scanner {
    struct tm_json_text *json;
    struct tm_manifest_problems *problems;
    const uint8_t *p, *end;
    struct tm_buf plain; /* the document without white space, numbers replaced by their indexes */
    struct tm_intern keys; /* keys of all objects, each preceded by the number of its object */
    struct tm_buf key;
    uint32_t object_count, value_count;
    int depth;
    /* The line and column of a byte. Problems come in the order of the text, so the place only advances. */
    const uint8_t *seen;
    struct tm_manifest_place place;
};

static enum tm_status scan_value(struct scanner *s);

static void problem(struct scanner *s, const uint8_t *at, const char *format, ...) TM_PRINTF(3, 4);

static void problem(struct scanner *s, const uint8_t *at, const char *format, ...)
{
    char text[512];
    va_list args;
    tm_manifest_place_move(&s->place, s->seen, at);
    s->seen = at;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tm_manifest_problems_add(s->problems, "line %zu, column %zu: %s", s->place.line, s->place.column, text);
}

static enum tm_status expected(struct scanner *s, const char *what)
{
    if (s->p == s->end)
        problem(s, s->p, "expected %s, but the text ends here", what);
    else if (*s->p > 0x20 && *s->p < 0x7f)
        problem(s, s->p, "expected %s, not '%c'", what, *s->p);
    else
        problem(s, s->p, "expected %s, not byte 0x%02x", what, *s->p);
    return TM_E_INPUT;
}

static enum tm_status refuse(struct scanner *s, const uint8_t *at, const char *what)
{
    problem(s, at, "%s", what);
    return TM_E_INPUT;
}

static void skip_space(struct scanner *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r'))
        s->p++;
}

static bool next_is(const struct scanner *s, uint8_t c)
{
    return s->p < s->end && *s->p == c;
}

static enum tm_status scan_hex4(struct scanner *s, uint32_t *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++, s->p++) {
        uint8_t c = s->p < s->end ? *s->p : 0;
        if (c >= '0' && c <= '9')
            *value = *value << 4 | (uint32_t)(c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            *value = *value << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return expected(s, "a hexadecimal digit");
    }
    return TM_OK;
}

/* Reads the digits after "\u". */
static enum tm_status scan_code_point(struct scanner *s, struct tm_buf *decoded)
{
    const uint8_t *at = s->p - 2;
    uint8_t utf8[4];
    uint32_t cp, low;
    if (scan_hex4(s, &cp) < 0)
        return TM_E_INPUT;
    if (cp == 0)
        return refuse(s, at, "\\u0000 in a string");
    if (cp >= 0xdc00 && cp <= 0xdfff)
        return refuse(s, at, "unpaired surrogate in a string");
    if (cp >= 0xd800 && cp <= 0xdbff) {
        if (s->end - s->p < 2 || s->p[0] != '\\' || s->p[1] != 'u')
            return refuse(s, at, "unpaired surrogate in a string");
        s->p += 2;
        if (scan_hex4(s, &low) < 0)
            return TM_E_INPUT;
        if (low < 0xdc00 || low > 0xdfff)
            return refuse(s, at, "unpaired surrogate in a string");
        cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
    }
    return decoded ? tm_buf_add(decoded, utf8, tm_utf8_encode(cp, utf8)) : TM_OK;
}

static enum tm_status scan_escape(struct scanner *s, struct tm_buf *decoded)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    s->p++;
    if (next_is(s, 'u')) {
        s->p++;
        return scan_code_point(s, decoded);
    }
    const char *letter = s->p < s->end && *s->p ? strchr(letters, *s->p) : NULL;
    if (letter == NULL)
        return expected(s, "a JSON escape after the backslash");
    s->p++;
    return decoded ? tm_buf_add_byte(decoded, (uint8_t)meanings[letter - letters]) : TM_OK;
}

/* Reads a string from its quote on. DECODED, which may be NULL, receives its text. */
static enum tm_status scan_string(struct scanner *s, struct tm_buf *decoded)
{
    const uint8_t *start = s->p++;
    enum tm_status st = TM_OK;
    while (!next_is(s, '"')) {
        if (s->p == s->end)
            return refuse(s, start, "the string that begins here does not end");
        if (*s->p == '\\') {
            st = scan_escape(s, decoded);
        } else if (*s->p < 0x20) {
            problem(s, s->p, "raw control byte 0x%02x in a string", *s->p);
            return TM_E_INPUT;
        } else {
            size_t n = tm_utf8_length(s->p, (size_t)(s->end - s->p));
            if (n == 0)
                return refuse(s, s->p, "invalid UTF-8");
            st = decoded ? tm_buf_add(decoded, s->p, n) : TM_OK;
            s->p += n;
        }
        if (st < 0)
            return st;
    }
    s->p++;
    return tm_buf_add(&s->plain, start, (size_t)(s->p - start));
}

static bool skip_digits(struct scanner *s)
{
    const uint8_t *start = s->p;
    while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
        s->p++;
    return s->p > start;
}

static enum tm_status keep_number(struct scanner *s, const uint8_t *start)
{
    struct tm_json_text *json = s->json;
    if (tm_array_grow(&json->numbers, &json->number_cap, json->number_count, sizeof *json->numbers, NULL) < 0)
        return TM_E_SYSTEM;
    json->numbers[json->number_count] = (struct tm_json_slice){(const char *)start, (size_t)(s->p - start)};
    return tm_buf_addf(&s->plain, "%" PRIu32, json->number_count++);
}

static enum tm_status scan_number(struct scanner *s)
{
    const uint8_t *start = s->p;
    if (*s->p == '-')
        s->p++;
    if (next_is(s, '0')) {
        s->p++;
        if (s->p < s->end && *s->p >= '0' && *s->p <= '9')
            return refuse(s, start, "a number with a leading zero");
    } else if (!skip_digits(s)) {
        return expected(s, "a digit");
    }
    if (next_is(s, '.')) {
        s->p++;
        if (!skip_digits(s))
            return expected(s, "a digit after the decimal point");
    }
    if (next_is(s, 'e') || next_is(s, 'E')) {
        s->p++;
        if (next_is(s, '+') || next_is(s, '-'))
            s->p++;
        if (!skip_digits(s))
            return expected(s, "a digit of the exponent");
    }
    return keep_number(s, start);
}

static enum tm_status scan_word(struct scanner *s)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(s->end - s->p) >= n && memcmp(s->p, words[i], n) == 0) {
            s->p += n;
            return tm_buf_add(&s->plain, words[i], n);
        }
    }
    return expected(s, "a value");
}

static enum tm_status scan_key(struct scanner *s, uint32_t object)
{
    const uint8_t *start = s->p;
    uint32_t id;
    bool is_new;
    if (!next_is(s, '"'))
        return expected(s, "a key in double quotes");
    s->key.len = KEY_ID_BYTES;
    tm_put_le32(s->key.data, object);
    enum tm_status st = scan_string(s, &s->key);
    if (st < 0)
        return st;
    st = tm_intern_add(&s->keys, s->key.data, s->key.len, &id, &is_new);
    if (st != TM_OK)
        return TM_E_SYSTEM;
    if (!is_new) {
        struct tm_manifest_quoted key = tm_manifest_quote(s->key.data + KEY_ID_BYTES, s->key.len - KEY_ID_BYTES);
        problem(s, start, "duplicate key '%s'", key.text);
    }
    skip_space(s);
    if (!next_is(s, ':'))
        return expected(s, "':'");
    s->p++;
    return tm_buf_add_byte(&s->plain, ':');
}

/* Reads an object or an array from its bracket on. */
static enum tm_status scan_members(struct scanner *s)
{
    bool is_object = *s->p == '{';
    uint8_t close = is_object ? '}' : ']';
    uint32_t object = is_object ? s->object_count++ : 0;
    enum tm_status st = tm_buf_add_byte(&s->plain, *s->p);
    if (++s->depth > TM_JSON_TEXT_DEPTH_MAX) {
        problem(s, s->p, "nested deeper than the limit of %d", TM_JSON_TEXT_DEPTH_MAX);
        return TM_E_INPUT;
    }
    s->p++;
    skip_space(s);
    for (bool first = true; st == TM_OK && (!first || !next_is(s, close)); first = false) {
        if (!first) {
            if (next_is(s, close))
                break;
            if (!next_is(s, ','))
                return expected(s, is_object ? "',' or '}'" : "',' or ']'");
            s->p++;
            skip_space(s);
            st = tm_buf_add_byte(&s->plain, ',');
        }
        if (st == TM_OK && is_object)
            st = scan_key(s, object);
        if (st == TM_OK)
            st = scan_value(s);
    }
    if (st < 0)
        return st;
    s->p++;
    s->depth--;
    return tm_buf_add_byte(&s->plain, close);
}

/* Reads a value and the white space around it. */
static enum tm_status scan_value(struct scanner *s)
{
    enum tm_status st;
    skip_space(s);
    if (++s->value_count > TM_JSON_TEXT_VALUES_MAX) {
        problem(s, s->p, "more values than the limit of %d", TM_JSON_TEXT_VALUES_MAX);
        return TM_E_INPUT;
    }
    uint32_t start = (uint32_t)(s->p - (const uint8_t *)s->json->text);
    if ((st = tm_buf_add(&s->json->starts, &start, sizeof start)) < 0)
        return st;
    if (next_is(s, '{') || next_is(s, '['))
        st = scan_members(s);
    else if (next_is(s, '"'))
        st = scan_string(s, NULL);
    else if (next_is(s, '-') || (s->p < s->end && *s->p >= '0' && *s->p <= '9'))
        st = scan_number(s);
    else
        st = scan_word(s);
    skip_space(s);
    return st;
}

static enum tm_status scan_document(struct scanner *s)
{
    enum tm_status st = tm_buf_reserve(&s->key, KEY_ID_BYTES);
    if (s->end - s->p >= 3 && memcmp(s->p, "\xef\xbb\xbf", 3) == 0)
        return refuse(s, s->p, "a byte order mark that is not at the beginning, which JSON does not allow");
    if (st == TM_OK)
        st = scan_value(s);
    if (st == TM_OK && s->p < s->end)
        st = expected(s, "the end of the document");
    if (st == TM_OK && s->problems->count > 0)
        st = TM_E_INPUT;
    return st;
}

enum tm_status tm_json_text_read(struct tm_json_text *json, const void *text, size_t len,
                                 struct tm_manifest_problems *problems)
{
    size_t mark = tm_utf8_mark(text, len);
    const uint8_t *start = len > 0 ? (const uint8_t *)text + mark : text;
    struct scanner s = {.json = json, .problems = problems, .p = start, .seen = start, .place = {1, 1}};
    if (len > TM_JSON_TEXT_BYTES_MAX) {
        tm_manifest_problems_add(problems, "larger than the limit of %zu bytes", TM_JSON_TEXT_BYTES_MAX);
        return TM_E_INPUT;
    }
    s.end = len > 0 ? s.p + (len - mark) : s.p;
    json->text = start;
    json->cursor.place = (struct tm_manifest_place){1, 1};
    tm_intern_init(&s.keys, KEYS_MAX, SIZE_MAX / 2);
    enum tm_status st = scan_document(&s);
    if (st == TM_OK) {
        json->root = cJSON_ParseWithLength((const char *)s.plain.data, s.plain.len);
        if (json->root == NULL) /* the text is valid, so only lack of memory can be the cause */
            st = TM_E_SYSTEM;
        else
            tm_json_text_number_values(json->root);
    }
    tm_buf_release(&s.plain);
    tm_buf_release(&s.key);
    tm_intern_release(&s.keys);
    return st;
}

cJSON *tm_json_text_get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

struct tm_json_slice tm_json_text_number(const struct tm_json_text *json, const cJSON *item)
{
    return cJSON_IsNumber(item) ? json->numbers[item->valueint] : (struct tm_json_slice){0};
}

enum tm_status tm_json_text_integer(const struct tm_json_text *json, const cJSON *item, int64_t *value)
{
    struct tm_json_slice number = tm_json_text_number(json, item);
    return number.text ? tm_decimal_int(number.text, number.len, value) : TM_E_INPUT;
}

void tm_json_text_release(struct tm_json_text *json)
{
    tm_buf_release(&json->starts);
    cJSON_Delete(json->root);
    free(json->numbers);
    *json = (struct tm_json_text){0};
}

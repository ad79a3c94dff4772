#include "emit/out.h"

#include "base/decimal.h"
#include "base/pb.h"
#include "base/utf8.h"
#include "json/standard.h"
#include "json/unicode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { OUT_FLUSH_BYTES = 256 << 10, NS_DIGITS = 9, MICROSECOND_PLACES = 3 };

void tm_out_init(struct tm_out *out, int fd, const char *name)
{
    *out = (struct tm_out){.failed = false};
    tm_block_output_init(&out->blocks, fd, name);
}

void tm_out_set_late(struct tm_out *out, struct tm_sources *sources, unsigned jobs)
{
    out->late_threads = tm_completer_threads(jobs);
    out->sources = sources;
}

void tm_out_text(struct tm_out *out, const struct tm_source_text *text)
{
    out->failed |= tm_late_parts_text(&out->late, text, NULL) < 0;
}

bool tm_out_widen(struct tm_out *out, size_t len)
{
    bool is_wide = tm_buf_reserve(&out->buf, len) == TM_OK;
    out->failed |= !is_wide;
    return is_wide;
}

void tm_out_micros(struct tm_out *out, int64_t ns)
{
    if (out->buf.cap - out->buf.len < TM_DECIMAL_TEXT_MAX && !tm_out_widen(out, TM_DECIMAL_TEXT_MAX))
        return;
    out->buf.len += tm_decimal_format(ns, MICROSECOND_PLACES, (char *)out->buf.data + out->buf.len);
}

void tm_out_u64(struct tm_out *out, uint64_t v)
{
    const unsigned length = tm_decimal_length(v);
    if (out->buf.cap - out->buf.len < length && !tm_out_widen(out, length))
        return;
    out->buf.len += length;
    (void)tm_decimal_digits((char *)out->buf.data + out->buf.len, v);
}

static uint64_t put_sign(struct tm_out *out, int64_t v)
{
    if (v < 0)
        tm_out_char(out, '-');
    return tm_magnitude(v);
}

void tm_out_i64(struct tm_out *out, int64_t v)
{
    tm_out_u64(out, put_sign(out, v));
}

void tm_out_hex(struct tm_out *out, const uint8_t *data, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        tm_out_char(out, digits[data[i] >> 4]);
        tm_out_char(out, digits[data[i] & 15]);
    }
}

void tm_out_seconds(struct tm_out *out, int64_t ns)
{
    uint64_t v = put_sign(out, ns);
    char digits[NS_DIGITS] = "000000000";
    tm_out_u64(out, v / 1000000000);
    tm_out_char(out, '.');
    (void)tm_decimal_digits(digits + NS_DIGITS, v % 1000000000);
    tm_out_bytes(out, digits, NS_DIGITS);
}

void tm_out_duration(struct tm_out *out, int64_t ns)
{
    static const struct {
        int64_t limit;
        int scale;
        const char *unit;
    } units[] = {{1000, 0, "ns"}, {1000000, 3, "us"}, {1000000000, 6, "ms"}, {INT64_MAX, 9, "s"}};
    char text[TM_DECIMAL_TEXT_MAX];
    size_t i = 0;
    while (i < 3 && (ns >= units[i].limit || ns <= -units[i].limit))
        i++;
    tm_out_bytes(out, text, tm_decimal_format(ns, units[i].scale, text));
    tm_out_str(out, units[i].unit);
}

/* Puts D as "%.15g" does, without the cost of printf. Returns false, and puts nothing, if the text has more than 9
 * decimal places or an exponent; numbers of traces rarely do. A decimal of up to 15 digits that reads as D is also D
 * rounded to 15 digits (DBL_DIG), so it is the text of "%.15g". */
static bool put_short_double(struct tm_out *out, double d)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    static const double limit = 1e15;
    char text[TM_DECIMAL_TEXT_MAX];
    double v = fabs(d);
    if (v != 0 && v < 1e-4)
        return false;
    for (int places = 0; places < (int)(sizeof powers / sizeof *powers); places++) {
        double scaled = v * powers[places];
        if (scaled >= limit)
            return false;
        int64_t digits = (int64_t)(scaled + 0.5);
        if ((double)digits / powers[places] != v)
            continue;
        if (signbit(d))
            tm_out_char(out, '-');
        tm_out_bytes(out, text, tm_decimal_format(digits, places, text));
        return true;
    }
    return false;
}

void tm_out_double(struct tm_out *out, uint64_t bits)
{
    char text[40];
    double d = tm_pb_double(bits);
    if (!isfinite(d)) {
        tm_out_str(out, isnan(d) ? "nan" : d > 0 ? "inf" : "-inf");
        return;
    }
    if (put_short_double(out, d))
        return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, d);
        if (tm_pb_bits(strtod(text, NULL)) == bits)
            break;
    }
    tm_out_str(out, text);
}

void tm_out_make_real(struct tm_out *out, size_t from)
{
    for (size_t i = from; i < out->buf.len; i++)
        if ((out->buf.data[i] < '0' || out->buf.data[i] > '9') && out->buf.data[i] != '-')
            return;
    tm_out_str(out, ".0");
}

static bool is_verbatim(uint8_t c)
{
    return c >= 0x20 && c < 0x7f;
}

static void put_escaped(struct tm_out *out, struct tm_text text, bool quoted)
{
    char escaped[16];
    while (text.len > 0) {
        size_t n = 0;
        while (n < text.len && is_verbatim(text.data[n]) && !(quoted && (text.data[n] == '"' || text.data[n] == '\\')))
            n++;
        tm_out_bytes(out, text.data, n);
        text.data += n;
        text.len -= n;
        if (text.len == 0)
            break;
        n = tm_utf8_length(text.data, text.len);
        n = n ? n : 1;
        tm_text_escape((const char *)text.data, n, escaped, sizeof escaped);
        if (quoted && is_verbatim(text.data[0]))
            tm_out_char(out, '\\');
        tm_out_str(out, escaped);
        text.data += n;
        text.len -= n;
    }
}

void tm_out_escaped(struct tm_out *out, struct tm_text text)
{
    put_escaped(out, text, false);
}

void tm_out_escaped_cut(struct tm_out *out, struct tm_text text, size_t max)
{
    bool cut = text.len > max;
    while (cut && max > 0 && (text.data[max] & 0xc0) == 0x80) /* do not cut inside a character */
        max--;
    put_escaped(out, (struct tm_text){text.data, cut ? max : text.len}, false);
    if (cut)
        tm_out_str(out, "...");
}

void tm_out_quoted(struct tm_out *out, struct tm_text text)
{
    tm_out_char(out, '"');
    put_escaped(out, text, true);
    tm_out_char(out, '"');
}

/* Puts the first character of TEXT, which needs an escape, as JSON. Returns its bytes. */
static size_t put_json_special(struct tm_out *out, struct tm_text text)
{
    static const char names[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    uint8_t c = text.data[0];
    for (const char *p = names; *p; p += 2) {
        if ((uint8_t)*p == c) {
            tm_out_char(out, '\\');
            tm_out_char(out, p[1]);
            return 1;
        }
    }
    size_t n = tm_utf8_length(text.data, text.len);
    bool is_c1 = n == 2 && c == 0xc2 && text.data[1] < 0xa0; /* terminals also obey U+0080 to U+009F */
    if (c < 0x20 || c == 0x7f || is_c1) {
        tm_out_str(out, "\\u00");
        tm_out_hex(out, text.data + n - 1, 1);
        return n;
    }
    if (n == 0)
        tm_out_str(out, "\xef\xbf\xbd");
    else
        tm_out_bytes(out, text.data, n);
    return n ? n : 1;
}

/* Returns how many bytes at the front of TEXT are the same in a JSON string. */
static size_t count_plain_json(struct tm_text text)
{
    size_t n = 0;
#if TM_HAS_BYTES16
    for (; text.len - n >= 16; n += 16) {
        tm_bytes16 x = tm_bytes16_load(text.data + n);
        tm_bytes16 ends = tm_bytes16_or(tm_bytes16_is(x, '"'), tm_bytes16_is(x, '\\'));
        ends = tm_bytes16_or(ends, tm_bytes16_or(tm_bytes16_is(x, 0x7f), tm_bytes16_at_most(x, 0x1f)));
        unsigned special = tm_bytes16_mask(ends) | tm_bytes16_mask(x);
        if (special)
            return n + tm_trailing_zeros(special);
    }
#endif
    while (n < text.len && is_verbatim(text.data[n]) && text.data[n] != '"' && text.data[n] != '\\')
        n++;
    return n;
}

/* Returns 0 if each of the eight bytes V is the same in a JSON string. */
static uint64_t find_special8(uint64_t v)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t quote = v ^ ones * '"', backslash = v ^ ones * '\\', last = v ^ ones * 0x7f;
    /* a byte below what is subtracted gets its highest bit; those from 0x80 on have it */
    return (v | (v - ones * 0x20) | (quote - ones) | (backslash - ones) | (last - ones)) & ones * 0x80;
}

/* True if TEXT is short and needs no escapes. */
static bool is_short_plain_json(struct tm_text text)
{
    const uint8_t *p = text.data;
    if (text.len > 16 || text.len < 4)
        return false;
    if (text.len < 8)
        return find_special8((uint64_t)tm_get_le32(p) << 32 | tm_get_le32(p + text.len - 4)) == 0;
    return (find_special8(tm_get_le64(p)) | find_special8(tm_get_le64(p + text.len - 8))) == 0;
}

void tm_out_json(struct tm_out *out, struct tm_text text)
{
    if (is_short_plain_json(text) && (out->buf.cap - out->buf.len >= text.len + 2 || tm_out_widen(out, text.len + 2))) {
        uint8_t *p = out->buf.data + out->buf.len;
        p[0] = p[text.len + 1] = '"';
        memcpy(p + 1, text.data, text.len);
        out->buf.len += text.len + 2;
        return;
    }
    tm_out_char(out, '"');
    while (text.len > 0) {
        size_t n = count_plain_json(text);
        tm_out_bytes(out, text.data, n);
        if (n < text.len)
            n += put_json_special(out, (struct tm_text){text.data + n, text.len - n});
        text.data += n;
        text.len -= n;
    }
    tm_out_char(out, '"');
}

void tm_out_json_str(struct tm_out *out, const char *s)
{
    tm_out_json(out, tm_text_str(s));
}

void tm_out_json_double(struct tm_out *out, uint64_t bits)
{
    double d = tm_pb_double(bits);
    if (isfinite(d))
        tm_out_double(out, bits);
    else
        tm_out_str(out, isnan(d) ? "\"NaN\"" : d > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

void tm_out_json_real(struct tm_out *out, uint64_t bits)
{
    size_t from = out->buf.len;
    tm_out_json_double(out, bits);
    if (isfinite(tm_pb_double(bits)))
        tm_out_make_real(out, from);
}

void tm_out_csv(struct tm_out *out, struct tm_text text)
{
    bool quote = false;
    for (size_t i = 0; i < text.len && !quote; i++)
        quote = text.data[i] == '"' || text.data[i] == ',' || text.data[i] == '\n' || text.data[i] == '\r';
    if (!quote) {
        tm_out_bytes(out, text.data, text.len);
        return;
    }
    tm_out_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"')
            tm_out_char(out, '"');
        tm_out_char(out, (char)text.data[i]);
    }
    tm_out_char(out, '"');
}

size_t tm_out_width(struct tm_text text)
{
    char escaped[16];
    size_t width = 0;
    for (size_t i = 0, n; i < text.len; i += n) {
        const uint8_t *p = text.data + i;
        n = is_verbatim(*p) ? 1 : tm_utf8_length(p, text.len - i);
        if (is_verbatim(*p)) {
            width++;
            continue;
        }
        n = n ? n : 1;
        tm_text_escape((const char *)p, n, escaped, sizeof escaped);
        width += escaped[0] == '\\' ? strlen(escaped) : tm_utf8_columns(p, n);
    }
    return width;
}

void tm_out_pad(struct tm_out *out, size_t from, size_t width, bool right)
{
    if (out->failed)
        return;
    size_t have = tm_out_width((struct tm_text){out->buf.data + from, out->buf.len - from});
    if (have >= width)
        return;
    size_t more = width - have, len = out->buf.len - from;
    for (size_t i = 0; i < more; i++)
        tm_out_char(out, ' ');
    if (right && !out->failed) {
        memmove(out->buf.data + from + more, out->buf.data + from, len);
        memset(out->buf.data + from, ' ', more);
    }
}

void tm_out_guard_json(struct tm_out *out)
{
    out->is_json = true;
    out->guards = isatty(out->blocks.fd) == 1;
}

/* Escapes what a terminal would obey. In valid JSON such characters occur only in strings, except for carriage returns,
 * which become spaces. */
static enum tm_status guard(struct tm_out *out, struct tm_error *err)
{
    struct tm_buf raw = out->buf;
    out->buf = (struct tm_buf){0};
    for (size_t i = 0, n; i < raw.len; i += n ? n : 1) {
        const uint8_t *p = raw.data + i;
        n = tm_utf8_length(p, raw.len - i);
        if (*p == '\r')
            tm_out_char(out, ' ');
        else if (n == 0)
            tm_out_str(out, "\\ufffd");
        else if (*p == '\n' || *p == '\t' || (n == 1 && *p >= 0x20 && *p != 0x7f))
            tm_out_bytes(out, p, n);
        else
            (void)put_json_special(out, (struct tm_text){p, n});
    }
    tm_buf_release(&raw);
    return out->failed ? tm_error_nomem(err) : TM_OK;
}

/* A repair of JSON: FIND returns the first place in a text that needs it, or the end; PUT appends a repaired copy. */
struct repair {
    const uint8_t *(*find)(const uint8_t *p, const uint8_t *end);
    enum tm_status (*put)(struct tm_buf *out, const uint8_t *s, size_t len);
};

static enum tm_status repair(struct tm_buf *json, const struct repair *by)
{
    struct tm_buf valid = {0};
    const uint8_t *end = json->data + json->len;
    if (json->len == 0 || by->find(json->data, end) == end)
        return TM_OK;
    const enum tm_status st = by->put(&valid, json->data, json->len);
    const struct tm_buf was = *json;
    *json = valid;
    valid = was;
    tm_buf_release(&valid);
    return st;
}

/* Makes JSON valid where copies of recorded objects are not. */
static enum tm_status make_valid(struct tm_buf *json, struct tm_error *err)
{
    static const struct repair characters = {tm_json_find_no_character, tm_json_put_characters},
                               extensions = {tm_json_find_extension, tm_json_put_standard};
    enum tm_status st = repair(json, &characters);
    if (st == TM_OK)
        st = repair(json, &extensions);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status write_block(void *out, struct tm_buf *bytes, struct tm_error *err)
{
    return tm_block_output_write(&((struct tm_out *)out)->blocks, bytes, err);
}

/* Hands the last bytes to the threads that make late parts, and waits for them. */
static enum tm_status end_completer(struct tm_out *out, struct tm_error *err)
{
    enum tm_status st = tm_completer_put(out->completer, &out->buf, &out->late, err);
    if (st == TM_OK)
        st = tm_completer_wait(out->completer, err);
    tm_completer_free(out->completer);
    out->completer = NULL;
    return st;
}

/* Puts the late parts between the bytes of the buffer. */
static enum tm_status join_late(struct tm_out *out, struct tm_error *err)
{
    if (out->reader == NULL && (out->reader = tm_source_reader_new(out->sources)) == NULL)
        return tm_error_nomem(err);
    enum tm_status st = tm_late_parts_join(&out->late, &out->buf, out->reader, &out->whole, err);
    const struct tm_buf own = out->buf;
    tm_late_parts_clear(&out->late);
    out->buf = out->whole;
    out->whole = own;
    tm_buf_clear(&out->whole);
    return st;
}

/* Makes the bytes of the buffer those that are to be written. */
static enum tm_status complete(struct tm_out *out, struct tm_error *err)
{
    enum tm_status st = out->late.part_count ? join_late(out, err) : TM_OK;
    if (st == TM_OK && out->is_json)
        st = make_valid(&out->buf, err);
    return st == TM_OK && out->guards ? guard(out, err) : st;
}

enum tm_status tm_out_flush(struct tm_out *out, struct tm_error *err)
{
    enum tm_status st = out->failed      ? tm_error_nomem(err)
                        : out->completer ? end_completer(out, err)
                                         : complete(out, err);
    if (st == TM_OK)
        st = tm_block_output_write(&out->blocks, &out->buf, err);
    return st == TM_OK ? tm_block_output_finish(&out->blocks, err) : st;
}

/* Writes a full buffer. Once a thread writes the blocks, others make the late parts. */
static enum tm_status write_full(struct tm_out *out, struct tm_error *err)
{
    if (out->late_threads && !out->has_completer && tm_block_output_is_async(&out->blocks)) {
        const struct tm_completer_ends ends = {.sources = out->sources,
                                               .check = out->is_json ? make_valid : NULL,
                                               .receiver = write_block,
                                               .self = out};
        out->completer = tm_completer_new(&ends, out->late_threads);
        out->has_completer = true;
    }
    if (out->completer)
        return tm_completer_put(out->completer, &out->buf, &out->late, err);
    enum tm_status st = complete(out, err);
    return st == TM_OK ? tm_block_output_write(&out->blocks, &out->buf, err) : st;
}

void tm_out_indent(struct tm_out *out, size_t from)
{
    size_t lines = 0, len = out->buf.len;
    for (size_t i = from; i < len; i++)
        lines += out->buf.data[i] == '\n';
    for (size_t i = 0; i < lines; i++)
        tm_out_str(out, "  ");
    if (out->failed)
        return;
    for (size_t to = out->buf.len, i = len; i > from; i--) {
        out->buf.data[--to] = out->buf.data[i - 1];
        if (i - 1 == from || out->buf.data[i - 2] == '\n') {
            out->buf.data[--to] = ' ';
            out->buf.data[--to] = ' ';
        }
    }
}

enum tm_status tm_out_end_row(struct tm_out *out, struct tm_error *err)
{
    if (out->failed)
        return tm_out_flush(out, err);
    return out->buf.len + out->late.bytes >= OUT_FLUSH_BYTES ? write_full(out, err) : TM_OK;
}

void tm_out_release(struct tm_out *out)
{
    tm_completer_free(out->completer); /* first: it uses the blocks */
    out->completer = NULL;
    tm_block_output_release(&out->blocks);
    tm_source_reader_free(out->reader);
    out->reader = NULL;
    tm_late_parts_release(&out->late);
    tm_buf_release(&out->whole);
    tm_buf_release(&out->buf);
    out->failed = false;
}

/* Unit test of tm_inflater: it restores data that zlib deflated, for any sizes of pieces on both sides. It leaves the
 * bytes after the stream. A cut stream never gives a shorter result, and the cut is at its end. */
#include "base/buf.h"
#include "container/inflater.h"
#include "tap.h"

#include <stdlib.h>
#include <zlib.h>

/* A source that gives a few bytes at a time. */
struct dribble {
    const uint8_t *data;
    size_t len, most;
};

static enum tm_status dribble_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct dribble *d = source;
    (void)err;
    *got = d->len < d->most ? d->len : d->most;
    *got = *got < len ? *got : len;
    memcpy(data, d->data, *got);
    d->data += *got;
    d->len -= *got;
    return *got ? TM_OK : TM_END;
}

static void make_text(struct tm_buf *out, size_t len, unsigned seed)
{
    while (out->len < len) {
        seed = seed * 1103515245 + 12345;
        (void)tm_buf_addf(out, "%u,%s", seed >> 20, seed & 64 ? "some words that come again and again " : "");
    }
    out->len = len;
}

static void deflate_text(struct tm_buf *out, const struct tm_buf *text, enum tm_inflater_format format)
{
    static const int bits[] = {MAX_WBITS + 16, MAX_WBITS, -MAX_WBITS};
    z_stream z = {0};
    (void)deflateInit2(&z, 6, Z_DEFLATED, bits[format], 8, Z_DEFAULT_STRATEGY);
    (void)tm_buf_reserve(out, deflateBound(&z, text->len) + 64);
    z.next_in = text->data;
    z.avail_in = (uInt)text->len;
    z.next_out = out->data;
    z.avail_out = (uInt)out->cap;
    (void)deflate(&z, Z_FINISH);
    out->len = out->cap - z.avail_out;
    (void)deflateEnd(&z);
}

struct case_of {
    enum tm_inflater_format format;
    size_t in_most, out_most;
};

/* Inflates PACKED (which may be cut) into OUT; *LEFT bytes of the input follow the stream. */
static enum tm_status inflate_all(const struct tm_buf *packed, const struct case_of *c, struct tm_buf *out,
                                  size_t *left, struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = dribble_read};
    struct dribble source = {packed->data, packed->len, c->in_most};
    struct tm_inflater inflater = {0};
    struct tm_input in;
    size_t got;
    tm_input_init(&in, &ops, &source);
    enum tm_status st = tm_inflater_init(&inflater, c->format, &in, err);
    while (st == TM_OK) {
        if (tm_buf_reserve(out, c->out_most) < 0)
            abort();
        st = tm_inflater_read(&inflater, out->data + out->len, c->out_most, &got, err);
        out->len += got;
    }
    *left = in.len + source.len;
    tm_inflater_release(&inflater);
    tm_input_release(&in);
    return st;
}

static bool comes_back(const struct tm_buf *text, const struct case_of *c)
{
    struct tm_buf packed = {0}, out = {0};
    struct tm_error err = {0};
    size_t left;
    deflate_text(&packed, text, c->format);
    (void)tm_buf_add(&packed, "\x1f\x8bwhat follows", 14);
    bool good = inflate_all(&packed, c, &out, &left, &err) == TM_END && left == 14 && out.len == text->len &&
                (out.len == 0 || memcmp(out.data, text->data, out.len) == 0);
    if (!good)
        printf("# format %d, %zu bytes, in %zu, out %zu: %zu came, %zu left, %s\n", (int)c->format, text->len,
               c->in_most, c->out_most, out.len, left, err.text);
    tm_buf_release(&packed);
    tm_buf_release(&out);
    return good;
}

static bool cuts_are_told(const struct tm_buf *text, enum tm_inflater_format format)
{
    struct tm_buf packed = {0}, out = {0};
    struct case_of c = {format, 100, 1000};
    bool good = true;
    deflate_text(&packed, text, format);
    for (size_t len = packed.len; good && packed.len-- > 0; len--) {
        struct tm_error err = {0};
        char place[64];
        size_t left;
        tm_buf_clear(&out);
        snprintf(place, sizeof place, "compressed byte %zu: ", packed.len);
        good = inflate_all(&packed, &c, &out, &left, &err) == TM_E_INPUT && strstr(err.text, "cut short") &&
               strstr(err.text, place) && left == 0;
        if (!good)
            printf("# format %d cut to %zu: %s\n", (int)format, packed.len, err.text);
    }
    tm_buf_release(&packed);
    tm_buf_release(&out);
    return good;
}

int main(void)
{
    static const size_t sizes[] = {0, 1, 100, 40000, 300000}, ins[] = {1, 7, 4096, SIZE_MAX},
                        outs[] = {1, 300, 1 << 20};
    struct tm_buf text = {0};
    for (int format = TM_INFLATER_GZIP; format <= TM_INFLATER_RAW; format++) {
        bool good = true;
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 4; j++)
                for (int k = 0; k < 3; k++) {
                    if (sizes[i] > 50000 && (ins[j] < 100 || outs[k] == 1))
                        continue;
                    tm_buf_clear(&text);
                    make_text(&text, sizes[i], (unsigned)(i + j));
                    good = comes_back(&text, &(struct case_of){(enum tm_inflater_format)format, ins[j], outs[k]}) &&
                           good;
                }
        ok_named(good, "what was deflated comes back, what follows stays");
        tm_buf_clear(&text);
        make_text(&text, 3000, 5);
        ok_named(cuts_are_told(&text, (enum tm_inflater_format)format), "a cut anywhere is told");
    }
    ok(tm_inflater_crc32(tm_inflater_crc32(0, (const uint8_t *)"1234", 4), (const uint8_t *)"56789", 5) == 0xcbf43926);
    tm_buf_release(&text);
    return tap_done();
}

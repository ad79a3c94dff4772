#include "config.h"

#include "container/inflater.h"

#include "base/cpu.h"

#include <stdlib.h>

/* The input and output of a step, and how much of both it used. */
struct piece {
    const uint8_t *in;
    uint8_t *out;
    size_t in_len, out_len, used, got;
    const char *cause; /* of damage */
};

#ifdef HAVE_ISAL

#include "os/library.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

enum { LENGTH_BYTES = 4 }; /* length field at a gzip member's end */

static struct {
    __typeof__(isal_inflate_init) *init;
    __typeof__(isal_inflate) *inflate;
    __typeof__(crc32_gzip_refl) *crc;
} functions;

static const char *const symbols[] = {"isal_inflate_init", "isal_inflate", "crc32_gzip_refl"};
static struct tm_library library = {ISAL_SONAME, symbols, sizeof symbols / sizeof *symbols, &functions, false};

static enum tm_status start(struct tm_inflater *inflater, struct tm_error *err)
{
    static const uint32_t flags[] = {ISAL_GZIP, ISAL_ZLIB, ISAL_DEFLATE};
    struct inflate_state *s = inflater->state;
    if (tm_library_load(&library, err) < 0)
        return TM_E_SYSTEM;
    if (s == NULL && (s = inflater->state = malloc(sizeof *s)) == NULL)
        return tm_error_nomem(err);
    functions.init(s);
    s->crc_flag = flags[inflater->format];
    return TM_OK;
}

static const char *cause_of(int answer)
{
    switch (answer) {
    case ISAL_INVALID_BLOCK: return "invalid block";
    case ISAL_INVALID_SYMBOL: return "invalid code";
    case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
    case ISAL_INVALID_WRAPPER: return "incorrect header check";
    case ISAL_UNSUPPORTED_METHOD: return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM: return "incorrect data check";
    case ISAL_NEED_DICT: return "a dictionary is needed";
    default: return "unknown cause";
    }
}

/* Inflates some of the input of P. TM_END: the stream has ended. Bytes in the library's bit buffer stay at the front of
 * the input, so the input is in the right place when the stream ends. */
static enum tm_status step(struct tm_inflater *inflater, struct piece *p)
{
    struct inflate_state *s = inflater->state;
    size_t more = p->in_len - inflater->buffered;
    s->next_in = (uint8_t *)(uintptr_t)p->in + inflater->buffered;
    s->avail_in = more < UINT32_MAX ? (uint32_t)more : UINT32_MAX;
    s->next_out = p->out;
    s->avail_out = p->out_len < UINT32_MAX ? (uint32_t)p->out_len : UINT32_MAX;
    uint32_t in_before = s->avail_in, out_before = s->avail_out;
    int answer = functions.inflate(s);
    tm_cpu_leave_avx();
    size_t taken = inflater->buffered + (in_before - s->avail_in);
    size_t buffered = s->read_in_length > 0 ? (size_t)s->read_in_length / 8 : 0;
    p->got = out_before - s->avail_out;
    inflater->buffered = buffered < taken ? buffered : taken;
    p->used = taken - inflater->buffered;
    if (answer < 0 || answer == ISAL_NEED_DICT) {
        p->cause = cause_of(answer);
        /* zlib stops after the CRC, before the length. */
        if (answer == ISAL_INCORRECT_CHECKSUM && inflater->format == TM_INFLATER_GZIP && p->used >= LENGTH_BYTES)
            p->used -= LENGTH_BYTES;
        return TM_E_INPUT;
    }
    return s->block_state == ISAL_BLOCK_FINISH ? TM_END : TM_OK;
}

uint32_t tm_inflater_crc32(uint32_t crc, const uint8_t *data, size_t len)
{
    if (tm_library_load(&library, NULL) < 0)
        return (uint32_t)crc32_z(crc, data, len);
    crc = functions.crc(crc, data, len);
    tm_cpu_leave_avx();
    return crc;
}

void tm_inflater_release(struct tm_inflater *inflater)
{
    free(inflater->state);
    inflater->state = NULL;
}

#else

#include <zlib.h>

static enum tm_status start(struct tm_inflater *inflater, struct tm_error *err)
{
    static const int bits[] = {MAX_WBITS + 16, MAX_WBITS, -MAX_WBITS};
    z_stream *z = inflater->state;
    if (z)
        return inflateReset(z) == Z_OK ? TM_OK : tm_error_set(err, TM_E_SYSTEM, "zlib cannot be reset");
    if ((z = calloc(1, sizeof *z)) == NULL)
        return tm_error_nomem(err);
    if (inflateInit2(z, bits[inflater->format]) != Z_OK) {
        free(z);
        return tm_error_nomem(err);
    }
    inflater->state = z;
    return TM_OK;
}

/* Inflates some of the input of P. TM_END: the stream has ended. */
static enum tm_status step(struct tm_inflater *inflater, struct piece *p)
{
    z_stream *z = inflater->state;
    z->next_in = (Bytef *)(uintptr_t)p->in;
    z->avail_in = p->in_len < UINT32_MAX ? (uInt)p->in_len : UINT32_MAX;
    z->next_out = p->out;
    z->avail_out = p->out_len < UINT32_MAX ? (uInt)p->out_len : UINT32_MAX;
    uInt in_before = z->avail_in, out_before = z->avail_out;
    int answer = inflate(z, Z_NO_FLUSH);
    p->got = out_before - z->avail_out;
    p->used = in_before - z->avail_in;
    if (answer == Z_STREAM_END)
        return TM_END;
    if (answer == Z_OK || answer == Z_BUF_ERROR)
        return TM_OK;
    p->cause = answer == Z_NEED_DICT ? "a dictionary is needed" : z->msg ? z->msg : "unknown cause";
    return answer == Z_MEM_ERROR ? TM_E_SYSTEM : TM_E_INPUT;
}

uint32_t tm_inflater_crc32(uint32_t crc, const uint8_t *data, size_t len)
{
    return (uint32_t)crc32_z(crc, data, len);
}

void tm_inflater_release(struct tm_inflater *inflater)
{
    if (inflater->state)
        inflateEnd(inflater->state);
    free(inflater->state);
    inflater->state = NULL;
}

#endif

enum tm_status tm_inflater_init(struct tm_inflater *inflater, enum tm_inflater_format format, struct tm_input *in,
                                struct tm_error *err)
{
    *inflater = (struct tm_inflater){.in = in, .format = format};
    return start(inflater, err);
}

enum tm_status tm_inflater_reset(struct tm_inflater *inflater, struct tm_error *err)
{
    inflater->buffered = 0;
    return start(inflater, err);
}

static enum tm_status damaged(const struct tm_inflater *inflater, const char *what, const char *cause,
                              struct tm_error *err)
{
    static const char *const names[] = {"gzip", "zlib", "deflate"};
    bool has_cause = cause != NULL;
    return tm_error_set(err, TM_E_INPUT, "compressed byte %llu: the %s data is %s%s%s%s",
                        (unsigned long long)inflater->in->offset, names[inflater->format], what, has_cause ? " (" : "",
                        has_cause ? cause : "", has_cause ? ")" : "");
}

enum tm_status tm_inflater_read(struct tm_inflater *inflater, uint8_t *data, size_t len, size_t *got,
                                struct tm_error *err)
{
    struct tm_input *in = inflater->in;
    size_t buffered = inflater->buffered;
    enum tm_status filled = tm_input_fill(in, buffered + 1, err);
    *got = 0;
    if (filled < 0)
        return filled;
    struct piece p = {.in = in->data, .in_len = in->len, .out = data, .out_len = len};
    enum tm_status st = step(inflater, &p);
    *got = p.got;
    tm_input_skip(in, p.used);
    if (st == TM_E_SYSTEM)
        return tm_error_nomem(err);
    if (st < 0)
        return damaged(inflater, "damaged", p.cause, err);
    if (st == TM_OK && filled == TM_END && p.got == 0 && p.used == 0 && inflater->buffered == buffered && len > 0) {
        tm_input_skip(in, in->len); /* bits of a code that is not complete: the data is cut short after them */
        return damaged(inflater, "cut short", NULL, err);
    }
    return st;
}

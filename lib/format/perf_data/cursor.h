/* Reads numbers and texts of a perf.data file from the front of a span of bytes, in the byte order of the recording
 * machine. Reading past the end gives zeros and sets failed. */
#ifndef TM_FORMAT_PERF_DATA_CURSOR_H
#define TM_FORMAT_PERF_DATA_CURSOR_H

#include "base/bytes.h"
#include "base/text.h"

struct tm_perf_cursor {
    const uint8_t *p, *end;
    bool is_big; /* numbers are big-endian */
    bool failed;
};

/* Takes LEN bytes from the front. NULL: there are fewer. */
static inline const uint8_t *tm_perf_take(struct tm_perf_cursor *c, uint64_t len)
{
    const uint8_t *at = c->p;
    if ((uint64_t)(c->end - c->p) < len) {
        c->failed = true;
        c->p = c->end;
        return NULL;
    }
    c->p += len;
    return at;
}

static inline uint16_t tm_perf_u16(struct tm_perf_cursor *c)
{
    const uint8_t *p = tm_perf_take(c, 2);
    unsigned v = p ? tm_get_le16(p) : 0;
    return (uint16_t)(c->is_big ? v << 8 | v >> 8 : v);
}

static inline uint32_t tm_perf_swap32(uint32_t v)
{
    return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}

static inline uint32_t tm_perf_u32(struct tm_perf_cursor *c)
{
    const uint8_t *p = tm_perf_take(c, 4);
    uint32_t v = p ? tm_get_le32(p) : 0;
    return c->is_big ? tm_perf_swap32(v) : v;
}

static inline uint64_t tm_perf_u64(struct tm_perf_cursor *c)
{
    const uint8_t *p = tm_perf_take(c, 8);
    uint64_t v = p ? tm_get_le64(p) : 0;
    return c->is_big ? (uint64_t)tm_perf_swap32((uint32_t)v) << 32 | tm_perf_swap32((uint32_t)(v >> 32)) : v;
}

/* Takes LEN bytes. Returns the text in them up to a NUL or the end. */
static inline struct tm_text tm_perf_text(struct tm_perf_cursor *c, uint64_t len)
{
    const uint8_t *p = tm_perf_take(c, len);
    const uint8_t *nul = p ? memchr(p, 0, (size_t)len) : NULL;
    return tm_text_at(p, p == NULL ? 0 : nul ? (size_t)(nul - p) : (size_t)len);
}

/* Takes a length (u32) and a text of that length. */
static inline struct tm_text tm_perf_string(struct tm_perf_cursor *c)
{
    uint32_t len = tm_perf_u32(c);
    return tm_perf_text(c, len);
}

#endif

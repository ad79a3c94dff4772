/* The parts of a Fuchsia record: words, bit fields, and text padded to words. */
#ifndef TM_FORMAT_FUCHSIA_WORDS_H
#define TM_FORMAT_FUCHSIA_WORDS_H

#include "base/bytes.h"
#include "base/text.h"

enum { TM_FXT_WORD = 8 };

/* Bits FIRST to LAST (inclusive, at most 63 of them) of WORD. */
static inline uint64_t tm_fxt_bits(uint64_t word, unsigned first, unsigned last)
{
    return word >> first & ((UINT64_C(1) << (last - first + 1)) - 1);
}

/* The words of a record, read from front to back. */
struct tm_fxt_cursor {
    const uint8_t *p, *end;
};

/* Reads the next word. False at the end of the record. */
static inline bool tm_fxt_word(struct tm_fxt_cursor *c, uint64_t *word)
{
    if (c->end - c->p < TM_FXT_WORD)
        return false;
    *word = tm_get_le64(c->p);
    c->p += TM_FXT_WORD;
    return true;
}

/* Reads LEN bytes, whose number has at most 15 bits, and their padding. False if the record ends before. */
static inline bool tm_fxt_text(struct tm_fxt_cursor *c, size_t len, struct tm_text *text)
{
    size_t padded = (len + TM_FXT_WORD - 1) / TM_FXT_WORD * TM_FXT_WORD;
    if ((size_t)(c->end - c->p) < padded)
        return false;
    *text = tm_text_at(c->p, len);
    c->p += padded;
    return true;
}

/* Converts TICKS to nanoseconds, exactly, rounded down. The clock has PER_SECOND ticks a second. False if the result
 * does not fit or PER_SECOND is 0. */
bool tm_fxt_ticks_ns(uint64_t ticks, uint64_t per_second, int64_t *ns);

#endif

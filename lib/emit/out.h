/* Text on its way to a descriptor, for outputs that write rows. Text is collected in a buffer. If memory runs out, the
 * next tm_out_end_row or tm_out_flush returns the error. A large file is written by a thread (os/block_output.h); then
 * other threads make the late parts (completer.h). */
#ifndef TM_EMIT_OUT_H
#define TM_EMIT_OUT_H

#include "base/buf.h"
#include "emit/completer.h"
#include "model/catalog.h"
#include "os/block_output.h"
#include "stream/field_text.h"

#include <stdbool.h>
#include <string.h>

struct tm_out {
    struct tm_buf buf;
    bool failed; /* text is missing, because memory ran out for it or, as the caller notes here, for its parts */
    /* private */
    bool is_json; /* tm_out_guard_json was called */
    bool guards;
    struct tm_block_output blocks;
    struct tm_sources *sources;     /* borrowed; NULL: no text is copied */
    struct tm_late_parts late;      /* between the bytes of buf */
    unsigned late_threads;          /* of the completer; 0: there is none */
    bool has_completer;             /* an attempt to start it was made */
    struct tm_completer *completer; /* while it exists, only its threads use blocks; NULL: none */
    struct tm_source_reader *reader; /* for late parts before there is a completer */
    struct tm_buf whole;             /* buf with these parts */
};

/* NAME: the name of FD; NULL: standard output. */
void tm_out_init(struct tm_out *out, int fd, const char *name);

/* OUT is JSON and may have copies of what was read. Where they mean no character (json/unicode.h), U+FFFD is written;
 * numbers that are not finite become strings, and commas before closing brackets are left out (json/standard.h):
 * readers refuse a document with such text, or a part of it. If FD is a terminal, characters that it would obey are
 * escaped. Call it before anything is put. No row ends within a string or a word. */
void tm_out_guard_json(struct tm_out *out);

/* Lets OUT have late parts, also copies of texts of SOURCES (may be NULL), which must outlive it. JOBS is for
 * tm_completer_threads. Call it before anything is put. */
void tm_out_set_late(struct tm_out *out, struct tm_sources *sources, unsigned jobs);

/* True if tm_out_text may be called. */
static inline bool tm_out_copies(const struct tm_out *out)
{
    return out->sources && !out->guards;
}

/* Notes TEXT for the next tm_out_late, whose FORMAT gets it. It is read when the buffer is written. So if it has
 * changed, a later tm_out_end_row or tm_out_flush returns the error. */
void tm_out_text(struct tm_out *out, const struct tm_source_text *text);

/* Makes room for LEN bytes. False, and noted as a failure in OUT, if there is no memory. */
bool tm_out_widen(struct tm_out *out, size_t len);

/* Each puts its argument into the buffer of OUT: bytes, text, decimal numbers, or two hexadecimal digits for each byte.
 * A failure is noted in OUT. Inline, because most texts are short literals: then their length is a constant. */
static inline void tm_out_bytes(struct tm_out *out, const void *data, size_t len)
{
    if (out->buf.cap - out->buf.len < len && !tm_out_widen(out, len))
        return;
    if (len)
        memcpy(out->buf.data + out->buf.len, data, len);
    out->buf.len += len;
}

static inline void tm_out_str(struct tm_out *out, const char *s)
{
    tm_out_bytes(out, s, strlen(s));
}

static inline void tm_out_char(struct tm_out *out, char c)
{
    tm_out_bytes(out, &c, 1);
}

/* Puts what FORMAT makes of the COUNT PIECES joined, when the buffer is written. FORMAT is perhaps called by another
 * thread. OUT has been told that it has late parts. Inline, because most counts and lengths are constants. */
static inline void tm_out_late(struct tm_out *out, tm_late_format *format, const struct tm_text *pieces, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += pieces[i].len;
    uint8_t *to = tm_late_parts_room(&out->late, len);
    for (size_t i = 0; to && i < count; to += pieces[i++].len)
        if (pieces[i].len)
            memcpy(to, pieces[i].data, pieces[i].len);
    out->failed |= to == NULL || tm_late_parts_format(&out->late, out->buf.len, format, len, NULL) < 0;
}

void tm_out_u64(struct tm_out *out, uint64_t v);
void tm_out_i64(struct tm_out *out, int64_t v);
void tm_out_hex(struct tm_out *out, const uint8_t *data, size_t len);

/* Puts nanoseconds as microseconds: exact, with as few decimals as possible. */
void tm_out_micros(struct tm_out *out, int64_t ns);

/* Puts nanoseconds as seconds with nine decimals. */
void tm_out_seconds(struct tm_out *out, int64_t ns);

/* Puts nanoseconds in the largest of ns, us, ms, s that leaves a whole part; exact. */
void tm_out_duration(struct tm_out *out, int64_t ns);

/* Puts the double with these bits in the fewest digits that read back as the same; "nan", "inf", "-inf". */
void tm_out_double(struct tm_out *out, uint64_t bits);

/* Puts ".0" after the decimal number that starts at FROM, if it has neither point nor exponent. So readers take the
 * column for real numbers, whatever its first value is. */
void tm_out_make_real(struct tm_out *out, size_t from);

/* Puts a name from a trace, of any length, escaped for a terminal (tm_text_escape). */
void tm_out_escaped(struct tm_out *out, struct tm_text text);

/* Puts a name escaped for a terminal, at most MAX bytes of TEXT; "..." marks a cut. */
void tm_out_escaped_cut(struct tm_out *out, struct tm_text text, size_t max);

/* Puts all of TEXT escaped and in double quotes, with \" and \\ for quotes and backslashes. */
void tm_out_quoted(struct tm_out *out, struct tm_text text);

/* Puts a JSON string with its quotes (RFC 8259). Each byte that is not UTF-8 becomes U+FFFD. */
void tm_out_json(struct tm_out *out, struct tm_text text);
void tm_out_json_str(struct tm_out *out, const char *s);

/* Puts a double as a JSON value. Values without a JSON number become the strings "NaN", "Infinity", "-Infinity". */
void tm_out_json_double(struct tm_out *out, uint64_t bits);

/* Puts what tm_out_json_double puts, with a point or an exponent in each number: some readers tell real numbers from
 * integers by it. */
void tm_out_json_real(struct tm_out *out, uint64_t bits);

/* Puts a CSV field (RFC 4180), quoted if necessary. Bytes are unchanged. */
void tm_out_csv(struct tm_out *out, struct tm_text text);

/* Returns how many columns of a terminal TEXT takes as tm_out_escaped puts it. */
size_t tm_out_width(struct tm_text text);

/* Pads the text after FROM, which is escaped, with spaces to WIDTH columns; on its left if RIGHT. */
void tm_out_pad(struct tm_out *out, size_t from, size_t width, bool right);

/* Puts two spaces before each line of the text after FROM. */
void tm_out_indent(struct tm_out *out, size_t from);

/* Call it after each row: writes if the buffer is large. TM_OK, TM_E_SYSTEM, or an error of tm_source_reader_read. */
enum tm_status tm_out_end_row(struct tm_out *out, struct tm_error *err);

/* Writes everything. Status is that of tm_out_end_row. */
enum tm_status tm_out_flush(struct tm_out *out, struct tm_error *err);

void tm_out_release(struct tm_out *out);

#endif

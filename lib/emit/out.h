/* Text on its way to a descriptor, for outputs that write rows. What is put is gathered; failures to
 * get memory are remembered and told by the next tm_out_end_row or tm_out_flush. What goes to a file of a name is, once
 * that has some megabytes, written by a thread: for what makes the text of a large trace, the kernel's copy of it is a
 * third of the time. */
#ifndef TM_EMIT_OUT_H
#define TM_EMIT_OUT_H

#include "os/async_writer.h"
#include "base/buf.h"
#include "model/catalog.h"
#include "stream/field_text.h"

#include <stdbool.h>

struct tm_out {
    int fd;           /* borrowed */
    const char *name; /* for messages; borrowed */
    struct tm_buf buf;
    /* private */
    bool failed;
    bool guards;
    bool is_own;      /* nobody else writes to fd */
    uint32_t writes;
    uint64_t offset;  /* in fd, of the next byte to be written after */
    struct tm_async_writer *behind; /* NULL: none yet, or there can be none */
};

/* NAME: what FD is, NULL for standard output. */
void tm_out_init(struct tm_out *out, int fd, const char *name);

/* OUT is JSON, and may have strings as they were read: where FD is a terminal, what that could obey is escaped. To be
 * called before anything is put. */
void tm_out_guard_json(struct tm_out *out);

void tm_out_bytes(struct tm_out *out, const void *data, size_t len);
void tm_out_str(struct tm_out *out, const char *s);
void tm_out_char(struct tm_out *out, char c);
void tm_out_u64(struct tm_out *out, uint64_t v);
void tm_out_i64(struct tm_out *out, int64_t v);
void tm_out_hex(struct tm_out *out, const uint8_t *data, size_t len);

/* Nanoseconds as seconds with nine decimals. */
void tm_out_seconds(struct tm_out *out, int64_t ns);

/* Nanoseconds in the largest of ns, us, ms, s that leaves a whole part; exact. */
void tm_out_duration(struct tm_out *out, int64_t ns);

/* The double with these bits in the fewest digits that read back as the same; "nan", "inf", "-inf". */
void tm_out_double(struct tm_out *out, uint64_t bits);

/* What was put since buf.len was FROM is a decimal number: puts ".0" where it has neither point nor exponent. Readers
 * then take a column for real numbers whatever comes first. */
void tm_out_make_real(struct tm_out *out, size_t from);

/* Names out of a trace, fit for a terminal (tm_text_escape), of any length. */
void tm_out_escaped(struct tm_out *out, struct tm_text text);

/* As tm_out_escaped, but no more than MAX bytes of TEXT; "..." marks a cut. */
void tm_out_escaped_cut(struct tm_out *out, struct tm_text text, size_t max);

/* Escaped whole and in double quotes, with \" and \\ for quotes and backslashes. */
void tm_out_quoted(struct tm_out *out, struct tm_text text);

/* A JSON string with its quotes (RFC 8259). Each byte that is not UTF-8 becomes U+FFFD. */
void tm_out_json(struct tm_out *out, struct tm_text text);
void tm_out_json_str(struct tm_out *out, const char *s);

/* As a JSON value; a string "NaN", "Infinity", "-Infinity" where JSON has no number. */
void tm_out_json_double(struct tm_out *out, uint64_t bits);

/* A CSV field (RFC 4180), quoted where it must be. Bytes as they are. */
void tm_out_csv(struct tm_out *out, struct tm_text text);

/* Spaces until what was put since buf.len was FROM takes WIDTH characters; before it where RIGHT. At
 * least none. */
void tm_out_pad(struct tm_out *out, size_t from, size_t width, bool right);

/* Two spaces before each line of what was put since buf.len was FROM, where a line began. */
void tm_out_indent(struct tm_out *out, size_t from);

/* After each row: writes when much has been gathered. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_out_end_row(struct tm_out *out, struct tm_error *err);

/* Writes all there is. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_out_flush(struct tm_out *out, struct tm_error *err);

void tm_out_release(struct tm_out *out);

/* The text of a C string. */
static inline struct tm_text tm_text_str(const char *s)
{
    return (struct tm_text){(const uint8_t *)s, strlen(s)};
}

#endif

/* Scans JSON in memory without copying it or building a tree. Values point into the text. The text may be incomplete:
 * more bytes may follow.
 *
 * It accepts RFC 8259 and two things that files in use have: a comma before a closing bracket, and the words NaN,
 * Infinity, nan and inf, with or without a sign, as values of a type of their own. It refuses raw control characters in
 * strings, bad escapes, leading zeros and nesting beyond TM_JSON_DEPTH_MAX. UTF-8 is not checked: bytes of 0x80 and
 * above are passed through. */
#ifndef TM_JSON_SCAN_H
#define TM_JSON_SCAN_H

#include "base/buf.h"
#include "base/bytes.h"

#include <stdbool.h>

enum { TM_JSON_DEPTH_MAX = 2048 };

enum tm_json_status {
    TM_JSON_BAD = -1, /* not JSON: p is at the offending byte, cause says what is wrong */
    TM_JSON_OK = 0,
    TM_JSON_CLOSE = 1, /* the object or array ends; p is after its bracket */
    TM_JSON_MORE = 2   /* the bytes end before the value does; p is undefined; start over with more bytes */
};

struct tm_json_scan {
    const uint8_t *p;   /* the next byte to scan */
    const uint8_t *end; /* of the bytes that are there */
    bool ended;         /* no bytes will follow end, so a number may end there */
    const char *cause;  /* after TM_JSON_BAD; static text */
    bool is_repairable; /* after TM_JSON_BAD: the byte is a control character in a string, which repair.h can escape */
};

/* Refuses the byte at P. CAUSE is static text. Returns TM_JSON_BAD. */
static inline enum tm_json_status tm_json_bad(struct tm_json_scan *scan, const uint8_t *p, const char *cause)
{
    scan->p = p;
    scan->cause = cause;
    scan->is_repairable = false;
    return TM_JSON_BAD;
}

enum tm_json_type {
    TM_JSON_NULL,
    TM_JSON_TRUE,
    TM_JSON_FALSE,
    TM_JSON_NUMBER,
    TM_JSON_NOT_FINITE, /* NaN, Infinity, nan and inf, with or without a sign */
    TM_JSON_STRING,
    TM_JSON_ARRAY,
    TM_JSON_OBJECT
};

/* A value in the text. A string's data are the bytes between its quotes; the data of any other value are all its bytes.
 */
struct tm_json_value {
    const uint8_t *data;
    size_t len;
    enum tm_json_type type;
    bool escaped;   /* a string with a backslash in it; unescape it before use */
    bool non_ascii; /* a string with bytes of 0x80 or above */
};

/* Returns a scan of the bytes from P to END. ENDED: no more follow. */
static inline struct tm_json_scan tm_json_scan_bytes(const uint8_t *p, const uint8_t *end, bool ended)
{
    return (struct tm_json_scan){.p = p, .end = end, .ended = ended};
}

/* Returns a scan of VALUE. */
static inline struct tm_json_scan tm_json_scan_of(const struct tm_json_value *value)
{
    return tm_json_scan_bytes(value->data, value->data + value->len, true);
}

/* Skips white space. False if there is nothing else. */
static inline bool tm_json_space(struct tm_json_scan *scan)
{
    const uint8_t *p = scan->p;
    while (p < scan->end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) {
        uint64_t same = *p++ * UINT64_C(0x0101010101010101);
        while (scan->end - p >= 8 && tm_get_le64(p) == same) /* deep indentation, and padding */
            p += 8;
    }
    scan->p = p;
    return p < scan->end;
}

/* Reads the string at p, which is at its quote. */
enum tm_json_status tm_json_string(struct tm_json_scan *scan, struct tm_json_value *value);

/* Reads the value at p, of any type. An object or array is checked to its end. */
enum tm_json_status tm_json_value(struct tm_json_scan *scan, struct tm_json_value *value);

/* Reads the value at p, which is known to be valid. Finds the end of an object or array by its brackets alone (pass.c).
 */
enum tm_json_status tm_json_pass(struct tm_json_scan *scan, struct tm_json_value *value);

/* Reads the key of the next member of an object and moves to its value. Starts after the '{', or after a member and its
 * comma. TM_JSON_CLOSE at the '}'. */
enum tm_json_status tm_json_key(struct tm_json_scan *scan, struct tm_json_value *key);

/* Checks what follows a member or element. A comma is skipped; CLOSER ('}' or ']') is not. */
enum tm_json_status tm_json_comma(struct tm_json_scan *scan, uint8_t closer);

/* Reads the next member of an object: key, value and comma. */
enum tm_json_status tm_json_member(struct tm_json_scan *scan, struct tm_json_value *key, struct tm_json_value *value);

/* Sets *VALUE to the last member NAME of OBJECT. False: there is none, or OBJECT is no object. */
bool tm_json_find(const struct tm_json_value *object, const char *name, struct tm_json_value *value);

/* Reads the next element of an array. */
enum tm_json_status tm_json_element(struct tm_json_scan *scan, struct tm_json_value *value);

/* Appends STRING to OUT with its escapes resolved. A surrogate without its partner becomes U+FFFD, and \u0000 becomes a
 * NUL byte. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_unescape(const struct tm_json_value *string, struct tm_buf *out);

/* Sets *DATA and *LEN to the text of STRING: in place, or unescaped into SCRATCH, which is cleared first. False if out
 * of memory. */
bool tm_json_text(const struct tm_json_value *string, struct tm_buf *scratch, const uint8_t **data, size_t *len);

/* Resolves the escapes of KEY into OUT of SIZE bytes. Returns the length, or SIZE + 1 if it does not fit. */
size_t tm_json_resolve(const struct tm_json_value *key, uint8_t *out, size_t size);

/* True if KEY, which has escapes, is TEXT (LEN bytes). False if TEXT has more than 64 bytes. */
bool tm_json_is_escaped(const struct tm_json_value *key, const char *text, size_t len);

/* True if KEY is TEXT (LEN bytes, no backslash), even if parts of KEY are escaped (RFC 8259, section 8.3). */
static inline bool tm_json_is_bytes(const struct tm_json_value *key, const char *text, size_t len)
{
    if (key->escaped)
        return tm_json_is_escaped(key, text, len);
    return key->len == len && memcmp(key->data, text, len) == 0;
}

/* True if KEY is the C string TEXT (no backslash), even if parts of KEY are escaped. */
static inline bool tm_json_is(const struct tm_json_value *key, const char *text)
{
    return tm_json_is_bytes(key, text, strlen(text));
}

/* True if VALUE is a number or a string. Formats write ids, times and counts as either. */
static inline bool tm_json_is_scalar(const struct tm_json_value *value)
{
    return value->type == TM_JSON_NUMBER || value->type == TM_JSON_STRING;
}

/* Appends the escape of the control character, quote or backslash C to OUT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_put_escape(struct tm_buf *out, uint8_t c);

/* Appends the LEN bytes at S to OUT as a JSON string with its quotes. Escapes quotes, backslashes and control
 * characters (DEL and U+0080 to U+009F too). Replaces bytes that are not UTF-8 by U+FFFD. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_put_string(struct tm_buf *out, const void *s, size_t len);

#endif

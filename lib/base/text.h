/* Text in memory that belongs to something else: a pointer and a length. */
#ifndef TM_BASE_TEXT_H
#define TM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tm_text {
    const uint8_t *data; /* NULL: none */
    size_t len;
};

/* Returns the LEN bytes at DATA as a text. */
static inline struct tm_text tm_text_at(const void *data, size_t len)
{
    return (struct tm_text){data, len};
}

/* Returns the LEN bytes at DATA as a text that is there even if it is empty: its data is not NULL, DATA may be. */
static inline struct tm_text tm_text_given(const void *data, size_t len)
{
    return (struct tm_text){data ? data : "", len};
}

/* Returns what follows a noun after the number COUNT. */
static inline const char *tm_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Returns the C string S, without its NUL, as a text. */
static inline struct tm_text tm_text_str(const char *s)
{
    return (struct tm_text){(const uint8_t *)s, strlen(s)};
}

/* Returns TEXT without its first LEN bytes, which it must have. */
static inline struct tm_text tm_text_after(struct tm_text text, size_t len)
{
    return (struct tm_text){text.data + len, text.len - len};
}

/* Returns the bytes of TEXT as characters, without a NUL behind them. */
static inline const char *tm_text_chars(struct tm_text text)
{
    return (const char *)text.data;
}

/* True if TEXT has the bytes of S. */
static inline bool tm_text_is(struct tm_text text, const char *s)
{
    return text.len == strlen(s) && (text.len == 0 || memcmp(text.data, s, text.len) == 0);
}

/* True if TEXT begins with the bytes of S. */
static inline bool tm_text_begins(struct tm_text text, const char *s)
{
    const size_t len = strlen(s);
    return text.len >= len && (len == 0 || memcmp(text.data, s, len) == 0);
}

/* True if TEXT ends with the bytes of S. */
static inline bool tm_text_ends(struct tm_text text, const char *s)
{
    const size_t len = strlen(s);
    return text.len >= len && (len == 0 || memcmp(text.data + text.len - len, s, len) == 0);
}

/* True if A and B have the same bytes; a text without data has none. */
static inline bool tm_text_equal(struct tm_text a, struct tm_text b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Returns the first occurrence of NEEDLE, which is not empty, in HAYSTACK, or NULL. */
const uint8_t *tm_text_find(struct tm_text haystack, const char *needle);

/* Sets *HEAD to the text before SEPARATOR, and removes both from the front of REST. Returns false and changes nothing
 * if SEPARATOR is not there. */
bool tm_text_cut(struct tm_text *rest, const char *separator, struct tm_text *head);

/* Converts all of TEXT to a decimal number. False if it is none. */
bool tm_text_int(struct tm_text text, int64_t *value);

#endif

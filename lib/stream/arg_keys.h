/* Keys of arguments that the stream states once for many events. Events of one kind have arguments with the same keys.
 * The column arg_keys is a string of these keys, each with a NUL after it; an Arg without a key has the next one. A key
 * that has a NUL itself is in its Arg. */
#ifndef TM_STREAM_ARG_KEYS_H
#define TM_STREAM_ARG_KEYS_H

#include "base/buf.h"
#include "base/text.h"
#include "stream/detail_fields.h"
#include "stream/event.h"

/* Takes the next key, which ends with a NUL, from KEYS. Returns an empty text if there is none; KEYS is empty then. */
static inline struct tm_text tm_arg_keys_next(struct tm_text *keys)
{
    const uint8_t *end = keys->len ? memchr(keys->data, '\0', keys->len) : NULL;
    const struct tm_text key = {keys->data, end ? (size_t)(end - keys->data) : 0};
    *keys = end ? tm_text_at(end + 1, keys->len - key.len - 1) : tm_text_at(keys->data, 0);
    return key;
}

/* True if the Arg of LEN bytes at DATA states its key, which is its first field then. */
static inline bool tm_arg_has_key(const uint8_t *data, size_t len)
{
    return len > 0 && data[0] == (TM_ARG_KEY << 3 | 2 /* bytes */);
}

/* Puts the keys of the stream's strings into args again, for readers that take one event at a time. Zero-initialise
 * with strings and find set. */
struct tm_arg_expander {
    const void *strings; /* borrowed */
    /* Returns the string NUMBER of EVENT, valid until more strings are added; empty if there is none. */
    struct tm_text (*find)(const void *strings, uint32_t number, const struct tm_event *event);
    /* private */
    struct tm_buf detail;
};

/* Does the work of tm_arg_expand for an event that has arg_keys. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_arg_expand_keys(struct tm_arg_expander *expander, struct tm_event *event, struct tm_error *err);

/* Makes all args of EVENT state their keys. Its detail is then EXPANDER's, valid until the next call, and arg_keys is
 * 0. TM_OK or TM_E_SYSTEM. */
static inline enum tm_status tm_arg_expand(struct tm_arg_expander *expander, struct tm_event *event,
                                           struct tm_error *err)
{
    return event->arg_keys == 0 ? TM_OK : tm_arg_expand_keys(expander, event, err);
}

void tm_arg_expander_release(struct tm_arg_expander *expander);

#endif

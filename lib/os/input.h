/* Bytes that are read from front to back: a member of an archive, a decompressed stream, a pipe. Format parsers read
 * all their input through this. It shows a window of unread bytes, which the reader widens on demand. Memory is bounded
 * by the window, whatever the input's size. */
#ifndef TM_OS_INPUT_H
#define TM_OS_INPUT_H

#include "os/expansion.h"

#include <stdbool.h>
#include <stdint.h>

/* The widest window: a single packet, JSON event or line may be this long. */
#define TM_INPUT_WINDOW_MAX ((size_t)256 << 20)

struct tm_input;

/* Where bytes come from.
 *
 * read: puts up to LEN bytes (at least 1) into DATA and their number into *GOT. TM_OK; TM_END (*GOT = 0) at the end; or
 * an error.
 *
 * show: replaces read for a source that holds the bytes in its own memory. It sets data, len, ended and first of IN so
 * that the window has NEED bytes or more, the unread ones first. Returns as tm_input_fill does.
 *
 * close: may be NULL. */
struct tm_input_ops {
    enum tm_status (*read)(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err);
    enum tm_status (*show)(void *source, struct tm_input *in, size_t need, struct tm_error *err);
    void (*close)(void *source);
};

struct tm_input {
    const uint8_t *data; /* the unread bytes; moves with fill, stays with skip */
    size_t len;          /* how many of them are in the window */
    uint64_t offset;     /* position of data[0], counted from the first byte of this input */
    bool ended;          /* the source has no more: len bytes are all that is left */
    /* Skips N bytes of SOURCE without reading them. TM_OK; TM_END if there are fewer; or an error. May be set after
     * init. NULL: the source cannot skip. */
    enum tm_status (*skip)(void *source, uint64_t n, struct tm_error *err);
    /* Counts the bytes; NULL: nothing does. May be set after init, and after tm_read_ahead_start. If the bytes are
     * decompressed and the run's expansion reaches its limit, filling fails. */
    struct tm_expansion *expansion;
    bool is_packed; /* true: the bytes are the run's input itself, before anything is decompressed */
    /* private */
    uint64_t counted_bytes; /* in expansion */
    const struct tm_input_ops *ops;
    void *source;
    const uint8_t *first; /* bytes that were read from here on can be taken back; NULL: none */
    uint8_t *mem;
    size_t cap;
};

/* Initialises an input over SOURCE and takes over SOURCE. Release calls the close of OPS. */
void tm_input_init(struct tm_input *in, const struct tm_input_ops *ops, void *source);

/* Initialises an input over LEN bytes, which stay the caller's and must outlive it. */
void tm_input_init_bytes(struct tm_input *in, const void *data, size_t len);

/* Widens the window to NEED bytes or more. TM_OK: it has them. TM_END: the input ends before that; the window has the
 * rest. TM_E_INPUT: NEED exceeds TM_INPUT_WINDOW_MAX. Pointers into the window are invalid afterwards. After an error
 * only release may be called. */
enum tm_status tm_input_fill(struct tm_input *in, size_t need, struct tm_error *err);

/* Removes N bytes, at most len, from the front. */
static inline void tm_input_skip(struct tm_input *in, size_t n)
{
    in->data += n;
    in->len -= n;
    in->offset += n;
}

/* Takes back up to N of the bytes that were read last, as many as are still in memory. Returns their number. */
size_t tm_input_unread(struct tm_input *in, size_t n);

/* Removes N bytes from the front. N may exceed the window: the source then skips the rest if it can, or reads it.
 * TM_OK. TM_END: the input ends before that, and all of it was read. */
enum tm_status tm_input_advance(struct tm_input *in, uint64_t n, struct tm_error *err);

void tm_input_release(struct tm_input *in);

#endif

#include "os/input.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BYTES = 32 << 10, /* memory at first, enough for a small input */
    READ_BYTES = 256 << 10  /* the least room for a read after that */
};

void tm_input_init(struct tm_input *in, const struct tm_input_ops *ops, void *source)
{
    *in = (struct tm_input){.ops = ops, .source = source};
}

void tm_input_init_bytes(struct tm_input *in, const void *data, size_t len)
{
    *in = (struct tm_input){.data = data, .len = len, .ended = true};
}

/* Makes room for NEED bytes from data on, and for at least a full read after len. Larger memory keeps the bytes that
 * can be taken back. */
static enum tm_status make_room(struct tm_input *in, size_t need, struct tm_error *err)
{
    size_t more = in->mem ? READ_BYTES : FIRST_BYTES / 2;
    size_t want = need > in->len + more ? need : in->len + more;
    size_t front = in->mem ? (size_t)(in->data - in->mem) : 0;
    if (in->mem && in->cap - front >= want)
        return TM_OK;
    if (in->mem && in->cap >= want && front >= in->cap / 2) {
        memmove(in->mem, in->data, in->len);
        in->data = in->first = in->mem;
        return TM_OK;
    }
    size_t cap = in->cap ? in->cap : FIRST_BYTES;
    while (cap < want * 2)
        cap *= 2;
    uint8_t *mem = malloc(cap);
    if (mem == NULL)
        return tm_error_nomem(err);
    size_t back = in->first ? (size_t)(in->data - in->first) : 0;
    if (back + in->len > 0)
        memcpy(mem, in->data - back, back + in->len);
    free(in->mem);
    in->mem = mem;
    in->cap = cap;
    in->first = mem;
    in->data = mem + back;
    return TM_OK;
}

/* Widens the window to NEED bytes. Returns what tm_input_fill does. */
static enum tm_status fill(struct tm_input *in, size_t need, struct tm_error *err)
{
    if (need > TM_INPUT_WINDOW_MAX)
        return tm_error_at(err, in->offset, "a piece of %zu bytes is larger than the limit of %zu",
                           need, TM_INPUT_WINDOW_MAX);
    if (in->ops->show)
        return in->ops->show(in->source, in, need, err);
    enum tm_status st = TM_OK;
    size_t reach = 0; /* how far there is memory; it grows as bytes arrive, so a false length in the input does not
                       * allocate much */
    while (st == TM_OK && in->len < need) {
        if (in->len >= reach) {
            size_t step = in->mem ? 2 * in->len + READ_BYTES : FIRST_BYTES / 2;
            reach = step < need ? step : need;
            if ((st = make_room(in, reach, err)) < 0)
                return st;
        }
        uint8_t *to = in->mem + (in->data - in->mem) + in->len;
        size_t room = (size_t)(in->mem + in->cap - to);
        size_t got = 0;
        st = in->ops->read(in->source, to, room, &got, err);
        in->len += got;
        if (st == TM_END) {
            in->ended = true;
            return in->len >= need ? TM_OK : TM_END;
        }
    }
    return st;
}

/* Counts the bytes that were read for the first time. */
static enum tm_status count(struct tm_input *in, struct tm_error *err)
{
    uint64_t reach = in->offset + in->len, more = reach > in->counted_bytes ? reach - in->counted_bytes : 0;
    in->counted_bytes += more;
    if (!in->is_packed)
        return tm_expansion_add(in->expansion, more, err);
    in->expansion->input_bytes += more;
    return TM_OK;
}

enum tm_status tm_input_fill(struct tm_input *in, size_t need, struct tm_error *err)
{
    if (in->len >= need)
        return TM_OK;
    if (in->ended)
        return TM_END;
    enum tm_status st = fill(in, need, err);
    if (in->expansion && st >= 0 && count(in, err) < 0)
        return TM_E_INPUT;
    return st;
}

size_t tm_input_unread(struct tm_input *in, size_t n)
{
    size_t front = in->first ? (size_t)(in->data - in->first) : 0;
    n = n < front ? n : front;
    n = n < in->offset ? n : (size_t)in->offset;
    in->data -= n;
    in->len += n;
    in->offset -= n;
    return n;
}

enum tm_status tm_input_advance(struct tm_input *in, uint64_t n, struct tm_error *err)
{
    for (;;) {
        size_t here = n < in->len ? (size_t)n : in->len;
        tm_input_skip(in, here);
        n -= here;
        if (n == 0)
            return TM_OK;
        if (in->ended)
            return TM_END;
        if (in->skip) {
            enum tm_status st = in->skip(in->source, n, err);
            in->offset += st == TM_OK ? n : 0;
            in->ended = st == TM_END;
            return st;
        }
        enum tm_status st = tm_input_fill(in, 1, err);
        if (st != TM_OK)
            return st;
    }
}

void tm_input_release(struct tm_input *in)
{
    if (in->ops && in->ops->close)
        in->ops->close(in->source);
    free(in->mem);
    *in = (struct tm_input){.ended = true};
}

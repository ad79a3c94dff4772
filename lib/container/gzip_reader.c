#include "container/gzip_reader.h"

#include "base/table.h"
#include "container/limits.h"

#include <stdlib.h>

enum {
    GZIP_HEADER_BYTES = 10,
    GZIP_DEFLATED = 8,
    GZIP_FHCRC = 2,
    GZIP_FEXTRA = 4,
    GZIP_FNAME = 8,
    GZIP_RESERVED = 0xe0
};
enum { LOOK_BACK_BYTES = 64 << 10 };
/* A parser is about a window behind the reader. It is further behind only if tm_content_by_place has copied the data.
 */
enum { STARTS_SPAN = 64, STARTS_MAX = 2 * TM_INPUT_WINDOW_MAX / STARTS_SPAN };

static enum tm_status damaged(uint64_t at, const char *cause, struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "compressed byte %llu: %s", (unsigned long long)at, cause);
}

enum tm_status tm_gzip_reader_init(struct tm_gzip_reader *gzip, struct tm_input *in, struct tm_error *err)
{
    *gzip = (struct tm_gzip_reader){.in = in};
    if (pthread_mutex_init(&gzip->lock, NULL) != 0)
        return tm_error_nomem(err);
    return tm_inflater_init(&gzip->inflater, TM_INFLATER_GZIP, in, err);
}

/* Fills the window to NEED bytes. An end of the input before that is damage. */
static enum tm_status need_header(struct tm_gzip_reader *gzip, size_t need, struct tm_error *err)
{
    enum tm_status st = tm_input_fill(gzip->in, need, err);
    if (st == TM_END)
        return damaged(gzip->in->offset + gzip->in->len, "the gzip data is cut inside a header", err);
    return st;
}

/* Copies FNAME of the header at the window's front to next_name. *NAMED says whether it has one. The header stays for
 * the inflater. */
static enum tm_status peek_name(struct tm_gzip_reader *gzip, bool *named, struct tm_error *err)
{
    struct tm_input *in = gzip->in;
    size_t at = GZIP_HEADER_BYTES;
    enum tm_status st = need_header(gzip, at, err);
    tm_buf_clear(&gzip->next_name);
    *named = false;
    if (st < 0)
        return st;
    if (in->data[2] != GZIP_DEFLATED || in->data[3] & GZIP_RESERVED)
        return damaged(in->offset, "a gzip header of an unknown method", err);
    if (in->data[3] & GZIP_FEXTRA) {
        if ((st = need_header(gzip, at + 2, err)) < 0)
            return st;
        at += 2 + (size_t)(in->data[at] | in->data[at + 1] << 8);
    }
    if (!(in->data[3] & GZIP_FNAME))
        return TM_OK;
    for (size_t i = at;; i++) {
        if (i - at > TM_NAME_BYTES_MAX)
            return damaged(in->offset, "a name in a gzip header that is longer than the limit", err);
        if (i >= in->len && (st = need_header(gzip, i + 1, err)) < 0)
            return st;
        if (in->data[i] == '\0') {
            *named = i > at;
            return tm_buf_add(&gzip->next_name, in->data + at, i - at) == TM_OK ? TM_OK : tm_error_nomem(err);
        }
    }
}

/* Removes the starts in front of FROM. Their memory is used again once they are an eighth of all. The caller holds the
 * lock. */
static void forget_starts(struct tm_gzip_reader *gzip, uint64_t from)
{
    while (gzip->starts_first < gzip->starts_end && gzip->starts[gzip->starts_first].at + STARTS_SPAN <= from)
        gzip->starts_first++;
    if (gzip->starts_first == 0 || gzip->starts_first < gzip->starts_end / 8)
        return;
    gzip->starts_end -= gzip->starts_first;
    memmove(gzip->starts, gzip->starts + gzip->starts_first, gzip->starts_end * sizeof *gzip->starts);
    gzip->starts_first = 0;
}

/* Notes the current offset as a start. The caller holds the lock. */
static enum tm_status put_start(struct tm_gzip_reader *gzip, struct tm_error *err)
{
    uint64_t at = gzip->file_bytes & ~(uint64_t)(STARTS_SPAN - 1);
    if (gzip->starts_end - gzip->starts_first == STARTS_MAX)
        forget_starts(gzip, gzip->starts[gzip->starts_first].at + STARTS_SPAN);
    if (gzip->starts_first == gzip->starts_end || gzip->starts[gzip->starts_end - 1].at != at) {
        if (tm_array_grow(&gzip->starts, &gzip->starts_cap, gzip->starts_end, sizeof *gzip->starts, err) < 0)
            return TM_E_SYSTEM;
        gzip->starts[gzip->starts_end++] = (struct tm_gzip_starts){.at = at};
    }
    gzip->starts[gzip->starts_end - 1].bits |= UINT64_C(1) << (gzip->file_bytes - at);
    return TM_OK;
}

/* Notes that a member of the same name begins here. */
static enum tm_status add_start(struct tm_gzip_reader *gzip, struct tm_error *err)
{
    (void)pthread_mutex_lock(&gzip->lock);
    enum tm_status st = put_start(gzip, err);
    (void)pthread_mutex_unlock(&gzip->lock);
    return st;
}

static bool find_start(struct tm_gzip_reader *gzip, uint64_t from, uint64_t to)
{
    forget_starts(gzip, from);
    for (uint32_t i = gzip->starts_first; i < gzip->starts_end && gzip->starts[i].at <= to; i++) {
        struct tm_gzip_starts s = gzip->starts[i];
        uint64_t low = from > s.at ? from - s.at : 0, high = to - s.at < STARTS_SPAN ? to - s.at : STARTS_SPAN - 1;
        if (s.bits >> low << low & UINT64_MAX >> (STARTS_SPAN - 1 - high))
            return true;
    }
    return false;
}

bool tm_gzip_is_start(struct tm_gzip_reader *gzip, uint64_t from, uint64_t to)
{
    (void)pthread_mutex_lock(&gzip->lock);
    bool found = find_start(gzip, from, to);
    (void)pthread_mutex_unlock(&gzip->lock);
    return found;
}

/* Between members: skips zero padding and checks what follows. */
static enum tm_status next_member(struct tm_gzip_reader *gzip, struct tm_error *err)
{
    struct tm_input *in = gzip->in;
    enum tm_status st;
    bool named;
    while ((st = tm_input_fill(in, 1, err)) == TM_OK && in->data[0] == 0)
        tm_input_skip(in, 1);
    if (st == TM_OK)
        st = tm_input_fill(in, 2, err);
    if (st < 0)
        return st;
    gzip->member_at = in->offset;
    bool is_member = st == TM_OK && in->data[0] == 0x1f && in->data[1] == 0x8b;
    if (!is_member && in->len > 0 && gzip->on_damage == TM_DAMAGE_SALVAGE && gzip->damage.count > 0)
        return damaged(in->offset, "no gzip member after a damaged one", err);
    if (!is_member) {
        gzip->state = TM_GZIP_ENDED;
        return TM_OK;
    }
    if ((st = peek_name(gzip, &named, err)) < 0)
        return st;
    if (gzip->is_one_file) {
        tm_buf_clear(&gzip->next_name);
        named = false;
    }
    bool equal = gzip->next_name.len == gzip->name.len &&
                 (named == false || memcmp(gzip->next_name.data, gzip->name.data, gzip->name.len) == 0);
    if ((st = tm_inflater_reset(&gzip->inflater, err)) < 0)
        return st;
    gzip->state = named && !equal ? TM_GZIP_AT_FILE : TM_GZIP_IN_MEMBER;
    return named && equal ? add_start(gzip, err) : TM_OK;
}

/* True if a gzip header may begin at P, which has 4 bytes. */
static bool looks_like_header(const uint8_t *p)
{
    return p[0] == 0x1f && p[1] == 0x8b && p[2] == GZIP_DEFLATED && !(p[3] & GZIP_RESERVED);
}

/* After damage: skips to the next member that can be found, or to the end. */
static enum tm_status recover(struct tm_gzip_reader *gzip, struct tm_error *err)
{
    struct tm_input *in = gzip->in;
    uint64_t start = in->offset;
    enum tm_status st;
    uint64_t inside = start > gzip->member_at ? start - gzip->member_at - 1 : 0;
    tm_damage_add(&gzip->damage, start, err);
    gzip->state = TM_GZIP_ENDED;
    /* Damage is noticed some bytes after a header that interrupts the data. */
    size_t back = 0;
    if (gzip->on_damage == TM_DAMAGE_SALVAGE)
        back = tm_input_unread(in, inside < LOOK_BACK_BYTES ? (size_t)inside : LOOK_BACK_BYTES);
    for (bool first = true; (st = tm_input_fill(in, 4, err)) == TM_OK; first = false) {
        size_t at = first && back == 0 ? 1 : 0; /* the header itself may be damaged */
        while (at + 4 <= in->len && !(gzip->on_damage == TM_DAMAGE_SALVAGE && looks_like_header(in->data + at)))
            at++;
        bool found = at + 4 <= in->len;
        tm_input_skip(in, at);
        if (found) {
            gzip->state = TM_GZIP_BETWEEN;
            break;
        }
    }
    if (st == TM_END)
        tm_input_skip(in, in->len);
    gzip->damage.skipped_bytes += in->offset > start ? in->offset - start : 0;
    return st < 0 ? st : TM_OK;
}

/* Does one step between or inside members. *GOT may be 0 before the end. */
static enum tm_status step(struct tm_gzip_reader *gzip, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    enum tm_status st = gzip->state == TM_GZIP_BETWEEN ? next_member(gzip, err)
                                                       : tm_inflater_read(&gzip->inflater, data, len, got, err);
    if (st == TM_END) {
        gzip->state = TM_GZIP_BETWEEN;
        return TM_OK;
    }
    if (st == TM_E_INPUT && gzip->on_damage != TM_DAMAGE_HALT)
        return recover(gzip, err);
    return st < 0 ? tm_error_recoverable(err) : st;
}

static enum tm_status gzip_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct tm_gzip_reader *gzip = source;
    enum tm_status st = TM_OK;
    *got = 0;
    while (st == TM_OK && *got == 0) {
        if (gzip->state == TM_GZIP_ENDED || gzip->state == TM_GZIP_AT_FILE)
            return TM_END;
        st = step(gzip, data, len, got, err);
    }
    gzip->file_bytes += *got;
    return st;
}

enum tm_status tm_gzip_next(struct tm_gzip_reader *gzip, struct tm_input *input, struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = gzip_read};
    uint8_t scratch[4096];
    size_t got;
    enum tm_status st = TM_OK;
    if (gzip->begun) /* the rest of the previous file */
        while ((st = gzip_read(gzip, scratch, sizeof scratch, &got, err)) == TM_OK)
            continue;
    else
        while (st == TM_OK && gzip->state == TM_GZIP_BETWEEN)
            st = step(gzip, NULL, 0, &got, err);
    if (st < 0)
        return st;
    if (gzip->state == TM_GZIP_ENDED)
        return TM_END;
    gzip->begun = true;
    gzip->state = TM_GZIP_IN_MEMBER;
    gzip->file_bytes = 0;
    gzip->starts_first = gzip->starts_end = 0;
    tm_buf_clear(&gzip->name);
    if (tm_buf_add(&gzip->name, gzip->next_name.data, gzip->next_name.len) != TM_OK)
        return tm_error_nomem(err);
    tm_input_init(input, &ops, gzip);
    return TM_OK;
}

void tm_gzip_reader_release(struct tm_gzip_reader *gzip)
{
    tm_inflater_release(&gzip->inflater);
    tm_buf_release(&gzip->name);
    tm_buf_release(&gzip->next_name);
    free(gzip->starts);
    (void)pthread_mutex_destroy(&gzip->lock);
}

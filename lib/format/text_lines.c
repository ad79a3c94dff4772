#include "format/text_lines.h"

#include <string.h>

enum { FIRST_LOOK = 4096 };

enum tm_status tm_text_reader_peek(struct tm_text_reader *r, struct tm_error *err)
{
    struct tm_input *in = r->context.input;
    const size_t max = r->max;
    size_t seen = 0;
    for (size_t want = FIRST_LOOK;; want = in->len * 2) {
        enum tm_status st = tm_input_fill(in, want, err);
        if (st < 0)
            return st;
        if (in->len == 0)
            return TM_END;
        const uint8_t *end = memchr(in->data + seen, '\n', in->len - seen);
        if (end || st == TM_END) {
            size_t n = end ? (size_t)(end - in->data) : in->len;
            if (n > max)
                break;
            r->line = (const char *)in->data;
            r->size = end ? n + 1 : n;
            r->len = n > 0 && in->data[n - 1] == '\r' ? n - 1 : n;
            return TM_OK;
        }
        seen = in->len;
        if (seen > max)
            break;
    }
    return tm_error_at(err, in->offset, "a line is longer than the limit of %zu bytes", max);
}

static enum tm_status write_accounts(struct tm_text_reader *r, struct tm_error *err)
{
    struct tm_event_sink *sink = r->context.sink;
    enum tm_status st = TM_OK;
    if (r->damaged)
        st =
            tm_event_sink_account(sink, (struct tm_loss){TM_DROP_DAMAGED, r->clock, r->damaged, r->first_damaged}, err);
    if (st >= 0 && r->not_shown)
        st = tm_event_sink_account(
            sink, (struct tm_loss){TM_DROP_NOT_SHOWN, r->clock, r->not_shown, r->first_not_shown}, err);
    return st < 0 ? st : TM_END;
}

enum tm_status tm_text_reader_next(struct tm_text_reader *r, const char *wanted, struct tm_error *err)
{
    struct tm_input *in = r->context.input;
    enum tm_status st = tm_text_reader_peek(r, err);
    if (st != TM_END)
        return st;
    if (!r->has_events && (r->damaged == 0 || r->context.options->on_damage == TM_DAMAGE_HALT)) {
        tm_error_at(err, in->offset, "no %s in the text", wanted);
        return tm_error_other_type(err);
    }
    return write_accounts(r, err);
}

void tm_text_reader_damaged(struct tm_text_reader *r)
{
    if (r->damaged++ == 0)
        r->first_damaged = r->context.input->offset;
}

void tm_text_reader_not_shown(struct tm_text_reader *r)
{
    if (r->not_shown++ == 0)
        r->first_not_shown = r->context.input->offset;
}

bool tm_chars_begin(const char *p, const char *end, const char *with)
{
    size_t n = strlen(with);
    return (size_t)(end - p) >= n && memcmp(p, with, n) == 0;
}

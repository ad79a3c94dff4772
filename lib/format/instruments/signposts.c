#include "format/instruments/internal.h"

#include "base/hash.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

/* Sets x->other to the text of the record at PLACE, from byte FROM on. Place 0 has no text. */
static enum tm_status get_text(struct tm_instruments *x, uint64_t place, size_t from)
{
    tm_buf_clear(&x->other);
    enum tm_status st = place ? tm_instruments_refs_get(&x->refs, place, &x->other, x->err) : TM_OK;
    if (st == TM_OK && from)
        tm_buf_consume(&x->other, from < x->other.len ? from : x->other.len);
    return st;
}

static bool starts(const struct tm_buf *text, const char *word)
{
    return text->len >= strlen(word) && memcmp(text->data, word, strlen(word)) == 0;
}

/* Sets kind, scope and track. The track follows from process, subsystem, category, name and identifier, in which the
 * begin and the end of an interval agree. */
static enum tm_status set_kind(struct tm_instruments *x, struct tm_event *e)
{
    const uint64_t parts[] = {x->row.subsystem, x->row.category, x->row.name, x->row.identifier};
    uint32_t scope = e->flags & TM_EVENT_HAS_PID ? TM_SCOPE_PROCESS : TM_SCOPE_GLOBAL;
    enum tm_status st = get_text(x, x->row.type, 0);
    if (st < 0)
        return st;
    if (!starts(&x->other, "Begin") && !starts(&x->other, "End")) {
        e->kind = TM_KIND_INSTANT;
        e->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
        return TM_OK;
    }
    e->kind = starts(&x->other, "Begin") ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
    e->flags |= TM_EVENT_ASYNC | TM_EVENT_HAS_TRACK | tm_event_scope_flags((enum tm_scope)scope);
    e->track = (uint64_t)e->pid;
    for (size_t i = 0; st == TM_OK && i < sizeof parts / sizeof *parts; i++) {
        st = get_text(x, parts[i], 0);
        e->track = tm_hash64_seed(x->other.data, x->other.len, e->track);
    }
    return st;
}

static enum tm_status set_string(struct tm_instruments *x, uint64_t place, uint32_t *string)
{
    enum tm_status st = get_text(x, place, 0);
    if (st < 0 || x->other.len == 0)
        return st;
    return tm_event_sink_string(x->context.sink, tm_text_at(x->other.data, x->other.len), &x->detail, string, x->err);
}

static enum tm_status put_arg(struct tm_instruments *x, const char *key, uint64_t place, size_t from)
{
    size_t mark;
    enum tm_status st = get_text(x, place, from);
    if (st < 0 || x->other.len == 0 || !x->context.sink->want_detail)
        return st;
    if (tm_pb_begin(&x->detail, TM_DETAIL_ARGS, &mark) != TM_OK ||
        tm_pb_put_str(&x->detail, TM_ARG_KEY, key) != TM_OK ||
        tm_pb_put_bytes(&x->detail, TM_ARG_STRING, x->other.data, x->other.len) != TM_OK ||
        tm_pb_end(&x->detail, mark) != TM_OK)
        return tm_error_nomem(x->err);
    return TM_OK;
}

enum tm_status tm_instruments_signpost_add(struct tm_instruments *x)
{
    const struct tm_instruments_row *row = &x->row;
    struct tm_event e = {.time_ns = row->time_ns};
    enum tm_status st = tm_instruments_thread_of(x, &e);
    if (st == TM_END) {
        x->first_no_thread = x->no_thread++ ? x->first_no_thread : row->byte;
        return TM_OK;
    }
    if (st == TM_OK)
        st = set_kind(x, &e);
    tm_buf_clear(&x->detail);
    if (st == TM_OK)
        st = set_string(x, row->name, &e.name);
    if (st == TM_OK)
        st = set_string(x, row->category ? row->category : row->subsystem, &e.category);
    if (st == TM_OK)
        st = put_arg(x, "subsystem", row->subsystem, 0);
    if (st == TM_OK)
        st = put_arg(x, "identifier", row->identifier, 0);
    if (st == TM_OK)
        st = put_arg(x, "message", row->message, TM_LOG_TEXT);
    e.detail = x->detail.data;
    e.detail_bytes = (uint32_t)x->detail.len;
    return st < 0 ? st : tm_event_sink_add(x->context.sink, &e, x->err);
}

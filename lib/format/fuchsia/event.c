#include "format/fuchsia/internal.h"

#include "base/hash.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    EVENT_INSTANT = 0,
    EVENT_COUNTER = 1,
    EVENT_BEGIN = 2,
    EVENT_END = 3,
    EVENT_COMPLETE = 4,
    EVENT_ASYNC_BEGIN = 5,
    EVENT_ASYNC_INSTANT = 6,
    EVENT_ASYNC_END = 7,
    EVENT_FLOW_BEGIN = 8,
    EVENT_FLOW_END = 10
};
enum { SEED_ASYNC = 0x66787461 };

/* What all events share. */
struct event {
    uint32_t type;
    int64_t time_ns;
    struct tm_fxt_thread thread;
    struct tm_text category, name;
    struct tm_fxt_cursor *rest; /* what the event's type adds */
};

static struct tm_event row_of(const struct event *v, enum tm_kind kind)
{
    return (struct tm_event){.kind = kind,
                             .time_ns = v->time_ns,
                             .pid = v->thread.pid,
                             .tid = v->thread.tid,
                             .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD)};
}

/* Adds the row with its names and arguments. */
static enum tm_status add(struct tm_fxt *x, const struct event *v, struct tm_event *row)
{
    enum tm_status st = tm_fxt_string(x, v->name, &row->name);
    if (st >= 0)
        st = tm_fxt_string(x, v->category, &row->category);
    if (st < 0)
        return st;
    if (x->context.sink->want_detail && tm_fxt_args_put(&x->args, &x->detail) != TM_OK)
        return tm_error_nomem(x->err);
    return tm_fxt_add(x, row);
}

static bool is_number(const struct tm_fxt_arg *a)
{
    return a->type >= TM_FXT_INT32 && a->type <= TM_FXT_DOUBLE;
}

/* Adds one row for each argument, named NAME:ARGUMENT:ID. */
static enum tm_status add_counter(struct tm_fxt *x, const struct event *v)
{
    uint64_t id;
    bool is_first = true;
    enum tm_status st = TM_OK;
    if (!tm_fxt_word(v->rest, &id))
        return tm_fxt_lose(x, TM_FXT_LOSS_READ);
    for (uint32_t i = 0; st == TM_OK && i < x->args.count; i++) {
        const struct tm_fxt_arg *a = &x->args.args[i];
        if (!is_number(a)) {
            x->non_numeric++;
            continue;
        }
        struct tm_event row = row_of(v, TM_KIND_COUNTER);
        row.flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_VALUE | tm_event_scope_flags(TM_SCOPE_PROCESS) |
                    (is_first ? 0u : TM_EVENT_DERIVED);
        row.value = a->bits;
        if (a->type == TM_FXT_UINT64 && a->bits > INT64_MAX)
            row.value = tm_pb_bits((double)a->bits); /* not an int64 */
        if (row.value != a->bits || a->type == TM_FXT_DOUBLE)
            row.flags |= TM_EVENT_VALUE_DOUBLE;
        tm_buf_clear(&x->detail);
        tm_buf_clear(&x->text);
        if (tm_buf_add(&x->text, v->name.data, v->name.len) != TM_OK || tm_buf_add_byte(&x->text, ':') != TM_OK ||
            tm_buf_add(&x->text, a->name.data, a->name.len) != TM_OK ||
            tm_buf_addf(&x->text, ":%" PRIu64, id) != TM_OK)
            return tm_error_nomem(x->err);
        st = tm_fxt_string(x, tm_text_at(x->text.data, x->text.len), &row.name);
        if (st >= 0)
            st = tm_fxt_string(x, v->category, &row.category);
        if (st >= 0)
            st = tm_fxt_add(x, &row);
        is_first = false;
    }
    return st == TM_OK && is_first ? tm_fxt_lose(x, TM_FXT_LOSS_VALUE) : st;
}

static enum tm_status add_complete(struct tm_fxt *x, const struct event *v)
{
    struct tm_event row = row_of(v, TM_KIND_SLICE_COMPLETE);
    int64_t end_ns;
    if (!tm_fxt_time(x, v->rest, &end_ns))
        return TM_OK;
    if (end_ns < v->time_ns)
        return tm_fxt_lose(x, TM_FXT_LOSS_TIME);
    row.dur_ns = end_ns - v->time_ns;
    return add(x, v, &row);
}

/* An async operation is identified by its id alone, on any thread. */
static enum tm_status add_async(struct tm_fxt *x, const struct event *v)
{
    enum tm_kind kind = v->type == EVENT_ASYNC_BEGIN ? TM_KIND_SLICE_BEGIN
                        : v->type == EVENT_ASYNC_END ? TM_KIND_SLICE_END
                                                     : TM_KIND_INSTANT;
    struct tm_event row = row_of(v, kind);
    uint64_t id;
    char text[24];
    if (!tm_fxt_word(v->rest, &id))
        return tm_fxt_lose(x, TM_FXT_LOSS_READ);
    row.flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | TM_EVENT_HAS_TRACK | TM_EVENT_ASYNC |
                tm_event_scope_flags(TM_SCOPE_GLOBAL);
    row.track = tm_hash64_numbers(&id, 1, SEED_ASYNC);
    int len = snprintf(text, sizeof text, "0x%" PRIx64, id);
    if (x->context.sink->want_detail && tm_pb_put_bytes(&x->detail, TM_DETAIL_ID, text, (size_t)len) != TM_OK)
        return tm_error_nomem(x->err);
    return add(x, v, &row);
}

static enum tm_status add_flow(struct tm_fxt *x, const struct event *v)
{
    enum tm_fxt_flow_event event = (enum tm_fxt_flow_event)(v->type - EVENT_FLOW_BEGIN);
    struct tm_event row = row_of(v, TM_KIND_FLOW_START + (uint32_t)event);
    struct tm_fxt_flow_id flow = {.pid = v->thread.pid};
    if (!tm_fxt_word(v->rest, &flow.id))
        return tm_fxt_lose(x, TM_FXT_LOSS_READ);
    row.flags |= TM_EVENT_HAS_TRACK;
    enum tm_status st = tm_fxt_flows_find(&x->flows, event, flow, &row.track, x->err);
    return st < 0 ? st : add(x, v, &row);
}

static enum tm_status add_by_type(struct tm_fxt *x, struct event *v)
{
    struct tm_event row;
    switch (v->type) {
    case EVENT_INSTANT:
        row = row_of(v, TM_KIND_INSTANT);
        return add(x, v, &row);
    case EVENT_BEGIN:
        row = row_of(v, TM_KIND_SLICE_BEGIN);
        return add(x, v, &row);
    case EVENT_END: /* ends the innermost open slice, whatever name it states */
        row = row_of(v, TM_KIND_SLICE_END);
        if (x->context.sink->want_detail && tm_fxt_args_put(&x->args, &x->detail) != TM_OK)
            return tm_error_nomem(x->err);
        return tm_fxt_add(x, &row);
    case EVENT_COUNTER:
        return add_counter(x, v);
    case EVENT_COMPLETE:
        return add_complete(x, v);
    case EVENT_ASYNC_BEGIN:
    case EVENT_ASYNC_INSTANT:
    case EVENT_ASYNC_END:
        return add_async(x, v);
    default:
        return v->type <= EVENT_FLOW_END ? add_flow(x, v) : tm_fxt_lose(x, TM_FXT_LOSS_UNREAD);
    }
}

enum tm_status tm_fxt_event(struct tm_fxt *x, struct tm_fxt_record *r)
{
    struct event v = {.type = (uint32_t)tm_fxt_bits(r->header, 16, 19), .rest = &r->rest};
    if (!tm_fxt_time(x, v.rest, &v.time_ns))
        return TM_OK;
    enum tm_fxt_read read =
        tm_fxt_thread_ref(&x->tables, v.rest, tm_fxt_bits(r->header, 24, 31), &v.thread);
    if (read == TM_FXT_READ_OK)
        read = tm_fxt_string_ref(&x->tables, v.rest, tm_fxt_bits(r->header, 32, 47), &v.category);
    if (read == TM_FXT_READ_OK)
        read = tm_fxt_string_ref(&x->tables, v.rest, tm_fxt_bits(r->header, 48, 63), &v.name);
    if (read == TM_FXT_READ_OK)
        read = tm_fxt_args_read(&x->tables, v.rest, (uint32_t)tm_fxt_bits(r->header, 20, 23), &x->args);
    if (read != TM_FXT_READ_OK)
        return tm_fxt_unread(x, read);
    tm_buf_clear(&x->detail);
    return add_by_type(x, &v);
}

#include "format/ftrace/binder_event.h"

#include "stream/detail_arg.h"

#include <stdio.h>

enum { FLAG_ONE_WAY = 1, FLAG_ROOT_OBJECT = 4, FLAG_STATUS_CODE = 8, FLAG_ACCEPT_FDS = 16 };
enum { FLAGS_TEXT_MAX = 256 };

/* Writes the flags to TEXT as a number and in words, as the reference importer does. Returns the length. */
static size_t flags_text(uint32_t flags, char text[FLAGS_TEXT_MAX])
{
    return (size_t)snprintf(text, FLAGS_TEXT_MAX, "0x%02x %s%s%s%s%s", flags,
                            flags & FLAG_ONE_WAY ? "this is a one-way call: async, no return; " : "",
                            flags & FLAG_ROOT_OBJECT ? "contents are the components root object; " : "",
                            flags & FLAG_STATUS_CODE ? "contents are a 32-bit status code; " : "",
                            flags & FLAG_ACCEPT_FDS ? "allow replies with file descriptors; " : "",
                            flags == 0 ? "No Flags Set" : "");
}

static enum tm_status put_transaction(const struct tm_binder_facts *f, int64_t tid, struct tm_buf *detail)
{
    char flags[FLAGS_TEXT_MAX];
    size_t len = flags_text(f->flags, flags);
    enum tm_status st = tm_detail_arg_int(detail, "transaction id", f->transaction);
    if (st == TM_OK)
        st = tm_detail_arg_int(detail, "destination node", f->node);
    if (st == TM_OK)
        st = tm_detail_arg_int(detail, "destination process", f->process);
    if (st == TM_OK)
        st = tm_detail_arg_bool(detail, "reply transaction?", f->is_reply);
    if (st == TM_OK)
        st = tm_detail_arg_text(detail, "flags", flags, len);
    if (st == TM_OK)
        st = tm_detail_arg_text(detail, "code", f->code, f->code_len);
    return st == TM_OK ? tm_detail_arg_uint(detail, "calling tid", (uint64_t)tid) : st;
}

static enum tm_status put_detail(const struct tm_binder_facts *f, const struct tm_event *e, struct tm_buf *detail)
{
    enum tm_status st;
    switch (f->event) {
    case TM_BINDER_TRANSACTION:
        return put_transaction(f, e->tid, detail);
    case TM_BINDER_ALLOC:
        st = tm_detail_arg_uint(detail, "data size", f->data_bytes);
        return st < 0 ? st : tm_detail_arg_uint(detail, "offsets size", f->offsets_bytes);
    default:
        return TM_OK;
    }
}

enum tm_status tm_binder_fill(const struct tm_binder_facts *f, struct tm_event_sink *sink, struct tm_event *e,
                              struct tm_buf *detail, struct tm_error *err)
{
    static const char *const names[TM_BINDER_EVENTS] = {
        [TM_BINDER_TRANSACTION] = "binder transaction", [TM_BINDER_ASYNC] = "binder transaction async",
        [TM_BINDER_REPLY] = "binder reply",             [TM_BINDER_RECEIVED] = "binder reply",
        [TM_BINDER_COMMAND] = "binder_command",         [TM_BINDER_RETURN] = "binder_return",
        [TM_BINDER_LOCK] = "binder lock waiting",       [TM_BINDER_LOCKED] = "binder lock held",
        [TM_BINDER_UNLOCK] = "binder lock held",        [TM_BINDER_ALLOC] = "binder transaction",
    };
    static const char category[] = "binder";
    enum tm_binder_event event = f->event;
    bool is_one_way = event == TM_BINDER_TRANSACTION && f->flags & FLAG_ONE_WAY;
    bool is_command = event == TM_BINDER_COMMAND || event == TM_BINDER_RETURN;
    if (event == TM_BINDER_TRANSACTION && (f->is_reply || is_one_way))
        event = f->is_reply ? TM_BINDER_REPLY : TM_BINDER_ASYNC;
    e->kind = event == TM_BINDER_ALLOC ? TM_KIND_SLICE_ARGS : TM_KIND_BINDER;
    e->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    e->track = is_command ? f->command : (uint32_t)f->transaction;
    e->value = (uint64_t)event | (is_one_way ? TM_BINDER_ONE_WAY : 0) | (uint64_t)f->thread << 32;
    if (event == TM_BINDER_ALLOC)
        e->track = 0;
    enum tm_status st =
        tm_event_sink_string(sink, tm_text_at(names[event], strlen(names[event])), detail, &e->name, err);
    if (st >= 0)
        st = tm_event_sink_string(sink, tm_text_at(category, sizeof category - 1), detail, &e->category, err);
    return st < 0 ? st : put_detail(f, e, detail) == TM_OK ? TM_OK : tm_error_nomem(err);
}

#include "model/binder_rows.h"

#include "base/hash.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

#include <assert.h>
#include <stdlib.h>

struct tm_binder_pending {
    bool is_there, is_one_way, is_reply;
    struct tm_key key;
    int64_t tid, pid; /* the sender */
    bool has_pid;
    uint64_t flow;
    uint32_t name; /* name of its slice; 0: none */
    uint8_t *args; /* of a one-way transaction: its Detail.args */
    size_t args_len;
};

static const char destination_thread[] = "destination thread";

bool tm_binder_destination(const struct tm_event *e, int64_t *tid)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes), arg;
    struct tm_pb_field f, g;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_DETAIL_ARGS || f.type != TM_PB_LEN)
            continue;
        arg = tm_pb_of(f.data, f.len);
        if (tm_pb_next(&arg, &g) != TM_OK || g.id != TM_ARG_KEY || g.len != sizeof destination_thread - 1 ||
            memcmp(g.data, destination_thread, g.len) != 0 || tm_pb_next(&arg, &g) != TM_OK)
            continue;
        *tid = g.id == TM_ARG_INT ? tm_unzigzag(g.value) : (int64_t)g.value;
        return true;
    }
    return false;
}

enum tm_status tm_binder_name_destination(struct tm_buf *detail, const struct tm_event *e, struct tm_text name)
{
    size_t mark;
    tm_buf_clear(detail);
    if (tm_buf_add(detail, e->detail, e->detail_bytes) != TM_OK)
        return TM_E_SYSTEM;
    if (name.data == NULL)
        return TM_OK;
    if (tm_pb_begin(detail, TM_DETAIL_ARGS, &mark) != TM_OK ||
        tm_pb_put_str(detail, TM_ARG_KEY, "destination name") != TM_OK ||
        tm_pb_put_bytes(detail, TM_ARG_STRING, name.data, name.len) != TM_OK)
        return TM_E_SYSTEM;
    return tm_pb_end(detail, mark);
}

/* The state of the conversion of one row. */
struct work {
    struct tm_binder_rows *b;
    const struct tm_catalog *catalog;
    const struct tm_event *row;
    struct tm_event *out;
    uint32_t *count;
    struct tm_error *err;
};

static struct tm_key key_of(const struct tm_event *row, uint64_t number)
{
    return (struct tm_key){(uint64_t)row->file << 32 | row->machine, number, 0};
}

/* Sets *THREAD to the thread of ROW. Threads beyond the limit share one. */
static enum tm_status thread_of(struct work *w, struct tm_binder_thread **thread)
{
    struct tm_binder_rows *b = w->b;
    struct tm_key key = key_of(w->row, (uint64_t)w->row->tid);
    int64_t i = tm_table_find(&b->by_tid, &key);
    enum tm_status st;
    if (i == TM_TABLE_NONE && b->thread_count == TM_BINDER_THREADS_MAX) {
        i = TM_BINDER_THREADS_MAX - 1;
        b->left_out++;
    } else if (i == TM_TABLE_NONE) {
        i = b->thread_count;
        if ((st = tm_array_grow(&b->threads, &b->thread_cap, b->thread_count, sizeof *b->threads, w->err)) < 0 ||
            (st = tm_table_set(&b->by_tid, &key, i, w->err)) < 0)
            return st;
        b->threads[b->thread_count++] = (struct tm_binder_thread){0};
    }
    *thread = &b->threads[i];
    return TM_OK;
}

static struct tm_binder_pending *find_pending(const struct tm_binder_rows *b, const struct tm_event *row)
{
    struct tm_key key = key_of(row, row->track);
    int64_t i = tm_table_find(&b->by_id, &key);
    return i == TM_TABLE_NONE ? NULL : &b->pending[i];
}

static void remove_pending(struct tm_binder_rows *b, struct tm_binder_pending *pending)
{
    if (pending == NULL || !pending->is_there)
        return;
    tm_table_remove(&b->by_id, &pending->key);
    free(pending->args);
    *pending = (struct tm_binder_pending){0};
}

/* Appends the args of DETAIL to OUT, without its other fields. */
static enum tm_status copy_args(struct tm_buf *out, const uint8_t *detail, size_t len)
{
    struct tm_pb pb = tm_pb_of(detail, len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_DETAIL_ARGS)
            st = tm_buf_add(out, f.start, (size_t)(f.end - f.start));
    return st;
}

/* Keeps ROW, a transaction, until it is received. */
static enum tm_status wait_for(struct work *w, bool is_one_way, bool is_reply)
{
    struct tm_binder_rows *b = w->b;
    struct tm_buf *args = &b->details[0];
    if (b->pending == NULL && (b->pending = calloc(TM_BINDER_PENDING_MAX, sizeof *b->pending)) == NULL)
        return tm_error_nomem(w->err);
    remove_pending(b, find_pending(b, w->row));
    struct tm_binder_pending *pending = &b->pending[b->pending_at];
    remove_pending(b, pending);
    const struct tm_event *row = w->row;
    *pending = (struct tm_binder_pending){.is_there = true,
                                          .is_one_way = is_one_way,
                                          .is_reply = is_reply,
                                          .key = key_of(row, row->track),
                                          .tid = row->tid,
                                          .pid = row->pid,
                                          .has_pid = row->flags & TM_EVENT_HAS_PID,
                                          .name = row->name & TM_STRING_INLINE ? 0 : row->name,
                                          .flow = tm_hash_u64(UINT64_C(0x62696e646572) << 16 ^ ++b->flow_count)};
    tm_buf_clear(args);
    if (is_one_way && copy_args(args, w->row->detail, w->row->detail_bytes) != TM_OK)
        return tm_error_nomem(w->err);
    if (args->len) {
        if ((pending->args = malloc(args->len)) == NULL)
            return tm_error_nomem(w->err);
        memcpy(pending->args, args->data, args->len);
        pending->args_len = args->len;
    }
    enum tm_status st = tm_table_set(&b->by_id, &pending->key, b->pending_at, w->err);
    b->pending_at = (b->pending_at + 1) % TM_BINDER_PENDING_MAX;
    return st;
}

/* Returns a copy of ROW with KIND, on the track of TID. */
static struct tm_event like(const struct tm_event *row, uint32_t kind, int64_t tid)
{
    struct tm_event e = *row;
    e.kind = kind;
    e.tid = tid;
    e.track = 0;
    return e;
}

/* Returns a copy of ROW as a DERIVED row with KIND, on the track of TID. */
static struct tm_event derived(const struct tm_event *row, uint32_t kind, int64_t tid)
{
    struct tm_event e = like(row, kind, tid);
    e.flags = (e.flags & ~TM_EVENT_RAW_MASK) | TM_EVENT_DERIVED;
    e.raw_bytes = 0;
    e.value = 0;
    return e;
}

/* Sets the detail of E to Detail number I. */
static void set_detail(struct work *w, struct tm_event *e, uint32_t i)
{
    e->detail = w->b->details[i].data;
    e->detail_bytes = (uint32_t)w->b->details[i].len;
}

/* Adds TEXT, a name, to Detail number I. *STRING refers to it. */
static enum tm_status put_text(struct work *w, uint32_t i, struct tm_text text, uint32_t *string)
{
    struct tm_buf *detail = &w->b->details[i];
    *string = TM_STRING_INLINE | (uint32_t)(detail->len + 1); /* after the tag of one byte */
    return tm_pb_put_bytes(detail, TM_DETAIL_TEXT, text.data, text.len) == TM_OK ? TM_OK : tm_error_nomem(w->err);
}

/* Copies the strings of E, which the Detail of ROW may hold, to Detail number I. */
static enum tm_status keep_texts(struct work *w, uint32_t i, struct tm_event *e)
{
    uint32_t *const strings[] = {&e->name, &e->category};
    enum tm_status st = TM_OK;
    for (int k = 0; k < 2 && st == TM_OK; k++)
        if (*strings[k] & TM_STRING_INLINE)
            st = put_text(w, i, tm_catalog_string(w->catalog, *strings[k], w->row), strings[k]);
    return st;
}

/* Makes the row, which has no meaning, an FTRACE row with its name. */
static enum tm_status take_unchanged(struct work *w)
{
    const char *name = tm_binder_event_name(tm_binder_event_of(w->row));
    w->out[0] = like(w->row, TM_KIND_FTRACE, w->row->tid);
    w->out[0].flags &= ~tm_event_scope_flags((enum tm_scope)15);
    if (tm_event_raw(w->row->flags) == TM_RAW_FTRACE_EVENT)
        w->out[0].flags |= tm_event_scope_flags(TM_SCOPE_CPU);
    w->out[0].category = 0;
    tm_buf_clear(&w->b->details[0]);
    enum tm_status st = put_text(w, 0, tm_text_str(name), &w->out[0].name);
    set_detail(w, &w->out[0], 0);
    return st;
}

/* Makes the row the end of its thread's open slice. */
static void take_end(struct work *w)
{
    w->out[0] = like(w->row, TM_KIND_SLICE_END, w->row->tid);
    w->out[0].name = w->out[0].category = 0;
    w->out[0].detail_bytes = 0;
}

/* Makes E row NUMBER of the output; its args name THREAD, a number of type TYPE. */
static enum tm_status put_destination(struct work *w, uint32_t number, struct tm_event e, uint32_t type,
                                      uint64_t thread)
{
    struct tm_buf *detail = &w->b->details[number];
    size_t mark;
    tm_buf_clear(detail);
    if (tm_pb_begin(detail, TM_DETAIL_ARGS, &mark) != TM_OK ||
        tm_pb_put_str(detail, TM_ARG_KEY, destination_thread) != TM_OK ||
        tm_pb_put_varint(detail, type, thread) != TM_OK || tm_pb_end(detail, mark) != TM_OK)
        return tm_error_nomem(w->err);
    enum tm_status st = keep_texts(w, number, &e);
    w->out[number] = e;
    set_detail(w, &w->out[number], number);
    return st;
}

/* The start or the end of a flow. */
struct flow_point {
    uint64_t flow;
    bool is_end;
};

/* Makes E, an instant or begin with ARGS, row 0 of the output. It has POINT. */
static enum tm_status put_flow(struct work *w, struct tm_event e, const uint8_t *args, size_t len,
                               struct flow_point point)
{
    struct tm_buf *detail = &w->b->details[0];
    tm_buf_clear(detail);
    enum tm_status st = keep_texts(w, 0, &e);
    if (st < 0)
        return st;
    if (copy_args(detail, args, len) != TM_OK ||
        tm_pb_put_i64(detail, point.is_end ? TM_DETAIL_TERMINATING_FLOW_IDS : TM_DETAIL_FLOW_IDS, point.flow) != TM_OK)
        return tm_error_nomem(w->err);
    w->out[0] = e;
    set_detail(w, &w->out[0], 0);
    return TM_OK;
}

static enum tm_status take_transaction(struct work *w, struct tm_binder_thread *t)
{
    const struct tm_event *row = w->row;
    bool is_reply = (row->value & TM_BINDER_EVENT_MASK) == TM_BINDER_REPLY;
    bool is_one_way = row->value & TM_BINDER_ONE_WAY;
    enum tm_status st = wait_for(w, is_one_way, is_reply);
    if (st < 0)
        return st;
    tm_binder_thread_sent(t, is_one_way, is_reply);
    if (!is_reply) {
        const struct tm_binder_pending *pending = find_pending(w->b, row);
        assert(pending); /* wait_for has made it */
        return put_flow(w, like(row, is_one_way ? TM_KIND_INSTANT : TM_KIND_SLICE_BEGIN, row->tid), row->detail,
                        row->detail_bytes, (struct flow_point){pending->flow, false});
    }
    struct tm_event end = derived(row, TM_KIND_SLICE_END, row->tid);
    end.name = end.category = 0;
    w->out[1] = end;
    tm_buf_clear(&w->b->details[1]);
    if (copy_args(&w->b->details[1], row->detail, row->detail_bytes) != TM_OK)
        return tm_error_nomem(w->err);
    set_detail(w, &w->out[1], 1);
    *w->count = 2;
    return put_destination(w, 0, like(row, TM_KIND_SLICE_ARGS, row->tid), TM_ARG_INT,
                           tm_zigzag((int64_t)(row->value >> 32)));
}

/* Makes the arrival of a one-way transaction an instant with the args of its sending. */
static enum tm_status take_async(struct work *w, const struct tm_binder_pending *pending)
{
    struct tm_event e = like(w->row, TM_KIND_INSTANT, w->row->tid);
    e.name = 0;
    enum tm_status st = put_flow(w, e, pending->args, pending->args_len, (struct flow_point){pending->flow, true});
    if (st == TM_OK)
        st = put_text(w, 0, tm_text_str("binder async rcv"), &w->out[0].name);
    set_detail(w, &w->out[0], 0);
    return st;
}

static enum tm_status take_received(struct work *w, struct tm_binder_thread *t)
{
    struct tm_binder_pending *pending = find_pending(w->b, w->row);
    enum tm_status st = TM_OK;
    if (pending == NULL)
        return take_unchanged(w);
    if (!pending->is_one_way)
        tm_binder_thread_received(t, pending->is_reply);
    if (pending->is_reply) {
        take_end(w);
    } else if (pending->is_one_way) {
        st = take_async(w, pending);
    } else {
        struct tm_event args = derived(w->row, TM_KIND_SLICE_ARGS, pending->tid);
        args.name = pending->name;
        args.pid = pending->pid;
        args.flags = (args.flags & ~(uint32_t)TM_EVENT_HAS_PID) | (pending->has_pid ? TM_EVENT_HAS_PID : 0);
        *w->count = 2;
        st = put_flow(w, like(w->row, TM_KIND_SLICE_BEGIN, w->row->tid), NULL, 0,
                      (struct flow_point){pending->flow, true});
        st = st < 0 ? st : put_destination(w, 1, args, TM_ARG_UINT, (uint64_t)w->row->tid);
    }
    remove_pending(w->b, pending);
    return st;
}

/* Converts events of the global lock of old binder drivers. One slice is the wait for the lock, another the time with
 * it. */
static enum tm_status take_lock(struct work *w, struct tm_binder_thread *t, enum tm_binder_event event)
{
    if (event == TM_BINDER_LOCK) {
        w->out[0] = like(w->row, TM_KIND_SLICE_BEGIN, w->row->tid);
        t->awaits_lock = true;
        return TM_OK;
    }
    if (!(event == TM_BINDER_LOCKED ? t->awaits_lock : t->has_lock))
        return take_unchanged(w);
    t->has_lock = event == TM_BINDER_LOCKED;
    if (event == TM_BINDER_UNLOCK) {
        w->out[0] = like(w->row, TM_KIND_SLICE_END, w->row->tid);
        return TM_OK;
    }
    t->awaits_lock = false;
    take_end(w);
    w->out[1] = derived(w->row, TM_KIND_SLICE_BEGIN, w->row->tid);
    tm_buf_clear(&w->b->details[1]);
    *w->count = 2;
    enum tm_status st = keep_texts(w, 1, &w->out[1]);
    set_detail(w, &w->out[1], 1);
    return st;
}

enum tm_status tm_binder_rows_take(struct tm_binder_rows *b, const struct tm_catalog *catalog,
                                   const struct tm_event *row, struct tm_settled_rows *out, struct tm_error *err)
{
    struct work w = {.b = b, .catalog = catalog, .row = row, .out = out->rows, .count = &out->count, .err = err};
    enum tm_binder_event event = tm_binder_event_of(row);
    struct tm_binder_thread *t;
    enum tm_status st = thread_of(&w, &t);
    out->count = 1;
    if (st < 0)
        return st;
    switch (event) {
    case TM_BINDER_TRANSACTION:
    case TM_BINDER_ASYNC:
    case TM_BINDER_REPLY:
        return take_transaction(&w, t);
    case TM_BINDER_RECEIVED:
        return take_received(&w, t);
    case TM_BINDER_LOCK:
    case TM_BINDER_LOCKED:
    case TM_BINDER_UNLOCK:
        return take_lock(&w, t, event);
    case TM_BINDER_COMMAND:
        tm_binder_thread_command(t, row->track);
        return take_unchanged(&w);
    case TM_BINDER_RETURN:
        if (!tm_binder_thread_return(t, row->track))
            return take_unchanged(&w);
        take_end(&w);
        return TM_OK;
    default:
        return take_unchanged(&w);
    }
}

void tm_binder_rows_release(struct tm_binder_rows *b)
{
    for (uint32_t i = 0; b->pending && i < TM_BINDER_PENDING_MAX; i++)
        free(b->pending[i].args);
    free(b->pending);
    free(b->threads);
    tm_table_release(&b->by_id);
    tm_table_release(&b->by_tid);
    tm_buf_release(&b->details[0]);
    tm_buf_release(&b->details[1]);
    *b = (struct tm_binder_rows){0};
}

/* Rows of the thread being shown, and its definitions: its process, its own track, tracks of its markers. */
#include "format/gecko/internal.h"

#include "base/hash.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

enum { MERGE_NONE = 2 };
enum { SEED_PROCESS = 1, SEED_MARKER = 3, SEED_EARLY_PROCESS = 4 };

bool tm_gecko_view_time(const struct tm_gecko_view *view, int64_t ns, int64_t *time_ns)
{
    int64_t offset = view->offset_ns;
    if (view->thread->has_unknown_origin || (offset > 0 ? ns > INT64_MAX - offset : ns < INT64_MIN - offset))
        return false;
    *time_ns = ns + offset;
    return true;
}

struct tm_event tm_gecko_view_event(const struct tm_gecko_view *view, enum tm_kind kind)
{
    const struct tm_gecko_thread *t = view->thread;
    return (struct tm_event){.kind = kind, .pid = t->pid, .tid = t->tid,
                             .flags = (t->has_pid ? TM_EVENT_HAS_PID : 0u) | (t->has_tid ? TM_EVENT_HAS_TID : 0u)};
}

/* *IS_NEW: KEY is met for the first time. Always false once the table is full. */
static enum tm_status first_time(struct tm_gecko *x, uint64_t key, bool *is_new)
{
    uint32_t ignored;
    *is_new = !tm_map_find(&x->defined, key, &ignored);
    if (*is_new && tm_map_set(&x->defined, key, 1) < 0)
        return tm_error_nomem(x->err);
    return TM_OK;
}

/* Adds a definition of KIND: field FIELD of the detail is x->message. Its time is that of the thread's first event, so
 * that it applies to the right one of several threads with one tid. */
static enum tm_status define(struct tm_gecko *x, enum tm_kind kind, uint32_t field, uint64_t track)
{
    struct tm_event e = tm_gecko_view_event(&x->view, kind);
    e.flags |= TM_EVENT_DEFINITION;
    e.time_ns = x->view.first_ns;
    if (kind == TM_KIND_TRACK) { /* events need the track whether or not the first event has a place */
        e.flags |= TM_EVENT_UNTIMED | TM_EVENT_HAS_TRACK;
        e.time_ns = 0;
    }
    e.track = track;
    if (kind == TM_KIND_PROCESS) {
        e.flags &= ~(uint32_t)TM_EVENT_HAS_TID;
        e.tid = 0;
    }
    tm_buf_clear(&x->detail);
    if (tm_pb_put_bytes(&x->detail, field, x->message.data, x->message.len) != TM_OK)
        return tm_error_nomem(x->err);
    e.detail = x->detail.data;
    e.detail_bytes = (uint32_t)x->detail.len;
    return tm_event_sink_add(x->context.sink, &e, x->err);
}

/* Puts the first non-empty text of A, B and C into x->message as FIELD. */
static bool put_name(struct tm_gecko *x, uint32_t field, const struct tm_buf *a, const struct tm_buf *b,
                     const struct tm_buf *c)
{
    const struct tm_buf *name = a->len ? a : b->len ? b : c;
    return name->len == 0 || tm_pb_put_bytes(&x->message, field, name->data, name->len) == TM_OK;
}

static bool put_int(struct tm_gecko *x, uint32_t field, int64_t v)
{
    return tm_pb_put_varint(&x->message, field, tm_zigzag(v)) == TM_OK;
}

static enum tm_status define_process(struct tm_gecko *x)
{
    const struct tm_gecko_thread *t = x->view.thread;
    uint64_t pid = (uint64_t)t->pid;
    bool is_new;
    enum tm_status st =
        first_time(x, tm_hash64_numbers(&pid, 1, x->view.first_ns < 0 ? SEED_EARLY_PROCESS : SEED_PROCESS), &is_new);
    if (st < 0 || !is_new || !t->has_pid)
        return st;
    tm_buf_clear(&x->message);
    if (!put_int(x, TM_PROCESS_DESCRIPTION_PID, t->pid) ||
        !put_name(x, TM_PROCESS_DESCRIPTION_NAME, &t->process_name, &t->process_type, &t->pid_text))
        return tm_error_nomem(x->err);
    return define(x, TM_KIND_PROCESS, TM_DETAIL_PROCESS, 0);
}

static enum tm_status define_thread(struct tm_gecko *x)
{
    static const struct tm_buf nothing;
    static const char main_thread[] = "GeckoMain";
    const struct tm_gecko_thread *t = x->view.thread;
    bool is_main = t->is_main || (t->name.len == sizeof main_thread - 1 &&
                                  memcmp(t->name.data, main_thread, t->name.len) == 0);
    if (!t->has_tid)
        return TM_OK;
    tm_buf_clear(&x->message);
    if (!put_int(x, TM_THREAD_DESCRIPTION_TID, t->tid) ||
        (t->has_pid && !put_int(x, TM_THREAD_DESCRIPTION_PID, t->pid)) ||
        !put_name(x, TM_THREAD_DESCRIPTION_NAME, &t->name, &t->tid_text, &nothing) ||
        (is_main && tm_pb_put_varint(&x->message, TM_THREAD_DESCRIPTION_IS_MAIN, 1) != TM_OK))
        return tm_error_nomem(x->err);
    return define(x, TM_KIND_THREAD, TM_DETAIL_THREAD, 0);
}

/* Defines the thread's own track. Tracks of its markers are children of it. */
static enum tm_status define_thread_track(struct tm_gecko *x)
{
    const struct tm_gecko_thread *t = x->view.thread;
    bool is_new;
    enum tm_status st = first_time(x, x->view.uuid, &is_new);
    x->view.has_track = true;
    if (st < 0 || !is_new)
        return st;
    tm_buf_clear(&x->message);
    if (tm_pb_put_i64(&x->message, TM_TRACK_DESCRIPTION_UUID, x->view.uuid) != TM_OK)
        return tm_error_nomem(x->err);
    if (t->has_pid && t->has_tid) {
        if (!put_int(x, TM_TRACK_DESCRIPTION_PID, t->pid) || !put_int(x, TM_TRACK_DESCRIPTION_TID, t->tid) ||
            tm_pb_put_varint(&x->message, TM_TRACK_DESCRIPTION_IS_THREAD, 1) != TM_OK)
            return tm_error_nomem(x->err);
    } else if (t->name.len &&
               tm_pb_put_bytes(&x->message, TM_TRACK_DESCRIPTION_NAME, t->name.data, t->name.len) != TM_OK) {
        return tm_error_nomem(x->err);
    }
    return define(x, TM_KIND_TRACK, TM_DETAIL_TRACK, x->view.uuid);
}

enum tm_status tm_gecko_define(struct tm_gecko *x, int64_t time_ns)
{
    /* The first event may be before the start and get no place; then a later one defines them again. */
    if (x->view.is_defined && (x->view.first_ns >= 0 || time_ns < 0))
        return TM_OK;
    x->view.is_defined = true;
    x->view.first_ns = time_ns;
    enum tm_status st = define_process(x);
    return st < 0 ? st : define_thread(x);
}

enum tm_status tm_gecko_marker_track(struct tm_gecko *x, const struct tm_buf *category, const struct tm_buf *name,
                                     uint64_t *track)
{
    uint64_t seed = tm_hash64_seed(category->data, category->len, x->view.uuid + SEED_MARKER);
    bool is_new;
    enum tm_status st = x->view.has_track ? TM_OK : define_thread_track(x);
    uint32_t ignored;
    *track = tm_hash64_seed(name->data, name->len, seed) | 1; /* 0 means no track */
    if (st < 0)
        return st;
    if (x->defined.count >= TM_GECKO_TRACKS_MAX && !tm_map_find(&x->defined, *track, &ignored)) {
        *track = x->view.uuid;
        x->counts.tracks_shared++;
        return TM_OK;
    }
    if ((st = first_time(x, *track, &is_new)) < 0 || !is_new)
        return st;
    tm_buf_clear(&x->message);
    if (tm_pb_put_i64(&x->message, TM_TRACK_DESCRIPTION_UUID, *track) != TM_OK ||
        tm_pb_put_i64(&x->message, TM_TRACK_DESCRIPTION_PARENT_UUID, x->view.uuid) != TM_OK ||
        tm_pb_put_bytes(&x->message, TM_TRACK_DESCRIPTION_NAME, name->data, name->len) != TM_OK ||
        tm_pb_put_varint(&x->message, TM_TRACK_DESCRIPTION_SIBLING_MERGE_BEHAVIOR, MERGE_NONE) != TM_OK)
        return tm_error_nomem(x->err);
    return define(x, TM_KIND_TRACK, TM_DETAIL_TRACK, *track);
}

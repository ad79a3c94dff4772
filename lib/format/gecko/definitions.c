/* Rows of the thread being shown, and its definitions: its process, the thread, its own track, tracks of its
 * markers. */
#include "format/gecko/internal.h"

#include "base/hash.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

enum { MERGE_NONE = 2 };
enum { SEED_PROCESS = 1, SEED_MARKER = 3 };

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

/* Sets *IS_NEW to true on the first call with KEY. */
static enum tm_status first_time(struct tm_gecko_view *view, uint64_t key, bool *is_new)
{
    uint32_t ignored;
    *is_new = !tm_map_find(&view->defined, key, &ignored);
    if (*is_new && tm_map_set(&view->defined, key, 1) < 0)
        return tm_error_nomem(view->err);
    return TM_OK;
}

/* Adds a definition of KIND, with view->message as FIELD of its detail. Its time is that of the thread's first event,
 * because several threads can have one tid. */
static enum tm_status define(struct tm_gecko_view *view, enum tm_kind kind, uint32_t field, uint64_t track)
{
    struct tm_event e = tm_gecko_view_event(view, kind);
    e.flags |= TM_EVENT_DEFINITION;
    if (kind == TM_KIND_TRACK) {
        e.flags |= TM_EVENT_UNTIMED | TM_EVENT_HAS_TRACK;
    } else {
        e.flags |= TM_EVENT_FIRST_USE;
        e.time_ns = view->first_ns;
    }
    e.track = track;
    if (kind == TM_KIND_PROCESS) {
        e.flags &= ~(uint32_t)TM_EVENT_HAS_TID;
        e.tid = 0;
    }
    tm_buf_clear(&view->detail);
    if (tm_pb_put_bytes(&view->detail, field, view->message.data, view->message.len) != TM_OK)
        return tm_error_nomem(view->err);
    e.detail = view->detail.data;
    e.detail_bytes = (uint32_t)view->detail.len;
    return tm_event_sink_add(view->sink, &e, view->err);
}

/* Puts the first non-empty text of A, B and C into view->message as FIELD. */
static bool put_name(struct tm_gecko_view *view, uint32_t field, const struct tm_buf *a, const struct tm_buf *b,
                     const struct tm_buf *c)
{
    const struct tm_buf *name = a->len ? a : b->len ? b : c;
    return name->len == 0 || tm_pb_put_bytes(&view->message, field, name->data, name->len) == TM_OK;
}

static bool put_int(struct tm_gecko_view *view, uint32_t field, int64_t v)
{
    return tm_pb_put_varint(&view->message, field, tm_zigzag(v)) == TM_OK;
}

static enum tm_status define_process(struct tm_gecko_view *view)
{
    const struct tm_gecko_thread *t = view->thread;
    uint64_t pid = (uint64_t)t->pid;
    bool is_new;
    enum tm_status st = first_time(view, tm_hash64_numbers(&pid, 1, SEED_PROCESS), &is_new);
    if (st < 0 || !is_new || !t->has_pid)
        return st;
    tm_buf_clear(&view->message);
    if (!put_int(view, TM_PROCESS_DESCRIPTION_PID, t->pid) ||
        !put_name(view, TM_PROCESS_DESCRIPTION_NAME, &t->process_name, &t->process_type, &t->pid_text) ||
        tm_pb_put_varint(&view->message, TM_PROCESS_DESCRIPTION_NAME_PRIORITY, TM_PROCESS_NAME_KIND) != TM_OK)
        return tm_error_nomem(view->err);
    return define(view, TM_KIND_PROCESS, TM_DETAIL_PROCESS, 0);
}

static enum tm_status define_thread(struct tm_gecko_view *view)
{
    static const struct tm_buf nothing;
    const struct tm_gecko_thread *t = view->thread;
    if (!t->has_tid)
        return TM_OK;
    tm_buf_clear(&view->message);
    if (!put_int(view, TM_THREAD_DESCRIPTION_TID, t->tid) ||
        (t->has_pid && !put_int(view, TM_THREAD_DESCRIPTION_PID, t->pid)) ||
        !put_name(view, TM_THREAD_DESCRIPTION_NAME, &t->name, &t->tid_text, &nothing))
        return tm_error_nomem(view->err);
    return define(view, TM_KIND_THREAD, TM_DETAIL_THREAD, 0);
}

/* Defines the thread's own track. Tracks of its markers are children of it. */
static enum tm_status define_thread_track(struct tm_gecko_view *view)
{
    const struct tm_gecko_thread *t = view->thread;
    bool is_new;
    enum tm_status st = first_time(view, view->uuid, &is_new);
    view->has_track = true;
    if (st < 0 || !is_new)
        return st;
    tm_buf_clear(&view->message);
    if (tm_pb_put_i64(&view->message, TM_TRACK_DESCRIPTION_UUID, view->uuid) != TM_OK)
        return tm_error_nomem(view->err);
    if (t->has_pid && t->has_tid) {
        if (!put_int(view, TM_TRACK_DESCRIPTION_PID, t->pid) || !put_int(view, TM_TRACK_DESCRIPTION_TID, t->tid) ||
            tm_pb_put_varint(&view->message, TM_TRACK_DESCRIPTION_IS_THREAD, 1) != TM_OK)
            return tm_error_nomem(view->err);
    } else if (t->name.len &&
               tm_pb_put_bytes(&view->message, TM_TRACK_DESCRIPTION_NAME, t->name.data, t->name.len) != TM_OK) {
        return tm_error_nomem(view->err);
    }
    return define(view, TM_KIND_TRACK, TM_DETAIL_TRACK, view->uuid);
}

enum tm_status tm_gecko_define(struct tm_gecko_view *view, int64_t time_ns)
{
    if (view->is_defined)
        return TM_OK;
    view->is_defined = true;
    view->first_ns = time_ns;
    enum tm_status st = define_process(view);
    return st < 0 ? st : define_thread(view);
}

enum tm_status tm_gecko_marker_track(struct tm_gecko_view *view, const struct tm_buf *category,
                                     const struct tm_buf *name, uint64_t *track)
{
    uint64_t seed = tm_hash64_seed(category->data, category->len, view->uuid + SEED_MARKER);
    bool is_new;
    enum tm_status st = view->has_track ? TM_OK : define_thread_track(view);
    uint32_t ignored;
    *track = tm_hash64_seed(name->data, name->len, seed) | 1; /* 0 means no track */
    if (st < 0)
        return st;
    if (view->defined.count >= TM_GECKO_TRACKS_MAX && !tm_map_find(&view->defined, *track, &ignored)) {
        *track = view->uuid;
        view->counts->tracks_shared++;
        return TM_OK;
    }
    if ((st = first_time(view, *track, &is_new)) < 0 || !is_new)
        return st;
    tm_buf_clear(&view->message);
    if (tm_pb_put_i64(&view->message, TM_TRACK_DESCRIPTION_UUID, *track) != TM_OK ||
        tm_pb_put_i64(&view->message, TM_TRACK_DESCRIPTION_PARENT_UUID, view->uuid) != TM_OK ||
        tm_pb_put_bytes(&view->message, TM_TRACK_DESCRIPTION_NAME, name->data, name->len) != TM_OK ||
        tm_pb_put_varint(&view->message, TM_TRACK_DESCRIPTION_SIBLING_MERGE_BEHAVIOR, MERGE_NONE) != TM_OK)
        return tm_error_nomem(view->err);
    return define(view, TM_KIND_TRACK, TM_DETAIL_TRACK, *track);
}

#include "format/gecko/internal.h"

#include "base/decimal.h"
#include "base/hash.h"
#include "base/pb.h"
#include "format/text_pid.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

enum { TEXT_MAX = 4096 };
enum { MERGE_NONE = 2 };
enum { SEED_PROCESS = 1, SEED_THREAD = 2, SEED_MARKER = 3, SEED_EARLY_PROCESS = 4 };

static bool is(const struct tm_json_value *key, const char *name)
{
    return tm_json_is(key, name, strlen(name));
}

bool tm_gecko_time(const struct tm_gecko *x, int64_t ns, int64_t *time_ns)
{
    int64_t offset = x->offset_ns;
    if (x->shown->is_astray || (offset > 0 ? ns > INT64_MAX - offset : ns < INT64_MIN - offset))
        return false;
    *time_ns = ns + offset;
    return true;
}

static enum tm_status take_text(struct tm_gecko *x, const struct tm_json_value *value, struct tm_buf *text)
{
    const uint8_t *s;
    size_t len;
    tm_buf_clear(text);
    if (value->type != TM_JSON_STRING)
        return TM_OK;
    if (!tm_json_text(value, &x->text, &s, &len) || tm_buf_add(text, s, len < TEXT_MAX ? len : TEXT_MAX) != TM_OK)
        return tm_error_nomem(x->err);
    return TM_OK;
}

/* A number, a string with one, or any other string. */
static enum tm_status take_pid(struct tm_gecko *x, const struct tm_json_value *value, int64_t *pid, bool *is_text,
                               struct tm_buf *text)
{
    const char *s = (const char *)value->data;
    enum tm_status st = take_text(x, value, text);
    *is_text = false;
    *pid = 0;
    if (st < 0 || tm_decimal_int(s, value->len, pid) == TM_OK)
        return st;
    if (value->type == TM_JSON_NUMBER && tm_decimal_scale(s, value->len, 0, pid) != TM_OK)
        *pid = 0;
    *is_text = text->len > 0;
    return *is_text ? tm_text_pid(x->context.sink, text->data, text->len, pid, x->err) : TM_OK;
}

enum tm_status tm_gecko_thread_member(struct tm_gecko *x, const struct tm_json_value *key)
{
    struct tm_gecko_thread *t = &x->thread;
    struct tm_json_value value;
    enum tm_status st = tm_gecko_parts_take(&t->parts, key, &x->cursor, tm_gecko_rescuer(x), x->err);
    if (st != TM_END)
        return st;
    bool pid = is(key, "pid"), tid = is(key, "tid");
    struct tm_buf *text = is(key, "name")          ? &t->name
                          : is(key, "processName") ? &t->process_name
                          : is(key, "processType") ? &t->process_type
                          : is(key, "category")    ? &t->category
                                                   : NULL;
    bool is_main = is(key, "isMainThread");
    if (tm_gecko_is_unread(key))
        return tm_gecko_unread_take(x);
    if (!pid && !tid && !is_main && text == NULL)
        return tm_json_cursor_skip(&x->cursor, x->err);
    if ((st = tm_json_cursor_value(&x->cursor, &value, x->err)) < 0)
        return st;
    if (text)
        return take_text(x, &value, text);
    if (is_main) {
        t->is_main = value.type == TM_JSON_TRUE;
        return TM_OK;
    }
    if (value.type != TM_JSON_NUMBER && value.type != TM_JSON_STRING)
        return TM_OK;
    *(pid ? &t->has_pid : &t->has_tid) = true;
    return pid ? take_pid(x, &value, &t->pid, &t->pid_is_text, &t->pid_text)
               : take_pid(x, &value, &t->tid, &t->tid_is_text, &t->tid_text);
}

void tm_gecko_thread_release(struct tm_gecko_thread *t)
{
    tm_buf_release(&t->name);
    tm_buf_release(&t->process_name);
    tm_buf_release(&t->process_type);
    tm_buf_release(&t->pid_text);
    tm_buf_release(&t->tid_text);
    tm_buf_release(&t->category);
    *t = (struct tm_gecko_thread){0};
}

struct tm_event tm_gecko_event(const struct tm_gecko *x, enum tm_kind kind)
{
    const struct tm_gecko_thread *t = x->shown;
    return (struct tm_event){.kind = kind, .pid = t->pid, .tid = t->tid,
                             .flags = (t->has_pid ? TM_EVENT_HAS_PID : 0u) | (t->has_tid ? TM_EVENT_HAS_TID : 0u)};
}

/* True in *IS_NEW the first time KEY comes; once the table is full always false. */
static enum tm_status first_time(struct tm_gecko *x, uint64_t key, bool *is_new)
{
    uint32_t ignored;
    *is_new = !tm_map_find(&x->defined, key, &ignored);
    if (*is_new && tm_map_set(&x->defined, key, 1) < 0)
        return tm_error_nomem(x->err);
    return TM_OK;
}

/* A definition of KIND that is field FIELD, already in x->message, of the detail. Its time is that of
 * the thread's first event, so that of several threads with one tid the right one is meant. */
static enum tm_status define(struct tm_gecko *x, enum tm_kind kind, uint32_t field, uint64_t track)
{
    struct tm_event e = tm_gecko_event(x, kind);
    e.flags |= TM_EVENT_DEFINITION;
    e.time_ns = x->first_ns;
    if (kind == TM_KIND_TRACK) { /* which events need, whether or not the first has a place */
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

/* The first of A, B and C that is not empty into x->message as FIELD. */
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
    const struct tm_gecko_thread *t = x->shown;
    uint64_t pid = (uint64_t)t->pid;
    bool is_new;
    enum tm_status st =
        first_time(x, tm_hash64_numbers(&pid, 1, x->first_ns < 0 ? SEED_EARLY_PROCESS : SEED_PROCESS), &is_new);
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
    const struct tm_gecko_thread *t = x->shown;
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

/* The thread's own track, of which those of its markers are children. */
static enum tm_status define_thread_track(struct tm_gecko *x)
{
    const struct tm_gecko_thread *t = x->shown;
    bool is_new;
    enum tm_status st = first_time(x, x->thread_uuid, &is_new);
    x->has_thread_track = true;
    if (st < 0 || !is_new)
        return st;
    tm_buf_clear(&x->message);
    if (tm_pb_put_i64(&x->message, TM_TRACK_DESCRIPTION_UUID, x->thread_uuid) != TM_OK)
        return tm_error_nomem(x->err);
    if (t->has_pid && t->has_tid) {
        if (!put_int(x, TM_TRACK_DESCRIPTION_PID, t->pid) || !put_int(x, TM_TRACK_DESCRIPTION_TID, t->tid) ||
            tm_pb_put_varint(&x->message, TM_TRACK_DESCRIPTION_IS_THREAD, 1) != TM_OK)
            return tm_error_nomem(x->err);
    } else if (t->name.len &&
               tm_pb_put_bytes(&x->message, TM_TRACK_DESCRIPTION_NAME, t->name.data, t->name.len) != TM_OK) {
        return tm_error_nomem(x->err);
    }
    return define(x, TM_KIND_TRACK, TM_DETAIL_TRACK, x->thread_uuid);
}

enum tm_status tm_gecko_define(struct tm_gecko *x, int64_t time_ns)
{
    /* One before the start may come to have no place. */
    if (x->is_defined && (x->first_ns >= 0 || time_ns < 0))
        return TM_OK;
    x->is_defined = true;
    x->first_ns = time_ns;
    enum tm_status st = define_process(x);
    return st < 0 ? st : define_thread(x);
}

enum tm_status tm_gecko_marker_track(struct tm_gecko *x, const struct tm_buf *category, const struct tm_buf *name,
                                     uint64_t *track)
{
    uint64_t seed = tm_hash64_seed(category->data, category->len, x->thread_uuid + SEED_MARKER);
    bool is_new;
    enum tm_status st = x->has_thread_track ? TM_OK : define_thread_track(x);
    uint32_t ignored;
    *track = tm_hash64_seed(name->data, name->len, seed) | 1; /* 0 is no track */
    if (st < 0)
        return st;
    if (x->defined.count >= TM_GECKO_TRACKS_MAX && !tm_map_find(&x->defined, *track, &ignored)) {
        *track = x->thread_uuid;
        x->tracks_shared++;
        return TM_OK;
    }
    if ((st = first_time(x, *track, &is_new)) < 0 || !is_new)
        return st;
    tm_buf_clear(&x->message);
    if (tm_pb_put_i64(&x->message, TM_TRACK_DESCRIPTION_UUID, *track) != TM_OK ||
        tm_pb_put_i64(&x->message, TM_TRACK_DESCRIPTION_PARENT_UUID, x->thread_uuid) != TM_OK ||
        tm_pb_put_bytes(&x->message, TM_TRACK_DESCRIPTION_NAME, name->data, name->len) != TM_OK ||
        tm_pb_put_varint(&x->message, TM_TRACK_DESCRIPTION_SIBLING_MERGE_BEHAVIOR, MERGE_NONE) != TM_OK)
        return tm_error_nomem(x->err);
    return define(x, TM_KIND_TRACK, TM_DETAIL_TRACK, *track);
}

/* The shared tables, once they are needed. */
static enum tm_status read_shared(struct tm_gecko *x)
{
    struct tm_gecko_source source = tm_gecko_source(x, &x->shared);
    if (x->shared_read || !x->has_shared)
        return TM_OK;
    x->shared_read = true;
    return tm_gecko_tables_read(&x->shared_tables, &source, NULL, x->processes[0], x->err);
}

/* The tables of the thread: its own, or what it has none of from those shared. */
static enum tm_status read_tables(struct tm_gecko *x, struct tm_gecko_tables **tables)
{
    struct tm_gecko_source source = tm_gecko_source(x, &x->shown->parts);
    struct tm_gecko_strings *shared = x->has_shared ? &x->shared_tables.strings : NULL;
    enum tm_status st = read_shared(x);
    if (st == TM_OK)
        st = tm_gecko_tables_read(&x->tables, &source, shared, x->process, x->err);
    x->strings = x->tables.strings.present || !x->has_shared ? &x->tables.strings : shared;
    *tables = x->tables.has_stacks || !x->has_shared ? &x->tables : &x->shared_tables;
    return st;
}

void tm_gecko_place(struct tm_gecko *x, const struct tm_gecko_thread *thread)
{
    x->shown = thread;
    x->process = x->processes[thread->process];
    if (!tm_gecko_process_offset(x->process, x->processes[0], &x->offset_ns) && thread->process != 0)
        x->no_start++;
}

enum tm_status tm_gecko_thread_show(struct tm_gecko *x, const struct tm_gecko_thread *thread)
{
    struct tm_gecko_tables *tables;
    uint64_t ids[2] = {(uint64_t)thread->pid, (uint64_t)thread->tid}, shift = (uint64_t)thread->parts.shift;
    tm_gecko_place(x, thread);
    x->has_thread_track = false;
    x->thread_uuid = tm_hash64_numbers(ids, 2, SEED_THREAD) | 1;
    if (!thread->has_tid) /* told apart by where they are */
        x->thread_uuid = tm_hash64_numbers(&shift, 1, SEED_THREAD) | 1;
    x->is_defined = false;
    enum tm_status st = read_tables(x, &tables);
    if (st == TM_OK)
        st = tm_gecko_samples_show(x, tables);
    return st < 0 ? st : tm_gecko_markers_show(x);
}

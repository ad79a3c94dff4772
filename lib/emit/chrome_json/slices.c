#include "emit/chrome_json/slices.h"

#include "base/hash.h"
#include "kernel/tracks.h"
#include "model/binder_rows.h"
#include "perfetto/named_tracks.h"

/* True if E is drawn on its thread: on the thread's own track or one below it, or on one that is drawn as a thread. */
static bool is_on_thread(const struct tm_event *e, const struct tm_event_task *place)
{
    enum tm_scope scope = tm_event_scope(e->flags);
    return !(e->flags & TM_EVENT_ASYNC) && place->has_tid &&
           (scope == TM_SCOPE_TRACK || scope == TM_SCOPE_THREAD || tm_kernel_track_of(e));
}

/* Puts the id of E's track. The scope makes it independent of the category, which an end does not repeat. */
static enum tm_status put_id(struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                             struct tm_error *err)
{
    bool is_track = tm_event_scope(e->flags) == TM_SCOPE_TRACK;
    bool is_local = is_track ? place->has_pid : tm_event_scope(e->flags) == TM_SCOPE_PROCESS;
    tm_out_str(&s->writer->out, is_local ? ",\"scope\":\"track\",\"id2\":{\"local\":" : ",\"scope\":\"track\",\"id\":");
    enum tm_status st = tm_json_writer_number(s->writer, e->file, TM_JSON_ID_OF_TRACK, e->track, err);
    if (is_local)
        tm_out_char(&s->writer->out, '}');
    return st;
}

/* Returns the key of E's stack: that of its thread, or that of a track below the thread. */
static uint64_t thread_key(const struct tm_event *e, const struct tm_event_task *place, bool has_pid)
{
    uint64_t file = tm_hash_u64((uint64_t)e->file << 32 | e->machine);
    if (place->is_below)
        return tm_hash_u64(tm_hash_u64(file) ^ e->track);
    return tm_hash_u64(tm_hash_u64(file ^ (has_pid ? (uint64_t)place->pid : UINT64_MAX)) ^ (uint64_t)place->tid);
}

static uint64_t label_of(struct tm_text text)
{
    return text.data ? tm_hash64(text.data, text.len) | 1 : 0;
}

static enum tm_status put_begin(struct tm_json_slices *s, const struct tm_json_begin_view *v, struct tm_error *err)
{
    int64_t tid;
    enum tm_status st = tm_json_threads_tid(s->threads, v->thread, v->lane, &tid, err);
    if (st < 0)
        return st;
    tm_json_writer_head(s->writer, "B", v->ts_ns);
    tm_json_writer_thread(s->writer, v->pid, tid);
    tm_out_bytes(&s->writer->out, v->text, v->text_len);
    st = tm_json_writer_detail(s->writer, v->file, (struct tm_text){v->detail, v->detail_len}, err);
    tm_out_char(&s->writer->out, '}');
    return st < 0 ? st : tm_out_end_row(&s->writer->out, err);
}

static enum tm_status put_begins(struct tm_json_slices *s, uint64_t stack, struct tm_error *err)
{
    struct tm_json_begin_view v;
    enum tm_status st = tm_json_begins_write_open(&s->begins, stack) < 0 ? tm_error_nomem(err) : TM_OK;
    while (st == TM_OK && tm_json_begins_next_begin(&s->begins, stack, &v))
        st = put_begin(s, &v, err);
    return st;
}

/* Finds the stack on which E begins. */
static enum tm_status span_at(struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                              struct tm_json_begin_at *at, struct tm_error *err)
{
    at->owner.file = e->file;
    at->owner.machine = e->machine;
    at->stack = thread_key(e, place, place->has_pid);
    at->owner.tid = place->has_tid ? place->tid : 0;
    return tm_json_threads_pid(s->threads, e, place, &at->owner.pid, err);
}

enum tm_status tm_json_slices_point(struct tm_json_slices *s, const struct tm_event *e, struct tm_event_task place,
                                    const char *phase, struct tm_error *err)
{
    bool is_flow = e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END;
    struct tm_json_begin_at at;
    struct tm_json_begin_view v;
    int64_t tid;
    place.is_below = place.is_below && !is_flow; /* flows belong to slices of the thread itself */
    enum tm_status st = span_at(s, e, &place, &at, err);
    if (st < 0)
        return st;
    enum tm_json_begin_binding binding = !is_flow                                       ? TM_JSON_BEGIN_INSTANT
                                     : e->kind == TM_KIND_FLOW_END && e->value != 0 ? TM_JSON_BEGIN_AWAITS
                                                                                    : TM_JSON_BEGIN_BOUND;
    if (tm_json_begins_point(&s->begins, &at, e->time_ns, binding, &v) < 0)
        return tm_error_nomem(err);
    if ((st = tm_json_threads_tid(s->threads, v.thread, v.lane, &tid, err)) < 0)
        return st;
    tm_json_writer_head(s->writer, phase, e->time_ns);
    tm_json_writer_thread(s->writer, at.owner.pid, tid);
    return TM_OK;
}

/* Begins slice E on a thread. Its text is prepared now and written at its end. */
static enum tm_status open_span(struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                                struct tm_error *err)
{
    struct tm_text category = tm_json_writer_string(s->writer, e->category, e),
                   name = tm_json_writer_string(s->writer, e->name, e);
    uint64_t labels[2] = {label_of(name), label_of(category)};
    struct tm_json_begin_at at;
    size_t from = s->writer->out.buf.len;
    bool is_full = false;
    enum tm_status st = span_at(s, e, place, &at, err);
    if (st < 0)
        return st;
    tm_json_writer_text(s->writer, ",\"cat\":", category);
    tm_json_writer_text(s->writer, ",\"name\":", name.data ? name : tm_text_str(""));
    struct tm_json_begin_view v = {.ts_ns = e->time_ns, .detail = e->detail, .detail_len = e->detail_bytes};
    v.text = s->writer->out.buf.data + from;
    v.text_len = s->writer->out.buf.len - from;
    st = s->writer->out.failed ? TM_E_SYSTEM : tm_json_begins_open(&s->begins, &at, &v, labels, &is_full);
    s->writer->out.buf.len = from;
    if (st < 0)
        return tm_error_nomem(err);
    return is_full ? put_begins(s, at.stack, err) : TM_OK;
}

/* Makes a complete event of slice V, which E ends. It is pending while others may end at this time. */
static enum tm_status complete_slice(struct tm_json_slices *s, const struct tm_json_begin_view *v,
                                     const struct tm_event *e, struct tm_error *err)
{
    struct tm_out *out = &s->writer->out;
    int64_t tid;
    enum tm_status st = tm_json_threads_tid(s->threads, v->thread, v->lane, &tid, err);
    const size_t from = out->buf.len;
    if (st < 0)
        return st;
    tm_buf_clear(&s->scratch);
    if (tm_buf_add(&s->scratch, v->detail, v->detail_len) != TM_OK ||
        tm_buf_add(&s->scratch, e->detail, e->detail_bytes) != TM_OK)
        return tm_error_nomem(err);
    if ((st = tm_json_writer_flow(s->writer, e->file, (struct tm_text){s->scratch.data, s->scratch.len}, err)) < 0)
        return st;
    tm_out_char(out, '}');
    struct tm_json_ended ended = {.text = v->text, .detail = s->scratch.data, .order = v->order, .end_ns = e->time_ns};
    ended.slice = (struct tm_json_late_slice){.ts_ns = v->ts_ns - s->writer->base_ns,
                                              .dur_ns = e->time_ns - v->ts_ns,
                                              .pid = v->pid,
                                              .tid = tid,
                                              .text_len = (uint32_t)v->text_len,
                                              .detail_len = (uint32_t)s->scratch.len};
    ended.rest = (struct tm_text){out->buf.data + from, out->buf.len - from};
    st = out->failed ? tm_error_nomem(err) : tm_json_ended_slices_add(&s->ended, &ended, err);
    out->buf.len = from;
    return st;
}

enum tm_status tm_json_slices_finish(struct tm_json_slices *s, struct tm_error *err)
{
    struct tm_json_begin_view v;
    enum tm_status st = tm_json_ended_slices_write(&s->ended, err), rest = TM_OK;
    while (st == TM_OK && (rest = tm_json_begins_rest(&s->begins, &v)) == TM_OK)
        st = put_begin(s, &v, err);
    return rest < 0 ? tm_error_nomem(err) : st;
}

/* Ends the slice that E ends: with a complete event, or with an end if its begin was written. */
static enum tm_status close_span(struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                                 struct tm_error *err)
{
    struct tm_text category = tm_json_writer_string(s->writer, e->category, e),
                   name = tm_json_writer_string(s->writer, e->name, e);
    uint64_t labels[2] = {label_of(name), label_of(category)}, stack = thread_key(e, place, place->has_pid);
    struct tm_json_begin_view v;
    enum tm_json_end_result result = tm_json_begins_close(&s->begins, stack, e->time_ns, labels, &v);
    struct tm_json_begin_at at;
    int64_t tid;
    enum tm_status st;
    if (result == TM_JSON_END_NONE && place->has_pid) { /* it began before its process was known */
        stack = thread_key(e, place, false);
        result = tm_json_begins_close(&s->begins, stack, e->time_ns, labels, &v);
    }
    if (result == TM_JSON_END_INNER) {
        if ((st = put_begins(s, stack, err)) < 0)
            return st;
        result = tm_json_begins_close(&s->begins, stack, e->time_ns, labels, &v);
    }
    if (result == TM_JSON_END_COMPLETE)
        return complete_slice(s, &v, e, err);
    if (result == TM_JSON_END_NONE) { /* it would end another file's slice */
        tm_json_writer_unsupported(s->writer, e);
        return TM_OK;
    }
    if ((st = span_at(s, e, place, &at, err)) < 0 ||
        (st = tm_json_threads_tid(s->threads, v.thread, v.lane, &tid, err)) < 0)
        return st;
    tm_json_writer_head(s->writer, "E", e->time_ns);
    tm_json_writer_thread(s->writer, at.owner.pid, tid);
    tm_json_writer_text(s->writer, ",\"cat\":", category);
    tm_json_writer_text(s->writer, ",\"name\":", name);
    return tm_json_writer_end(s->writer, e, err);
}

/* Notes a begin or end of an async marker. *IS_OPEN: its (name, cookie) was open before; such a begin is ignored. */
static enum tm_status note_marker(struct tm_json_slices *s, const struct tm_event *e, bool *is_open,
                                  struct tm_error *err)
{
    struct tm_text name = tm_json_writer_string(s->writer, e->name, e);
    struct tm_key key = {(uint64_t)e->file << 32 | e->machine, (uint64_t)e->pid,
                         tm_hash_u64(e->track) ^ label_of(name)};
    *is_open = tm_table_find(&s->open_markers, &key) != TM_TABLE_NONE;
    if (e->kind == TM_KIND_SLICE_BEGIN && !*is_open)
        return tm_table_set(&s->open_markers, &key, 1, err);
    if (e->kind == TM_KIND_SLICE_END)
        tm_table_remove(&s->open_markers, &key);
    return TM_OK;
}

/* Writes events on tracks of their own, and instants. */
static enum tm_status put_other(struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                                struct tm_error *err)
{
    bool on_thread = is_on_thread(e, place), is_end = e->kind == TM_KIND_SLICE_END;
    bool is_tracked = !on_thread && !(e->flags & TM_EVENT_ASYNC);
    const char *phase = e->kind == TM_KIND_SLICE_BEGIN ? "b" : is_end ? "e" : on_thread ? "i" : "n";
    struct tm_text category = tm_json_writer_string(s->writer, e->category, e),
                   name = tm_json_writer_string(s->writer, e->name, e);
    bool is_open = false;
    enum tm_status st = TM_OK;
    if (tm_event_is_async_marker(e->flags) && e->flags & TM_EVENT_HAS_TRACK && category.data == NULL &&
        !tm_named_track_is_of(e))
        st = note_marker(s, e, &is_open, err);
    if (st < 0 || (is_open && e->kind == TM_KIND_SLICE_BEGIN))
        return st;
    if (is_tracked && is_end && name.data == NULL)
        tm_json_open_slices_end(&s->open, e, &category, &name);
    if (is_tracked && e->kind == TM_KIND_SLICE_BEGIN)
        st = tm_json_open_slices_begin(&s->open, e, category, name.data ? name : tm_text_str(""), err);
    if (st < 0 || (st = on_thread ? tm_json_slices_point(s, e, *place, phase, err)
                                  : tm_json_threads_begin(s->threads, e, phase, err)) < 0)
        return st;
    tm_json_writer_text(s->writer, ",\"cat\":", category);
    tm_json_writer_text(s->writer, ",\"name\":", name.data || is_end ? name : tm_text_str(""));
    if (on_thread)
        tm_out_str(&s->writer->out, ",\"s\":\"t\"");
    else if ((st = put_id(s, e, place, err)) < 0)
        return st;
    return tm_json_writer_end(s->writer, e, err);
}

static enum tm_status put_complete(struct tm_json_slices *s, const struct tm_event *e,
                                   const struct tm_event_task *place, struct tm_error *err)
{
    struct tm_text name = tm_json_writer_string(s->writer, e->name, e);
    int64_t end_ns = e->dur_ns > 0 && e->time_ns <= INT64_MAX - e->dur_ns ? e->time_ns + e->dur_ns : e->time_ns;
    struct tm_json_begin_view v = {.ts_ns = e->time_ns};
    struct tm_json_begin_at at;
    int64_t tid;
    enum tm_status st = span_at(s, e, place, &at, err);
    if (st < 0)
        return st;
    if (tm_json_begins_complete(&s->begins, &at, end_ns, &v) < 0)
        return tm_error_nomem(err);
    if ((st = tm_json_threads_tid(s->threads, v.thread, v.lane, &tid, err)) < 0)
        return st;
    tm_json_writer_head(s->writer, "X", e->time_ns);
    tm_json_writer_thread(s->writer, at.owner.pid, tid);
    tm_json_writer_text(s->writer, ",\"cat\":", tm_json_writer_string(s->writer, e->category, e));
    tm_json_writer_text(s->writer, ",\"name\":", name.data ? name : tm_text_str(""));
    if (!(e->flags & TM_EVENT_OPEN_ENDED)) {
        tm_out_str(&s->writer->out, ",\"dur\":");
        tm_json_writer_micros(s->writer, e->dur_ns);
    }
    return tm_json_writer_end(s->writer, e, err);
}

enum tm_status tm_json_slices_write(struct tm_json_slices *s, const struct tm_event *e, struct tm_error *err)
{
    struct tm_event_task place = *tm_json_threads_task(s->threads);
    enum tm_status st = tm_json_kernel_threads_find(&s->kernel, e, &place, err);
    if (st < 0)
        return st;
    if (e->kind == TM_KIND_SLICE_COMPLETE)
        return put_complete(s, e, &place, err);
    if (e->kind == TM_KIND_SLICE_BEGIN && is_on_thread(e, &place))
        return open_span(s, e, &place, err);
    if (e->kind == TM_KIND_SLICE_END && is_on_thread(e, &place))
        return close_span(s, e, &place, err);
    return put_other(s, e, &place, err);
}

enum tm_status tm_json_slices_add_args(struct tm_json_slices *s, const struct tm_event *e, struct tm_error *err)
{
    const uint64_t labels[2] = {label_of(tm_json_writer_string(s->writer, e->name, e)),
                                label_of(tm_json_writer_string(s->writer, e->category, e))};
    struct tm_text name = {0};
    const struct tm_event_task place = *tm_json_threads_task(s->threads);
    int64_t tid;
    if (tm_binder_destination(e, &tid))
        name = tm_task_names_thread(&s->threads->names, e->machine, tid);
    if (tm_binder_name_destination(&s->scratch, e, name) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = TM_END;
    for (int has_pid = place.has_pid; has_pid >= 0 && st == TM_END;
         has_pid--) /* it may have begun before its process was known */
        st = tm_json_begins_add(&s->begins, thread_key(e, &place, has_pid), labels, s->scratch.data, s->scratch.len);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

void tm_json_slices_release(struct tm_json_slices *s)
{
    tm_json_kernel_threads_release(&s->kernel);
    tm_json_begins_release(&s->begins);
    tm_json_ended_slices_release(&s->ended);
    tm_json_open_slices_release(&s->open);
    tm_table_release(&s->open_markers);
    tm_buf_release(&s->scratch);
}

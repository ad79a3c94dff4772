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

static uint64_t label_of(struct tm_text text)
{
    return text.data ? tm_hash64(text.data, text.len) | 1 : 0;
}

/* Returns what identifies E's track in its file, which may have several machines. Cookies of asynchronous markers count
 * within the track that these name: by their category, or else by their name. */
static uint64_t track_of(const struct tm_json_slices *s, const struct tm_event *e)
{
    const uint64_t track = e->machine ? e->track ^ tm_hash_u64(e->machine) : e->track;
    if (!tm_event_is_async_marker(e->flags) || tm_named_track_is_of(e))
        return track;
    return tm_hash_u64(track) ^ label_of(tm_json_writer_string(s->writer, e->category ? e->category : e->name, e));
}

/* Sets the id of DRAFT to that of E's track. The scope makes it independent of the category, which an end does not
 * repeat. */
static enum tm_status set_id(struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                             struct tm_json_event_draft *draft, struct tm_error *err)
{
    bool is_track = tm_event_scope(e->flags) == TM_SCOPE_TRACK;
    bool is_local = is_track ? place->has_pid : tm_event_scope(e->flags) == TM_SCOPE_PROCESS;
    draft->form.id = is_local ? TM_JSON_ID_LOCAL : TM_JSON_ID_GLOBAL;
    draft->id = track_of(s, e);
    return tm_json_writer_renumber(s->writer, e->file, TM_JSON_ID_OF_TRACK, &draft->id, err);
}

/* Returns the key in lifetimes of tid TID of MACHINE. */
static uint64_t lifetime_key(uint32_t machine, int64_t tid)
{
    return (uint64_t)machine << 32 | (uint32_t)tid;
}

enum tm_status tm_json_slices_note(struct tm_json_slices *s, const struct tm_event *e, struct tm_error *err)
{
    const uint64_t key = lifetime_key(e->machine, e->tid);
    uint32_t count = 0;
    if ((e->kind != TM_KIND_TASK_NEW && e->kind != TM_KIND_PROCESS_EXIT) || e->tid == 0)
        return TM_OK;
    (void)tm_map_find(&s->lifetimes, key, &count);
    tm_json_threads_forget(s->threads, e->machine, e->tid);
    return tm_map_set(&s->lifetimes, key, count + 1) < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Returns the key of E's stack: that of its thread, or that of a track below the thread. A marker of the kernel belongs
 * to the present lifetime of its thread. Other events state whose they are. */
static uint64_t key_of(const struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                       bool has_pid)
{
    uint64_t file = tm_hash_u64((uint64_t)e->file << 32 | e->machine);
    uint32_t lifetime = 0;
    if (place->is_below)
        return tm_hash_u64(tm_hash_u64(file) ^ e->track);
    const uint64_t process = tm_hash_u64(file ^ (has_pid ? (uint64_t)place->pid : UINT64_MAX));
    const uint64_t key = tm_hash_u64(process ^ (uint64_t)place->tid);
    if (s->lifetimes.count == 0 || !(e->flags & TM_EVENT_MARKER) ||
        !tm_map_find(&s->lifetimes, lifetime_key(e->machine, place->tid), &lifetime))
        return key;
    return tm_hash_u64(key ^ lifetime);
}

/* Returns the number of E's stack. If there is none, it is made if IS_NEW; else, or without memory, it is 0. */
static uint32_t stack_of(struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                         bool is_new)
{
    uint32_t *kept = tm_json_threads_stack(s->threads, place);
    if (kept && *kept)
        return *kept;
    const uint64_t key = key_of(s, e, place, place->has_pid);
    const uint32_t stack = is_new ? tm_json_begins_get(&s->begins, key) : tm_json_begins_find(&s->begins, key);
    if (kept)
        *kept = stack;
    return stack;
}

/* Sets *DRAFT to the slice of V, with PHASE. */
static enum tm_status draft_view(struct tm_json_slices *s, const struct tm_json_begin_view *v, char phase,
                                 struct tm_json_event_draft *draft, struct tm_error *err)
{
    *draft = (struct tm_json_event_draft){.form = {.phase = phase},
                                          .ts_ns = v->ts_ns - s->writer->base_ns,
                                          .pid = v->pid,
                                          .category = v->category,
                                          .name = v->name,
                                          .detail = v->detail};
    return tm_json_threads_tid(s->threads, v->thread, v->lane, &draft->tid, err);
}

/* Makes a complete event of V, a slice of FILE that ends at END_NS with MORE_DETAIL. It is pending while others may end
 * at this time. */
static enum tm_status complete_view(struct tm_json_slices *s, const struct tm_json_begin_view *v, int64_t end_ns,
                                    struct tm_text more_detail, struct tm_error *err)
{
    struct tm_json_event_draft draft, flow;
    enum tm_status st = draft_view(s, v, 'X', &draft, err);
    draft.form.dur = TM_JSON_DUR_AFTER_TS;
    draft.dur_ns = end_ns - v->ts_ns;
    draft.more_detail = more_detail;
    if (st < 0 || (st = tm_json_writer_bind(s->writer, v->file, &draft, err)) < 0)
        return st;
    st = tm_json_ended_slices_add(&s->ended, &draft, v->order, end_ns, err);
    while (st == TM_OK && tm_json_writer_next_flow(&draft, &flow))
        st = tm_json_ended_slices_add(&s->ended, &flow, v->order, end_ns, err);
    return st;
}

/* Writes V, an open slice, as a begin; or one that has ended. */
static enum tm_status put_begin(struct tm_json_slices *s, const struct tm_json_begin_view *v, struct tm_error *err)
{
    struct tm_json_event_draft draft;
    if (v->has_end)
        return complete_view(s, v, v->end_ns, (struct tm_text){0}, err);
    enum tm_status st = draft_view(s, v, 'B', &draft, err);
    if (st < 0 || (st = tm_json_writer_bind(s->writer, v->file, &draft, err)) < 0)
        return st;
    return tm_json_writer_put_slice(s->writer, &draft, err);
}

static enum tm_status put_begins(struct tm_json_slices *s, uint32_t stack, struct tm_error *err)
{
    struct tm_json_begin_view v;
    enum tm_status st = tm_json_begins_write_open(&s->begins, stack) < 0 ? tm_error_nomem(err) : TM_OK;
    while (st == TM_OK && tm_json_begins_next_begin(&s->begins, stack, &v))
        st = put_begin(s, &v, err);
    return st;
}

/* Completes the slices of STACK that have ended before an event at TS_NS. */
static enum tm_status settle(struct tm_json_slices *s, uint32_t stack, int64_t ts_ns, struct tm_error *err)
{
    struct tm_json_begin_view v;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_json_begins_next_ended(&s->begins, stack, ts_ns, &v))
        st = complete_view(s, &v, v.end_ns, (struct tm_text){0}, err);
    return st;
}

/* Finds the stack on which E begins, and completes the slices there that have ended before. */
static enum tm_status span_at(struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                              struct tm_json_begin_at *at, struct tm_error *err)
{
    at->owner.file = e->file;
    at->owner.machine = e->machine;
    at->stack = stack_of(s, e, place, true);
    at->owner.tid = place->has_tid ? place->tid : 0;
    if (at->stack == 0)
        return tm_error_nomem(err);
    enum tm_status st = settle(s, at->stack, e->time_ns, err);
    return st < 0 ? st : tm_json_threads_pid(s->threads, e, place, &at->owner.pid, err);
}

enum tm_status tm_json_slices_point(struct tm_json_slices *s, const struct tm_event *e, struct tm_event_task place,
                                    struct tm_json_event_draft *draft, struct tm_error *err)
{
    bool is_flow = e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END;
    struct tm_json_begin_at at;
    struct tm_json_begin_view v;
    place.is_below = place.is_below && !is_flow; /* flows belong to slices of the thread itself */
    enum tm_status st = span_at(s, e, &place, &at, err);
    if (st < 0)
        return st;
    enum tm_json_begin_binding binding = !is_flow                                       ? TM_JSON_BEGIN_INSTANT
                                     : e->kind == TM_KIND_FLOW_END && e->value != 0 ? TM_JSON_BEGIN_AWAITS
                                                                                    : TM_JSON_BEGIN_BOUND;
    if (tm_json_begins_point(&s->begins, &at, e->time_ns, binding, &v) < 0)
        return tm_error_nomem(err);
    draft->pid = at.owner.pid;
    return tm_json_threads_tid(s->threads, v.thread, v.lane, &draft->tid, err);
}

/* Notes the place of E, a slice that has begun at AT, for its flows. */
static enum tm_status place_flows(struct tm_json_slices *s, const struct tm_event *e,
                                  const struct tm_json_begin_at *at, struct tm_error *err)
{
    const struct tm_text detail = tm_text_at(e->detail, e->detail_bytes);
    /* The document may have a begin later, and readers keep the order of events of one time. */
    const int64_t within_ns = e->time_ns - s->writer->base_ns + (e->time_ns < INT64_MAX);
    struct tm_json_event_draft slice = {.ts_ns = within_ns, .pid = at->owner.pid};
    struct tm_json_begin_view v;
    tm_json_begins_place(&s->begins, at->stack, &v);
    const enum tm_status st = tm_json_threads_tid(s->threads, v.thread, v.lane, &slice.tid, err);
    return st < 0 ? st : tm_json_writer_place_flows(s->writer, e->file, detail, &slice, err);
}

/* Begins slice E on a thread. It is written at its end. */
static enum tm_status open_span(struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                                struct tm_error *err)
{
    struct tm_json_begin_view v = {.ts_ns = e->time_ns,
                                   .category = tm_json_writer_string(s->writer, e->category, e),
                                   .name = tm_json_writer_string(s->writer, e->name, e),
                                   .detail = {e->detail, e->detail_bytes}};
    uint64_t labels[2] = {label_of(v.name), label_of(v.category)};
    struct tm_json_begin_at at;
    bool is_full = false;
    enum tm_status st = span_at(s, e, place, &at, err);
    if (st < 0)
        return st;
    if (v.name.data == NULL)
        v.name = tm_text_str("");
    if ((st = tm_json_writer_begin_flows(s->writer, e->file, &v.detail, err)) < 0)
        return st;
    const bool has_flows = v.detail.data != e->detail;
    if (tm_json_begins_open(&s->begins, &at, &v, labels, &is_full) < 0)
        return tm_error_nomem(err);
    if (has_flows && (st = place_flows(s, e, &at, err)) < 0)
        return st;
    return is_full ? put_begins(s, at.stack, err) : TM_OK;
}

enum tm_status tm_json_slices_finish(struct tm_json_slices *s, struct tm_error *err)
{
    struct tm_json_begin_view v;
    enum tm_status st = TM_OK, rest = TM_OK;
    while (st == TM_OK && (rest = tm_json_begins_rest(&s->begins, &v)) == TM_OK)
        st = put_begin(s, &v, err);
    if (rest < 0)
        return tm_error_nomem(err);
    return st < 0 ? st : tm_json_ended_slices_write(&s->ended, err);
}

/* Ends V, a slice around others on STACK. It is written when E, its end, is past. */
static enum tm_status end_outer(struct tm_json_slices *s, uint32_t stack, const struct tm_json_begin_view *v,
                                const struct tm_event *e, struct tm_error *err)
{
    struct tm_text detail = {e->detail, e->detail_bytes};
    enum tm_status st = tm_json_writer_end_flow(s->writer, e->file, v->detail, &detail, err);
    if (st < 0)
        return st;
    return tm_json_begins_end(&s->begins, stack, v->index, e->time_ns, detail) < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Ends the slice that E ends: with a complete event, or with an end if its begin was written. */
static enum tm_status close_span(struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                                 struct tm_error *err)
{
    uint64_t labels[2] = {label_of(tm_json_writer_string(s->writer, e->name, e)),
                          label_of(tm_json_writer_string(s->writer, e->category, e))};
    uint32_t stack = stack_of(s, e, place, false);
    struct tm_json_begin_view v;
    struct tm_json_begin_at at;
    struct tm_json_event_draft draft;
    enum tm_status st = settle(s, stack, e->time_ns, err);
    enum tm_json_end_result result = TM_JSON_END_NONE;
    if (st == TM_OK)
        result = tm_json_begins_close(&s->begins, stack, e->time_ns, labels, &v);
    if (st == TM_OK && result == TM_JSON_END_NONE && place->has_pid) { /* it began before its process was known */
        stack = tm_json_begins_find(&s->begins, key_of(s, e, place, false));
        if ((st = settle(s, stack, e->time_ns, err)) == TM_OK)
            result = tm_json_begins_close(&s->begins, stack, e->time_ns, labels, &v);
    }
    if (st < 0)
        return st;
    if (result == TM_JSON_END_COMPLETE)
        return complete_view(s, &v, e->time_ns, (struct tm_text){e->detail, e->detail_bytes}, err);
    if (result == TM_JSON_END_OUTER)
        return end_outer(s, stack, &v, e, err);
    if (result == TM_JSON_END_NONE) { /* it would end another file's slice */
        tm_json_writer_unsupported(s->writer, e);
        return TM_OK;
    }
    tm_json_writer_draft(s->writer, e, 'E', &draft);
    if ((st = span_at(s, e, place, &at, err)) < 0 ||
        (st = tm_json_threads_tid(s->threads, v.thread, v.lane, &draft.tid, err)) < 0 ||
        (st = tm_json_writer_bind(s->writer, e->file, &draft, err)) < 0)
        return st;
    draft.pid = at.owner.pid;
    return tm_json_writer_put(s->writer, &draft, err);
}

/* Notes a begin or end of an async marker. *IS_SHOWN: it is written. A begin whose (name, cookie) is open is not. */
static enum tm_status note_marker(struct tm_json_slices *s, const struct tm_event *e, bool *is_shown,
                                  struct tm_error *err)
{
    struct tm_text name = tm_json_writer_string(s->writer, e->name, e);
    struct tm_key key = {(uint64_t)e->file << 32 | e->machine, (uint64_t)e->pid,
                         tm_hash_u64(e->track) ^ label_of(name)};
    const bool is_open = tm_table_find(&s->open_markers, &key) != TM_TABLE_NONE;
    const bool is_begin = e->kind == TM_KIND_SLICE_BEGIN, is_end = e->kind == TM_KIND_SLICE_END;
    const bool is_full = is_begin && s->open_markers.count == TM_JSON_OPEN_MARKERS_MAX;
    const bool is_lost = !is_open && (is_full || (is_end && s->has_lost_markers));
    *is_shown = !is_lost && !(is_begin && is_open);
    if (is_lost) {
        s->has_lost_markers = true;
        tm_json_writer_unsupported(s->writer, e);
    } else if (is_begin && !is_open) {
        return tm_table_set(&s->open_markers, &key, 1, err);
    } else if (is_end) {
        tm_table_remove(&s->open_markers, &key);
    }
    return TM_OK;
}

/* Writes the ends of the slices on E's track that ended together with one around them, before E. */
static enum tm_status settle_track(struct tm_json_slices *s, const struct tm_event *e,
                                   const struct tm_event_task *place, struct tm_error *err)
{
    struct tm_json_event_draft draft = {.form = {.phase = 'e'}};
    int64_t end_ns;
    enum tm_status cut, st;
    while ((cut = tm_json_open_slices_cut(&s->open, e, &draft.category, &draft.name, &end_ns)) == TM_OK) {
        draft.ts_ns = end_ns - s->writer->base_ns;
        if ((st = tm_json_threads_place(s->threads, e, &draft, err)) < 0 ||
            (st = set_id(s, e, place, &draft, err)) < 0 || (st = tm_json_writer_put(s->writer, &draft, err)) < 0)
            return st;
    }
    return cut < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Writes events on tracks of their own, and instants. */
static enum tm_status put_other(struct tm_json_slices *s, const struct tm_event *e, const struct tm_event_task *place,
                                struct tm_error *err)
{
    bool on_thread = is_on_thread(e, place), is_end = e->kind == TM_KIND_SLICE_END;
    bool is_tracked = !on_thread && !(e->flags & TM_EVENT_ASYNC);
    struct tm_json_event_draft draft;
    bool is_shown = true;
    enum tm_status st = is_tracked ? settle_track(s, e, place, err) : TM_OK;
    if (st < 0)
        return st;
    tm_json_writer_draft(s->writer, e, e->kind == TM_KIND_SLICE_BEGIN ? 'b' : is_end ? 'e' : on_thread ? 'i' : 'n',
                         &draft);
    if (tm_event_is_async_marker(e->flags) && e->flags & TM_EVENT_HAS_TRACK && draft.category.data == NULL &&
        !tm_named_track_is_of(e))
        st = note_marker(s, e, &is_shown, err);
    if (st < 0 || !is_shown)
        return st;
    if (is_tracked && is_end)
        st = tm_json_open_slices_end(&s->open, e, &draft.category, &draft.name, err);
    if (st == TM_END) { /* no slice: chrome://tracing would show the end as one */
        tm_json_writer_unsupported(s->writer, e);
        return TM_OK;
    }
    if (st < 0)
        return st;
    if (draft.name.data == NULL && !is_end)
        draft.name = tm_text_str("");
    if (draft.category.data == NULL && !on_thread) /* chrome://tracing shows no async event without one */
        draft.category = tm_text_str("");
    if (is_tracked && e->kind == TM_KIND_SLICE_BEGIN)
        st = tm_json_open_slices_begin(&s->open, e, draft.category, draft.name, err);
    draft.form.has_thread_scope = on_thread;
    if (st < 0 || (st = on_thread ? tm_json_slices_point(s, e, *place, &draft, err)
                                  : tm_json_threads_place(s->threads, e, &draft, err)) < 0)
        return st;
    if ((!on_thread && (st = set_id(s, e, place, &draft, err)) < 0) ||
        (st = tm_json_writer_bind(s->writer, e->file, &draft, err)) < 0)
        return st;
    if (on_thread && (draft.form.bind || draft.has_flow_events)) { /* readers take flows of slices only */
        draft.form.phase = 'X';
        draft.form.dur = TM_JSON_DUR_AFTER_NAME;
        draft.form.has_thread_scope = false;
    }
    return tm_json_writer_put_slice(s->writer, &draft, err);
}

static enum tm_status put_complete(struct tm_json_slices *s, const struct tm_event *e,
                                   const struct tm_event_task *place, struct tm_error *err)
{
    int64_t end_ns = e->dur_ns > 0 && e->time_ns <= INT64_MAX - e->dur_ns ? e->time_ns + e->dur_ns : e->time_ns;
    struct tm_json_begin_view v = {.ts_ns = e->time_ns};
    struct tm_json_begin_at at;
    struct tm_json_event_draft draft;
    enum tm_status st = span_at(s, e, place, &at, err);
    if (st < 0)
        return st;
    if (tm_json_begins_complete(&s->begins, &at, end_ns, &v) < 0)
        return tm_error_nomem(err);
    tm_json_writer_draft(s->writer, e, 'X', &draft);
    draft.form.dur = e->flags & TM_EVENT_OPEN_ENDED ? TM_JSON_DUR_NONE : TM_JSON_DUR_AFTER_NAME;
    draft.dur_ns = e->dur_ns;
    draft.pid = at.owner.pid;
    if (draft.name.data == NULL)
        draft.name = tm_text_str("");
    if ((st = tm_json_threads_tid(s->threads, v.thread, v.lane, &draft.tid, err)) < 0 ||
        (st = tm_json_writer_bind(s->writer, e->file, &draft, err)) < 0)
        return st;
    return tm_json_writer_put_slice(s->writer, &draft, err);
}

/* Writes a complete slice on a track without a thread: its begin, then its end. Readers order these by time. */
static enum tm_status put_complete_on_track(struct tm_json_slices *s, const struct tm_event *e,
                                            const struct tm_event_task *place, struct tm_error *err)
{
    struct tm_json_event_draft begin, end;
    enum tm_status st = settle_track(s, e, place, err);
    if (st < 0)
        return st;
    tm_json_writer_draft(s->writer, e, 'b', &begin);
    if (begin.name.data == NULL)
        begin.name = tm_text_str("");
    if (begin.category.data == NULL) /* chrome://tracing shows no async event without one */
        begin.category = tm_text_str("");
    if ((st = tm_json_threads_place(s->threads, e, &begin, err)) < 0 || (st = set_id(s, e, place, &begin, err)) < 0)
        return st;
    end = begin;
    end.form.phase = 'e';
    end.ts_ns += e->dur_ns > 0 && e->time_ns <= INT64_MAX - e->dur_ns ? e->dur_ns : 0;
    end.detail = (struct tm_text){0};
    if ((st = tm_json_writer_bind(s->writer, e->file, &begin, err)) < 0 ||
        (st = tm_json_writer_put(s->writer, &begin, err)) < 0 || e->flags & TM_EVENT_OPEN_ENDED)
        return st;
    return tm_json_writer_put(s->writer, &end, err);
}

enum tm_status tm_json_slices_write(struct tm_json_slices *s, const struct tm_event *e, struct tm_error *err)
{
    struct tm_event_task place = *tm_json_threads_task(s->threads);
    enum tm_status st = tm_json_kernel_threads_find(&s->kernel, e, &place, err);
    if (st < 0)
        return st;
    if (e->kind == TM_KIND_SLICE_COMPLETE)
        return e->flags & TM_EVENT_HAS_TRACK && !is_on_thread(e, &place) ? put_complete_on_track(s, e, &place, err)
                                                                         : put_complete(s, e, &place, err);
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
    /* the slice may have begun before its process was known */
    for (int has_pid = place.has_pid; has_pid >= 0 && st == TM_END; has_pid--)
        st = tm_json_begins_add(&s->begins, tm_json_begins_find(&s->begins, key_of(s, e, &place, has_pid)), labels,
                                s->scratch.data, s->scratch.len);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

void tm_json_slices_release(struct tm_json_slices *s)
{
    tm_json_kernel_threads_release(&s->kernel);
    tm_json_begins_release(&s->begins);
    tm_json_ended_slices_release(&s->ended);
    tm_json_open_slices_release(&s->open);
    tm_table_release(&s->open_markers);
    tm_map_release(&s->lifetimes);
    tm_buf_release(&s->scratch);
}

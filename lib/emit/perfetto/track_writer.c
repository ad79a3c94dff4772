#include "emit/perfetto/track_writer.h"

#include "emit/perfetto/deferred_choice.h"
#include "emit/perfetto/merge_keys.h"
#include "emit/perfetto/track_ends.h"
#include "emit/perfetto/track_packet.h"
#include "emit/perfetto/track_tasks.h"
#include "perfetto/named_tracks.h"
#include "stream/detail_arg.h"

#include "base/checked.h"
#include "base/hash.h"

#include <stdlib.h>

/* True if E is on a track of a thread, where flow events find slices. */
static bool has_flows(const struct tm_event *e)
{
    return !(e->flags & TM_EVENT_ASYNC) && tm_event_scope(e->flags) == TM_SCOPE_THREAD && e->flags & TM_EVENT_HAS_TID;
}

/* Puts which tracks are merged with the track that is called NAME and is below PARENT (0: below none), into w->body.
 * Readers merge those of one name and parent. Beside other files a counter is a track of its own, because PARENT may
 * have another file's counter of that name. Tracks of slices below a process are below one of their file; those of no
 * process are merged with those of their file and name alone. */
static bool put_merge(struct tm_track_writer *w, const struct tm_event *e, struct tm_text name, uint64_t parent)
{
    const bool is_counter = e->kind == TM_KIND_COUNTER;
    const uint32_t order = w->packets->catalog->files[e->file].processing_order;
    if (w->is_alone || is_counter == (parent == 0))
        return true;
    if (is_counter)
        return tm_pb_put_varint(&w->body, TM_DESCRIPTOR_MERGE_BEHAVIOR, TM_MERGES_NOT) == TM_OK;
    return tm_packet_put_merge_key(&w->body, tm_merge_key_of(order, name)) == TM_OK;
}

/* Makes track UUID, which has E's name and is below PARENT (0: below none), if it is new. */
static enum tm_status describe_named(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                     uint64_t parent, struct tm_error *err)
{
    struct tm_text name = tm_catalog_string(w->packets->catalog, e->name, e);
    enum tm_status st = tm_map_add(&w->known, uuid, 0);
    if (st == TM_END)
        return TM_OK;
    tm_buf_clear(&w->body);
    if (st < 0 || (parent && tm_pb_put_varint(&w->body, TM_DESCRIPTOR_PARENT, parent) != TM_OK) ||
        (name.data && tm_pb_put_bytes(&w->body, TM_DESCRIPTOR_NAME, name.data, name.len) != TM_OK) ||
        (e->kind == TM_KIND_COUNTER && tm_pb_put_bytes(&w->body, TM_DESCRIPTOR_COUNTER, "", 0) != TM_OK) ||
        !put_merge(w, e, name, parent))
        return tm_error_nomem(err);
    return tm_track_packet_describe(w, e, uuid, err);
}

/* Returns the output's uuid of a track that E's file describes by UUID. */
static uint64_t described_uuid(const struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid)
{
    struct tm_event key = {.file = e->file, .machine = e->machine};
    return tm_track_key(w, &key, TM_TRACK_KIND_DESCRIBED, uuid);
}

/* Writes the description in E of such a track: below the track that it names, or its thread or process. */
static enum tm_status write_described(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    ProtobufCMessage *m = protobuf_c_message_unpack(&tracemerge__detail__descriptor, NULL, e->detail_bytes, e->detail);
    if (m == NULL)
        return tm_error_set(err, TM_E_INPUT, "event %llu: detail bytes are damaged", (unsigned long long)e->position);
    const Tracemerge__TrackDescription *t = ((Tracemerge__Detail *)m)->track;
    enum tm_status st = TM_OK;
    uint64_t parent = 0;
    if (t == NULL)
        goto out;
    if (t->has_parent_uuid) {
        parent = described_uuid(w, e, t->parent_uuid);
    } else if (t->has_tid || t->has_pid) {
        struct tm_event task = {
            .time_ns = e->time_ns, .file = e->file, .machine = e->machine, .pid = t->pid, .tid = t->tid};
        task.flags = (e->flags & TM_EVENT_UNTIMED) | (t->has_pid ? TM_EVENT_HAS_PID : 0u) |
                     (t->has_tid ? TM_EVENT_HAS_TID : 0u);
        st = tm_track_task(w, &task, t->has_tid, &parent, err);
    }
    tm_buf_clear(&w->body);
    if (st == TM_OK &&
        ((parent && tm_pb_put_varint(&w->body, TM_DESCRIPTOR_PARENT, parent) != TM_OK) ||
         (t->has_name && tm_pb_put_bytes(&w->body, TM_DESCRIPTOR_NAME, t->name.data, t->name.len) != TM_OK) ||
         (t->is_counter && tm_pb_put_bytes(&w->body, TM_DESCRIPTOR_COUNTER, "", 0) != TM_OK) ||
         (t->has_sibling_merge_behavior &&
          tm_pb_put_varint(&w->body, TM_DESCRIPTOR_MERGE_BEHAVIOR, t->sibling_merge_behavior) != TM_OK)))
        st = tm_error_nomem(err);
    if (st == TM_OK)
        st = tm_track_packet_describe(w, e, described_uuid(w, e, t->uuid), err);
out:
    protobuf_c_message_free_unpacked(m, NULL);
    return st;
}

/* Finds the track of E, a counter, by its name; PARENT is that of its process, or 0. */
static enum tm_status counter_track(struct tm_track_writer *w, const struct tm_event *e, uint64_t parent,
                                    uint64_t *uuid, struct tm_error *err)
{
    struct tm_text name = tm_catalog_string(w->packets->catalog, e->name, e);
    *uuid = tm_track_key(w, e, TM_TRACK_KIND_COUNTER, tm_hash64(name.data ? (const void *)name.data : "", name.len));
    return describe_named(w, e, *uuid, parent, err);
}

/* Finds the track of E, an asynchronous marker, by the track's name and the cookie. PARENT is that of its process. */
static enum tm_status marker_track(struct tm_track_writer *w, const struct tm_event *e, uint64_t parent,
                                   uint64_t *uuid, struct tm_error *err)
{
    struct tm_event named = *e;
    named.name = e->category ? e->category : e->name;
    struct tm_text name = tm_catalog_string(w->packets->catalog, named.name, e);
    uint64_t number = tm_hash64_seed(name.data ? (const void *)name.data : "", name.len, e->track);
    *uuid = tm_track_key(w, e, TM_TRACK_KIND_ASYNC, number);
    return describe_named(w, &named, *uuid, parent, err);
}

/* Finds the track of E, an async event, by its id; PARENT is that of its process, or 0. */
static enum tm_status async_track(struct tm_track_writer *w, const struct tm_event *e, uint64_t parent,
                                  uint64_t *uuid, struct tm_error *err)
{
    struct tm_event key = *e; /* an id that is not local means the same in every process */
    if (tm_event_scope(e->flags) != TM_SCOPE_PROCESS)
        key.flags &= ~(uint32_t)TM_EVENT_HAS_PID;
    *uuid = tm_track_key(w, &key, TM_TRACK_KIND_ASYNC, e->track);
    return describe_named(w, e, *uuid, parent, err);
}

/* Finds the track for events of E's file on E's machine that are of no process. */
static enum tm_status global_track(struct tm_track_writer *w, const struct tm_event *e, uint64_t *uuid,
                                   struct tm_error *err)
{
    const struct tm_event global = {.machine = e->machine, .file = e->file, .flags = TM_EVENT_UNTIMED};
    *uuid = tm_track_key(w, &global, TM_TRACK_KIND_GLOBAL, 0);
    enum tm_status st = tm_map_add(&w->known, *uuid, 0);
    if (st == TM_END)
        return TM_OK;
    if (st < 0 || tm_track_packet_below(w, &global, 0) != TM_OK)
        return tm_error_nomem(err);
    return tm_track_packet_describe(w, &global, *uuid, err);
}

/* True if E is of a line of ftrace text and belongs to a process or to none. Its tid is the task that wrote the line,
 * which may be of another process. */
static bool is_of_any_task(const struct tm_track_writer *w, const struct tm_event *e)
{
    const enum tm_input_type type = w->packets->catalog->files[e->file].input_type;
    return tm_event_scope(e->flags) != TM_SCOPE_THREAD && e->flags & TM_EVENT_HAS_CPU &&
           (type == TM_INPUT_JSON || type == TM_INPUT_SYSTRACE);
}

/* Finds the track of E. It, and those of E's thread and process, are described before their first use. */
static enum tm_status track_of(struct tm_track_writer *w, const struct tm_event *e, uint64_t *uuid,
                               struct tm_error *err)
{
    const enum tm_scope scope = tm_event_scope(e->flags);
    const bool has_tid = e->flags & TM_EVENT_HAS_TID && !is_of_any_task(w, e);
    uint64_t process = 0, thread = 0;
    enum tm_status st = has_tid ? tm_track_task(w, e, true, &thread, err) : TM_OK;
    if (st == TM_OK && e->flags & TM_EVENT_HAS_PID && (scope == TM_SCOPE_PROCESS || !has_tid))
        st = e->kind == TM_KIND_COUNTER ? tm_track_task_process(w, e, &process, err)
                                        : tm_track_task(w, e, false, &process, err);
    if (st < 0)
        return st;
    const uint64_t parent = scope == TM_SCOPE_PROCESS ? process : 0;
    if (scope == TM_SCOPE_TRACK)
        *uuid = described_uuid(w, e, e->track);
    else if (e->kind == TM_KIND_COUNTER)
        return counter_track(w, e, parent, uuid, err);
    else if (tm_event_is_async_marker(e->flags))
        return marker_track(w, e, parent, uuid, err);
    else if (e->flags & TM_EVENT_ASYNC)
        return async_track(w, e, parent, uuid, err);
    else if (scope == TM_SCOPE_THREAD && has_tid)
        *uuid = thread;
    else if (parent)
        *uuid = parent;
    else
        return global_track(w, e, uuid, err);
    return TM_OK;
}

static void unsupported(struct tm_track_writer *w, const struct tm_event *e)
{
    if (!tm_event_is_counted(e->flags))
        return;
    w->unsupported_count++;
    tm_unsupported_counts_event(w->packets->unsupported, e);
}

/* Reads the thread time of E from its detail, where it precedes the arguments. */
static struct tm_thread_time thread_time_of(const struct tm_event *e)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_thread_time time = {.has_begin = false};
    struct tm_pb_field f;
    while (!(time.has_begin && time.has_dur) && tm_pb_next(&pb, &f) == TM_OK && f.id != TM_DETAIL_ARGS) {
        if (f.id == TM_DETAIL_THREAD_TIME && f.type == TM_PB_VARINT && !time.has_begin) {
            time.begin_ns = tm_unzigzag(f.value);
            time.has_begin = true;
        } else if (f.id == TM_DETAIL_THREAD_DUR && f.type == TM_PB_VARINT && !time.has_dur) {
            time.dur_ns = tm_unzigzag(f.value);
            time.has_dur = true;
        }
    }
    return time;
}

static enum tm_status put_end(struct tm_track_writer *w, const struct tm_open_end *end, struct tm_error *err)
{
    return end->reader_id != TM_NO_ID ? tm_deferred_choice_end(w, end, err)
                                 : tm_track_packet_end(w, end, NULL, end->uuid, err);
}

static enum tm_status write_ends(struct tm_track_writer *w, int64_t up_to_ns, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_open_ends_are_due(&w->ends, up_to_ns))
        st = put_end(w, tm_open_ends_pop(&w->ends), err);
    return st;
}

/* Notes for flow events that E begins on UUID, for DUR_NS (-1: unknown). */
static enum tm_status note_target(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid, int64_t dur_ns,
                                  struct tm_error *err)
{
    int64_t end_ns = dur_ns < 0 ? INT64_MAX : tm_slice_end_ns(e->time_ns, dur_ns);
    return has_flows(e) ? tm_flow_targets_begin(&w->flows, uuid, e->time_ns, end_ns, err) : TM_OK;
}

/* Adds E's cookie to its arguments. The detail is in w->detail. */
static enum tm_status add_cookie(struct tm_track_writer *w, struct tm_event *e, struct tm_error *err)
{
    tm_buf_clear(&w->detail);
    if ((e->detail_bytes && tm_buf_add(&w->detail, e->detail, e->detail_bytes) != TM_OK) ||
        tm_detail_arg_int(&w->detail, "cookie", (int64_t)e->track) != TM_OK)
        return tm_error_nomem(err);
    e->detail = w->detail.data;
    e->detail_bytes = (uint32_t)w->detail.len;
    return TM_OK;
}

static enum tm_status write_begin(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                  struct tm_error *err)
{
    struct tm_track_slice slice = {.uuid = uuid, .dur_ns = -1};
    enum tm_status st = write_ends(w, e->time_ns, err); /* it is not within a slice without length */
    if (st == TM_OK && !(e->flags & TM_EVENT_ASYNC) && (st = tm_track_ends_follow(w, err)) == TM_OK &&
        (st = tm_track_ends_begin(w, e, &slice, err)) >= 0)
        st = tm_track_ends_begun(w, e, &slice, err);
    if (st >= 0)
        st = note_target(w, e, uuid, -1, err);
    if (st < 0 || !tm_event_has_cookie(e))
        return st < 0 ? st : tm_track_packet_event(w, e, TM_TRACK_BEGIN, uuid, err);
    struct tm_event with = *e;
    st = add_cookie(w, &with, err);
    return st < 0 ? st : tm_track_packet_event(w, &with, TM_TRACK_BEGIN, uuid, err);
}

static enum tm_status write_instant(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                    struct tm_error *err)
{
    struct tm_track_slice slice = {.uuid = uuid, .dur_ns = 0};
    enum tm_status st = TM_OK;
    if (w->has_begins && !(e->flags & TM_EVENT_ASYNC) && tm_reader_slices_has(&w->reader, uuid) &&
        (st = tm_track_ends_begin(w, e, &slice, err)) == TM_OK)
        st = tm_track_ends_begun(w, e, &slice, err);
    if (st >= 0)
        st = note_target(w, e, uuid, 0, err);
    return st < 0 ? st : tm_track_packet_event(w, e, TM_TRACK_INSTANT, uuid, err);
}

static enum tm_status write_end(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                struct tm_error *err)
{
    struct tm_event named = *e;
    enum tm_status st = TM_OK;
    if (!(e->flags & TM_EVENT_ASYNC) && (st = tm_track_ends_follow(w, err)) == TM_OK)
        st = tm_track_ends_label(w, &named, uuid, err);
    if (st == TM_OK && has_flows(e))
        st = tm_flow_targets_end(&w->flows, uuid, e->time_ns, err);
    if (st == TM_OK)
        return tm_track_packet_event(w, &named, TM_TRACK_END, uuid, err);
    if (st == TM_END)
        unsupported(w, e);
    return st < 0 ? st : TM_OK;
}

static enum tm_status describe_lane(struct tm_track_writer *w, const struct tm_event *e, uint64_t lane, uint64_t thread,
                                    struct tm_error *err)
{
    enum tm_status st = tm_map_add(&w->known, lane, 0);
    if (st == TM_END)
        return TM_OK;
    return st < 0 ? tm_error_nomem(err) : tm_track_packet_lane(w, e, lane, thread, err);
}

/* Finds the first lane on which E, whose end is END, nests. A thread has lanes, and so has each track of a file. */
static enum tm_status find_lane(struct tm_track_writer *w, const struct tm_event *e, const struct tm_open_end *end,
                                uint64_t *uuid, struct tm_error *err)
{
    const bool is_on_track = e->flags & TM_EVENT_HAS_TRACK && tm_event_scope(e->flags) == TM_SCOPE_TRACK;
    const uint64_t track = is_on_track ? tm_hash_u64(end->uuid) : 0;
    uint32_t lane = 0;
    uint64_t first = tm_track_key(w, e, TM_TRACK_KIND_LANE, track);
    if (tm_nesting_further(&w->nesting, first, e->time_ns, end->end_ns, &lane) < 0)
        return tm_error_nomem(err);
    *uuid = tm_track_key(w, e, TM_TRACK_KIND_LANE, track ^ lane);
    return TM_OK;
}

/* Begins E, whose end is END, on END's track among begins and ends. TM_END: it crosses a slice there. */
static enum tm_status begin_among(struct tm_track_writer *w, const struct tm_event *e, struct tm_open_end *end,
                                  struct tm_error *err)
{
    uint64_t lane;
    struct tm_track_slice slice = {.uuid = end->uuid, .dur_ns = e->dur_ns};
    enum tm_status st = tm_track_ends_begin(w, e, &slice, err);
    end->reader_id = slice.reader_id;
    slice.dur_ns = -1;
    if (st == TM_OK)
        st = tm_track_ends_begun(w, e, &slice, err);
    if (st == TM_OK)
        st = note_target(w, e, end->uuid, e->dur_ns, err);
    if (st == TM_OK && !tm_reader_slices_need_end(&w->reader, end->uuid))
        return tm_track_packet_event(w, e, TM_TRACK_BEGIN, end->uuid, err);
    if (st != TM_OK || (st = find_lane(w, e, end, &lane, err)) < 0)
        return st;
    return tm_deferred_choice_open(w, e, lane, end, err);
}

/* Begins E, whose end is END, on its track or, if it crosses a slice there, on a lane. */
static enum tm_status begin_complete(struct tm_track_writer *w, const struct tm_event *e, struct tm_open_end *end,
                                     struct tm_error *err)
{
    uint64_t thread = end->uuid;
    enum tm_status st;
    if (w->has_begins) {
        if ((st = begin_among(w, e, end, err)) != TM_END)
            return st;
        end->reader_id = TM_NO_ID;
    } else if ((st = tm_nesting_add(&w->nesting, thread, e->time_ns, end->end_ns)) < 0) {
        return tm_error_nomem(err);
    }
    if (st == TM_OK)
        st = note_target(w, e, thread, e->dur_ns, err);
    else if ((st = find_lane(w, e, end, &end->uuid, err)) == TM_OK &&
             (st = describe_lane(w, e, end->uuid, thread, err)) == TM_OK && has_flows(e))
        st = tm_flow_targets_cross(&w->flows, thread, e->time_ns, err);
    return st < 0 ? st : tm_track_packet_event(w, e, TM_TRACK_BEGIN, end->uuid, err);
}

/* Notes in END the reading of the thread's clock at the end of the current event, if it states it. */
static void note_thread_end(const struct tm_track_writer *w, struct tm_open_end *end)
{
    const struct tm_thread_time time = w->thread_time;
    if (time.has_begin && time.has_dur && tm_add_i64(time.begin_ns, time.dur_ns, &end->thread_ns))
        end->time_uuid = w->time_uuid;
}

static enum tm_status write_complete(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                     struct tm_error *err)
{
    struct tm_open_end end = {.end_ns = tm_slice_end_ns(e->time_ns, e->dur_ns),
                              .order = w->order++,
                              .uuid = uuid,
                              .machine = e->machine,
                              .file = e->file,
                              .name = e->name & TM_STRING_INLINE ? 0 : e->name,
                              .category = e->category & TM_STRING_INLINE ? 0 : e->category,
                              .reader_id = TM_NO_ID};
    if (w->time_uuid)
        note_thread_end(w, &end);
    enum tm_status st = begin_complete(w, e, &end, err);
    return st < 0 ? st : tm_open_ends_push(&w->ends, &end, err);
}

/* Finds the counter for thread time of E, whose track is UUID, and describes it before its first use. */
static enum tm_status find_thread_time(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                       struct tm_error *err)
{
    enum { BUILTIN_TYPE = 1, THREAD_TIME_NS = 1 };
    size_t mark;
    w->time_uuid = 0;
    if (e->detail_bytes == 0 || !has_flows(e))
        return TM_OK;
    w->thread_time = thread_time_of(e);
    if (!w->thread_time.has_begin)
        return TM_OK;
    struct tm_recent_task *recent = tm_track_task_recent(w, e, true);
    if (recent && recent->time_uuid) {
        w->time_uuid = recent->time_uuid;
        return TM_OK;
    }
    w->time_uuid = tm_track_key(w, e, TM_TRACK_KIND_THREAD_TIME, 0);
    if (recent)
        recent->time_uuid = w->time_uuid;
    enum tm_status st = tm_map_add(&w->known, w->time_uuid, 0);
    if (st == TM_END)
        return TM_OK;
    tm_buf_clear(&w->body);
    if (st < 0 || tm_pb_put_varint(&w->body, TM_DESCRIPTOR_PARENT, uuid) != TM_OK ||
        tm_pb_begin(&w->body, TM_DESCRIPTOR_COUNTER, &mark) != TM_OK ||
        tm_pb_put_varint(&w->body, BUILTIN_TYPE, THREAD_TIME_NS) != TM_OK || tm_pb_end(&w->body, mark) != TM_OK)
        return tm_error_nomem(err);
    return tm_track_packet_describe(w, e, w->time_uuid, err);
}

static enum tm_status write_flow(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                 struct tm_error *err)
{
    struct tm_event at = *e;
    bool is_bound = e->kind != TM_KIND_FLOW_END || e->value == 0;
    enum tm_status st =
        is_bound && has_flows(e) ? tm_flow_targets_bind(&w->flows, uuid, e->track, &at.time_ns, err) : TM_OK;
    return st < 0 ? st : tm_track_packet_event(w, &at, TM_TRACK_NONE, uuid, err);
}

static enum tm_status write_one(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    uint64_t uuid;
    if (tm_event_raw(e->flags) == TM_RAW_LINE) {
        w->line.file = e->file + 1;
        w->line.time_ns = e->time_ns;
    }
    enum tm_status st = track_of(w, e, &uuid, err);
    if (st == TM_OK)
        st = find_thread_time(w, e, uuid, err);
    if (st < 0)
        return st;
    switch (e->kind) {
    case TM_KIND_SLICE_BEGIN:
        return write_begin(w, e, uuid, err);
    case TM_KIND_SLICE_END:
        return write_end(w, e, uuid, err);
    case TM_KIND_SLICE_COMPLETE:
        if (e->dur_ns == 0 && has_flows(e) && !(e->flags & TM_EVENT_OPEN_ENDED))
            return write_instant(w, e, uuid, err); /* readers take no duration for an instant */
        if (e->dur_ns >= 0 && !(e->flags & TM_EVENT_OPEN_ENDED))
            return write_complete(w, e, uuid, err);
        unsupported(w, e); /* it ends before it begins, or its end is unknown */
        return TM_OK;
    case TM_KIND_INSTANT:
    case TM_KIND_ASYNC_STEP:
        return write_instant(w, e, uuid, err);
    case TM_KIND_COUNTER:
        return tm_track_packet_event(w, e, TM_TRACK_COUNTER, uuid, err);
    case TM_KIND_FLOW_START:
    case TM_KIND_FLOW_STEP:
    case TM_KIND_FLOW_END:
        return write_flow(w, e, uuid, err);
    default:
        unsupported(w, e);
        return TM_OK;
    }
}

static enum tm_status write_timestamp_group(struct tm_track_writer *w, struct tm_error *err)
{
    struct tm_event event;
    enum tm_status st = write_ends(w, w->group_ns, err);
    while (tm_timestamp_group_take(&w->group, &event))
        if (st == TM_OK)
            st = write_one(w, &event, err);
    return st;
}

enum tm_status tm_track_writer_flush(struct tm_track_writer *w, int64_t now_ns, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (w->group.count && (w->group_ns < now_ns || now_ns == INT64_MAX))
        st = write_timestamp_group(w, err);
    if (st < 0 || now_ns == INT64_MIN) /* nothing ends before that */
        return st;
    return write_ends(w, now_ns == INT64_MAX ? now_ns : now_ns - 1, err);
}

/* Refuses further events if there are too many tracks. */
static enum tm_status check_tracks(const struct tm_track_writer *w, struct tm_error *err)
{
    if (w->known.count >= TM_OUTPUT_TRACKS_MAX || w->packets->owners.count >= TM_OUTPUT_TRACKS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d tracks (TM_OUTPUT_TRACKS_MAX)", TM_OUTPUT_TRACKS_MAX);
    return TM_OK;
}

/* Begins a group for the time of E, unless there is one with room. */
static enum tm_status begin_group(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (w->group.count && (w->group_ns != e->time_ns || tm_timestamp_group_full(&w->group)))
        st = write_timestamp_group(w, err);
    w->group_ns = e->time_ns;
    return st;
}

static enum tm_status add_to_group(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    bool is_json = w->packets->catalog->files[e->file].input_type == TM_INPUT_JSON;
    return tm_timestamp_group_add(&w->group, e, tm_timestamp_rank(e, is_json, 0), err);
}

enum tm_status tm_track_write_last(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = check_tracks(w, err);
    if (st < 0 || (st = begin_group(w, e, err)) < 0)
        return st;
    if (w->group.count) {
        st = add_to_group(w, e, err);
        return st < 0 ? st : write_timestamp_group(w, err);
    }
    st = write_ends(w, e->time_ns, err);
    return st < 0 ? st : write_one(w, e, err);
}

enum tm_status tm_track_write(struct tm_track_writer *w, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = check_tracks(w, err);
    if (st < 0)
        return st;
    bool is_task = e->kind == TM_KIND_PROCESS || e->kind == TM_KIND_THREAD;
    if (is_task)
        st = tm_track_task_define(w, e, err);
    if (st == TM_OK && tm_track_task_is_mentioned(e))
        st = tm_track_task_mention(w, e, err);
    if (st < 0 || is_task)
        return st;
    if (e->kind == TM_KIND_TRACK)
        return write_described(w, e, err);
    if (!tm_event_is_timed(e->flags))
        return TM_OK;
    st = begin_group(w, e, err);
    return st < 0 ? st : add_to_group(w, e, err);
}

void tm_track_writer_restart(struct tm_track_writer *w)
{
    for (uint32_t i = 0; i < w->sequence_count; i++) {
        tm_intern_clear(&w->sequences[i].names);
        tm_intern_clear(&w->sequences[i].categories);
        w->sequences[i].id = w->sequences[i].descriptors = 0;
    }
    memset(w->recent_names, 0, sizeof w->recent_names);
    memset(w->recent_categories, 0, sizeof w->recent_categories);
    tm_annotation_names_restart(&w->arg_names);
}

void tm_track_writer_release(struct tm_track_writer *w)
{
    for (uint32_t i = 0; i < w->sequence_count; i++) {
        tm_intern_release(&w->sequences[i].names);
        tm_intern_release(&w->sequences[i].categories);
    }
    free(w->sequences);
    tm_map_release(&w->known);
    tm_map_release(&w->ranks);
    free(w->task_ranks);
    tm_map_release(&w->ranked);
    tm_reader_slices_release(&w->reader);
    free(w->choices.choices);
    tm_table_release(&w->choices.by_reader_id);
    tm_open_ends_release(&w->ends);
    tm_nesting_release(&w->nesting);
    tm_pending_names_release(&w->names);
    tm_kernel_slices_release(&w->kernel_slices);
    tm_timestamp_group_release(&w->group);
    tm_annotation_names_release(&w->arg_names);
    tm_buf_release(&w->interned);
    tm_buf_release(&w->body);
    tm_buf_release(&w->detail);
    tm_flow_targets_release(&w->flows);
}

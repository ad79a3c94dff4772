/* Events with a legacy phase, Chrome JSON's "ph". */
#include "base/checked.h"
#include "base/hash.h"
#include "format/perfetto/count.h"
#include "format/perfetto/sequence.h"
#include "format/perfetto/track_event.h"
#include "stream/detail_fields.h"
#include "stream/task_description.h"

#include <inttypes.h>
#include <stdio.h>

enum { ANNOTATION_STRING = 6 };

/* Sets scope and track of an asynchronous row or a flow row, which is not on the event's own track or thread. */
static void set_identity(const struct tm_proto_track_context *c, struct tm_event *row, enum tm_scope scope,
                         uint64_t identity)
{
    row->flags &= ~(tm_event_scope_flags((enum tm_scope)15) | (uint32_t)TM_EVENT_HAS_PID | (uint32_t)TM_EVENT_HAS_TID);
    row->flags |= tm_event_scope_flags(scope) | TM_EVENT_HAS_TRACK;
    if (c->has_process)
        row->flags |= TM_EVENT_HAS_PID;
    if (c->has_thread)
        row->flags |= TM_EVENT_HAS_TID;
    row->pid = c->pid;
    row->tid = c->tid;
    row->track = identity;
}

static enum tm_status put_id(struct tm_buf *detail, uint64_t id, struct tm_error *err)
{
    char text[32];
    int len = snprintf(text, sizeof text, "0x%" PRIx64, id);
    return tm_pb_put_bytes(detail, TM_DETAIL_ID, text, (size_t)len) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Puts the track that an event names and is not on: the reference importer refuses the event if that track is on none.
 * Only a database needs it. */
static enum tm_status put_named_track(const struct tm_proto_track_context *c)
{
    return c->track && c->rows->sink->want_packet_args
               ? tm_pb_put_i64(&c->rows->detail, TM_DETAIL_FLOW_TRACK, c->track)
               : TM_OK;
}

/* Puts the phase and the id_scope. Only a database needs them. */
static enum tm_status put_phase(const struct tm_proto_track_context *c)
{
    const struct tm_proto_legacy *legacy = c->event->legacy;
    struct tm_buf *detail = &c->rows->detail;
    if (!c->rows->sink->want_packet_args)
        return TM_OK;
    if (strchr("STpFR", legacy->phase) &&
        tm_pb_put_varint(detail, TM_DETAIL_LEGACY_PHASE, (uint64_t)legacy->phase) != TM_OK)
        return TM_E_SYSTEM;
    return legacy->id_scope ? tm_pb_put_bytes(detail, TM_DETAIL_ID_SCOPE, legacy->id_scope, legacy->id_scope_len)
                            : TM_OK;
}

/* Finds the string numbers of ROW's name and category that are valid in the whole run. */
static enum tm_status find_strings(const struct tm_proto_track_context *c, const struct tm_event *row, uint32_t *name,
                                   uint32_t *category, struct tm_error *err)
{
    *name = row->name;
    *category = row->category;
    enum tm_status st = tm_event_sink_run_string(c->rows->sink, name, err);
    return st == TM_OK ? tm_event_sink_run_string(c->rows->sink, category, err) : st;
}

/* Fills the row of phase b, e, n, S, F, T or p. Each id is a track within its scope. The scope is id_scope with the
 * category; without id_scope it is the category (b, e, n) or the name. String numbers stand for name and category. */
static enum tm_status fill_async(const struct tm_proto_track_context *c, struct tm_event *row, struct tm_error *err)
{
    const struct tm_proto_legacy *legacy = c->event->legacy;
    bool nestable = strchr("ben", legacy->phase) != NULL;
    bool local = legacy->id_kind == TM_LEGACY_LOCAL_ID;
    uint64_t seed[4] = {legacy->id, local ? (uint64_t)c->pid : 0, local, 0};
    if (legacy->id_kind == TM_LEGACY_NO_ID || (local && !c->has_process)) {
        row->kind = TM_KIND_PACKET;
        return tm_proto_count_stat(&c->rows->counts, TM_PROTO_STAT_TRACK_EVENT_ERRORS, c->packet->machine, 1, err);
    }
    uint32_t name, category;
    enum tm_status st = find_strings(c, row, &name, &category, err);
    if (st < 0)
        return st;
    seed[3] = legacy->id_scope || nestable ? category : (uint64_t)name << 32;
    uint64_t identity = tm_hash64_numbers(seed, 4, 0);
    if (legacy->id_scope)
        identity = tm_hash64_seed(legacy->id_scope, legacy->id_scope_len, identity);
    set_identity(c, row, local ? TM_SCOPE_PROCESS : TM_SCOPE_GLOBAL, identity);
    row->flags |= TM_EVENT_ASYNC;
    switch (legacy->phase) {
    case 'b':
    case 'S':
        row->kind = TM_KIND_SLICE_BEGIN;
        break;
    case 'e':
    case 'F':
        row->kind = TM_KIND_SLICE_END;
        break;
    case 'n':
        row->kind = TM_KIND_INSTANT;
        break;
    default:
        row->kind = TM_KIND_ASYNC_STEP;
    }
    if (put_phase(c) != TM_OK || put_named_track(c) != TM_OK)
        return tm_error_nomem(err);
    return put_id(&c->rows->detail, legacy->id, err);
}

static enum tm_status fill_flow(const struct tm_proto_track_context *c, struct tm_event *row, struct tm_error *err)
{
    const struct tm_proto_legacy *legacy = c->event->legacy;
    const bool has_id = legacy->id_kind == TM_LEGACY_UNSCOPED_ID;
    enum tm_status st = TM_OK;
    if (!has_id)
        st = tm_proto_count_stat(&c->rows->counts, TM_PROTO_STAT_FLOW_INVALID_ID, c->packet->machine, 1, err);
    if (st == TM_OK && (!has_id || !c->has_thread)) {
        row->kind = TM_KIND_PACKET;
        return tm_proto_count_stat(&c->rows->counts, TM_PROTO_STAT_TRACK_EVENT_ERRORS, c->packet->machine, 1, err);
    }
    uint32_t name, category;
    if (st == TM_OK)
        st = find_strings(c, row, &name, &category, err);
    if (st < 0)
        return st;
    uint64_t seed[2] = {legacy->id, (uint64_t)category << 32 | name};
    row->kind = legacy->phase == 's'   ? TM_KIND_FLOW_START
                : legacy->phase == 't' ? TM_KIND_FLOW_STEP
                                       : TM_KIND_FLOW_END;
    set_identity(c, row, TM_SCOPE_THREAD, tm_hash64_numbers(seed, 2, 0));
    if (legacy->phase == 'f' && !legacy->bind_to_enclosing) {
        row->flags |= TM_EVENT_HAS_VALUE;
        row->value = TM_FLOW_BINDS_NEXT;
    }
    if (c->track && tm_pb_put_i64(&c->rows->detail, TM_DETAIL_FLOW_TRACK, c->track) != TM_OK)
        return tm_error_nomem(err);
    return put_id(&c->rows->detail, legacy->id, err);
}

/* True if the event is on a track that is known to belong to no thread. A track may be described later. */
static bool has_no_thread(const struct tm_proto_track_context *c)
{
    return !c->has_thread && (c->track == 0 || c->has_process);
}

/* True if the event states a place that it does not have: a phase of a thread outside of a thread, or an instant of a
 * process without one. */
static bool is_misplaced(const struct tm_proto_track_context *c)
{
    const struct tm_proto_legacy *legacy = c->event->legacy;
    switch (legacy->phase) {
    case 'B':
    case 'E':
    case 'X':
        return has_no_thread(c);
    case 'i':
    case 'I':
        if (legacy->instant_scope == TM_LEGACY_SCOPE_GLOBAL)
            return false;
        if (legacy->instant_scope == TM_LEGACY_SCOPE_PROCESS)
            return c->track == 0 && !c->has_process;
        return has_no_thread(c);
    default:
        return false;
    }
}

bool tm_proto_legacy_is_of_thread(const struct tm_proto_legacy *legacy)
{
    const bool has_other_scope = legacy->instant_scope == TM_LEGACY_SCOPE_GLOBAL ||
                                 legacy->instant_scope == TM_LEGACY_SCOPE_PROCESS;
    return legacy->phase && strchr(has_other_scope ? "BEXR" : "BEXRiI", legacy->phase);
}

/* True if the event belongs on a thread, and its track may be described later as one of a thread. */
static bool needs_thread(const struct tm_proto_track_context *c)
{
    return c->track && !c->has_thread && c->event->legacy->phase != 'R' &&
           tm_proto_legacy_is_of_thread(c->event->legacy);
}

/* Puts the phase of an event whose thread may be stated later. */
static enum tm_status put_pending_phase(const struct tm_proto_track_context *c, struct tm_error *err)
{
    return tm_pb_put_varint(&c->rows->detail, TM_DETAIL_LEGACY_PHASE, c->event->legacy->phase) == TM_OK
               ? TM_OK
               : tm_error_nomem(err);
}

static enum tm_status fill_instant(const struct tm_proto_track_context *c, struct tm_event *row)
{
    const struct tm_proto_legacy *legacy = c->event->legacy;
    row->kind = TM_KIND_INSTANT;
    bool global = legacy->instant_scope == TM_LEGACY_SCOPE_GLOBAL;
    bool process = legacy->instant_scope == TM_LEGACY_SCOPE_PROCESS && c->has_process;
    if (legacy->phase == 'R' || !(global || process))
        return legacy->phase == 'R' ? put_phase(c) : TM_OK;
    set_identity(c, row, global ? TM_SCOPE_GLOBAL : TM_SCOPE_PROCESS, 0);
    row->flags &= ~(uint32_t)TM_EVENT_HAS_TRACK;
    return put_named_track(c);
}

/* Puts what a complete event took of its thread, which only databases show. */
static enum tm_status put_lengths(const struct tm_proto_track_context *c, struct tm_error *err)
{
    const struct tm_proto_legacy *legacy = c->event->legacy;
    struct tm_buf *detail = &c->rows->detail;
    int64_t dur_ns;
    enum tm_status st = TM_OK;
    if (!c->rows->sink->want_packet_args)
        return TM_OK;
    if (legacy->thread_duration_us && tm_mul_i64(legacy->thread_duration_us, 1000, &dur_ns))
        st = tm_pb_put_varint(detail, TM_DETAIL_THREAD_DUR, tm_zigzag(dur_ns));
    if (st == TM_OK && legacy->thread_instruction_delta)
        st = tm_pb_put_varint(detail, TM_DETAIL_THREAD_INSTRUCTION_DELTA, tm_zigzag(legacy->thread_instruction_delta));
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_proto_legacy_fill(const struct tm_proto_track_context *context, struct tm_event *row,
                                    struct tm_error *err)
{
    const struct tm_proto_legacy *legacy = context->event->legacy;
    const bool is_complete =
        legacy->phase == 'X' && legacy->duration_us >= 0 && legacy->duration_us <= INT64_MAX / 1000;
    enum tm_status st;
    if (is_complete)
        row->dur_ns = legacy->duration_us * 1000;
    if (is_misplaced(context)) {
        row->kind = TM_KIND_PACKET;
        if (row->flags & TM_EVENT_LATE_THREAD && (is_complete || legacy->phase != 'X'))
            return put_pending_phase(context, err); /* lib/emit/late_threads sets the kind, or lib/model counts it */
        return tm_proto_count_stat(&context->rows->counts, TM_PROTO_STAT_TRACK_EVENT_ERRORS,
                                   context->packet->machine, 1, err);
    }
    if (needs_thread(context) && (st = put_pending_phase(context, err)) < 0)
        return st;
    switch (legacy->phase) {
    case 'B':
        row->kind = TM_KIND_SLICE_BEGIN;
        return TM_OK;
    case 'E':
        row->kind = TM_KIND_SLICE_END;
        return TM_OK;
    case 'X':
        if (!is_complete)
            return tm_proto_count_stat(&context->rows->counts, TM_PROTO_STAT_TRACK_EVENT_ERRORS,
                                       context->packet->machine, 1, err);
        row->kind = TM_KIND_SLICE_COMPLETE;
        return put_lengths(context, err);
    case 'i':
    case 'I':
    case 'R':
        return fill_instant(context, row) == TM_OK ? TM_OK : tm_error_nomem(err);
    case 's':
    case 't':
    case 'f':
        return fill_flow(context, row, err);
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F':
    case 'T':
    case 'p':
        return fill_async(context, row, err);
    default:
        return TM_OK;
    }
}

/* Returns the string value of the first debug annotation; an empty field if it has none. */
static struct tm_pb_field first_string(const struct tm_proto_track_event *event)
{
    struct tm_pb pb = event->body;
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_TRACK_EVENT_ANNOTATIONS || f.type != TM_PB_LEN)
            continue;
        struct tm_pb annotation = tm_pb_of(f.data, f.len);
        while (tm_pb_next(&annotation, &f) == TM_OK)
            if (f.id == ANNOTATION_STRING && f.type == TM_PB_LEN)
                return f;
        break;
    }
    return (struct tm_pb_field){0};
}

static struct tm_pb_field event_name(const struct tm_proto_track_context *c)
{
    uint64_t iid = c->event->name_iid ? c->event->name_iid : c->event->legacy->name_iid;
    if (iid)
        return tm_proto_interned_text(c->packet->sequence, TM_INTERNED_EVENT_NAMES, iid);
    return (struct tm_pb_field){.data = c->event->name, .len = c->event->name_len};
}

static bool is_text(const struct tm_pb_field *f, const char *s)
{
    return f->data && tm_text_is(tm_text_at(f->data, f->len), s);
}

enum tm_status tm_proto_legacy_names(const struct tm_proto_track_context *context, const struct tm_event *row,
                                     struct tm_error *err)
{
    struct tm_buf *detail = &context->rows->detail;
    struct tm_pb_field name = event_name(context), value = first_string(context->event);
    bool thread = is_text(&name, "thread_name") && context->has_thread;
    bool process = is_text(&name, "process_name") && context->has_process;
    struct tm_event derived = tm_proto_derived(row, thread ? TM_KIND_THREAD : TM_KIND_PROCESS);
    size_t mark;
    if (value.len == 0 || !(thread || process))
        return TM_OK;
    derived.pid = context->pid;
    derived.tid = context->tid;
    derived.flags |= TM_EVENT_HAS_PID | (thread ? TM_EVENT_HAS_TID : 0);
    enum tm_status st = tm_pb_begin(detail, thread ? TM_DETAIL_THREAD : TM_DETAIL_PROCESS, &mark);
    if (st == TM_OK)
        st = tm_task_description_numbers(detail, &derived);
    if (st == TM_OK)
        st = tm_pb_put_bytes(detail,
                             thread ? (uint32_t)TM_THREAD_DESCRIPTION_NAME : (uint32_t)TM_PROCESS_DESCRIPTION_NAME,
                             value.data, value.len);
    if (st == TM_OK && thread)
        st = tm_pb_put_varint(detail, TM_THREAD_DESCRIPTION_NAME_PRIORITY, TM_THREAD_NAME_KIND);
    else if (st == TM_OK)
        st = tm_pb_put_varint(detail, TM_PROCESS_DESCRIPTION_NAME_PRIORITY, TM_PROCESS_NAME_DESCRIPTOR);
    if (st == TM_OK)
        st = tm_pb_end(detail, mark);
    return st == TM_OK ? tm_proto_add(context->rows, &derived, err) : tm_error_nomem(err);
}

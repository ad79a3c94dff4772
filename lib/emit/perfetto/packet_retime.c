#include "emit/perfetto/packet_retime.h"

#include "emit/perfetto/default_descriptors.h"
#include "emit/perfetto/packet_changes.h"
#include "emit/perfetto/rewrite.h"
#include "emit/perfetto/trace_stats.h"
#include "emit/perfetto/v8_isolates.h"
#include "perfetto/etw_fields.h"
#include "perfetto/message_fields.h"
#include "perfetto/packet_times.h"
#include "perfetto/ftrace_event_fields.h"
#include "stream/detail_fields.h"

#include <stdio.h>

/* The state of a rewriting function. */
struct rewrite {
    struct tm_rewrite fields; /* first: a function that writes a field gets a pointer to it */
    struct tm_packet_writer *writer;
    const struct tm_event *event;
};

static struct rewrite *rewrite_of(struct tm_rewrite *fields)
{
    return (struct rewrite *)fields;
}

static void counter_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    if (f->id != TM_COUNTER_DESCRIPTOR_IS_INCREMENTAL && f->id != TM_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER)
        tm_rewrite_copy(r, f);
}

/* True for the fields of a descriptor that must stay the same for a track. Readers refuse a descriptor with others. */
static bool is_of_place(uint32_t field)
{
    return field == TM_DESCRIPTOR_UUID || field == TM_DESCRIPTOR_PARENT || field == TM_DESCRIPTOR_MERGE_BEHAVIOR ||
           field == TM_DESCRIPTOR_MERGE_KEY || field == TM_DESCRIPTOR_MERGE_KEY_INT;
}

static enum tm_status put_place(struct tm_buf *out, const struct tm_descriptor_changes *changes)
{
    enum tm_status st = tm_pb_put_varint(out, TM_DESCRIPTOR_UUID, changes->owner->uuid);
    if (st == TM_OK && changes->owner->parent)
        st = tm_pb_put_varint(out, TM_DESCRIPTOR_PARENT, changes->owner->parent);
    if (st == TM_OK && changes->merge_key)
        st = tm_packet_put_merge_key(out, changes->merge_key);
    if (st == TM_OK && changes->merges_not)
        st = tm_pb_put_varint(out, TM_DESCRIPTOR_MERGE_BEHAVIOR, TM_MERGES_NOT);
    return st;
}

/* True for the fields of a descriptor that name its track. */
static bool is_name(uint32_t field)
{
    return field == TM_DESCRIPTOR_NAME || field == TM_DESCRIPTOR_STATIC_NAME || field == TM_DESCRIPTOR_ATRACE_NAME;
}

static void descriptor_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    const struct tm_descriptor_changes *changes = &rewrite_of(r)->writer->descriptor;
    if (changes->loses_name && is_name(f->id))
        return;
    if (changes->owner && is_of_place(f->id)) {
        if (f->id == TM_DESCRIPTOR_UUID)
            tm_rewrite_check(r, put_place(r->out, changes));
        return;
    }
    if (f->id == TM_DESCRIPTOR_UUID && changes->merge_key)
        tm_rewrite_check(r, tm_packet_put_merge_key(r->out, changes->merge_key));
    if (f->id == TM_DESCRIPTOR_UUID || f->id == TM_DESCRIPTOR_PARENT)
        tm_rewrite_ids(r, f);
    else if (f->id == TM_DESCRIPTOR_MERGE_BEHAVIOR && changes->merge_key)
        return;
    else if (f->id == TM_DESCRIPTOR_COUNTER)
        tm_rewrite_message(r, f, counter_field);
    else
        tm_rewrite_copy(r, f);
}

static void defaults_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    if (f->id == TM_PACKET_TIMESTAMP_CLOCK_ID)
        return;
    if (f->id == TM_PACKET_TRACK_EVENT)
        tm_rewrite_message(r, f, tm_rewrite_event_field);
    else
        tm_rewrite_copy(r, f);
}

/* Copies a field of a bundle without events, unless it is about the bundle's clock or buffer. */
static void bundle_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    switch (f->id) {
    case TM_BUNDLE_CLOCK:
    case TM_BUNDLE_FTRACE_TIMESTAMP:
    case TM_BUNDLE_BOOT_TIMESTAMP:
    case TM_BUNDLE_LAST_READ:
    case TM_BUNDLE_PREVIOUS_END: /* ftrace_bounds.h writes it for the machine */
        return;
    default:
        tm_rewrite_copy(r, f);
        return;
    }
}

static void etw_event_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    if (f->id == TM_ETW_EVENT_TIMESTAMP)
        tm_rewrite_check(r, tm_pb_put_varint(r->out, f->id, (uint64_t)rewrite_of(r)->event->time_ns));
    else
        tm_rewrite_copy(r, f);
}

/* Writes a field of a bundle, which has one event, that of the row, or none. */
static void etw_bundle_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    if (f->id == TM_ETW_BUNDLE_EVENT)
        tm_rewrite_message(r, f, etw_event_field);
    else
        tm_rewrite_copy(r, f);
}

/* Writes a field of a frame's begin or end. Readers end the frame that has its cookie, whichever file it is of. */
static void frame_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    enum { COOKIE = 1 };
    const struct rewrite *state = rewrite_of(r);
    const uint64_t mix = tm_packet_mix(state->writer, state->event->file).ids; /* the draft's is that of tracks */
    if (mix && f->id == COOKIE && f->type == TM_PB_VARINT)
        tm_rewrite_check(r, tm_pb_put_varint(r->out, f->id, tm_id_mixed(mix, f->value)));
    else
        tm_rewrite_copy(r, f);
}

/* Writes a field of a FrameTimelineEvent. All of its messages have the cookie in one place. */
static void frames_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    tm_rewrite_message(r, f, frame_field);
}

/* Attributes that an earlier merge wrote about itself become attributes of the file that it wrote. */
static void attribute_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    static const char own[] = "tracemerge.";
    char prefix[sizeof TM_PROVENANCE_FILE + 16];
    const struct rewrite *state = rewrite_of(r);
    struct tm_buf *out = r->out;
    size_t mark;
    if (f->id != TM_ATTRIBUTE_KEY || f->type != TM_PB_LEN || f->len < sizeof own ||
        memcmp(f->data, own, sizeof own - 1) != 0) {
        tm_rewrite_copy(r, f);
        return;
    }
    int n = snprintf(prefix, sizeof prefix, TM_PROVENANCE_FILE "%u.",
                     (unsigned)state->writer->catalog->files[state->event->file].processing_order);
    bool good = tm_pb_begin(out, TM_ATTRIBUTE_KEY, &mark) == TM_OK && tm_buf_add(out, prefix, (size_t)n) == TM_OK &&
                tm_buf_add(out, f->data + sizeof own - 1, f->len - (sizeof own - 1)) == TM_OK &&
                tm_pb_end(out, mark) == TM_OK;
    tm_rewrite_check(r, good ? TM_OK : TM_E_SYSTEM);
}

static void attributes_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    if (f->id == TM_ATTRIBUTES_ATTRIBUTE)
        tm_rewrite_message(r, f, attribute_field);
    else
        tm_rewrite_copy(r, f);
}

static void interned_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    const struct rewrite *state = rewrite_of(r);
    if (f->id == TM_INTERNED_V8_ISOLATES && f->type == TM_PB_LEN)
        tm_rewrite_check(r, tm_v8_isolates_put(state->writer->isolates, state->event, f, r->out));
    else
        tm_rewrite_copy(r, f);
}

static void packet_field(struct tm_rewrite *r, const struct tm_pb_field *f)
{
    struct rewrite *state = rewrite_of(r);
    struct tm_packet_writer *w = state->writer;
    switch (tm_packet_change_of(f->id)) {
    case TM_PACKET_CHANGE_OF_RECORD:
        return;
    case TM_PACKET_CHANGE_EVENT:
        tm_rewrite_event(r, f);
        return;
    case TM_PACKET_CHANGE_DESCRIPTOR:
        tm_rewrite_message(r, f, descriptor_field);
        return;
    case TM_PACKET_CHANGE_DEFAULTS:
        tm_rewrite_message(r, f, defaults_field);
        return;
    case TM_PACKET_CHANGE_BUNDLE:
        tm_rewrite_message(r, f, bundle_field);
        return;
    case TM_PACKET_CHANGE_ETW:
        tm_rewrite_message(r, f, etw_bundle_field);
        return;
    case TM_PACKET_CHANGE_FRAMES:
        tm_rewrite_message(r, f, frames_field);
        return;
    case TM_PACKET_CHANGE_ATTRIBUTES:
        tm_rewrite_message(r, f, attributes_field);
        return;
    case TM_PACKET_CHANGE_UUID:
        if (w->has_own_uuid)
            return;
        break;
    case TM_PACKET_CHANGE_INPUT_EVENTS:
        w->has_input_events = true;
        break;
    case TM_PACKET_CHANGE_STATS:
        if (f->type != TM_PB_LEN || !w->trace_stats)
            break;
        tm_rewrite_check(r, tm_trace_stats_write(w->trace_stats, w, state->event, f));
        return;
    case TM_PACKET_CHANGE_NONE:
        if (f->id != TM_PACKET_INTERNED_DATA || !w->isolates)
            break;
        tm_rewrite_message(r, f, interned_field);
        return;
    case TM_PACKET_CHANGE_CLOCK:
        break;
    }
    tm_rewrite_copy(r, f);
}

bool tm_packet_has_extras(const struct tm_event *event)
{
    struct tm_pb pb = tm_pb_of(event->raw, event->raw_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_PACKET_TRACK_EVENT || f.type != TM_PB_LEN)
            continue;
        struct tm_pb inner = tm_pb_of(f.data, f.len);
        struct tm_pb_field g;
        while (tm_pb_next(&inner, &g) == TM_OK)
            if (tm_extra_values_are_in(&g))
                return true;
    }
    return false;
}

/* Reads the recorded sequence_flags. *CLOCK: the clock that the packet must name, since readers take its time for
 * MONOTONIC if it names none; otherwise 0. */
static uint64_t recorded_flags(const struct tm_event *event, uint32_t *clock)
{
    struct tm_pb pb = tm_pb_of(event->raw, event->raw_bytes);
    struct tm_pb_field f;
    uint64_t flags = 0;
    *clock = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_PACKET_SEQUENCE_FLAGS && f.type == TM_PB_VARINT)
            flags = f.value;
        if (tm_packet_change_of(f.id) == TM_PACKET_CHANGE_CLOCK)
            *clock = TM_CLOCK_BOOTTIME;
    }
    return flags;
}

/* Writes the fields at the front of the packet: its time, sequence and flags. */
static enum tm_status put_head(struct tm_packet_writer *w, const struct tm_event *e, struct tm_error *err)
{
    uint32_t sequence;
    bool is_new;
    enum tm_status st = tm_packet_sequence(w, e, &sequence, &is_new, err);
    if (st < 0)
        return st;
    uint32_t clock;
    uint64_t flags = recorded_flags(e, &clock) & ~(uint64_t)TM_SEQUENCE_CLEARED;
    if (is_new && e->generation)
        flags |= TM_SEQUENCE_CLEARED;
    if ((tm_event_is_timed(e->flags) &&
         (tm_pb_put_varint(&w->out, TM_PACKET_TIMESTAMP, (uint64_t)e->time_ns) != TM_OK ||
          (clock && tm_pb_put_varint(&w->out, TM_PACKET_TIMESTAMP_CLOCK_ID, clock) != TM_OK))) ||
        (sequence && tm_pb_put_varint(&w->out, TM_PACKET_SEQUENCE_ID, sequence) != TM_OK) ||
        (flags && tm_pb_put_varint(&w->out, TM_PACKET_SEQUENCE_FLAGS, flags) != TM_OK))
        return tm_error_nomem(err);
    return TM_OK;
}

static int64_t reading_of(const void *context, uint32_t clock, int64_t recorded_ns, int64_t time_ns)
{
    const struct rewrite *r = context;
    return tm_clock_rows_reading(r->writer->clocks, r->event->machine, clock, recorded_ns, time_ns);
}

/* Sets PB to the packet with its inner times as readings of the merged trace's clocks. */
static enum tm_status put_inner_times(struct rewrite *r, struct tm_pb *pb, struct tm_error *err)
{
    const struct tm_event *e = r->event;
    struct tm_buf *buf = &r->writer->inner_times;
    const struct tm_packet_readings readings = {r->writer->clocks ? reading_of : NULL, r};
    uint32_t unchanged;
    buf->len = 0;
    enum tm_status st = tm_packet_times_rewrite(e, &readings, buf, &unchanged);
    if (st == TM_E_INPUT)
        return tm_error_set(err, st, "event %llu: its inner times are not those of its packet",
                            (unsigned long long)e->position);
    if (st < 0)
        return tm_error_nomem(err);
    tm_unsupported_counts_add(r->writer->unsupported, e->file, TM_UNSUPPORTED_TIMES, unchanged);
    *pb = tm_pb_of(buf->data, buf->len);
    return TM_OK;
}

/* Returns the cursor at the first of EXTRAS, which may be NULL, for E's packet. */
static struct tm_extra_cursor cursor_of(const struct tm_event *e, const struct tm_extra_values *extras)
{
    struct tm_pb event;
    bool has_values = extras && extras->count > 0 && tm_extra_event_find(tm_text_at(e->raw, e->raw_bytes), &event);
    return has_values ? tm_extra_cursor_begin(event, extras->count) : (struct tm_extra_cursor){0};
}

/* True if E is a flow event of a packet that names a track. */
static bool flow_names_track(const struct tm_event *e)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    while (e->kind >= TM_KIND_FLOW_START && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_DETAIL_FLOW_TRACK)
            return true;
    return false;
}

/* Returns the track that E, a recorded track event, must name because the track on which it would be without a name
 * belongs to another file; 0: none. */
static uint64_t own_track_of(const struct tm_packet_writer *w, const struct tm_event *e)
{
    if (tm_packet_has_own_default(w, e))
        return tm_packet_own_default(w, e->file);
    bool is_on_thread = e->kind >= TM_KIND_SLICE_BEGIN && e->kind <= TM_KIND_FLOW_END &&
                        tm_event_scope(e->flags) == TM_SCOPE_THREAD && e->flags & TM_EVENT_HAS_TID;
    if (!is_on_thread || !w->threads || !w->threads->has_own_tracks)
        return 0;
    const uint64_t own = tm_sequence_threads_own(w->threads, e);
    return own && !flow_names_track(e) ? own : 0; /* the fast path reads no detail and has no event with an own track */
}

/* Returns how ids of E become ids of the output. The tracks of an event that tm-unpack has refused, because they were
 * no counters by then, are none in the output either: they may be described earlier there. */
static struct tm_id_mix mix_of(const struct tm_packet_writer *w, const struct tm_event *e)
{
    const bool is_refused = e->kind == TM_KIND_PACKET && !(e->flags & TM_EVENT_HAS_TRACK) &&
                            tm_event_scope(e->flags) == TM_SCOPE_GLOBAL;
    struct tm_id_mix mix = tm_packet_mix(w, e->file);
    if (is_refused)
        mix.ids = tm_hash_u64(mix.ids + 1) | 1;
    return mix;
}

/* Returns a draft with E's values and ids, but without its head and raw bytes. */
static struct tm_recorded_draft draft_of(const struct tm_packet_writer *w, const struct tm_event *e,
                                         const struct tm_extra_values *extras)
{
    const struct tm_id_mix mix = mix_of(w, e);
    return (struct tm_recorded_draft){.mix = mix,
                                      .value = e->value,
                                      .has_value = e->kind == TM_KIND_COUNTER && e->flags & TM_EVENT_HAS_VALUE,
                                      .value_is_double = e->flags & TM_EVENT_VALUE_DOUBLE,
                                      .own_track = own_track_of(w, e),
                                      .is_flow = e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END,
                                      .is_body = e->flags & TM_EVENT_RAW_BODY,
                                      .has_extras = extras != NULL,
                                      .extras_from = cursor_of(e, extras),
                                      .extras = extras ? extras->values : NULL};
}

enum tm_status tm_packet_rewrite(struct tm_packet_writer *w, const struct tm_event *e,
                                 const struct tm_extra_values *extras, struct tm_error *err)
{
    const struct tm_recorded_draft draft = draft_of(w, e, extras);
    struct rewrite r = {
        .fields = {.draft = &draft, .out = &w->out, .extras = draft.extras_from}, .writer = w, .event = e};
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f;
    enum tm_status st = tm_packet_begin(w, e->machine, err);
    if (st == TM_OK)
        st = put_head(w, e, err);
    if (st == TM_OK && e->flags & TM_EVENT_INNER_TIMES)
        st = put_inner_times(&r, &pb, err);
    if (st < 0)
        return st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        packet_field(&r.fields, &f);
        if (r.fields.failed)
            break;
    }
    if (r.fields.failed)
        return tm_error_nomem(err);
    if (st != TM_END)
        return tm_error_set(err, TM_E_INPUT, "event %llu: raw bytes are not a valid TracePacket",
                            (unsigned long long)e->position);
    return tm_packet_end(w, err);
}

/* Copies E's packet. A recorded one, which names its sequence, leaves out what is valid only there. */
static bool copy_loss(const struct tm_event *e, struct tm_buf *out)
{
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes), all = pb;
    struct tm_pb_field f;
    bool is_recorded = false;
    while (tm_pb_next(&all, &f) == TM_OK)
        is_recorded |= f.id == TM_PACKET_SEQUENCE_ID;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (!(is_recorded && tm_packet_change_of(f.id) == TM_PACKET_CHANGE_OF_RECORD) &&
            tm_buf_add(out, f.start, (size_t)(f.end - f.start)) != TM_OK)
            return false;
    return true;
}

/* Writes a packet about losses of a sequence (doc/events.md). */
static enum tm_status write_loss(struct tm_packet_writer *w, const struct tm_event *e, struct tm_error *err)
{
    uint32_t sequence;
    bool is_new;
    enum tm_status st = tm_packet_begin(w, e->machine, err);
    if (st == TM_OK)
        st = tm_packet_sequence(w, e, &sequence, &is_new, err);
    if (st == TM_OK &&
        (tm_pb_put_varint(&w->out, TM_PACKET_SEQUENCE_ID, sequence) != TM_OK || !copy_loss(e, &w->out)))
        return tm_error_nomem(err);
    return st < 0 ? st : tm_packet_end(w, err);
}

enum tm_status tm_packet_draft(struct tm_packet_writer *w, const struct tm_event *e,
                               const struct tm_extra_values *extras, struct tm_recorded_draft *draft,
                               struct tm_error *err)
{
    const struct tm_text raw = tm_text_at(e->raw, e->raw_bytes);
    if (e->flags & TM_EVENT_INNER_TIMES || !tm_recorded_draft_takes(raw) ||
        (w->isolates && e->kind == TM_KIND_SEQUENCE_STATE && tm_v8_isolates_are_in(e)))
        return TM_END;
    *draft = draft_of(w, e, extras);
    draft->raw = raw;
    return tm_packet_draft_head(w, e, &draft->head, err);
}

enum tm_status tm_packet_retime(struct tm_packet_writer *w, const struct tm_event *e,
                                const struct tm_extra_values *extras, struct tm_error *err)
{
    struct tm_recorded_draft draft;
    enum tm_status st = TM_OK;
    if (tm_packet_is_loss(e))
        return write_loss(w, e, err);
    if (tm_packet_has_own_default(w, e) && (st = tm_default_descriptors_put_own(w, e, err)) < 0)
        return st;
    st = tm_packet_draft(w, e, extras, &draft, err);
    if (st == TM_END)
        return tm_packet_rewrite(w, e, extras, err);
    return st < 0 ? st : tm_packet_put_recorded(w, &draft, err);
}

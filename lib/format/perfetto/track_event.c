#include "format/perfetto/track_event.h"

#include "base/checked.h"
#include "format/perfetto/packet_cache.h"
#include "format/perfetto/absolute_raw.h"
#include "format/perfetto/annotation.h"
#include "format/perfetto/clock.h"
#include "format/perfetto/count.h"
#include "format/perfetto/description.h"
#include "format/perfetto/descriptor.h"
#include "format/perfetto/named_processes.h"
#include "format/perfetto/numbers.h"
#include "format/perfetto/sequence.h"
#include "format/perfetto/typed_args.h"
#include "format/perfetto/v8_samples.h"
#include "stream/detail_fields.h"

#include <inttypes.h>
#include <stdio.h>

/* Fields that state the kind of an event and its name. */
#define PLAIN_FIELDS                                                                                                   \
    (TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_CATEGORY_IIDS) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_TYPE) |                      \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_NAME_IID) | TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_CATEGORIES) |                     \
     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_NAME))

enum { FLOW_IN = 1, FLOW_OUT = 2, FLOW_INOUT = 3 };
enum { CATEGORIES_BYTES_MAX = 64 << 10 }; /* no category is added to a text that is longer */

/* Adds a category to TEXT, after a comma unless it is the first. TM_END: TEXT is too long. */
static enum tm_status join(struct tm_buf *text, const uint8_t *data, size_t len)
{
    if (text->len > CATEGORIES_BYTES_MAX)
        return TM_END;
    if (text->len && tm_buf_add_byte(text, ',') != TM_OK)
        return TM_E_SYSTEM;
    return tm_buf_add(text, data, len);
}

/* Joins several categories by commas, iids before texts. */
static enum tm_status join_categories(const struct tm_proto_track_context *c, uint32_t *string, struct tm_error *err)
{
    struct tm_buf *text = &c->rows->text;
    struct tm_proto_numbers iids = {.pb = c->event->body, .id = TM_TRACK_EVENT_CATEGORY_IIDS};
    struct tm_pb pb = c->event->body;
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    uint64_t iid;
    text->len = 0;
    while (st == TM_OK && tm_proto_numbers_next(&iids, &iid)) {
        struct tm_pb_field name = tm_proto_interned_text(c->packet->sequence, TM_INTERNED_EVENT_CATEGORIES, iid);
        if (name.data)
            st = join(text, name.data, name.len);
    }
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_TRACK_EVENT_CATEGORIES)
            st = join(text, f.data, f.len);
    if (st < 0)
        return tm_error_nomem(err);
    c->rows->is_cut |= st == TM_END;
    return text->len ? tm_proto_string(c->rows, text->data, text->len, string, err) : TM_OK;
}

/* Sets *STRING to the string number of the interned message (FIELD, IID); 0: there is none. */
static enum tm_status interned_string(const struct tm_proto_track_context *c, uint32_t field, uint64_t iid,
                                      uint32_t *string, struct tm_error *err)
{
    const struct tm_proto_sequence *sequence = c->packet->sequence;
    struct tm_proto_map_entry *entry = sequence ? tm_proto_map_find(&sequence->interned_index, field, iid) : NULL;
    *string = 0;
    return entry ? tm_proto_interned_string(c->rows, sequence, entry, string, err) : TM_OK;
}

static enum tm_status category_of(const struct tm_proto_track_context *c, uint32_t *string, struct tm_error *err)
{
    const struct tm_proto_track_event *event = c->event;
    if (event->category_count == 0)
        return TM_OK;
    if (event->category_count > 1)
        return join_categories(c, string, err);
    if (event->category)
        return tm_proto_string(c->rows, event->category, event->category_len, string, err);
    enum tm_status st = interned_string(c, TM_INTERNED_EVENT_CATEGORIES, event->category_iid, string, err);
    if (st < 0 || *string)
        return st;
    char unknown[40];
    int len = snprintf(unknown, sizeof unknown, "unknown(%" PRIu64 ")", event->category_iid);
    return tm_proto_string(c->rows, unknown, (size_t)len, string, err);
}

static enum tm_status name_of(const struct tm_proto_track_context *c, uint32_t *string, struct tm_error *err)
{
    uint64_t iid = c->event->name_iid ? c->event->name_iid : c->event->legacy->name_iid;
    if (iid)
        return interned_string(c, TM_INTERNED_EVENT_NAMES, iid, string, err);
    if (c->event->name)
        return tm_proto_string(c->rows, c->event->name, c->event->name_len, string, err);
    return TM_OK;
}

/* Prefetches what category_of and name_of look up. The two then take no longer than one. */
static void prefetch_strings(const struct tm_proto_track_context *c)
{
    const struct tm_proto_sequence *sequence = c->packet->sequence;
    const struct tm_proto_track_event *event = c->event;
    if (sequence && event->name_iid)
        tm_proto_map_prefetch(&sequence->interned_index, TM_INTERNED_EVENT_NAMES, event->name_iid);
    if (sequence && event->category_iid)
        tm_proto_map_prefetch(&sequence->interned_index, TM_INTERNED_EVENT_CATEGORIES, event->category_iid);
}

static bool has_log(const struct tm_proto_track_event *event)
{
    return event->fields & TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_LOG_MESSAGE);
}

/* Finds the track of the event. An event without one is on the thread of its sequence, or on the one that legacy_event
 * names. */
static void associate(struct tm_proto_track_context *c)
{
    const struct tm_proto_sequence *sequence = c->packet->sequence;
    const struct tm_proto_track_event *event = c->event;
    const struct tm_proto_legacy *legacy = event->legacy;
    c->track = event->has_track ? event->track : sequence->has_default_track ? sequence->default_track : 0;
    if (c->track) {
        if (!event->has_legacy && !event->has_thread_delta && !event->has_thread_absolute &&
            !event->has_instructions_delta && !event->has_instructions_absolute && !has_log(event))
            return;
        struct tm_proto_track track = tm_proto_track_find(c->tracks, c->packet->machine, c->track);
        c->has_thread = track.kind == TM_PROTO_TRACK_THREAD;
        c->has_process = c->has_thread || track.kind == TM_PROTO_TRACK_PROCESS;
        c->pid = track.pid;
        c->tid = track.tid;
        return;
    }
    c->fallback = ((!event->has_track || !event->has_type) && sequence->has_thread) || legacy->has_pid ||
                  (legacy->has_tid && sequence->has_thread);
    if (!c->fallback)
        return;
    c->has_thread = c->has_process = true;
    c->pid = sequence->pid;
    c->tid = sequence->tid;
    if (legacy->has_pid) {
        c->pid = (int64_t)(uint32_t)legacy->pid;
        c->tid = tm_proto_synthetic_tid(-1, c->pid);
    }
    if (legacy->has_tid) {
        c->tid = (int64_t)(uint32_t)legacy->tid;
        if ((uint64_t)sequence->tid >> 32)
            c->tid = tm_proto_synthetic_tid(c->tid, c->pid);
    }
}

static int64_t add_clamped(int64_t a, int64_t b)
{
    int64_t sum;
    if (!tm_add_i64(a, b, &sum))
        return b < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

/* True if EVENT has only the fields that identify a slice or instant, as most events of a trace do. */
static bool is_on_fast_path(const struct tm_proto_track_event *event)
{
    return !(event->fields & ~PLAIN_FIELDS);
}

/* Returns the statistic of an event whose time or counts are relative to those of a thread descriptor that there is
 * not. */
static enum tm_proto_stat stat_without_state(const struct tm_proto_track_event *event)
{
    return event->has_delta          ? TM_PROTO_STAT_DELTA_NO_STATE
           : event->has_thread_delta ? TM_PROTO_STAT_THREAD_DELTA_NO_STATE
                                     : TM_PROTO_STAT_INSTRUCTIONS_NO_STATE;
}

/* Resolves times and counts relative to the thread descriptor's. TM_END: there is none, and the event is lost. */
static enum tm_status resolve_times(struct tm_proto_track_event *event, struct tm_proto_packet *packet)
{
    struct tm_proto_sequence *sequence = packet->sequence;
    if (is_on_fast_path(event))
        return TM_OK;
    if ((event->has_delta || event->has_thread_delta || event->has_instructions_delta) && !sequence->has_reference)
        return TM_END;
    if (event->has_delta || (event->has_absolute && event->time_us)) {
        packet->time = tm_us_to_ns_saturate(event->time_us);
        if (event->has_delta)
            packet->time = sequence->reference_ns = add_clamped(sequence->reference_ns, packet->time);
        packet->has_time = true;
        packet->clock = TM_CLOCK_MONOTONIC_IF_RELATED;
    }
    event->thread_us = tm_us_to_ns_saturate(event->thread_us); /* nanoseconds from here on */
    if (event->has_thread_delta)
        event->thread_us = sequence->reference_thread_ns =
            add_clamped(sequence->reference_thread_ns, event->thread_us);
    if (event->has_instructions_delta)
        event->instructions = sequence->reference_instructions =
            add_clamped(sequence->reference_instructions, event->instructions);
    return TM_OK;
}

static enum tm_status put_flow(struct tm_buf *detail, const struct tm_pb_field *f, uint32_t id)
{
    const uint8_t *at = f->data, *end = f->data ? f->data + f->len : NULL;
    bool fixed = f->id == TM_TRACK_EVENT_FLOWS || f->id == TM_TRACK_EVENT_ENDING_FLOWS;
    if (f->type != TM_PB_LEN)
        return tm_pb_put_i64(detail, id, f->value);
    while (at < end) {
        uint64_t flow = 0;
        if (fixed && end - at >= 8) {
            flow = tm_get_le64(at);
            at += 8;
        } else if (fixed || (at = tm_varint_get(at, end, &flow)) == NULL) {
            return TM_OK;
        }
        if (tm_pb_put_i64(detail, id, flow) != TM_OK)
            return TM_E_SYSTEM;
    }
    return TM_OK;
}

/* Puts flow ids into the detail: the current fields, otherwise the old ones. */
static enum tm_status put_flows(struct tm_buf *detail, struct tm_pb body)
{
    bool has_new = false, has_new_ending = false;
    enum tm_status st = TM_OK;
    struct tm_pb_field f;
    for (struct tm_pb pb = body; tm_pb_next(&pb, &f) == TM_OK;) {
        has_new |= f.id == TM_TRACK_EVENT_FLOWS;
        has_new_ending |= f.id == TM_TRACK_EVENT_ENDING_FLOWS;
    }
    while (st == TM_OK && tm_pb_next(&body, &f) == TM_OK) {
        if (f.id == TM_TRACK_EVENT_FLOWS || (f.id == TM_TRACK_EVENT_FLOWS_OLD && !has_new))
            st = put_flow(detail, &f, TM_DETAIL_FLOW_IDS);
        else if (f.id == TM_TRACK_EVENT_ENDING_FLOWS || (f.id == TM_TRACK_EVENT_ENDING_FLOWS_OLD && !has_new_ending))
            st = put_flow(detail, &f, TM_DETAIL_TERMINATING_FLOW_IDS);
    }
    return st;
}

/* Returns the field of the detail for the flow that LEGACY binds; 0: it states no direction. */
static uint32_t bind_field(const struct tm_proto_legacy *legacy)
{
    return legacy->flow_direction == FLOW_OUT     ? TM_DETAIL_BIND_OUT
           : legacy->flow_direction == FLOW_INOUT ? TM_DETAIL_BIND_STEP
           : legacy->flow_direction == FLOW_IN    ? TM_DETAIL_BIND_IN
                                                  : 0;
}

/* Puts the flow that the event of ROW binds. Without a direction it is counted, if the event begins a slice. */
static enum tm_status put_bind(const struct tm_proto_track_context *c, const struct tm_event *row, struct tm_error *err)
{
    const struct tm_proto_legacy *legacy = c->event->legacy;
    const uint32_t field = bind_field(legacy);
    if (!legacy->has_bind_id)
        return TM_OK;
    if (field)
        return tm_pb_put_i64(&c->rows->detail, field, legacy->bind_id) < 0 ? tm_error_nomem(err) : TM_OK;
    if (row->kind != TM_KIND_SLICE_BEGIN && row->kind != TM_KIND_SLICE_COMPLETE && row->kind != TM_KIND_INSTANT)
        return TM_OK;
    return tm_proto_count_stat(&c->rows->counts, TM_PROTO_STAT_FLOW_NO_DIRECTION, c->packet->machine, 1, err);
}

/* True if the event would be on the thread of its sequence if that was known. */
static bool awaits_thread(const struct tm_proto_track_context *c)
{
    const struct tm_proto_legacy *legacy = c->event->legacy;
    return c->track == 0 && !c->event->has_track && c->packet->generation && !legacy->has_tid &&
           (!legacy->has_phase || tm_proto_legacy_is_of_thread(legacy)) && c->event->type != TM_TYPE_COUNTER;
}

static void place(const struct tm_proto_track_context *c, struct tm_event *row)
{
    struct tm_proto_sequence *sequence = c->packet->sequence;
    if (c->fallback) {
        row->flags |= tm_event_scope_flags(TM_SCOPE_THREAD) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
        row->pid = c->pid;
        row->tid = c->tid;
    } else {
        row->flags |= tm_event_scope_flags(TM_SCOPE_TRACK) | TM_EVENT_HAS_TRACK;
        row->track = c->track;
        if (!awaits_thread(c))
            return;
        sequence->awaits_thread = true;
        row->flags |= TM_EVENT_LATE_THREAD;
        row->value = c->packet->generation - sequence->first_generation;
    }
}

/* Sets kind and value. TM_END: the event stays a packet. */
static enum tm_status fill(const struct tm_proto_track_context *c, struct tm_event *row, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    place(c, row);
    if (c->event->type == TM_TYPE_COUNTER)
        st = tm_proto_counter_fill(c, row, err);
    if (st == TM_OK && c->event->has_extra) /* after the event's own value, which may belong to the same counter */
        st = tm_proto_extra_counters_read(c, row, err);
    if (st != TM_OK || c->event->type == TM_TYPE_COUNTER)
        return st;
    if (c->event->legacy->has_phase)
        return tm_proto_legacy_fill(c, row, err);
    switch (c->event->type) {
    case TM_TYPE_SLICE_BEGIN:
        row->kind = TM_KIND_SLICE_BEGIN;
        break;
    case TM_TYPE_SLICE_END:
        row->kind = TM_KIND_SLICE_END;
        break;
    case TM_TYPE_INSTANT:
        row->kind = TM_KIND_INSTANT;
        break;
    case TM_TYPE_STATE:
        break;
    default: return tm_proto_count_stat(&c->rows->counts, TM_PROTO_STAT_TRACK_EVENT_ERRORS, c->packet->machine, 1, err);
    }
    return TM_OK;
}

/* Makes ROW, whose event is refused, a packet of no track, so that none is described earlier for it. Its values are as
 * recorded. */
static void refuse(const struct tm_proto_track_context *c, struct tm_event *row)
{
    const uint32_t all_scopes = UINT32_C(15) << TM_EVENT_SCOPE_SHIFT;
    row->kind = TM_KIND_PACKET;
    row->flags &= ~(all_scopes | (uint32_t)(TM_EVENT_HAS_TRACK | TM_EVENT_LATE_THREAD));
    if (c->is_absolute)
        tm_proto_take_packet(c->packet, row);
}

static enum tm_status add_rows(struct tm_proto_track_context *c, struct tm_event *row, struct tm_error *err)
{
    const struct tm_proto_track_event *event = c->event;
    enum tm_status st = category_of(c, &row->category, err);
    if (st >= 0)
        st = name_of(c, &row->name, err);
    if (st >= 0)
        st = fill(c, row, err);
    if (st < 0)
        return st;
    bool dropped = st == TM_END;
    if (dropped)
        refuse(c, row);
    if (is_on_fast_path(event))
        return tm_proto_add(c->rows, row, err);
    if (event->has_flows && put_flows(&c->rows->detail, event->body) != TM_OK)
        return tm_error_nomem(err);
    if ((st = put_bind(c, row, err)) < 0)
        return st;
    const bool is_shown = !dropped && !(event->legacy->has_phase && row->kind == TM_KIND_PACKET);
    if (event->has_args && c->rows->sink->want_detail && (st = tm_proto_annotations_put(c, is_shown, err)) < 0)
        return st;
    const bool is_wide = !dropped && event->has_extra && tm_proto_absolute_raw_widen(c, row);
    if (!dropped && (is_wide || c->is_absolute || tm_proto_absolute_raw_is_needed(c, row)) &&
        (st = tm_proto_absolute_raw(c, row, err)) < 0)
        return st;
    if ((st = tm_proto_add(c->rows, row, err)) < 0 || dropped)
        return st;
    if (event->has_extra && !c->is_absolute)
        st = tm_proto_extra_counters_add(c, err);
    if (st >= 0 && c->has_thread)
        st = tm_proto_thread_counters_add(c, row, err);
    if (st >= 0 && has_log(event) && c->rows->sink->want_packet_args)
        st = tm_proto_log_messages_add(c, row, err);
    if (st >= 0 && (event->fields & TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_OTHERS)) && !event->legacy->has_phase &&
        c->rows->sink->want_packet_args)
        st = tm_proto_process_life_add(c->rows, event->body, row, err);
    if (st >= 0 && event->legacy->phase == 'M')
        st = tm_proto_legacy_names(c, row, err);
    if (st >= 0 && event->legacy->phase == 'P')
        st = tm_proto_v8_samples_add(c, err);
    return st;
}

/* Chooses what raw of ROW is: the packet, or only its body. WHOLE: the event has no damage. */
static void choose_raw(struct tm_proto_track_context *c, bool whole, struct tm_event *row)
{
    const struct tm_proto_packet *packet = c->packet;
    uint64_t changes = TM_TRACK_EVENT_CHANGES;
    c->head_bytes = (size_t)(packet->body.data - packet->body.start);
    c->is_whole = whole;
    c->is_absolute = whole && tm_proto_absolute_raw_suits(c);
    /* Outputs write tag and length in their shortest form. */
    bool has_short_head = c->is_absolute || c->head_bytes == 1 + tm_varint_size(packet->body.len);
    if (c->is_absolute) /* these values do not change any more */
        changes &= ~(TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_EXTRA_VALUES) |
                     TM_TRACK_EVENT_BIT(TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES));
    if (whole && packet->rest && has_short_head && !(c->event->fields & changes)) {
        row->flags |= TM_EVENT_RAW_BODY;
        row->raw = packet->rest;
        row->raw_bytes = (uint32_t)packet->rest_len;
    }
    c->recorded = tm_text_at(row->raw, row->raw_bytes);
}

enum tm_status tm_proto_track_event_read(struct tm_proto *p, struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_proto_track_event event;
    struct tm_proto_track_context c = {
        .tracks = &p->tracks, .rows = &p->rows, .types = &p->types, .v8 = &p->v8,
        .packet = packet, .event = &event};
    uint64_t counted = p->rows.counts.additions;
    enum tm_status read = tm_proto_track_event_decode(&event, &packet->body);
    bool whole = read == TM_OK;
    if (read < 0 && (read = tm_proto_count_inner(&p->rows.counts, packet->machine, read, err)) < 0)
        return read;
    prefetch_strings(&c);
    if (packet->sequence == NULL || resolve_times(&event, packet) == TM_END) {
        enum tm_proto_stat stat = packet->sequence ? stat_without_state(&event) : TM_PROTO_STAT_NO_SEQUENCE;
        enum tm_status st = tm_proto_count_stat(&p->rows.counts, stat, packet->machine, 1, err);
        return st < 0 ? st
                      : tm_proto_count_account(&p->rows.counts, TM_DROP_NEEDS_STATE, packet->clock, packet->byte, err);
    }
    struct tm_event row = tm_proto_event(packet, TM_KIND_PACKET);
    choose_raw(&c, whole, &row);
    if (!packet->has_time) {
        enum tm_status st =
            tm_proto_count_stat(&p->rows.counts, TM_PROTO_STAT_TRACK_EVENT_NO_TIME, packet->machine, 1, err);
        refuse(&c, &row);
        row.kind = TM_KIND_METADATA;
        row.flags |= TM_EVENT_DEFINITION;
        return st < 0 ? st : tm_proto_add(&p->rows, &row, err);
    }
    associate(&c);
    enum tm_status st = add_rows(&c, &row, err);
    if (st == TM_OK && counted == p->rows.counts.additions)
        tm_packet_cache_note(p, &c, &row);
    return st;
}

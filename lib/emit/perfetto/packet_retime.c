#include "emit/perfetto/packet_retime.h"

#include "emit/perfetto/packet_changes.h"
#include "emit/perfetto/packet_splice.h"
#include "emit/perfetto/trace_stats.h"
#include "perfetto/etw_fields.h"
#include "perfetto/message_fields.h"
#include "perfetto/track_event_fields.h"
#include "perfetto/packet_times.h"
#include "perfetto/ftrace_event_fields.h"

#include <stdio.h>

/* The state of a rewriting function. */
struct rewrite {
    struct tm_packet_writer *writer;
    const struct tm_event *event;
    const struct tm_extra_values *extras;
    uint32_t extras_used;
    bool failed; /* out of memory */
};

static void check(struct rewrite *r, enum tm_status st)
{
    r->failed |= st != TM_OK;
}

static void copy(struct rewrite *r, const struct tm_pb_field *f)
{
    check(r, tm_buf_add(&r->writer->out, f->start, (size_t)(f->end - f->start)));
}

typedef uint64_t id_in_output_fn(const struct tm_packet_writer *writer, uint32_t file, uint64_t id);

/* Rewrites an id field, single or packed, as varint or fixed64: one field for each element. Damaged elements stay
 * unchanged. */
static void put_ids(struct rewrite *r, const struct tm_pb_field *f, bool is_fixed, id_in_output_fn *own)
{
    struct tm_buf *out = &r->writer->out;
    const uint8_t *p = f->data, *end = f->data + f->len, *next;
    uint64_t v = f->value;
    if (f->type != TM_PB_LEN) {
        v = own(r->writer, r->event->file, v);
        check(r, is_fixed ? tm_pb_put_i64(out, f->id, v) : tm_pb_put_varint(out, f->id, v));
        return;
    }
    for (; p < end; p = next) {
        next = !is_fixed ? tm_varint_get(p, end, &v) : end - p < 8 ? NULL : p + 8;
        if (next == NULL) {
            check(r, tm_pb_put_bytes(out, f->id, p, (size_t)(end - p)));
            return;
        }
        v = own(r->writer, r->event->file, is_fixed ? tm_get_le64(p) : v);
        check(r, is_fixed ? tm_pb_put_i64(out, f->id, v) : tm_pb_put_varint(out, f->id, v));
    }
}

/* Runs EACH over the fields of the message at F and writes the result in its place. Damaged bytes, which tm-unpack has
 * counted, stay unchanged, so that readers treat them alike. */
static void rewrite_message(struct rewrite *r, const struct tm_pb_field *f,
                            void (*each)(struct rewrite *, const struct tm_pb_field *))
{
    struct tm_buf *out = &r->writer->out;
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g;
    enum tm_status st;
    const uint8_t *good = f->data;
    size_t mark = 0;
    if (f->type != TM_PB_LEN) {
        copy(r, f);
        return;
    }
    check(r, tm_pb_begin(out, f->id, &mark));
    while (!r->failed && (st = tm_pb_next(&pb, &g)) == TM_OK) {
        each(r, &g);
        good = g.end;
    }
    if (r->failed)
        return;
    if (st < 0)
        check(r, tm_buf_add(out, good, (size_t)(f->data + f->len - good)));
    check(r, tm_pb_end(out, mark));
}

static void legacy_field(struct rewrite *r, const struct tm_pb_field *f)
{
    bool is_flow = f->id == TM_LEGACY_EVENT_BIND_ID ||
                   (r->event->kind >= TM_KIND_FLOW_START && r->event->kind <= TM_KIND_FLOW_END);
    if (f->id == TM_LEGACY_EVENT_UNSCOPED_ID || f->id == TM_LEGACY_EVENT_BIND_ID || f->id == TM_LEGACY_EVENT_LOCAL_ID ||
        f->id == TM_LEGACY_EVENT_GLOBAL_ID)
        put_ids(r, f, false, is_flow ? tm_packet_flow : tm_packet_id);
    else
        copy(r, f);
}

static void put_value(struct rewrite *r, uint32_t int_field, uint32_t double_field, uint64_t value, bool is_double)
{
    struct tm_buf *out = &r->writer->out;
    check(r, is_double ? tm_pb_put_i64(out, double_field, value) : tm_pb_put_varint(out, int_field, value));
}

/* Replaces as many values as F holds by those of the derived rows. */
static void put_extra_values(struct rewrite *r, const struct tm_pb_field *f)
{
    bool is_double = tm_extra_values_are_double(f);
    uint32_t n = tm_extra_values_in(f);
    if (r->extras == NULL || n > r->extras->count - r->extras_used) {
        copy(r, f);
        return;
    }
    for (; n > 0; n--)
        put_value(r, TM_TRACK_EVENT_EXTRA_VALUES, TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES,
                  tm_extra_value_for(&r->extras->values[r->extras_used++], f), is_double);
}

static void track_event_field(struct rewrite *r, const struct tm_pb_field *f)
{
    const struct tm_event *e = r->event;
    switch (tm_event_change_of(f->id)) {
    case TM_EVENT_CHANGE_NONE:
        break;
    case TM_EVENT_CHANGE_TIME:
        return;
    case TM_EVENT_CHANGE_ID:
        put_ids(r, f, false, tm_packet_id);
        return;
    case TM_EVENT_CHANGE_FLOW:
        put_ids(r, f, false, tm_packet_flow);
        return;
    case TM_EVENT_CHANGE_FIXED_FLOW:
        put_ids(r, f, true, tm_packet_flow);
        return;
    case TM_EVENT_CHANGE_COUNTER:
        if (e->kind == TM_KIND_COUNTER && e->flags & TM_EVENT_HAS_VALUE) {
            put_value(r, TM_TRACK_EVENT_COUNTER, TM_TRACK_EVENT_DOUBLE_COUNTER, e->value,
                      e->flags & TM_EVENT_VALUE_DOUBLE);
            return;
        }
        break;
    case TM_EVENT_CHANGE_EXTRA_VALUES:
        put_extra_values(r, f);
        return;
    case TM_EVENT_CHANGE_LEGACY:
        if (!tm_packet_mixes_ids(r->writer, e->file))
            break;
        rewrite_message(r, f, legacy_field);
        return;
    }
    copy(r, f);
}

static void counter_field(struct rewrite *r, const struct tm_pb_field *f)
{
    if (f->id != TM_COUNTER_DESCRIPTOR_IS_INCREMENTAL && f->id != TM_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER)
        copy(r, f);
}

static void descriptor_field(struct rewrite *r, const struct tm_pb_field *f)
{
    if (f->id == TM_DESCRIPTOR_UUID && r->writer->descriptor_uuid) {
        check(r, tm_pb_put_varint(&r->writer->out, TM_DESCRIPTOR_UUID, r->writer->descriptor_uuid));
        return;
    }
    if (f->id == TM_DESCRIPTOR_UUID || f->id == TM_DESCRIPTOR_PARENT)
        put_ids(r, f, false, tm_packet_id);
    else if (f->id == TM_DESCRIPTOR_COUNTER)
        rewrite_message(r, f, counter_field);
    else
        copy(r, f);
}

static void defaults_field(struct rewrite *r, const struct tm_pb_field *f)
{
    if (f->id == TM_PACKET_TIMESTAMP_CLOCK_ID)
        return;
    if (f->id == TM_PACKET_TRACK_EVENT)
        rewrite_message(r, f, track_event_field);
    else
        copy(r, f);
}

/* Copies a field of a bundle without events, unless it is about the bundle's clock or buffer. */
static void bundle_field(struct rewrite *r, const struct tm_pb_field *f)
{
    switch (f->id) {
    case TM_BUNDLE_CLOCK:
    case TM_BUNDLE_FTRACE_TIMESTAMP:
    case TM_BUNDLE_BOOT_TIMESTAMP:
    case TM_BUNDLE_LAST_READ:
    case TM_BUNDLE_PREVIOUS_END: /* ftrace_bounds.h writes it for the machine */
        return;
    default:
        copy(r, f);
        return;
    }
}

static void etw_event_field(struct rewrite *r, const struct tm_pb_field *f)
{
    if (f->id == TM_ETW_EVENT_TIMESTAMP)
        check(r, tm_pb_put_varint(&r->writer->out, f->id, (uint64_t)r->event->time_ns));
    else
        copy(r, f);
}

/* Writes a field of a bundle, which has one event, that of the row, or none. */
static void etw_bundle_field(struct rewrite *r, const struct tm_pb_field *f)
{
    if (f->id == TM_ETW_BUNDLE_EVENT)
        rewrite_message(r, f, etw_event_field);
    else
        copy(r, f);
}

/* Attributes that an earlier merge wrote about itself become attributes of the file that it wrote. */
static void attribute_field(struct rewrite *r, const struct tm_pb_field *f)
{
    static const char own[] = "tracemerge.";
    char prefix[sizeof TM_PROVENANCE_FILE + 16];
    struct tm_buf *out = &r->writer->out;
    size_t mark;
    if (f->id != TM_ATTRIBUTE_KEY || f->type != TM_PB_LEN || f->len < sizeof own ||
        memcmp(f->data, own, sizeof own - 1) != 0) {
        copy(r, f);
        return;
    }
    int n = snprintf(prefix, sizeof prefix, TM_PROVENANCE_FILE "%u.",
                     (unsigned)r->writer->catalog->files[r->event->file].processing_order);
    bool good = tm_pb_begin(out, TM_ATTRIBUTE_KEY, &mark) == TM_OK && tm_buf_add(out, prefix, (size_t)n) == TM_OK &&
                tm_buf_add(out, f->data + sizeof own - 1, f->len - (sizeof own - 1)) == TM_OK &&
                tm_pb_end(out, mark) == TM_OK;
    check(r, good ? TM_OK : TM_E_SYSTEM);
}

static void attributes_field(struct rewrite *r, const struct tm_pb_field *f)
{
    if (f->id == TM_ATTRIBUTES_ATTRIBUTE)
        rewrite_message(r, f, attribute_field);
    else
        copy(r, f);
}

static void packet_field(struct rewrite *r, const struct tm_pb_field *f)
{
    switch (tm_packet_change_of(f->id)) {
    case TM_PACKET_CHANGE_OF_RECORD:
        return;
    case TM_PACKET_CHANGE_EVENT:
        rewrite_message(r, f, track_event_field);
        return;
    case TM_PACKET_CHANGE_DESCRIPTOR:
        rewrite_message(r, f, descriptor_field);
        return;
    case TM_PACKET_CHANGE_DEFAULTS:
        rewrite_message(r, f, defaults_field);
        return;
    case TM_PACKET_CHANGE_BUNDLE:
        rewrite_message(r, f, bundle_field);
        return;
    case TM_PACKET_CHANGE_ETW:
        rewrite_message(r, f, etw_bundle_field);
        return;
    case TM_PACKET_CHANGE_ATTRIBUTES:
        rewrite_message(r, f, attributes_field);
        return;
    case TM_PACKET_CHANGE_UUID:
        if (r->writer->has_own_uuid)
            return;
        break;
    case TM_PACKET_CHANGE_INPUT_EVENTS:
        r->writer->has_input_events = true;
        break;
    case TM_PACKET_CHANGE_STATS:
        if (f->type != TM_PB_LEN || !r->writer->trace_stats)
            break;
        check(r, tm_trace_stats_write(r->writer->trace_stats, r->writer, r->event, f));
        return;
    case TM_PACKET_CHANGE_NONE:
    case TM_PACKET_CHANGE_CLOCK:
        break;
    }
    copy(r, f);
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
            if (g.id == TM_TRACK_EVENT_EXTRA_VALUES || g.id == TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES)
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
    tm_unsupported_counts_times(r->writer->unsupported, e->file, unchanged);
    *pb = tm_pb_of(buf->data, buf->len);
    return TM_OK;
}

enum tm_status tm_packet_rewrite(struct tm_packet_writer *w, const struct tm_event *e,
                                 const struct tm_extra_values *extras, struct tm_error *err)
{
    struct rewrite r = {.writer = w, .event = e, .extras = extras};
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
        packet_field(&r, &f);
        if (r.failed)
            break;
    }
    if (r.failed)
        return tm_error_nomem(err);
    if (st != TM_END)
        return tm_error_set(err, TM_E_INPUT, "event %llu: raw bytes are not a valid TracePacket",
                            (unsigned long long)e->position);
    return tm_packet_end(w, err);
}

/* Writes a packet about losses of a sequence (doc/events.md), which is copied whole. */
static enum tm_status write_loss(struct tm_packet_writer *w, const struct tm_event *e, struct tm_error *err)
{
    uint32_t sequence;
    bool is_new;
    enum tm_status st = tm_packet_begin(w, e->machine, err);
    if (st == TM_OK)
        st = tm_packet_sequence(w, e, &sequence, &is_new, err);
    if (st == TM_OK && (tm_pb_put_varint(&w->out, TM_PACKET_SEQUENCE_ID, sequence) != TM_OK ||
                        tm_buf_add(&w->out, e->raw, e->raw_bytes) != TM_OK))
        return tm_error_nomem(err);
    return st < 0 ? st : tm_packet_end(w, err);
}

enum tm_status tm_packet_retime(struct tm_packet_writer *w, const struct tm_event *e,
                                const struct tm_extra_values *extras, struct tm_error *err)
{
    if (tm_packet_is_loss(e))
        return write_loss(w, e, err);
    enum tm_status st = tm_packet_splice(w, e, extras, err);
    return st == TM_END ? tm_packet_rewrite(w, e, extras, err) : st;
}

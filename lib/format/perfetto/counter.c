/* Counters of track events: converts recorded values to absolute ones. */
#include "format/perfetto/count.h"
#include "base/checked.h"
#include "format/perfetto/descriptor.h"
#include "format/perfetto/track_event.h"

enum { COUNTERS_MAX = 1 << 18 }; /* incremental counters of one sequence */

/* A counter's value: an int64, or a double if a double was recorded or an integer overflowed. */
struct number {
    bool is_double;
    uint64_t bits;
};

static double as_double(struct number n)
{
    return n.is_double ? tm_pb_double(n.bits) : (double)(int64_t)n.bits;
}

static struct number scaled(struct number n, int64_t by)
{
    int64_t product;
    if (by <= 0 || by == 1)
        return n;
    if (!n.is_double && tm_mul_i64((int64_t)n.bits, by, &product))
        return (struct number){.bits = (uint64_t)product};
    return (struct number){.is_double = true, .bits = tm_pb_bits(as_double(n) * (double)by)};
}

static struct number added(struct number a, struct number b)
{
    int64_t sum;
    if (!a.is_double && !b.is_double && tm_add_i64((int64_t)a.bits, (int64_t)b.bits, &sum))
        return (struct number){.bits = (uint64_t)sum};
    return (struct number){.is_double = true, .bits = tm_pb_bits(as_double(a) + as_double(b))};
}

/* Converts *N, recorded for track UUID, to an absolute value. TM_END: the track is not a counter. */
static enum tm_status make_absolute(const struct tm_proto_track_context *c, uint64_t uuid, struct number *n,
                                    struct tm_error *err)
{
    struct tm_proto_sequence *sequence = c->packet->sequence;
    struct tm_proto_track track = tm_proto_track_find(c->tracks, c->packet->machine, uuid);
    struct tm_proto_map_entry *entry;
    if (track.kind != TM_PROTO_TRACK_COUNTER)
        return TM_END;
    *n = scaled(*n, track.unit_multiplier);
    if (!track.is_incremental)
        return TM_OK;
    enum tm_status st = tm_proto_map_add(&sequence->counters, 0, uuid, COUNTERS_MAX, &entry);
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "sequence %u has more than %d incremental counters", sequence->id,
                            COUNTERS_MAX);
    if (st < 0)
        return tm_error_nomem(err);
    *n = added((struct number){.is_double = entry->v2 != 0, .bits = entry->v1}, *n);
    entry->v1 = n->bits;
    entry->v2 = n->is_double;
    return TM_OK;
}

static void set_value(struct tm_event *row, struct number n)
{
    row->kind = TM_KIND_COUNTER;
    row->flags |= TM_EVENT_HAS_VALUE | (n.is_double ? TM_EVENT_VALUE_DOUBLE : 0);
    row->value = n.bits;
}

static enum tm_status drop(const struct tm_proto_track_context *c, enum tm_proto_stat stat, struct tm_error *err)
{
    enum tm_status st = tm_proto_count_stat(&c->rows->counts, stat, c->packet->machine, 1, err);
    return st < 0 ? st : TM_END;
}

enum tm_status tm_proto_counter_fill(const struct tm_proto_track_context *context, struct tm_event *row,
                                     struct tm_error *err)
{
    const struct tm_proto_track_event *event = context->event;
    struct number n = {.is_double = !event->has_int, .bits = event->counter};
    if (!event->has_track && !context->packet->sequence->has_default_track)
        return drop(context, TM_PROTO_STAT_COUNTER_NO_TRACK, err);
    if (!event->has_int && !event->has_double)
        return drop(context, TM_PROTO_STAT_COUNTER_NO_VALUE, err);
    enum tm_status st = make_absolute(context, context->track, &n, err);
    if (st == TM_END)
        return drop(context, TM_PROTO_STAT_COUNTER_BAD_TRACK, err);
    if (st == TM_OK)
        set_value(row, n);
    return st;
}

/* Reads the numbers of a repeated field, packed or not, up to TM_EXTRA_VALUES_MAX + 1. Returns how many. */
static size_t read_numbers(const struct tm_proto_track_event *event, uint32_t id, bool fixed,
                           uint64_t out[TM_EXTRA_VALUES_MAX + 1])
{
    struct tm_pb pb = event->body;
    struct tm_pb_field f;
    size_t count = 0;
    if (!(event->fields & TM_TRACK_EVENT_BIT(id)))
        return 0;
    while (count <= TM_EXTRA_VALUES_MAX && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != id)
            continue;
        if (f.type != TM_PB_LEN) {
            out[count++] = f.value;
            continue;
        }
        const uint8_t *at = f.data, *end = f.data + f.len;
        while (at && at < end && count <= TM_EXTRA_VALUES_MAX) {
            if (fixed && end - at < 8)
                break;
            if (fixed)
                out[count++] = tm_get_le64(at), at += 8;
            else if ((at = tm_varint_get(at, end, &out[count])) != NULL)
                count++;
        }
    }
    return count;
}

/* Reads the tracks of the extra values: the event's, otherwise the sequence's defaults. */
static size_t read_tracks(const struct tm_proto_track_context *c, uint32_t id, const struct tm_buf *defaults,
                          uint64_t out[TM_EXTRA_VALUES_MAX + 1])
{
    size_t count = read_numbers(c->event, id, false, out);
    if (count)
        return count;
    count = defaults->len / sizeof *out;
    if (count > TM_EXTRA_VALUES_MAX + 1)
        count = TM_EXTRA_VALUES_MAX + 1;
    if (count)
        memcpy(out, defaults->data, count * sizeof *out);
    return count;
}

static enum tm_status read_extra(const struct tm_proto_track_context *c, const struct tm_event *row, bool is_double,
                                 struct tm_error *err)
{
    const struct tm_proto_sequence *sequence = c->packet->sequence;
    uint64_t values[TM_EXTRA_VALUES_MAX + 1], tracks[TM_EXTRA_VALUES_MAX + 1];
    size_t count =
        read_numbers(c->event, is_double ? TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES : TM_TRACK_EVENT_EXTRA_VALUES,
                     is_double, values);
    size_t track_count =
        count == 0 ? 0
                   : read_tracks(c, is_double ? TM_TRACK_EVENT_EXTRA_DOUBLE_TRACKS : TM_TRACK_EVENT_EXTRA_TRACKS,
                                 is_double ? &sequence->extra_tracks.doubles : &sequence->extra_tracks.ints, tracks);
    if (count > 0 && track_count == 0)
        return drop(c, TM_PROTO_STAT_EXTRA_COUNTER_NO_TRACKS, err);
    for (size_t i = 0; i < count; i++) { /* sums have the values before one that is refused */
        if (i >= track_count)
            return drop(c, TM_PROTO_STAT_EXTRA_COUNTER_BAD, err);
        if (tracks[i] == 0)
            return drop(c, TM_PROTO_STAT_EXTRA_COUNTER_MISMATCH, err);
        if (c->rows->pending.len / sizeof *row >= TM_EXTRA_VALUES_MAX)
            return drop(c, TM_PROTO_STAT_EXTRA_COUNTER_EXCEEDS, err);
        struct tm_event derived = tm_proto_derived(row, TM_KIND_COUNTER);
        struct number n = {.is_double = is_double, .bits = values[i]};
        enum tm_status st = make_absolute(c, tracks[i], &n, err);
        if (st != TM_OK)
            return st < 0 ? st : drop(c, TM_PROTO_STAT_EXTRA_COUNTER_BAD, err);
        derived.flags |= tm_event_scope_flags(TM_SCOPE_TRACK) | TM_EVENT_HAS_TRACK;
        derived.track = tracks[i];
        set_value(&derived, n);
        if (tm_buf_add(&c->rows->pending, &derived, sizeof derived) != TM_OK)
            return tm_error_nomem(err);
    }
    return TM_OK;
}

enum tm_status tm_proto_extra_counters_read(const struct tm_proto_track_context *context, const struct tm_event *row,
                                            struct tm_error *err)
{
    context->rows->pending.len = 0;
    enum tm_status st = read_extra(context, row, false, err);
    return st != TM_OK ? st : read_extra(context, row, true, err);
}

enum tm_status tm_proto_extra_counters_add(const struct tm_proto_track_context *context, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t at = 0; st >= 0 && at < context->rows->pending.len; at += sizeof(struct tm_event)) {
        struct tm_event derived;
        memcpy(&derived, context->rows->pending.data + at, sizeof derived);
        st = tm_proto_add(context->rows, &derived, err);
    }
    return st;
}

static enum tm_status add_thread_counter(const struct tm_proto_track_context *c, const struct tm_event *row,
                                         const char *name, int64_t value, struct tm_error *err)
{
    struct tm_event derived = tm_proto_derived(row, TM_KIND_COUNTER);
    enum tm_status st = tm_proto_string(c->rows, name, strlen(name), &derived.name, err);
    if (st < 0)
        return st;
    derived.flags |= tm_event_scope_flags(TM_SCOPE_THREAD) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    derived.pid = c->pid;
    derived.tid = c->tid;
    derived.track = 0;
    set_value(&derived, (struct number){.bits = (uint64_t)value});
    return tm_proto_add(c->rows, &derived, err);
}

enum tm_status tm_proto_thread_counters_add(const struct tm_proto_track_context *context, const struct tm_event *row,
                                            struct tm_error *err)
{
    const struct tm_proto_track_event *event = context->event;
    enum tm_status st = TM_OK;
    if (event->has_thread_delta || event->has_thread_absolute)
        st = add_thread_counter(context, row, "thread_time", event->thread_us, err);
    if (st >= 0 && (event->has_instructions_delta || event->has_instructions_absolute))
        st = add_thread_counter(context, row, "thread_instruction_count", event->instructions, err);
    return st;
}

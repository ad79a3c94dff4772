#include "format/perfetto/ftrace.h"

#include "format/perfetto/clock.h"
#include "format/perfetto/count.h"
#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/ftrace_start.h"
#include "format/perfetto/sched.h"
#include "perfetto/ftrace_event_fields.h"

/* FtraceClock */
enum { FTRACE_CLOCK_UNSPECIFIED = 0, FTRACE_CLOCK_MONO_RAW = 4 };

struct bundle {
    struct tm_pb body;
    bool has_cpu, lost_events, has_clock, has_pair_ftrace, has_pair_boot, has_compact, has_descriptors;
    uint32_t cpu;
    uint64_t clock;
    int64_t pair_ftrace, pair_boot;
    uint64_t since; /* the time from which the bundle has all events of its cpu; 0: not stated */
};

static enum tm_status read_bundle(struct bundle *b, const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st;
    *b = (struct bundle){.body = pb};
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        switch (f.id) {
        case TM_BUNDLE_CPU:
            b->has_cpu = true;
            b->cpu = (uint32_t)f.value;
            break;
        case TM_BUNDLE_LOST_EVENTS: b->lost_events = f.value != 0; break;
        case TM_BUNDLE_COMPACT_SCHED: b->has_compact = true; break;
        case TM_BUNDLE_GENERIC_DESCRIPTOR: b->has_descriptors = true; break;
        case TM_BUNDLE_CLOCK:
            b->has_clock = true;
            b->clock = f.value;
            break;
        case TM_BUNDLE_FTRACE_TIMESTAMP:
            b->has_pair_ftrace = true;
            b->pair_ftrace = (int64_t)f.value;
            break;
        case TM_BUNDLE_BOOT_TIMESTAMP:
            b->has_pair_boot = true;
            b->pair_boot = (int64_t)f.value;
            break;
        case TM_BUNDLE_LAST_READ: b->since = b->since ? b->since : f.value; break;
        case TM_BUNDLE_PREVIOUS_END: b->since = f.value; break;
        default:
            break;
        }
    }
    return st == TM_END ? TM_OK : st;
}

/* Returns the clock of the bundle's events. A kernel clock that user space cannot read is a clock of the sequence. So
 * is an unknown clock, which no snapshot relates. */
static uint32_t clock_of(const struct bundle *b)
{
    if (!b->has_clock || b->clock == FTRACE_CLOCK_UNSPECIFIED)
        return TM_CLOCK_BOOTTIME;
    return b->clock == FTRACE_CLOCK_MONO_RAW ? TM_CLOCK_MONOTONIC_RAW : TM_CLOCK_SEQUENCE_FIRST;
}

/* Writes the clock pair of a bundle. Bundles that were read together repeat the pair, which is written once. */
static enum tm_status add_pair(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                               const struct tm_proto_packet *packet, const struct bundle *b, struct tm_error *err)
{
    uint32_t clock = clock_of(b);
    if (!b->has_clock || !b->has_pair_ftrace || !b->has_pair_boot || clock == TM_CLOCK_BOOTTIME)
        return TM_OK;
    struct tm_proto_map_entry *last = tm_proto_map_find(&kernels->ftrace_pairs, packet->machine, 0);
    if (last && last->v1 == (uint64_t)b->pair_ftrace)
        return TM_OK;
    if (tm_proto_map_add(&kernels->ftrace_pairs, packet->machine, 0, UINT32_MAX, &last) != TM_OK)
        return tm_error_nomem(err);
    last->v1 = (uint64_t)b->pair_ftrace;
    const struct tm_boottime_pair pair = {clock, b->pair_ftrace, b->pair_boot};
    return tm_proto_clock_pair(rows->sink, packet, &pair, err);
}

/* True for fields of the bundle that the packet's row keeps. The events become rows, the clock pair a snapshot. */
static bool stays(uint32_t field)
{
    return field != TM_BUNDLE_EVENT && field != TM_BUNDLE_COMPACT_SCHED && field != TM_BUNDLE_CLOCK &&
           field != TM_BUNDLE_FTRACE_TIMESTAMP && field != TM_BUNDLE_BOOT_TIMESTAMP;
}

/* Writes the packet without the bundle's events and clock pair to rows->text. */
static enum tm_status make_rest(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                const struct bundle *b)
{
    struct tm_pb pb = tm_pb_of(packet->raw, packet->raw_len), inner = b->body;
    struct tm_pb_field f;
    size_t mark;
    rows->text.len = 0;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id != TM_PACKET_FTRACE_EVENTS)
            st = tm_buf_add(&rows->text, f.start, (size_t)(f.end - f.start));
    if (st == TM_OK)
        st = tm_pb_begin(&rows->text, TM_PACKET_FTRACE_EVENTS, &mark);
    while (st == TM_OK && tm_pb_next(&inner, &f) == TM_OK)
        if (stays(f.id))
            st = tm_buf_add(&rows->text, f.start, (size_t)(f.end - f.start));
    return st == TM_OK ? tm_pb_end(&rows->text, mark) : st;
}

static enum tm_status add_rest(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, const struct bundle *b,
                               struct tm_error *err)
{
    struct tm_event row = tm_proto_event(packet, TM_KIND_PACKET);
    if (make_rest(rows, packet, b) != TM_OK)
        return tm_error_nomem(err);
    if (!packet->has_time)
        row.flags |= TM_EVENT_DEFINITION;
    row.flags |= TM_EVENT_HAS_CPU;
    row.cpu = b->cpu;
    row.raw = rows->text.data;
    row.raw_bytes = (uint32_t)rows->text.len;
    return tm_proto_add_with_times(rows, &row, clock_of(b), err);
}

static enum tm_status count_loss(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                 const struct tm_proto_packet *packet, const struct bundle *b, struct tm_error *err)
{
    struct tm_proto_cpu *cpu;
    if (!b->lost_events)
        return TM_OK;
    enum tm_status st = tm_proto_cpu_find(kernels, packet->machine, b->cpu, &cpu, err);
    if (st < 0 || cpu->lost_events)
        return st;
    cpu->lost_events = true;
    return tm_proto_count_cpu_loss(&rows->counts, b->cpu, packet->machine, err);
}

static enum tm_status add_events(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                 const struct tm_proto_packet *packet, const struct bundle *b, struct tm_error *err)
{
    const struct tm_event common = {
        .flags = tm_event_raw_flags(TM_RAW_FTRACE_EVENT) | TM_EVENT_HAS_CPU,
        .machine = packet->machine,
        .clock = clock_of(b),
        .sequence = packet->sequence_id,
        .generation = packet->generation,
        .cpu = b->cpu,
    };
    const struct tm_proto_ftrace_bundle bundle = {.packet = packet, .kernels = kernels, .rows = rows};
    struct tm_pb pb = b->body;
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    for (struct tm_pb compact = pb; b->has_compact && st >= 0 && tm_pb_next(&compact, &f) == TM_OK;)
        if (f.id == TM_BUNDLE_COMPACT_SCHED && f.type == TM_PB_LEN)
            st = tm_proto_compact_sched(kernels, rows, &f, &common, err);
    for (struct tm_pb described = pb; b->has_descriptors && st >= 0 && tm_pb_next(&described, &f) == TM_OK;)
        if (f.id == TM_BUNDLE_GENERIC_DESCRIPTOR && f.type == TM_PB_LEN)
            st = tm_proto_generic_note(kernels, rows, packet->machine, &f, err);
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_BUNDLE_EVENT && f.type == TM_PB_LEN)
            st = tm_proto_ftrace_event(&bundle, &f, &common, err);
    return st;
}

enum tm_status tm_proto_ftrace_read(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                    const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct bundle b;
    struct tm_event whole = tm_proto_event(packet, TM_KIND_PACKET);
    if (read_bundle(&b, &packet->body) < 0)
        return tm_error_set(err, TM_E_INPUT, "damaged ftrace bundle");
    if (!b.has_cpu) {
        enum tm_status st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_FTRACE_ERRORS, packet->machine, 1, err);
        whole.flags |= packet->has_time ? 0 : TM_EVENT_DEFINITION;
        return st < 0 ? st : tm_proto_add(rows, &whole, err);
    }
    if (b.cpu >= TM_PROTO_CPU_MAX)
        return tm_error_set(err, TM_E_INPUT, "ftrace bundle of cpu %u, past the limit of %d", b.cpu, TM_PROTO_CPU_MAX);
    enum tm_status st = count_loss(kernels, rows, packet, &b, err);
    if (st >= 0)
        st = add_pair(kernels, rows, packet, &b, err);
    if (st >= 0)
        st = add_rest(rows, packet, &b, err);
    if (st >= 0 && packet->has_time)
        st = tm_proto_ftrace_data(kernels, rows, packet, err);
    const struct tm_proto_ftrace_begin begin = {.cpu = b.cpu, .clock = clock_of(&b), .ns = b.since};
    if (st >= 0)
        st = tm_proto_ftrace_since(kernels, rows, packet, &begin, err);
    return st < 0 ? st : add_events(kernels, rows, packet, &b, err);
}

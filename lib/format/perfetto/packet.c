#include "format/perfetto/packet.h"

#include "format/perfetto/android.h"
#include "format/perfetto/clock.h"
#include "format/perfetto/count.h"
#include "format/perfetto/cpu_info.h"
#include "format/perfetto/descriptor.h"
#include "format/perfetto/etw.h"
#include "format/perfetto/frame_timeline.h"
#include "format/perfetto/ftrace.h"
#include "format/perfetto/ftrace_start.h"
#include "format/perfetto/generic_kernel.h"
#include "format/perfetto/gpu_counter.h"
#include "format/perfetto/gpu_info.h"
#include "format/perfetto/gpu_log.h"
#include "format/perfetto/graphics_frame.h"
#include "format/perfetto/gpu_stage.h"
#include "format/perfetto/heap_profile.h"
#include "format/perfetto/log.h"
#include "format/perfetto/metadata.h"
#include "format/perfetto/metatrace.h"
#include "format/perfetto/named_processes.h"
#include "format/perfetto/power.h"
#include "format/perfetto/sample.h"
#include "format/perfetto/sequence.h"
#include "format/perfetto/sequence_loss.h"
#include "format/perfetto/sequence_stats.h"
#include "format/perfetto/stack_sample.h"
#include "format/perfetto/stated.h"
#include "format/perfetto/system.h"
#include "format/perfetto/totals.h"
#include "format/perfetto/track_event.h"
#include "format/perfetto/v8_code.h"
#include "format/perfetto/vulkan_memory.h"
#include "stream/detail_fields.h"

#include <assert.h>

enum { SEQ_CLEARED = 1, SEQ_NEEDS_STATE = 2 };

static bool is_compressed(uint32_t id)
{
    return id == TM_PACKET_COMPRESSED || id == TM_PACKET_ZSTD_COMPRESSED;
}

/* How a row stores a field whose raw payload is only a part of the packet (TM_EVENT_RAW_BODY, doc/events.md). */
enum part {
    PART_IN_COLUMN, /* in a column of the row */
    PART_REST,      /* in the raw payload, because its meaning is the same in a merged trace */
    PART_UNKNOWN    /* not at all: the raw payload has to be the whole packet */
};

/* Takes a field that is a number and not the packet's data. */
static inline enum part take_number(struct tm_proto_packet *packet, uint32_t id, uint64_t value)
{
    switch (id) {
    case TM_PACKET_TIMESTAMP:
        packet->time = (int64_t)value;
        packet->has_time = true;
        return PART_IN_COLUMN;
    case TM_PACKET_SEQUENCE_ID:
        packet->sequence_id = (uint32_t)value;
        packet->has_sequence = true;
        return PART_IN_COLUMN;
    case TM_PACKET_TIMESTAMP_CLOCK_ID:
        packet->clock = (uint32_t)value;
        return PART_IN_COLUMN;
    case TM_PACKET_SEQUENCE_FLAGS:
        packet->flags = (uint32_t)value;
        return value == SEQ_NEEDS_STATE ? PART_REST : PART_UNKNOWN;
    case TM_PACKET_TRUSTED_UID:
    case TM_PACKET_TRUSTED_PID:
        return PART_REST;
    case TM_PACKET_INCREMENTAL_STATE_CLEARED:
        packet->cleared = value != 0;
        break;
    case TM_PACKET_PREVIOUS_PACKET_DROPPED:
        packet->dropped = (uint32_t)value;
        break;
    case TM_PACKET_MACHINE_ID:
        packet->machine = (uint32_t)value;
        break;
    default:
        break;
    }
    return PART_UNKNOWN;
}

static inline void take_body(struct tm_proto_packet *packet, const struct tm_pb_field *f)
{
    packet->body.id = f->id;
    packet->body.type = TM_PB_LEN;
    packet->body.data = f->data;
    packet->body.len = f->len;
    packet->body.start = f->start;
}

static inline enum part take_message(struct tm_proto_packet *packet, const struct tm_pb_field *f)
{
    if (f->id == TM_PACKET_INTERNED_DATA)
        packet->interned = *f;
    else if (f->id == TM_PACKET_DEFAULTS)
        packet->defaults = *f;
    else if (packet->body.id == 0 || is_compressed(f->id))
        take_body(packet, f);
    /* Only the first of two events is read. */
    return f->id == TM_PACKET_TRACK_EVENT && f->data == packet->body.data ? PART_REST : PART_UNKNOWN;
}

/* Clears each member that is read. Clearing the whole structure takes longer than decoding most packets. */
static void clear(struct tm_proto_packet *packet)
{
    packet->byte = 0;
    packet->time = 0;
    packet->has_time = packet->cleared = packet->has_sequence = packet->is_loss = false;
    packet->clock = packet->sequence_id = packet->machine = 0;
    packet->flags = packet->dropped = packet->generation = 0;
    packet->body.id = packet->interned.id = packet->defaults.id = 0;
    packet->body.data = packet->body.start = NULL;
    packet->body.len = 0;
    packet->sequence = NULL;
}

enum tm_status tm_proto_packet_decode(struct tm_proto_packet *packet, const uint8_t *data, size_t len)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    enum tm_status st;
    const uint8_t *from = NULL, *to = NULL; /* of the rest */
    bool is_closed = false, is_known = true;
    clear(packet);
    packet->data = packet->raw = data;
    packet->len = packet->raw_len = len;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        enum part part = f.type == TM_PB_VARINT ? take_number(packet, f.id, f.value)
                         : f.type == TM_PB_LEN  ? take_message(packet, &f)
                                                : PART_UNKNOWN;
        if (part == PART_IN_COLUMN) {
            is_closed = from != NULL;
            continue;
        }
        is_known = is_known && part == PART_REST && !is_closed;
        from = from ? from : f.start;
        to = f.end;
    }
    packet->cleared |= (packet->flags & SEQ_CLEARED) != 0;
    packet->rest = is_known ? from : NULL;
    packet->rest_len = from ? (size_t)(to - from) : 0;
    return st == TM_END ? TM_OK : st;
}

/* Sets raw to the packet without the fields that SEQUENCE_STATE rows have; body and rest are then those in raw. */
static enum tm_status cut_state(struct tm_proto *p, struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->data, packet->len);
    struct tm_pb_field f;
    p->raw.len = 0;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id != TM_PACKET_INTERNED_DATA && f.id != TM_PACKET_DEFAULTS &&
            tm_buf_add(&p->raw, f.start, (size_t)(f.end - f.start)) != TM_OK)
            return tm_error_nomem(err);
    packet->raw = p->raw.data ? p->raw.data : packet->data;
    packet->raw_len = p->raw.len;
    struct tm_proto_packet cut;
    if (packet->body.id && tm_proto_packet_decode(&cut, packet->raw, packet->raw_len) == TM_OK) {
        packet->body = cut.body;
        packet->rest = cut.rest;
        packet->rest_len = cut.rest_len;
    }
    return TM_OK;
}

/* Applies the packet to its sequence, in the order of the reference importer: loss or clearing, defaults, interned
 * data. */
static enum tm_status apply_sequence(struct tm_proto *p, struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_proto_sequence *last = p->sequences.last < p->sequences.count ? &p->sequences.all[p->sequences.last]
                                                                            : NULL;
    enum tm_status st = TM_OK;
    if (last && last->id == packet->sequence_id && last->machine == packet->machine)
        packet->sequence = last;
    else
        st = tm_proto_sequence_find(&p->sequences, packet->machine, packet->sequence_id, &packet->sequence, err);
    if (st < 0)
        return st;
    if (packet->sequence->heap && (packet->cleared || packet->dropped))
        st = tm_proto_heap_profile_end(&p->rows, packet->sequence, err);
    if (packet->cleared)
        tm_proto_sequence_clear(&p->sequences, packet->sequence);
    else if (packet->dropped && st >= 0)
        st = tm_proto_sequence_lose(&p->sequences, &p->rows, packet, err);
    packet->is_loss = packet->dropped && packet->sequence->seen;
    if (packet->is_loss && st >= 0)
        st = tm_proto_sequence_stats_note(&p->sequences.stats, packet, err);
    packet->sequence->seen = true;
    if (st >= 0 && packet->defaults.id)
        st = tm_proto_sequence_defaults(&p->sequences, &p->rows, packet, err);
    if (st >= 0 && packet->interned.id)
        st = tm_proto_sequence_intern(&p->sequences, &p->rows, packet, err);
    if (st >= 0)
        st = tm_proto_sequence_begin_generation(packet->sequence, &p->rows, err);
    packet->generation = packet->sequence->generation;
    if (st >= 0 && (packet->defaults.id || packet->interned.id))
        st = cut_state(p, packet, err);
    if (packet->clock == 0)
        packet->clock = packet->sequence->default_clock;
    return st;
}

/* Counts what a packet states about a sequence without naming one. Such state is not used. */
static enum tm_status count_unsequenced(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                        struct tm_error *err)
{
    const struct {
        bool is_stated;
        enum tm_proto_stat stat;
    } states[] = {
        {packet->cleared, TM_PROTO_STAT_CLEARED_NO_SEQUENCE},
        {packet->dropped && !packet->cleared, TM_PROTO_STAT_DROPPED_NO_SEQUENCE},
        {packet->defaults.id != 0, TM_PROTO_STAT_DEFAULTS_NO_SEQUENCE},
        {packet->interned.id != 0, TM_PROTO_STAT_INTERNED_NO_SEQUENCE},
    };
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < sizeof states / sizeof *states && st >= 0; i++)
        if (states[i].is_stated)
            st = tm_proto_count_stat(&rows->counts, states[i].stat, packet->machine, 1, err);
    return st;
}

/* Reads a packet of an unknown kind. */
static enum tm_status read_other(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_event row;
    return tm_proto_add_packet(rows, packet, &row, err);
}

static enum tm_status read_marker(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                  struct tm_error *err)
{
    struct tm_event event = tm_proto_event(packet, TM_KIND_SYNC_MARKER);
    return tm_proto_add(rows, &event, err);
}

static enum tm_status read_start(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, struct tm_error *err)
{
    enum tm_status st = read_other(rows, packet, err);
    return st < 0 ? st : tm_proto_ftrace_start(rows, packet, err);
}

static enum tm_status read_named_processes(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                           struct tm_error *err)
{
    enum tm_status st = read_other(rows, packet, err);
    return st < 0 ? st : tm_proto_named_processes_read(rows, packet, err);
}

static enum tm_status read_art_process(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                       struct tm_error *err)
{
    enum tm_status st = read_other(rows, packet, err);
    return st < 0 ? st : tm_proto_art_process_read(rows, packet, err);
}

static enum tm_status read_vulkan_memory(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                         struct tm_error *err)
{
    enum tm_status st = read_named_processes(rows, packet, err);
    return st < 0 || !packet->has_time || !rows->sink->want_packet_args
               ? st
               : tm_proto_vulkan_memory_add(rows, packet, err);
}

/* Adds the packet's message as FIELD of the detail of a definition without a time, because it holds for the whole
 * file. */
static enum tm_status add_definition(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                     enum tm_detail_field field, struct tm_error *err)
{
    struct tm_event row = tm_proto_event(packet, TM_KIND_METADATA);
    if (!rows->sink->want_packet_args)
        return TM_OK;
    row.flags = TM_EVENT_DERIVED | TM_EVENT_DEFINITION | TM_EVENT_UNTIMED;
    row.raw_bytes = 0;
    enum tm_status st = tm_pb_put_bytes(&rows->detail, field, packet->body.data, packet->body.len);
    return st < 0 ? tm_error_nomem(err) : tm_proto_add(rows, &row, err);
}

/* Reads a translation or deobfuscation of names. */
static enum tm_status read_translation(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                       struct tm_error *err)
{
    const bool is_short = packet->body.id == TM_PACKET_DEOBFUSCATION;
    enum tm_status st = read_other(rows, packet, err);
    return st < 0 ? st : add_definition(rows, packet, is_short ? TM_DETAIL_DEOBFUSCATION : TM_DETAIL_TRANSLATION, err);
}

static enum tm_status read_packages(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    enum tm_status st = tm_proto_android_read(&p->known, &p->rows, packet, err);
    return st < 0 ? st : add_definition(&p->rows, packet, TM_DETAIL_PACKAGES, err);
}

/* Reads what the file says about messages in track events. */
static enum tm_status read_types(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    enum tm_status st = read_other(&p->rows, packet, err);
    if (st < 0 || !p->rows.sink->want_packet_args)
        return st;
    st = tm_described_types_read(&p->types, tm_text_at(packet->body.data, packet->body.len), p->expansion,
                                 &p->is_past_limit, err);
    return st >= 0 || st == TM_E_SYSTEM || p->is_past_limit
               ? st
               : tm_proto_count_inner(&p->rows.counts, packet->machine, st, err);
}

static enum tm_status read_heap_profile(struct tm_proto *p, const struct tm_proto_packet *packet,
                                        struct tm_error *err)
{
    enum tm_status st = read_other(&p->rows, packet, err);
    return st < 0 ? st : tm_proto_heap_profile_read(&p->sequences, &p->stated, &p->rows, packet, err);
}

static enum tm_status read_gpu_counter(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    enum tm_status st = read_other(&p->rows, packet, err);
    return st < 0 || !p->rows.sink->want_packet_args
               ? st
               : tm_proto_gpu_counter_read(&p->gpu_counters, &p->rows, packet, err);
}

/* Adds the row of the packet, then a HEAP_GRAPH row whose detail is the packet's message. */
static enum tm_status read_heap_graph(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                      struct tm_error *err)
{
    enum { GRAPH_PID = 1 };
    enum tm_status st = read_other(rows, packet, err);
    if (st < 0 || !packet->has_time || !rows->sink->want_packet_args)
        return st;
    struct tm_event row = tm_proto_event(packet, TM_KIND_HEAP_GRAPH);
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    row.flags = TM_EVENT_DERIVED | TM_EVENT_HAS_PID | tm_event_scope_flags(TM_SCOPE_PROCESS);
    row.raw = NULL;
    row.raw_bytes = 0;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == GRAPH_PID && f.type == TM_PB_VARINT)
            row.pid = (int64_t)(uint32_t)f.value;
    if (tm_pb_put_bytes(&rows->detail, TM_DETAIL_HEAP_GRAPH, packet->body.data, packet->body.len) != TM_OK)
        return tm_error_nomem(err);
    return tm_proto_add(rows, &row, err);
}

static enum tm_status read_chrome(const struct tm_proto_map *clocks, struct tm_proto_rows *rows,
                                  struct tm_proto_packet *packet, struct tm_error *err)
{
    /* Times of Chrome's packets are on MONOTONIC unless the file states another clock. */
    if (packet->clock == TM_CLOCK_MONOTONIC ||
        (packet->clock == TM_CLOCK_NONE && !tm_proto_has_default_clock(clocks, packet->machine)))
        packet->clock = TM_CLOCK_MONOTONIC_IF_RELATED;
    return read_other(rows, packet, err);
}

/* Adds the row of the packet, then the slice or the counters in it. */
static enum tm_status read_shown(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err)
{
    const struct tm_event event = tm_proto_event(packet, TM_KIND_PACKET);
    enum tm_status st = read_other(&p->rows, packet, err);
    if (st < 0 || !packet->has_time || !p->rows.sink->want_packet_args)
        return st;
    switch (packet->body.id) {
    case TM_PACKET_METATRACE: return tm_proto_metatrace_add(&p->known, &p->rows, packet, &event, err);
    case TM_PACKET_KERNEL_WAKELOCKS:
    case TM_PACKET_CPU_PER_UID: return tm_proto_totals_read(&p->totals, &p->rows, packet, err);
    default: return tm_proto_gpu_log_add(&p->rows, packet, &event, err);
    }
}

/* Kinds that are read even if the sequence's state is incomplete. */
static bool needs_no_state(uint32_t body)
{
    return body == TM_PACKET_CLOCK_SNAPSHOT || body == TM_PACKET_REMOTE_CLOCK_SYNC || body == TM_PACKET_SERVICE_EVENT;
}

/* Reads a packet with samples, memory or names for them, or one that is only the row of a packet. */
static enum tm_status read_profile(struct tm_proto *p, struct tm_proto_packet *packet, struct tm_error *err)
{
    switch (packet->body.id) {
    case TM_PACKET_PERF_SAMPLE:
        return tm_proto_perf_sample_read(&p->sequences, &p->rows, packet, err);
    case TM_PACKET_STACK_SAMPLE:
        return tm_proto_stack_sample_read(&p->sequences, &p->rows, packet, err);
    case TM_PACKET_STREAMING_PROFILE:
        return tm_proto_streaming_profile_read(&p->rows, packet, err);
    case TM_PACKET_HEAP_PROFILE:
        return read_heap_profile(p, packet, err);
    case TM_PACKET_HEAP_GRAPH:
        return read_heap_graph(&p->rows, packet, err);
    case TM_PACKET_TRANSLATION_TABLE:
    case TM_PACKET_DEOBFUSCATION:
        return read_translation(&p->rows, packet, err);
    case TM_PACKET_MEMORY_SNAPSHOT:
    case TM_PACKET_SMAPS:
        return read_named_processes(&p->rows, packet, err);
    case TM_PACKET_ART_PROCESS:
        return read_art_process(&p->rows, packet, err);
    case TM_PACKET_VULKAN_MEMORY:
        return read_vulkan_memory(&p->rows, packet, err);
    case TM_PACKET_GPU_LOG:
    case TM_PACKET_VULKAN_API:
    case TM_PACKET_METATRACE:
    case TM_PACKET_KERNEL_WAKELOCKS:
    case TM_PACKET_CPU_PER_UID:
        return read_shown(p, packet, err);
    case TM_PACKET_CHROME_EVENTS:
    case TM_PACKET_CHROME_METADATA:
        return read_chrome(&p->clocks, &p->rows, packet, err);
    case TM_PACKET_SERVICE_EVENT:
    case TM_PACKET_FTRACE_STATS:
        return read_start(&p->rows, packet, err);
    default:
        return tm_proto_v8_code_in(packet->body.id) ? tm_proto_v8_code_read(&p->rows, packet, err)
                                                    : read_other(&p->rows, packet, err);
    }
}

/* Reads a packet about CPUs, GPUs, displays, power or services of Android, or one that read_profile reads. */
static enum tm_status read_device(struct tm_proto *p, struct tm_proto_packet *packet, struct tm_error *err)
{
    switch (packet->body.id) {
    case TM_PACKET_CPU_INFO:
        return tm_proto_cpu_info_read(&p->rows, packet, err);
    case TM_PACKET_GPU_COUNTER:
        return read_gpu_counter(p, packet, err);
    case TM_PACKET_GPU_INFO:
        return tm_proto_gpu_info_read(&p->rows, packet, err);
    case TM_PACKET_GPU_RENDER_STAGE:
        return tm_proto_gpu_stage_read(&p->gpu, &p->rows, packet, err);
    case TM_PACKET_FRAME_TIMELINE:
        return tm_proto_frame_timeline_read(&p->frames, &p->rows, packet, err);
    case TM_PACKET_GRAPHICS_FRAME:
        return tm_proto_graphics_frame_read(&p->rows, packet, err);
    case TM_PACKET_BATTERY:
    case TM_PACKET_POWER_RAILS:
    case TM_PACKET_ENTITY_STATE_RESIDENCY:
    case TM_PACKET_INITIAL_DISPLAY_STATE:
    case TM_PACKET_GPU_MEM_TOTAL:
    case TM_PACKET_GENERIC_CPU_FREQUENCY:
    case TM_PACKET_GENERIC_GPU_FREQUENCY:
    case TM_PACKET_TRIGGER:
    case TM_PACKET_CLONE_TRIGGER:
    case TM_PACKET_CHROME_TRIGGER:
        return tm_proto_power_read(&p->known, &p->rows, packet, err);
    case TM_PACKET_PACKAGES:
        return read_packages(p, packet, err);
    case TM_PACKET_ENERGY:
    case TM_PACKET_STATSD:
    case TM_PACKET_SYSTEM_PROPERTY:
    case TM_PACKET_NETWORK:
    case TM_PACKET_NETWORK_BUNDLE:
    case TM_PACKET_BLUETOOTH:
    case TM_PACKET_APP_WAKELOCKS:
        return tm_proto_android_read(&p->known, &p->rows, packet, err);
    default:
        return read_profile(p, packet, err);
    }
}

/* Reads a packet with events, clocks, tracks or tasks, or one that read_device reads. */
static enum tm_status read_body(struct tm_proto *p, struct tm_proto_packet *packet, struct tm_error *err)
{
    switch (packet->body.id) {
    case TM_PACKET_TRACK_EVENT:
        return tm_proto_track_event_read(p, packet, err);
    case TM_PACKET_FTRACE_EVENTS:
        return tm_proto_ftrace_read(&p->kernels, &p->rows, packet, err);
    case TM_PACKET_ETW_EVENTS:
        return tm_proto_etw_read(&p->rows, packet, err);
    case TM_PACKET_ANDROID_LOG:
        return tm_proto_log_read(&p->rows, packet, err);
    case TM_PACKET_JOURNALD:
        return tm_proto_journal_read(&p->rows, packet, err);
    case TM_PACKET_TRACK_DESCRIPTOR:
    case TM_PACKET_THREAD_DESCRIPTOR:
    case TM_PACKET_PROCESS_DESCRIPTOR:
        return tm_proto_descriptor_read(&p->tracks, &p->rows, packet, err);
    case TM_PACKET_EXTENSION_DESCRIPTOR:
        return read_types(p, packet, err);
    case TM_PACKET_CLOCK_SNAPSHOT:
        return tm_proto_clock_snapshot_read(&p->clocks, &p->rows, packet, err);
    case TM_PACKET_REMOTE_CLOCK_SYNC:
        return tm_proto_clock_sync_read(&p->rows, packet, err);
    case TM_PACKET_SYNCHRONIZATION_MARKER:
        return read_marker(&p->rows, packet, err);
    case TM_PACKET_PROCESS_TREE:
    case TM_PACKET_PROCESS_STATS:
    case TM_PACKET_SYS_STATS:
    case TM_PACKET_SYSTEM_INFO:
        return tm_proto_system_read(&p->kernels, &p->rows, packet, err);
    case TM_PACKET_GENERIC_TASK_STATE:
    case TM_PACKET_GENERIC_TASK_RENAME:
    case TM_PACKET_GENERIC_PROCESS_TREE:
        return tm_proto_generic_kernel_read(&p->rows, packet, err);
    default:
        return read_device(p, packet, err);
    }
}

/* Counts a packet that is skipped because its sequence's state is incomplete. */
static enum tm_status skip(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, struct tm_error *err)
{
    enum tm_status st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_NEEDS_STATE, packet->machine, 1, err);
    return st < 0 ? st : tm_proto_count_account(&rows->counts, TM_DROP_NEEDS_STATE, packet->clock, packet->byte, err);
}

/* True if the same bytes of a track event may have another meaning after PACKET than before it. */
static bool changes_state(const struct tm_proto_packet *packet)
{
    return packet->cleared || packet->dropped || packet->defaults.id || packet->interned.id ||
           packet->body.id != TM_PACKET_TRACK_EVENT;
}

/* A fast check whether tm_proto_sequence_loss_note may have something to note. */
static inline bool may_be_loss(const struct tm_proto_packet *packet, bool is_skipped)
{
    const struct tm_proto_sequence *sequence = packet->sequence;
    return packet->is_loss || is_skipped || !sequence->valid || !sequence->needs_state ||
           (sequence->is_lossy && !sequence->needs_state_shown);
}

enum tm_status tm_proto_packet_read(struct tm_proto *p, struct tm_proto_packet *packet, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (packet->has_sequence)
        st = apply_sequence(p, packet, err);
    else
        st = count_unsequenced(&p->rows, packet, err);
    if (packet->sequence)
        packet->sequence->state += changes_state(packet);
    if (st < 0)
        return st;
    assert(packet->sequence || !packet->sequence_id);
    bool is_skipped = (packet->flags & SEQ_NEEDS_STATE) && !(packet->sequence_id && packet->sequence->valid) &&
                      !needs_no_state(packet->body.id);
    if (packet->flags & SEQ_NEEDS_STATE && packet->sequence && !needs_no_state(packet->body.id)) {
        packet->sequence->was_skipped |= is_skipped;
        packet->sequence->was_taken |= !is_skipped;
    }
    if (packet->sequence_id && may_be_loss(packet, is_skipped) &&
        (st = tm_proto_sequence_loss_note(&p->rows, packet, is_skipped, err)) < 0)
        return st;
    if (is_skipped)
        return skip(&p->rows, packet, err);
    if (tm_clock_is_scoped(packet->clock) && packet->sequence_id == 0 && packet->has_time)
        return tm_error_set(err, TM_E_INPUT, "sequence-scoped clock %u without a sequence", packet->clock);
    p->rows.detail.len = 0;
    p->rows.packet_bytes = packet->len;
    if (tm_proto_metadata_in(packet->body.id))
        st = tm_proto_metadata_read(&p->metadata, &p->rows, packet, err);
    else if (tm_proto_stated_in(packet->body.id))
        st = tm_proto_stated_read(&p->stated, packet, err);
    if (st >= 0 && packet->body.id == TM_PACKET_TRACE_STATS)
        st = tm_proto_sequence_stats_read(&p->sequences, &p->stated, packet, err);
    if (st >= 0)
        st = read_body(p, packet, err);
    if (packet->sequence)
        packet->sequence->used = true;
    return st;
}

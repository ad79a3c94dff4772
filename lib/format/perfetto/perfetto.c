#include "format/perfetto/perfetto.h"

#include "format/v8_profile.h"
#include "format/perfetto/android.h"
#include "format/perfetto/metadata.h"
#include "format/perfetto/packet_cache.h"
#include "format/perfetto/count.h"
#include "format/perfetto/gpu_counter.h"
#include "format/perfetto/heap_profile.h"
#include "format/perfetto/expand.h"
#include "format/perfetto/known_texts.h"
#include "format/perfetto/sequence_stats.h"
#include "format/perfetto/stated.h"
#include "format/perfetto/packet.h"
#include "format/perfetto/power.h"
#include "format/perfetto/sequence.h"
#include "format/perfetto/totals.h"
#include "format/perfetto/unnamed_readings.h"
#include "kernel/syscall_names.h"

#include <stdlib.h>

enum {
    HEADER_MAX = 1 + TM_VARINT_MAX,
    READ_BYTES = 1 << 20,  /* approximate number of bytes that a call of read consumes */
    SEARCH_BYTES = 1 << 16 /* window of the search for a packet after damage */
};

/* True if a TracePacket may have this field, by number and wire type. */
static bool plausible(const struct tm_pb_field *f)
{
    switch (f->id) {
    case TM_PACKET_TRUSTED_UID:
    case TM_PACKET_TIMESTAMP:
    case TM_PACKET_SEQUENCE_ID:
    case TM_PACKET_SEQUENCE_FLAGS:
    case TM_PACKET_INCREMENTAL_STATE_CLEARED:
    case TM_PACKET_PREVIOUS_PACKET_DROPPED:
    case TM_PACKET_TIMESTAMP_CLOCK_ID:
    case TM_PACKET_TRUSTED_PID:
    case TM_PACKET_FIRST_ON_SEQUENCE:
    case TM_PACKET_MACHINE_ID:
        return f->type == TM_PB_VARINT;
    default:
        return f->id < 2000;
    }
}

/* Examines the first packet as far as HEAD shows it. *FIELD is its first field. False: it is not a packet. A head that
 * is the whole file must hold the complete packet, since lines of text can look like a truncated one. */
static bool first_packet(const uint8_t *head, size_t len, uint32_t *field)
{
    uint64_t size;
    const uint8_t *end = head + len;
    *field = 0;
    if (len < 2 || head[0] != TM_PROTO_PACKET_TAG)
        return false;
    const uint8_t *at = tm_varint_get(head + 1, end, &size);
    if (at == NULL || size > TM_INPUT_WINDOW_MAX)
        return false;
    bool whole = size <= (uint64_t)(end - at);
    struct tm_pb pb = tm_pb_of(at, whole ? (size_t)size : (size_t)(end - at));
    struct tm_pb_field f;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (!plausible(&f))
            return false;
        if (*field == 0)
            *field = f.id;
    }
    if (whole) /* the file ends here or another packet follows */
        return st == TM_END && (at + size == end || at[size] == TM_PROTO_PACKET_TAG);
    if (len < TM_SNIFF_BYTES)
        return false;
    if (st == TM_END)
        return true;
    /* The end of the head cuts a field: at least its tag must be valid. */
    uint64_t tag;
    if (tm_varint_get(pb.p, end, &tag) == NULL)
        return end - pb.p < TM_VARINT_MAX;
    if (*field == 0)
        *field = (uint32_t)(tag >> 3);
    return tag >> 3 != 0 && tag >> 3 <= 0x1fffffff && ((tag & 7) <= 2 || (tag & 7) == 5);
}

static bool sniff_proto(const uint8_t *head, size_t len)
{
    uint32_t field;
    return first_packet(head, len, &field);
}

static bool is_text(const uint8_t *head, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (head[i] != '\t' && head[i] != '\n' && head[i] != '\r' && (head[i] < ' ' || head[i] > '~'))
            return false;
    return true;
}

/* The packet tag is also the newline character. A text that begins with a newline is no trace. */
static bool sniff_any(const uint8_t *head, size_t len)
{
    return len > 0 && head[0] == TM_PROTO_PACKET_TAG && !is_text(head, len);
}

static bool sniff_symbols(const uint8_t *head, size_t len)
{
    uint32_t field;
    return first_packet(head, len, &field) && field == TM_PACKET_MODULE_SYMBOLS;
}

static enum tm_status open_proto(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct tm_proto *p = calloc(1, sizeof *p);
    if (p == NULL)
        return tm_error_nomem(err);
    p->input = context->input;
    p->rows.sink = p->rows.counts.sink = context->sink;
    p->sniff = context->sniff;
    p->expansion = context->expansion;
    p->on_damage = context->options ? context->options->on_damage : TM_DAMAGE_HALT;
    *state = p;
    return TM_OK;
}

static void close_proto(void *state)
{
    struct tm_proto *p = state;
    if (p == NULL)
        return;
    tm_proto_sequences_release(&p->sequences);
    tm_proto_map_release(&p->tracks);
    tm_proto_map_release(&p->kernels.sched.cpu_index);
    tm_proto_map_release(&p->kernels.ftrace_pairs);
    tm_proto_map_release(&p->kernels.page_sizes);
    tm_proto_map_release(&p->kernels.syscalls.architectures);
    tm_proto_map_release(&p->clocks);
    if (p->kernels.syscalls.names)
        tm_syscall_names_release(p->kernels.syscalls.names);
    free(p->kernels.syscalls.names);
    tm_proto_map_release(&p->kernels.disks);
    tm_proto_known_texts_release(&p->known);
    tm_proto_totals_release(&p->totals);
    tm_proto_map_release(&p->kernels.address_spaces);
    tm_proto_map_release(&p->frames.cookies);
    tm_proto_map_release(&p->gpu.specified);
    tm_buf_release(&p->gpu.texts);
    tm_proto_gpu_counters_release(&p->gpu_counters);
    tm_proto_map_release(&p->frames.tokens);
    tm_proto_map_release(&p->frames.surfaces);
    tm_proto_counts_release(&p->rows.counts);
    tm_proto_map_release(&p->stated);
    tm_proto_map_release(&p->kernels.versions);
    tm_proto_map_release(&p->kernels.migrations);
    tm_proto_generics_release(&p->kernels.generics);
    tm_proto_adreno_release(&p->kernels.adreno);
    tm_proto_map_release(&p->sequences.stats.losses);
    tm_proto_map_release(&p->sequences.stats.counted_writers);
    tm_proto_map_release(&p->metadata.chrome_counts);
    tm_packet_cache_free(p->cache);
    free(p->kernels.sched.cpus);
    tm_buf_release(&p->raw);
    tm_buf_release(&p->rows.detail);
    tm_buf_release(&p->rows.raw);
    tm_buf_release(&p->rows.key);
    tm_buf_release(&p->rows.text);
    tm_buf_release(&p->rows.pending);
    tm_compact_reader_release(&p->kernels.sched.compact);
    tm_buf_release(&p->kernels.sched.comms);
    tm_buf_release(&p->expanded);
    tm_json_args_release(&p->rows.json);
    tm_described_types_release(&p->types);
    tm_v8_profile_free(p->v8);
    free(p);
}

/* True if a readable packet begins AT bytes after the window's start, as far as the window shows, and something that
 * can be a packet follows it. */
static bool resumes(const struct tm_input *in, size_t at)
{
    uint32_t field;
    uint64_t size = 0;
    size_t seen = in->len - at < TM_SNIFF_BYTES ? in->len - at : TM_SNIFF_BYTES; /* keeps the search linear */
    if (!first_packet(in->data + at, seen, &field) || field == 0)
        return false;
    const uint8_t *data = tm_varint_get(in->data + at + 1, in->data + in->len, &size);
    size_t left = (size_t)(in->data + in->len - data);
    if (size >= left)
        return size == left ? in->ended : !in->ended;
    return data[size] == TM_PROTO_PACKET_TAG;
}

/* Moves to the next readable packet, from byte FROM of the window on. */
static enum tm_status search(struct tm_proto *p, size_t from, uint64_t *skipped, struct tm_error *err)
{
    struct tm_input *in = p->input;
    for (;;) {
        enum tm_status st = tm_input_fill(in, from + SEARCH_BYTES, err);
        if (st < 0)
            return st;
        size_t at = from;
        size_t stop = in->ended ? in->len : in->len - SEARCH_BYTES / 2;
        while (at < stop && !(in->data[at] == TM_PROTO_PACKET_TAG && resumes(in, at)))
            at++;
        *skipped += at;
        tm_input_skip(in, at);
        from = 0;
        if (at < stop || in->len == 0)
            return TM_OK;
    }
}

/* Handles damage at the window's start, described by ERR. NEXT is the offset in the window at which the next packet
 * should begin, by the length of the damaged one; 0 if that is unknown. */
static enum tm_status damage(struct tm_proto *p, size_t next, struct tm_error *err)
{
    struct tm_input *in = p->input;
    uint64_t byte = in->offset, skipped = 0;
    if (p->on_damage == TM_DAMAGE_HALT) {
        tm_error_prefix(err, "byte %llu", (unsigned long long)byte);
        return tm_error_recoverable(err);
    }
    *err = (struct tm_error){0};
    enum tm_status st = TM_OK;
    if (next && next <= in->len && (next == in->len || in->data[next] == TM_PROTO_PACKET_TAG)) {
        skipped = next;
        tm_input_skip(in, next);
    } else if (p->on_damage == TM_DAMAGE_SALVAGE) {
        st = search(p, 1, &skipped, err);
    } else {
        while (st == TM_OK) {
            skipped += in->len;
            tm_input_skip(in, in->len);
            st = tm_input_fill(in, 1, err);
        }
    }
    if (st >= 0)
        st = tm_event_sink_account(p->rows.sink, (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, skipped, byte}, err);
    return st < 0 ? st : tm_proto_count_account(&p->rows.counts, TM_DROP_DAMAGED, 0, byte, err);
}

static enum tm_status read_at(struct tm_proto *p, const uint8_t *data, size_t len, struct tm_error *err)
{
    struct tm_proto_packet packet;
    if (tm_proto_packet_decode(&packet, data, len) < 0)
        return tm_error_set(err, TM_E_INPUT, "packet with damaged fields");
    packet.byte = p->input->offset;
    if (packet.body.id == TM_PACKET_COMPRESSED || packet.body.id == TM_PACKET_ZSTD_COMPRESSED)
        return tm_proto_expand(p, &packet, err);
    return tm_proto_packet_read(p, &packet, err);
}

/* Handles bytes that do not begin a packet: the end of the document if they are another format, or damage. */
static enum tm_status at_foreign(struct tm_proto *p, struct tm_error *err)
{
    struct tm_input *in = p->input;
    enum tm_status st = tm_input_fill(in, TM_SNIFF_BYTES, err);
    if (st < 0)
        return st;
    size_t len = in->len < TM_SNIFF_BYTES ? in->len : TM_SNIFF_BYTES;
    bool gzip = len > 1 && in->data[0] == 0x1f && in->data[1] == 0x8b;
    if (p->on_damage == TM_DAMAGE_HALT || gzip || p->sniff(in->data, len))
        return TM_END;
    return damage(p, 0, err);
}

/* Returns how many facts the tables of P had no room for. Tables that must have room are not among them: that is an
 * error. */
static uint64_t refused_facts(const struct tm_proto *p)
{
    const struct tm_proto_kernels *k = &p->kernels;
    const struct tm_proto_sequence_stats *sequences = &p->sequences.stats;
    return (uint64_t)k->disks.refused + k->address_spaces.refused + k->migrations.refused + k->adreno.threads.refused +
           p->frames.cookies.refused + p->frames.tokens.refused + p->frames.surfaces.refused +
           p->gpu.specified.refused + p->known.places.refused + p->totals.places.refused + p->totals.counters.refused +
           p->stated.refused + sequences->losses.refused + sequences->counted_writers.refused;
}

/* Reads the readings again whose names were not known. */
static enum tm_status read_unnamed(struct tm_proto *p, struct tm_error *err)
{
    struct tm_proto_packet packet;
    struct tm_proto_packet_rows w = {.known = &p->known, .rows = &p->rows, .packet = &packet, .err = err};
    uint64_t session;
    enum tm_status st = TM_OK;
    for (size_t at = 0; st >= 0 && tm_proto_unnamed_next(&p->known, &at, &packet, &session) == TM_OK;) {
        tm_proto_packet_rows_again(&w);
        st = packet.body.id == TM_PACKET_ENERGY ? tm_proto_energy_read(&w) : tm_proto_power_again(&w, session);
    }
    return st;
}

static enum tm_status finish(struct tm_proto *p, struct tm_error *err)
{
    enum tm_status st = tm_proto_gpu_counters_finish(&p->gpu_counters, &p->rows, err);
    for (uint32_t i = 0; i < p->sequences.count && st >= 0; i++)
        st = tm_proto_heap_profile_end(&p->rows, &p->sequences.all[i], err);
    if (st >= 0)
        st = read_unnamed(p, err);
    if (st >= 0)
        st = tm_proto_sequence_stats_flush(&p->sequences, &p->rows, err);
    if (st >= 0)
        st = tm_proto_count_flush(&p->rows.counts, err);
    if (st >= 0)
        st = tm_proto_metadata_finish(&p->metadata, &p->rows, err);
    if (st >= 0)
        st = tm_proto_stated_flush(&p->stated, &p->rows.counts, err);
    p->rows.sink->left_out += refused_facts(p);
    return st < 0 ? st : TM_END;
}

/* Reads one packet. TM_END: the document has ended. */
static enum tm_status read_one(struct tm_proto *p, struct tm_error *err)
{
    struct tm_input *in = p->input;
    uint64_t size;
    enum tm_status st = TM_OK;
    if (in->len < HEADER_MAX && (st = tm_input_fill(in, HEADER_MAX, err)) < 0)
        return st;
    if (in->len == 0)
        return TM_END;
    if (in->data[0] != TM_PROTO_PACKET_TAG)
        return at_foreign(p, err);
    const uint8_t *data = tm_varint_get(in->data + 1, in->data + in->len, &size);
    if (data == NULL || size > TM_PROTO_PACKET_BYTES_MAX) {
        if (data == NULL && in->len <= TM_VARINT_MAX)
            tm_error_set(err, TM_E_INPUT, "packet is cut short");
        else
            tm_error_set(err, TM_E_INPUT, "packet with a length past the limit of %d", TM_PROTO_PACKET_BYTES_MAX);
        return damage(p, 0, err);
    }
    size_t head = (size_t)(data - in->data);
    size_t whole = head + (size_t)size;
    if (in->len < whole) {
        if ((st = tm_input_fill(in, whole, err)) < 0)
            return st;
        if (st == TM_END) {
            tm_error_set(err, TM_E_INPUT, "packet is cut short");
            return damage(p, 0, err);
        }
    }
    st = size ? read_at(p, in->data + head, (size_t)size, err) : TM_OK;
    if (st == TM_E_INPUT && !p->is_past_limit)
        return damage(p, whole, err);
    if (st >= 0)
        tm_input_skip(in, whole);
    return st;
}

static enum tm_status read_proto(void *state, struct tm_error *err)
{
    struct tm_proto *p = state;
    struct tm_input *in = p->input;
    uint64_t stop = in->offset + READ_BYTES;
    enum tm_status st = TM_OK;
    while (st == TM_OK && in->offset < stop) {
        st = tm_packet_cache_pass(p, in->len < stop - in->offset ? in->len : (size_t)(stop - in->offset), err);
        if (st == TM_OK)
            st = read_one(p, err);
    }
    return st == TM_END ? finish(p, err) : st;
}

const struct tm_format tm_format_proto = {
    .type = TM_INPUT_PROTO,
    .priority = TM_PRIORITY_PROTO,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PROTO,
    .sniff = sniff_proto,
    .open = open_proto,
    .read = read_proto,
    .close = close_proto,
    .appends = true,
};

const struct tm_format tm_format_proto_any = {
    .type = TM_INPUT_PROTO,
    .priority = TM_PRIORITY_PROTO,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PROTO,
    .sniff = sniff_any,
    .open = open_proto,
    .read = read_proto,
    .close = close_proto,
    .appends = true,
};

const struct tm_format tm_format_symbols = {
    .type = TM_INPUT_SYMBOLS,
    .priority = TM_PRIORITY_SYMBOLS,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PROTO,
    .sniff = sniff_symbols,
    .open = open_proto,
    .read = read_proto,
    .close = close_proto,
};

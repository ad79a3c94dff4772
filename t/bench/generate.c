/* Benchmark inputs, the same bytes for the same arguments.
 *
 * usage: generate kineto RANK EVENTS | proto FILE PACKETS | varied FILE PACKETS | ftrace FILE EVENTS |
 *                 systrace FILE LINES
 *
 * kineto:   a PyTorch profiler trace of one rank, about 250 bytes an event
 * proto:    track events with interned names, bursts of 8 sequences, about 25 bytes a packet
 * varied:   track events with distinct annotations, names by number and as text, flows, legacy phases, values of
 *           counters beside slices, about 35 bytes a packet
 * ftrace:   bundles of sched_switch and compact_sched, alternating between two cpus
 * systrace: lines of sched_switch and tracing_mark_write, about 110 bytes each */
#include "os/io.h"
#include "base/pb.h"

#include <stdio.h>
#include <stdlib.h>

enum { OUT_BYTES = 1 << 20 };

/* xorshift64*: https://en.wikipedia.org/wiki/Xorshift */
static uint64_t roll(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static void send(struct tm_buf *out, size_t from)
{
    if (out->len < from || out->len == 0)
        return;
    if (tm_io_write(1, out->data, out->len, NULL) < 0)
        exit(3);
    tm_buf_clear(out);
}

static void need(enum tm_status st)
{
    if (st < 0)
        exit(3);
}

static void kineto(struct tm_buf *out, uint64_t rank, uint64_t events)
{
    static const char *const names[] = {
        "aten::add",
        "aten::mm",
        "aten::empty_strided",
        "cudaLaunchKernel",
        "aten::native_layer_norm",
        "autograd::engine::evaluate_function: AddmmBackward0",
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half> >"};
    uint64_t seed = rank + 1, ts = UINT64_C(4312345678901) + rank * 1000;
    need(tm_buf_addf(out, "{\n  \"schemaVersion\": 1,\n  \"distributedInfo\": {\"rank\": %u},\n  \"traceEvents\": [\n",
                     (unsigned)rank));
    for (uint64_t i = 0; i < events; i++) {
        uint64_t r = roll(&seed);
        unsigned name = (unsigned)(r >> 8) % 7;
        ts += r % 50;
        need(tm_buf_addf(
            out,
            "  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %u, \"tid\": %u,\n"
            "    \"ts\": %llu.%03u, \"dur\": %u.%03u,\n    \"args\": {\n      \"External id\": %llu,"
            "\"Ev Idx\": %llu, \"Input Dims\": [[%u, 1024], [1024, 8]], \"Sequence number\": %u\n    }\n  },\n",
            name == 3   ? "cuda_runtime"
            : name == 6 ? "kernel"
                        : "cpu_op",
            names[name], 1000 + (unsigned)rank, 1000 + (unsigned)rank + (unsigned)(r >> 20) % 4, (unsigned long long)ts,
            (unsigned)(r >> 30) % 1000, (unsigned)(r >> 40) % 40, (unsigned)(r >> 48) % 1000, (unsigned long long)i + 1,
            (unsigned long long)i, (unsigned)(r >> 16) % 64, (unsigned)(r >> 24) % 9999));
        send(out, OUT_BYTES);
    }
    need(tm_buf_addf(
        out,
        "  {\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %u, \"tid\": 0, \"args\": {\"name\": \"python\"}}\n"
        "  ],\n  \"baseTimeNanoseconds\": 1700000000000000000,\n  \"traceName\": \"rank%u.json\"\n}\n",
        1000 + (unsigned)rank, (unsigned)rank));
}

static void packet_end(struct tm_buf *out, size_t mark)
{
    need(tm_pb_end(out, mark));
    send(out, OUT_BYTES);
}

static void clock_snapshot(struct tm_buf *out, uint64_t boottime)
{
    static const uint32_t ids[] = {6, 3, 1};
    size_t p, s, c;
    need(tm_pb_begin(out, 1, &p));
    need(tm_pb_begin(out, 6, &s));
    for (int i = 0; i < 3; i++) {
        need(tm_pb_begin(out, 1, &c));
        need(tm_pb_put_varint(out, 1, ids[i]));
        need(tm_pb_put_varint(out, 2, boottime + (ids[i] == 1 ? UINT64_C(1700000000000000000) : 0)));
        need(tm_pb_end(out, c));
    }
    need(tm_pb_end(out, s));
    packet_end(out, p);
}

enum { SEQUENCES = 8, NAMES = 200, BURST = 64 };

static void sequence_start(struct tm_buf *out, uint32_t seq, uint64_t file)
{
    size_t p, d, i, t;
    need(tm_pb_begin(out, 1, &p));
    need(tm_pb_put_varint(out, 10, seq));
    need(tm_pb_put_varint(out, 13, 1)); /* SEQ_INCREMENTAL_STATE_CLEARED */
    need(tm_pb_begin(out, 59, &d));     /* trace_packet_defaults */
    need(tm_pb_begin(out, 11, &t));
    need(tm_pb_put_varint(out, 11, seq + 100 * file));
    need(tm_pb_end(out, t));
    need(tm_pb_end(out, d));
    need(tm_pb_begin(out, 12, &d)); /* interned_data */
    for (unsigned n = 1; n <= NAMES; n++) {
        char name[32];
        snprintf(name, sizeof name, "Function%u", n);
        need(tm_pb_begin(out, 2, &i));
        need(tm_pb_put_varint(out, 1, n));
        need(tm_pb_put_str(out, 2, name));
        need(tm_pb_end(out, i));
    }
    need(tm_pb_begin(out, 3, &i)); /* debug_annotation_names */
    need(tm_pb_put_varint(out, 1, 1));
    need(tm_pb_put_str(out, 2, "value"));
    need(tm_pb_end(out, i));
    need(tm_pb_begin(out, 1, &i));
    need(tm_pb_put_varint(out, 1, 1));
    need(tm_pb_put_str(out, 2, "category"));
    need(tm_pb_end(out, i));
    need(tm_pb_end(out, d));
    packet_end(out, p);
    need(tm_pb_begin(out, 1, &p));
    need(tm_pb_put_varint(out, 10, seq));
    need(tm_pb_begin(out, 60, &d)); /* track_descriptor */
    need(tm_pb_put_varint(out, 1, seq + 100 * file));
    need(tm_pb_begin(out, 4, &t));
    need(tm_pb_put_varint(out, 1, 1000 + file));
    need(tm_pb_put_varint(out, 2, 1000 + file + seq));
    need(tm_pb_end(out, t));
    need(tm_pb_end(out, d));
    packet_end(out, p);
}

/* Adds annotations to a begin, and in some cases a flow, a legacy phase or a counter's value. */
static void put_details(struct tm_buf *out, uint64_t file, uint32_t seq, uint64_t r)
{
    size_t a;
    need(tm_pb_begin(out, 4, &a)); /* debug_annotations */
    need(r & 0x100 ? tm_pb_put_str(out, 10, "id") : tm_pb_put_varint(out, 1, 1));
    need(tm_pb_put_varint(out, 3, r >> 24)); /* uint_value */
    need(tm_pb_end(out, a));
    if (r & 0x200) {
        char text[24];
        snprintf(text, sizeof text, "item %08x", (unsigned)(r >> 32));
        need(tm_pb_begin(out, 4, &a));
        need(tm_pb_put_varint(out, 1, 1));
        need(tm_pb_put_str(out, 6, text)); /* string_value */
        need(tm_pb_end(out, a));
    }
    if ((r & 0xc00) == 0)
        need(tm_pb_put_i64(out, 47, r >> 40)); /* flow_ids */
    if ((r & 0x3000) == 0) { /* legacy_event */
        need(tm_pb_begin(out, 6, &a));
        need(tm_pb_put_varint(out, 3, (r >> 16) % 1000)); /* duration_us */
        need(tm_pb_put_varint(out, 2, 'X'));
        need(tm_pb_end(out, a));
    }
    if ((r & 0xc000) == 0) {
        need(tm_pb_put_varint(out, 31, 5000 + seq + 100 * file)); /* extra_counter_track_uuids */
        need(tm_pb_put_varint(out, 12, r >> 44));                 /* extra_counter_values */
    }
}

static void put_counter_track(struct tm_buf *out, uint64_t file, uint32_t seq)
{
    size_t p, d, c;
    need(tm_pb_begin(out, 1, &p));
    need(tm_pb_put_varint(out, 10, seq));
    need(tm_pb_begin(out, 60, &d)); /* track_descriptor */
    need(tm_pb_put_varint(out, 1, 5000 + seq + 100 * file));
    need(tm_pb_put_varint(out, 5, seq + 100 * file));
    need(tm_pb_put_str(out, 2, "bytes"));
    need(tm_pb_begin(out, 8, &c));
    need(tm_pb_end(out, c));
    need(tm_pb_end(out, d));
    packet_end(out, p);
}

/* Writes slices with begin and end, on SEQUENCES sequences in bursts. Varied slices have details, and sequences
 * alternate. */
static void track_events(struct tm_buf *out, uint64_t file, uint64_t packets, int is_varied)
{
    uint64_t seed = file + 1, ts[SEQUENCES], depth[SEQUENCES] = {0};
    clock_snapshot(out, UINT64_C(100000000000));
    for (uint32_t s = 0; s < SEQUENCES; s++) {
        ts[s] = UINT64_C(100000000000) + s * 17 + file * 31;
        sequence_start(out, s + 1, file);
        if (is_varied)
            put_counter_track(out, file, s + 1);
    }
    for (uint64_t i = 0; i < packets; i++) {
        uint64_t r = roll(&seed);
        uint32_t s = (uint32_t)(is_varied ? r >> 58 : i / BURST) % SEQUENCES;
        size_t p, e;
        int begin = depth[s] == 0 || (depth[s] < 8 && (r & 1)), complete = is_varied && begin && (r & 0x3000) == 0;
        ts[s] += r % 2000;
        need(tm_pb_begin(out, 1, &p));
        need(tm_pb_put_varint(out, 8, ts[s]));
        need(tm_pb_put_varint(out, 10, s + 1));
        need(tm_pb_begin(out, 11, &e));
        if (!complete)
            need(tm_pb_put_varint(out, 9, begin ? 1 : 2));
        if (begin) {
            need(tm_pb_put_varint(out, 3, 1));
            need(tm_pb_put_varint(out, 10, 1 + (r >> 20) % NAMES));
        }
        if (begin && is_varied)
            put_details(out, file, s + 1, r);
        depth[s] += complete ? 0 : begin ? 1 : UINT64_MAX;
        need(tm_pb_end(out, e));
        need(tm_pb_put_varint(out, 13, 2)); /* SEQ_NEEDS_INCREMENTAL_STATE */
        packet_end(out, p);
    }
}

static void varied(struct tm_buf *out, uint64_t file, uint64_t packets)
{
    track_events(out, file, packets, 1);
}

static void proto(struct tm_buf *out, uint64_t file, uint64_t packets)
{
    track_events(out, file, packets, 0);
}

static void packed(struct tm_buf *out, uint32_t field, const uint64_t *v, size_t n)
{
    size_t m;
    need(tm_pb_begin(out, field, &m));
    for (size_t i = 0; i < n; i++) {
        need(tm_buf_reserve(out, TM_VARINT_MAX));
        out->len = (size_t)(tm_varint_put(out->data + out->len, v[i]) - out->data);
    }
    need(tm_pb_end(out, m));
}

enum { COMPACT = 500, FULL = 100 };

static void ftrace_bundle(struct tm_buf *out, uint32_t cpu, uint64_t *ts, uint64_t *seed)
{
    uint64_t delta[COMPACT], state[COMPACT], pid[COMPACT], prio[COMPACT], comm[COMPACT];
    size_t p, b, c, e;
    need(tm_pb_begin(out, 1, &p));
    need(tm_pb_begin(out, 1, &b)); /* ftrace_events */
    need(tm_pb_put_varint(out, 1, cpu));
    for (int i = 0; i < FULL; i++) {
        uint64_t r = roll(seed);
        *ts += 200 + r % 3000;
        need(tm_pb_begin(out, 2, &e));
        need(tm_pb_put_varint(out, 1, *ts));
        need(tm_pb_put_varint(out, 2, 100 + r % 50));
        need(tm_pb_begin(out, 17, &c)); /* sched_wakeup */
        need(tm_pb_put_str(out, 1, "worker"));
        need(tm_pb_put_varint(out, 2, 100 + (r >> 8) % 50));
        need(tm_pb_put_varint(out, 3, 120));
        need(tm_pb_put_varint(out, 5, cpu));
        need(tm_pb_end(out, c));
        need(tm_pb_end(out, e));
    }
    for (int i = 0; i < COMPACT; i++) {
        uint64_t r = roll(seed), step = 200 + r % 3000;
        delta[i] = i == 0 ? *ts + step : step;
        *ts += step;
        state[i] = (r >> 8) % 3;
        pid[i] = 100 + (r >> 16) % 50;
        prio[i] = 120;
        comm[i] = (r >> 32) % 4;
    }
    need(tm_pb_begin(out, 4, &c)); /* compact_sched */
    packed(out, 1, delta, COMPACT);
    packed(out, 2, state, COMPACT);
    packed(out, 3, pid, COMPACT);
    packed(out, 4, prio, COMPACT);
    for (int i = 0; i < 4; i++)
        need(tm_pb_put_str(out, 5, i == 0 ? "render" : i == 1 ? "binder:100_1" : i == 2 ? "worker" : "main"));
    packed(out, 6, comm, COMPACT);
    need(tm_pb_end(out, c));
    need(tm_pb_end(out, b));
    packet_end(out, p);
}

static void ftrace(struct tm_buf *out, uint64_t file, uint64_t events)
{
    uint64_t seed = file + 1, ts[2] = {UINT64_C(100000000000), UINT64_C(100000000100)};
    clock_snapshot(out, ts[0]);
    for (uint64_t i = 0; i < events; i += COMPACT + FULL)
        ftrace_bundle(out, (uint32_t)(i / (COMPACT + FULL) % 2), &ts[i / (COMPACT + FULL) % 2], &seed);
}

static void systrace(struct tm_buf *out, uint64_t file, uint64_t lines)
{
    uint64_t seed = file + 1, us = UINT64_C(100000000);
    need(tm_buf_addf(out, "# tracer: nop\n#\n#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n"));
    for (uint64_t i = 0; i < lines; i++) {
        uint64_t r = roll(&seed);
        unsigned prev = 100 + (unsigned)(r >> 8) % 40, next = 100 + (unsigned)(r >> 16) % 40;
        us += r % 20;
        need(tm_buf_addf(out, "     worker-%u-%u  (  100) [%03u] d..2. %llu.%06u: ", prev, prev, (unsigned)(i & 1),
                         (unsigned long long)(us / 1000000), (unsigned)(us % 1000000)));
        if (r >> 60 < 4)
            need(tm_buf_addf(out,
                             r >> 60 < 2 ? "tracing_mark_write: B|100|Function%u\n" : "tracing_mark_write: E|100\n",
                             (unsigned)(r >> 24) % 200));
        else
            need(tm_buf_addf(out, "sched_switch: prev_comm=worker-%u prev_pid=%u prev_prio=120 prev_state=S ==> "
                                  "next_comm=worker-%u next_pid=%u next_prio=120\n", prev, prev, next, next));
        send(out, OUT_BYTES);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(struct tm_buf *, uint64_t, uint64_t);
    } kinds[] = {{"kineto", kineto}, {"proto", proto}, {"varied", varied}, {"ftrace", ftrace}, {"systrace", systrace}};
    struct tm_buf out = {0};
    for (size_t i = 0; argc == 4 && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(argv[1], kinds[i].name) != 0)
            continue;
        kinds[i].make(&out, strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
        send(&out, 0);
        tm_buf_release(&out);
        return 0;
    }
    fputs("usage: generate kineto|proto|varied|ftrace|systrace NUMBER COUNT\n", stderr);
    return 2;
}

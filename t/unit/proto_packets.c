/* Unit tests of the Perfetto reader: packets of the kernel, of track events and of profiles. */
#include "base/hash.h"
#include "format/perfetto/packet.h"
#include "kernel/tracks.h"

#include "proto_maker.h"
#include "proto_run.h"
#include "tap.h"

#include <zlib.h>

static void put_packed(struct maker *m, uint32_t id, const uint64_t *values, size_t count)
{
    open_field(m, id);
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[TM_VARINT_MAX];
        tm_buf_add(&m->out, bytes, (size_t)(tm_varint_put(bytes, values[i]) - bytes));
    }
    close_field(m);
}

static void test_ftrace(void)
{
    struct maker m = {0};
    begin_packet(&m, 0, 1, 0);
    open_field(&m, 1);
    number(&m, 1, 3);
    open_field(&m, 2);
    number(&m, 1, 500);
    number(&m, 2, 42);
    open_field(&m, 4);
    text(&m, 1, "old");
    number(&m, 2, 42);
    number(&m, 3, 120);
    number(&m, 4, 1);
    text(&m, 5, "new");
    number(&m, 6, 43);
    number(&m, 7, 98);
    close_field(&m);
    close_field(&m);
    open_field(&m, 2);
    number(&m, 1, 600);
    number(&m, 2, 43);
    open_field(&m, 3);
    text(&m, 2, "B|41|marked\n");
    close_field(&m);
    close_field(&m);
    open_field(&m, 2);
    number(&m, 1, 700);
    number(&m, 2, 43);
    open_field(&m, 13);
    number(&m, 1, 2);
    number(&m, 2, 3);
    close_field(&m);
    close_field(&m);
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *sw = row_of(r, TM_KIND_SCHED_SWITCH, 0), *mark = row_of(r, TM_KIND_SLICE_BEGIN, 0);
    const struct row *idle = row_of(r, TM_KIND_COUNTER, 0);
    ok_named(sw && sw->e.time_ns == 500 && sw->e.clock == 6 && sw->e.cpu == 3 && sw->e.tid == 42 && sw->e.pid == 43,
       "a switch");
    ok_named(sw && strcmp(sw->name, "new") == 0 && strcmp(sw->category, "old") == 0 &&
           sw->e.value == (1 | (uint64_t)98 << 32 | (uint64_t)120 << 48),
       "its names, state and priorities");
    ok_named(mark && strcmp(mark->name, "marked") == 0 && mark->e.tid == 43 && mark->e.pid == 41, "a marker");
    ok_named(idle && strcmp(idle->name, "cpuidle") == 0 && idle->e.value == 2 && idle->e.cpu == 3,
             "a counter of an event");
    ok_named(r->rows[0].e.kind == TM_KIND_PACKET && !tm_event_is_timed(r->rows[0].e.flags),
             "what is left of the bundle");
    result_free(r);
    tm_buf_release(&m.out);
}

static void begin_event(struct maker *m, uint64_t time, uint32_t event)
{
    open_field(m, 2);
    number(m, 1, time);
    number(m, 2, 42);
    open_field(m, event);
}

static void end_event(struct maker *m)
{
    close_field(m);
    close_field(m);
}

static void test_kernel_slices(void)
{
    struct maker m = {0};
    begin_packet(&m, 0, 1, 1);
    intern(&m, 26, 7, "do_work");
    open_field(&m, 1);
    number(&m, 1, 3);
    begin_event(&m, 500, 36);
    text(&m, 2, "eth0");
    end_event(&m);
    begin_event(&m, 600, 37);
    end_event(&m);
    begin_event(&m, 700, 24);
    number(&m, 1, 10); /* no softirq */
    end_event(&m);
    begin_event(&m, 800, 58);
    number(&m, 2, 7);
    end_event(&m);
    begin_event(&m, 900, 58);
    number(&m, 2, 0xffff);
    end_event(&m);
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *irq = row_of(r, TM_KIND_SLICE_BEGIN, 0), *end = row_of(r, TM_KIND_SLICE_END, 0);
    const struct row *work = row_of(r, TM_KIND_SLICE_BEGIN, 1), *unnamed = row_of(r, TM_KIND_SLICE_BEGIN, 2);
    const struct row *other = row_of(r, TM_KIND_FTRACE, 0);
    ok_named(irq && strcmp(irq->name, "IRQ (eth0)") == 0 && strcmp(irq->category, "irq") == 0 && irq->e.cpu == 3 &&
                 tm_event_scope(irq->e.flags) == TM_SCOPE_CPU && tm_event_raw(irq->e.flags) == TM_RAW_FTRACE_EVENT,
             "an interrupt is a slice of its cpu, and the event");
    ok_named(irq && end && tm_kernel_track_of(&irq->e) == TM_KERNEL_TRACK_IRQ &&
                 tm_kernel_track_instance(&irq->e) == 3 && end->e.track == irq->e.track && end->e.name == 0,
             "on the track of its end");
    ok_named(other && strcmp(other->name, "softirq_entry") == 0, "a softirq that is none is an event");
    ok_named(work && strcmp(work->name, "do_work") == 0 && !(work->e.flags & TM_EVENT_HAS_TRACK) &&
                 tm_event_scope(work->e.flags) == TM_SCOPE_THREAD,
             "work is named by its function's symbol");
    ok_named(unnamed && strcmp(unnamed->name, "0xffff") == 0, "or by its address");
    result_free(r);
    tm_buf_release(&m.out);
}

static void test_compact_sched(void)
{
    struct maker m = {0};
    static const uint64_t time[] = {1000, 10}, state[] = {1, 2}, pid[] = {5, 6}, prio[] = {120, 100}, comm[] = {0, 1};
    static const uint64_t target[] = {2}, zero[] = {0}, woken[] = {1005};
    begin_packet(&m, 0, 1, 0);
    open_field(&m, 1);
    number(&m, 1, 0);
    number(&m, 5, 4);
    number(&m, 6, 2000);
    number(&m, 7, 2500);
    open_field(&m, 4);
    text(&m, 5, "five");
    text(&m, 5, "six");
    put_packed(&m, 1, time, 2);
    put_packed(&m, 2, state, 2);
    put_packed(&m, 3, pid, 2);
    put_packed(&m, 4, prio, 2);
    put_packed(&m, 6, comm, 2);
    put_packed(&m, 7, woken, 1);
    put_packed(&m, 8, pid, 1);
    put_packed(&m, 9, target, 1);
    put_packed(&m, 10, prio, 1);
    put_packed(&m, 11, zero, 1);
    put_packed(&m, 12, target, 1);
    close_field(&m);
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *a = row_of(r, TM_KIND_SCHED_SWITCH, 0), *b = row_of(r, TM_KIND_SCHED_SWITCH, 1);
    const struct row *waking = row_of(r, TM_KIND_SCHED_WAKING, 0);
    ok_named(a && !(a->e.flags & TM_EVENT_HAS_TID) && a->e.time_ns == 1000 && a->e.clock == 5,
       "the first compact switch does not know who ran");
    ok_named(b && b->e.time_ns == 1010 && b->e.tid == 5 && b->e.pid == 6 && strcmp(b->category, "five") == 0 &&
           strcmp(b->name, "six") == 0 && b->e.value == (2 | (uint64_t)100 << 32 | (uint64_t)120 << 48),
       "the next one does");
    ok_named(b && b->e.raw_bytes == 0 && tm_event_raw(b->e.flags) == TM_RAW_COMPACT_SCHED,
             "no raw: the columns say all");
    ok_named(waking && waking->e.tid == 5 && waking->e.pid == 5 && waking->e.value == (120 | (uint64_t)2 << 32) &&
           waking->e.track == 2, "a waking and its flags");
    ok_named(r->snapshots == 1 && r->snapshot_clock[0] == 5 && r->snapshot_value[0] == 2000, "the bundle's clock pair");
    result_free(r);
    tm_buf_release(&m.out);
}

/* Reads COUNT switches of a cpu in one message, with numbers of all sizes; column SHORTER lacks LACKS elements. True if
 * the complete switches are right. */
static bool many_switches(size_t count, int shorter, size_t lacks)
{
    enum { COLUMNS = 5, MOST = 400 };
    static const uint32_t ids[COLUMNS] = {1, 2, 3, 4, 6};
    static uint64_t n[COLUMNS][MOST];
    struct maker m = {0};
    int64_t now = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t r = tm_hash_u64(i);
        n[0][i] = 1 + (r & 0xffffff) % (UINT64_C(1) << (r >> 24) % 24);
        n[1][i] = r >> 32 & 3;
        n[2][i] = i / 50 % 2 ? r >> 34 & 0x7f : r >> 34 & 0x1ff;
        n[3][i] = i == 77 ? (uint64_t)-1 : 120;
        n[4][i] = r >> 60 & 1;
    }
    begin_packet(&m, 0, 1, 0);
    open_field(&m, 1);
    number(&m, 1, 0);
    open_field(&m, 4);
    text(&m, 5, "even");
    text(&m, 5, "odd");
    for (int c = 0; c < COLUMNS; c++)
        put_packed(&m, ids[c], n[c], c == shorter ? count - lacks : count);
    close_field(&m);
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    size_t whole = shorter < 0 ? count : count - lacks;
    bool good = row_of(r, TM_KIND_SCHED_SWITCH, (uint32_t)whole) == NULL;
    for (size_t i = 0; i < whole && good; i++) {
        const struct row *row = row_of(r, TM_KIND_SCHED_SWITCH, (uint32_t)i);
        now += (int64_t)n[0][i];
        good = row && row->e.time_ns == now && row->e.pid == (int64_t)n[2][i] && (row->e.value & 3) == n[1][i] &&
               (int16_t)(row->e.value >> 32) == (int16_t)n[3][i] && strcmp(row->name, n[4][i] ? "odd" : "even") == 0;
    }
    result_free(r);
    tm_buf_release(&m.out);
    return good;
}

static void test_compact_sizes(void)
{
    static const size_t counts[] = {1, 7, 8, 9, 127, 128, 129, 255, 256, 257, 400};
    bool all = true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int shorter = -1; shorter < 5; shorter++)
            all = all && many_switches(counts[i], shorter, 1) &&
                  (counts[i] < 3 || many_switches(counts[i], shorter, 3));
    ok_named(all, "compact switches of any number, and as many as all columns have");
}

static void test_compressed(void)
{
    struct maker inner = {0}, m = {0};
    for (uint64_t i = 1; i <= 100; i++) {
        begin_packet(&inner, i, 2, i == 1 ? 1 : 2);
        open_field(&inner, 11);
        number(&inner, 9, 3);
        text(&inner, 23, "zipped");
        close_field(&inner);
        end_packet(&inner);
    }
    uLongf size = compressBound(inner.out.len);
    uint8_t *data = malloc(size);
    compress(data, &size, inner.out.data, inner.out.len);
    begin_packet(&m, 0, 0, 0);
    tm_pb_put_bytes(&m.out, 50, data, size);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    ok_named(r->status == TM_OK && r->count == 100 && strcmp(r->rows[99].name, "zipped") == 0, "compressed packets");
    result_free(r);
    m.out.data[m.out.len / 2] ^= 0x55;
    r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    ok_named(r->status == TM_E_INPUT && strstr(r->err.text, "byte 0: compressed packets"), "damaged ones");
    result_free(r);
    free(data);
    tm_buf_release(&inner.out);
    tm_buf_release(&m.out);
}

static void test_annotations(void)
{
    struct maker m = {0};
    begin_packet(&m, 1, 2, 1);
    intern(&m, 3, 1, "a.b");
    open_field(&m, 11);
    number(&m, 9, 1);
    open_field(&m, 4);
    number(&m, 1, 1);
    for (int i = 0; i < 2; i++) {
        open_field(&m, 12);
        number(&m, 4, 7);
        close_field(&m);
    }
    close_field(&m);
    open_field(&m, 4);
    text(&m, 10, "d");
    open_field(&m, 11);
    text(&m, 10, "j");
    text(&m, 9, " {\"x\": [1, {\"y\": \"z\"}]} ");
    close_field(&m);
    open_field(&m, 11);
    text(&m, 10, "k");
    text(&m, 6, "v");
    close_field(&m);
    close_field(&m);
    tm_pb_put_i64(&m.out, 47, 123);
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *row = row_of(r, TM_KIND_SLICE_BEGIN, 0);
    ok_named(row && payload_has(r, row, "debug.a_b[0]") && payload_has(r, row, "debug.a_b[1]"),
             "array, its name made safe");
    ok_named(row && payload_has(r, row, "debug.d.k"), "dictionary");
    ok_named(row && payload_has(r, row, "debug.d.j.x[0]") && payload_has(r, row, "debug.d.j.x[1].y"), "JSON in it");
    Tracemerge__Detail *d =
        row ? tracemerge__detail__unpack(NULL, row->e.detail_bytes, r->bytes.data + row->detail_at) : NULL;
    ok_named(d && d->n_args == 5 && d->n_flow_ids == 1 && d->flow_ids[0] == 123, "detail is well formed");
    if (d)
        tracemerge__detail__free_unpacked(d, NULL);
    result_free(r);
    tm_buf_release(&m.out);
}

/* A damaged legacy_event ends the reading of the other fields, but not of arguments. */
static void test_args_after_damage(void)
{
    struct maker m = {0};
    begin_packet(&m, 1, 2, 1);
    open_field(&m, 11);
    number(&m, 9, 1);
    open_field(&m, 4);
    text(&m, 10, "a");
    number(&m, 4, 7);
    close_field(&m);
    text(&m, 6, "\x08");
    text(&m, 53, "late");
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *row = row_of(r, TM_KIND_SLICE_BEGIN, 0);
    ok_named(row && payload_has(r, row, "debug.a") && payload_has(r, row, "correlation_id"),
             "arguments on both sides of a damaged field");
    result_free(r);
    tm_buf_release(&m.out);
}

static void intern_frame(struct maker *m)
{
    open_field(m, 12);
    open_field(m, 19);
    number(m, 1, 3);
    number(m, 7, 1);
    number(m, 7, 2);
    close_field(m);
    open_field(m, 6);
    number(m, 1, 5);
    number(m, 2, 9);
    number(m, 3, 3);
    number(m, 4, 4096);
    close_field(m);
    open_field(m, 7);
    number(m, 1, 8);
    number(m, 2, 5);
    close_field(m);
    close_field(m);
}

static void test_samples(void)
{
    struct maker m = {0};
    begin_packet(&m, 1, 2, 1);
    open_field(&m, 44);
    number(&m, 1, 10);
    number(&m, 2, 11);
    number(&m, 6, 100);
    close_field(&m);
    end_packet(&m);
    begin_packet(&m, 2, 2, 2);
    intern(&m, 17, 1, "usr");
    intern(&m, 17, 2, "lib.so");
    intern(&m, 5, 9, "work");
    intern_frame(&m);
    open_field(&m, 66);
    number(&m, 1, 1);
    number(&m, 2, 10);
    number(&m, 3, 12);
    number(&m, 4, 8);
    close_field(&m);
    end_packet(&m);
    begin_packet(&m, 3, 2, 2);
    open_field(&m, 54);
    for (int i = 0; i < 2; i++) {
        number(&m, 1, 8);
        number(&m, 2, 5);
    }
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *a = row_of(r, TM_KIND_SAMPLE, 0), *b = row_of(r, TM_KIND_SAMPLE, 1);
    const struct row *c = row_of(r, TM_KIND_SAMPLE, 2);
    Tracemerge__Detail *d = a ? tracemerge__detail__unpack(NULL, a->e.detail_bytes, r->bytes.data + a->detail_at)
                              : NULL;
    ok_named(a && a->e.tid == 12 && a->e.pid == 10 && a->e.raw_bytes, "a perf sample");
    ok_named(d && d->n_frames == 1 && d->frames[0]->function.len == 4 && d->frames[0]->mapping.len == 11 &&
                 memcmp(d->frames[0]->mapping.data, "/usr/lib.so", 11) == 0 && d->frames[0]->rel_pc == 4096,
             "its stack");
    ok_named(b && c && b->e.time_ns == 105000 && c->e.time_ns == 110000 && b->e.tid == 11 && b->e.raw_bytes == 0,
             "samples of a streaming profile count on from the thread descriptor");
    if (d)
        tracemerge__detail__free_unpacked(d, NULL);
    result_free(r);
    tm_buf_release(&m.out);
}

/* Compilers differ in what a member that is not set has. */
static void test_members(void)
{
    struct tm_proto_packet packet = {.machine = 3};
    struct tm_event event;
    memset(&event, 0xa5, sizeof event);
    event = tm_proto_event(&packet, TM_KIND_INSTANT);
    ok_named(event.kind == TM_KIND_INSTANT && event.machine == 3 && event.time_ns == 0 && event.dur_ns == 0 &&
                 event.position == 0 && event.file == 0 && event.clock == 0 && event.sequence == 0 &&
                 event.generation == 0 && event.name == 0 && event.category == 0 && event.pid == 0 && event.tid == 0 &&
                 event.track == 0 && event.value == 0 && event.raw_bytes == 0 && event.detail_bytes == 0 &&
                 event.cpu == 0 && event.arg_keys == 0,
             "all members of a packet's event are set");
}

int main(void)
{
    test_members();
    test_ftrace();
    test_kernel_slices();
    test_compact_sched();
    test_compact_sizes();
    test_compressed();
    test_annotations();
    test_args_after_damage();
    test_samples();
    return tap_done();
}

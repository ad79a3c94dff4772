/* Unit tests of the Perfetto reader: packets in, rows out. */
#include "base/io.h"
#include "base/pb.h"
#include "format/proto.h"
#include "model/packet_times.h"
#include "stream/stream_reader.h"

#include "tap.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { ROWS_MAX = 4096, NAME_MAX_BYTES = 64 };

/* A row as it came out, its strings beside it. */
struct row {
    struct tm_event e;
    char name[NAME_MAX_BYTES];
    char category[NAME_MAX_BYTES];
    size_t raw_at, detail_at; /* in bytes */
};

/* What a trace became. */
struct result {
    struct row rows[ROWS_MAX];
    size_t count;
    struct tm_buf bytes; /* payloads */
    struct tm_buf text;  /* strings of the stream, one behind the other */
    size_t ends[ROWS_MAX];
    size_t string_count;
    uint32_t snapshots, syncs, sequences;
    uint64_t needs_state, damaged, skipped_bytes, timed;
    uint32_t snapshot_clock[8];
    int64_t snapshot_value[8];
    uint32_t snapshot_readings, snapshot_primary;
    enum tm_status status;
    struct tm_error err;
};

static void copy_string(const struct result *r, uint32_t string, const struct tm_event *e, char *out)
{
    out[0] = 0;
    if (string & TM_STRING_INLINE) {
        uint64_t len = 0;
        const uint8_t *at = e->detail + (string & ~TM_STRING_INLINE);
        at = tm_varint_get(at, e->detail + e->detail_bytes, &len);
        snprintf(out, NAME_MAX_BYTES, "%.*s", (int)len, (const char *)at);
    } else if (string) {
        size_t from = string > 1 ? r->ends[string - 2] : 0;
        snprintf(out, NAME_MAX_BYTES, "%.*s", (int)(r->ends[string - 1] - from), (const char *)r->text.data + from);
    }
}

static void take_strings(struct result *r, const struct tm_frame *frame)
{
    Tracemerge__Strings *s = (Tracemerge__Strings *)tm_frame_message(frame, &tracemerge__strings__descriptor, &r->err);
    for (size_t i = 0; s && i < s->n_text && r->string_count < ROWS_MAX; i++) {
        tm_buf_add(&r->text, s->text[i].data, s->text[i].len);
        r->ends[r->string_count++] = r->text.len;
    }
    if (s)
        protobuf_c_message_free_unpacked(&s->base, NULL);
}

static void take_snapshot(struct result *r, const struct tm_frame *frame)
{
    Tracemerge__Snapshot *s =
        (Tracemerge__Snapshot *)tm_frame_message(frame, &tracemerge__snapshot__descriptor, &r->err);
    if (s == NULL)
        return;
    r->snapshots++;
    r->snapshot_readings = (uint32_t)s->n_readings;
    r->snapshot_primary = s->primary_clock;
    for (size_t i = 0; i < s->n_readings && i < 8; i++) {
        r->snapshot_clock[i] = s->readings[i]->clock;
        r->snapshot_value[i] = s->readings[i]->value;
    }
    protobuf_c_message_free_unpacked(&s->base, NULL);
}

static void take_account(struct result *r, const struct tm_frame *frame)
{
    Tracemerge__Account *a = (Tracemerge__Account *)tm_frame_message(frame, &tracemerge__account__descriptor, &r->err);
    if (a == NULL)
        return;
    uint64_t *to = memcmp(a->reason.data, "needs", 5) == 0     ? &r->needs_state
                   : memcmp(a->reason.data, "skipped", 7) == 0 ? &r->skipped_bytes
                                                               : &r->damaged;
    *to += a->count;
    protobuf_c_message_free_unpacked(&a->base, NULL);
}

static void take_batch(struct result *r, const struct tm_batch *batch)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    while (tm_batch_next(&walk, &e) && r->count < ROWS_MAX) {
        struct row *row = &r->rows[r->count++];
        row->e = e;
        copy_string(r, e.name, &e, row->name);
        copy_string(r, e.category, &e, row->category);
        row->raw_at = r->bytes.len;
        tm_buf_add(&r->bytes, e.raw, e.raw_bytes);
        row->detail_at = r->bytes.len;
        tm_buf_add(&r->bytes, e.detail, e.detail_bytes);
    }
}

static void collect(struct result *r, int fd)
{
    struct tm_stream_reader reader;
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st = tm_stream_reader_open(&reader, fd, &r->err);
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, &r->err)) == TM_OK) {
        switch (frame.type) {
        case TM_FRAME_BATCH:
            take_batch(r, &batch);
            break;
        case TM_FRAME_STRINGS:
            take_strings(r, &frame);
            break;
        case TM_FRAME_SNAPSHOT:
            take_snapshot(r, &frame);
            break;
        case TM_FRAME_REMOTE_CLOCK_SYNC:
            r->syncs++;
            break;
        case TM_FRAME_SEQUENCE:
            r->sequences++;
            break;
        case TM_FRAME_ACCOUNT:
            take_account(r, &frame);
            break;
        default:
            break;
        }
    }
    if (st != TM_END && r->status == TM_OK)
        r->status = st;
    tm_stream_reader_release(&reader);
}

/* Reads LEN bytes of trace. */
static struct result *run(const uint8_t *data, size_t len, enum tm_on_damage on_damage)
{
    struct result *r = calloc(1, sizeof *r);
    struct tm_stream_writer writer;
    struct tm_event_sink sink;
    struct tm_input in;
    struct tm_format_options options = {.on_damage = on_damage};
    struct tm_format_context context = {.input = &in, .sink = &sink, .options = &options};
    Tracemerge__FileBegin begin = TRACEMERGE__FILE_BEGIN__INIT;
    void *state = NULL;
    int fd;
    if (r == NULL || tm_io_spool(NULL, &fd, &r->err) < 0)
        abort();
    tm_stream_writer_open(&writer, fd, "test", TRACEMERGE__STAGE__UNPACKED, false, &r->err);
    tm_event_sink_init(&sink, &writer);
    tm_event_sink_file_begin(&sink, &begin, &r->err);
    tm_input_init_bytes(&in, data, len);
    enum tm_status st = tm_format_proto.open(&context, &state, &r->err);
    while (st == TM_OK)
        st = tm_format_proto.read(state, &r->err);
    tm_format_proto.close(state);
    r->status = st == TM_END ? TM_OK : st;
    r->timed = sink.timed_count;
    tm_event_sink_file_end(&sink, 0, len, &r->err);
    tm_stream_writer_end(&writer, &r->err);
    lseek(fd, 0, SEEK_SET);
    collect(r, fd);
    tm_event_sink_release(&sink);
    tm_stream_writer_release(&writer);
    tm_input_release(&in);
    close(fd);
    return r;
}

static void result_free(struct result *r)
{
    tm_buf_release(&r->bytes);
    tm_buf_release(&r->text);
    free(r);
}

/* The I-th row of KIND, counted from 0, or NULL. */
static const struct row *row_of(const struct result *r, enum tm_kind kind, size_t i)
{
    for (size_t at = 0; at < r->count; at++)
        if (r->rows[at].e.kind == kind && i-- == 0)
            return &r->rows[at];
    return NULL;
}

/* True when the row's payload holds the bytes of TEXT. */
static bool payload_has(const struct result *r, const struct row *row, const char *text)
{
    size_t len = strlen(text), total = (size_t)row->e.raw_bytes + row->e.detail_bytes;
    for (size_t i = 0; i + len <= total; i++)
        if (memcmp(r->bytes.data + row->raw_at + i, text, len) == 0)
            return true;
    return false;
}

/* Making traces: packets with their common fields, then what the test puts in. */
struct maker {
    struct tm_buf out;
    size_t packet, depth, marks[16];
};

static void begin_packet(struct maker *m, uint64_t time, uint32_t sequence, uint32_t flags)
{
    tm_pb_begin(&m->out, 1, &m->packet);
    if (time)
        tm_pb_put_varint(&m->out, 8, time);
    if (sequence)
        tm_pb_put_varint(&m->out, 10, sequence);
    if (flags)
        tm_pb_put_varint(&m->out, 13, flags);
}

static void end_packet(struct maker *m)
{
    tm_pb_end(&m->out, m->packet);
}

static void open_field(struct maker *m, uint32_t id)
{
    tm_pb_begin(&m->out, id, &m->marks[m->depth++]);
}

static void close_field(struct maker *m)
{
    tm_pb_end(&m->out, m->marks[--m->depth]);
}

static void number(struct maker *m, uint32_t id, uint64_t value)
{
    tm_pb_put_varint(&m->out, id, value);
}

static void text(struct maker *m, uint32_t id, const char *s)
{
    tm_pb_put_str(&m->out, id, s);
}

/* An entry of interned_data that is an iid and a string. */
static void intern(struct maker *m, uint32_t field, uint64_t iid, const char *s)
{
    open_field(m, 12);
    open_field(m, field);
    number(m, 1, iid);
    text(m, 2, s);
    close_field(m);
    close_field(m);
}

static void clock_reading(struct maker *m, uint32_t clock, uint64_t value)
{
    open_field(m, 1);
    number(m, 1, clock);
    number(m, 2, value);
    close_field(m);
}

static void test_interning(void)
{
    struct maker m = {0};
    begin_packet(&m, 5, 7, 2); /* needs state that never came */
    open_field(&m, 11);
    number(&m, 9, 1);
    close_field(&m);
    end_packet(&m);
    begin_packet(&m, 10, 7, 1);
    open_field(&m, 59);
    number(&m, 58, 3);
    open_field(&m, 11);
    number(&m, 11, 99);
    close_field(&m);
    close_field(&m);
    intern(&m, 2, 1, "work");
    intern(&m, 1, 4, "cat");
    open_field(&m, 11);
    number(&m, 9, 1);
    number(&m, 10, 1);
    number(&m, 3, 4);
    close_field(&m);
    end_packet(&m);
    begin_packet(&m, 20, 7, 2);
    number(&m, 98, 5);
    open_field(&m, 11);
    number(&m, 9, 2);
    close_field(&m);
    end_packet(&m);
    begin_packet(&m, 30, 7, 2);
    open_field(&m, 11);
    number(&m, 9, 3);
    text(&m, 23, "inline");
    text(&m, 22, "a");
    text(&m, 22, "b");
    number(&m, 11, 12);
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *begin = row_of(r, TM_KIND_SLICE_BEGIN, 0), *instant = row_of(r, TM_KIND_INSTANT, 0);
    const struct row *state = row_of(r, TM_KIND_SEQUENCE_STATE, 1);
    ok_named(r->status == TM_OK && r->needs_state == 2, "packets without state are skipped and counted");
    ok_named(begin && strcmp(begin->name, "work") == 0 && strcmp(begin->category, "cat") == 0, "interned name and category");
    ok_named(begin && begin->e.clock == 3 && begin->e.track == 99 && tm_event_scope(begin->e.flags) == TM_SCOPE_TRACK,
       "clock and track of the defaults");
    ok_named(begin && !payload_has(r, begin, "work") && state && payload_has(r, state, "work"),
       "interned data travels in a row of its own");
    ok_named(state && begin && state->e.generation == begin->e.generation && state->e.position < begin->e.position,
       "of the same generation, ahead");
    ok_named(instant && strcmp(instant->name, "inline") == 0 && strcmp(instant->category, "a,b") == 0 &&
           instant->e.track == 12,
       "inline names, several categories");
    ok_named(r->timed == 4, "all that was read is counted");
    result_free(r);
    tm_buf_release(&m.out);
}

static void test_generations(void)
{
    struct maker m = {0};
    for (int i = 0; i < 3; i++) {
        begin_packet(&m, (uint64_t)i + 1, 3, i == 0 ? 1 : 2);
        if (i == 0)
            intern(&m, 2, 1, "kept");
        if (i != 1) {
            open_field(&m, 59);
            number(&m, 58, i == 0 ? 3 : 6);
            close_field(&m);
        }
        open_field(&m, 11);
        number(&m, 9, 3);
        number(&m, 10, 1);
        close_field(&m);
        end_packet(&m);
    }
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *a = row_of(r, TM_KIND_INSTANT, 0), *b = row_of(r, TM_KIND_INSTANT, 1);
    const struct row *c = row_of(r, TM_KIND_INSTANT, 2);
    ok_named(a && b && c && a->e.generation == b->e.generation && c->e.generation != b->e.generation,
       "new defaults begin a generation");
    ok_named(c && strcmp(c->name, "kept") == 0 && c->e.clock == 6 && b->e.clock == 3, "names stay, the clock changes");
    bool again = false;
    for (size_t i = 0; i < r->count; i++)
        again |= r->rows[i].e.kind == TM_KIND_SEQUENCE_STATE && c && r->rows[i].e.generation == c->e.generation &&
                 payload_has(r, &r->rows[i], "kept");
    ok_named(again && r->sequences == 2, "interned data is there for the new generation");
    result_free(r);
    tm_buf_release(&m.out);
}

static void test_counters(void)
{
    struct maker m = {0};
    begin_packet(&m, 1, 2, 1);
    open_field(&m, 60);
    number(&m, 1, 77);
    text(&m, 2, "ctr");
    open_field(&m, 8);
    number(&m, 4, 10);
    number(&m, 5, 1);
    close_field(&m);
    close_field(&m);
    end_packet(&m);
    for (int i = 0; i < 2; i++) {
        begin_packet(&m, 2 + (uint64_t)i, 2, 2);
        open_field(&m, 11);
        number(&m, 9, i == 0 ? 4 : 3);
        number(&m, 11, i == 0 ? 77 : 5);
        if (i == 0) {
            number(&m, 30, 3);
        } else {
            number(&m, 31, 77);
            number(&m, 12, (uint64_t)-1);
        }
        close_field(&m);
        end_packet(&m);
    }
    begin_packet(&m, 9, 2, 2);
    open_field(&m, 11);
    number(&m, 9, 4);
    number(&m, 11, 78);
    number(&m, 30, 3);
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *a = row_of(r, TM_KIND_COUNTER, 0), *b = row_of(r, TM_KIND_COUNTER, 1);
    const struct row *track = row_of(r, TM_KIND_TRACK, 0);
    ok_named(track && track->e.track == 77 && strcmp(track->name, "ctr") == 0, "a counter's track");
    ok_named(a && a->e.value == 30 && a->e.track == 77, "counter value, scaled");
    ok_named(b && b->e.value == 20 && (b->e.flags & TM_EVENT_DERIVED) && b->e.raw_bytes == 0,
       "extra counter value, added up");
    ok_named(row_of(r, TM_KIND_COUNTER, 2) == NULL && row_of(r, TM_KIND_PACKET, 0), "a counter of no counter track is a packet");
    result_free(r);
    tm_buf_release(&m.out);
}

static void test_snapshots(void)
{
    struct maker m = {0};
    begin_packet(&m, 0, 9, 0);
    number(&m, 98, 4);
    open_field(&m, 6);
    clock_reading(&m, 6, 1000);
    clock_reading(&m, 64, UINT64_MAX);
    number(&m, 2, 6);
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    ok_named(r->snapshots == 1 && r->snapshot_readings == 2 && r->snapshot_primary == 6, "a snapshot is a frame");
    ok_named(r->snapshot_clock[1] == 64 && r->snapshot_value[1] == -1, "readings are signed");
    result_free(r);
    tm_buf_release(&m.out);
    begin_packet(&m, 0, 0, 0);
    open_field(&m, 107);
    open_field(&m, 1);
    open_field(&m, 2);
    clock_reading(&m, 6, 1);
    close_field(&m);
    close_field(&m);
    close_field(&m);
    end_packet(&m);
    r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    ok_named(r->syncs == 1 && r->status == TM_OK, "a remote clock sync is one, too");
    result_free(r);
    tm_buf_release(&m.out);
}

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
    ok_named(idle && strcmp(idle->name, "cpuidle") == 0 && idle->e.value == 2 && idle->e.cpu == 3, "a counter of an event");
    ok_named(r->rows[0].e.kind == TM_KIND_PACKET && !tm_event_is_timed(r->rows[0].e.flags), "what is left of the bundle");
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
    ok_named(b && b->e.raw_bytes == 0 && tm_event_raw(b->e.flags) == TM_RAW_COMPACT_SCHED, "no raw: the columns say all");
    ok_named(waking && waking->e.tid == 5 && waking->e.pid == 5 && waking->e.value == (120 | (uint64_t)2 << 32) &&
           waking->e.track == 2, "a waking and its flags");
    ok_named(r->snapshots == 1 && r->snapshot_clock[0] == 5 && r->snapshot_value[0] == 2000, "the bundle's clock pair");
    result_free(r);
    tm_buf_release(&m.out);
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
    ok_named(row && payload_has(r, row, "debug.a_b[0]") && payload_has(r, row, "debug.a_b[1]"), "array, its name made safe");
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
    Tracemerge__Detail *d = a ? tracemerge__detail__unpack(NULL, a->e.detail_bytes, r->bytes.data + a->detail_at) : NULL;
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

/* Times inside packets are listed, and others can be written in their place. */
static void test_inner_times(void)
{
    struct maker m = {0};
    struct tm_buf detail = {0}, out = {0};
    uint32_t unchanged = 9;
    begin_packet(&m, 5, 0, 0);
    open_field(&m, 39);
    for (uint64_t i = 0; i < 3; i++) {
        open_field(&m, 1);
        number(&m, 5, i * 1000);
        text(&m, 8, "line");
        close_field(&m);
    }
    close_field(&m);
    end_packet(&m);
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    const struct row *row = row_of(r, TM_KIND_PACKET, 0);
    Tracemerge__Detail *d =
        row ? tracemerge__detail__unpack(NULL, row->e.detail_bytes, r->bytes.data + row->detail_at) : NULL;
    ok_named(d && (row->e.flags & TM_EVENT_INNER_TIMES) && d->n_inner_times == 2, "times in a packet, zero is none");
    ok_named(d && d->inner_times[1]->clock == 1 && d->inner_times[1]->value == 2000 && d->inner_times[1]->field == 1,
             "their clock and value");
    if (d) {
        d->inner_times[0]->value = 77;
        d->inner_times[0]->state = 1;
        tm_buf_reserve(&detail, tracemerge__detail__get_packed_size(d));
        detail.len = tracemerge__detail__pack(d, detail.data);
        const uint8_t *raw = r->bytes.data + row->raw_at;
        enum tm_status st = tm_packet_times_rewrite(TM_RAW_PACKET, raw, row->e.raw_bytes, detail.data, detail.len, &out,
                                                    &unchanged);
        ok_named(st == TM_OK && unchanged == 1 && out.len == row->e.raw_bytes - 1u, "one is replaced, one stands");
        tm_buf_clear(&out);
        st = tm_packet_times_rewrite(TM_RAW_PACKET, raw, row->e.raw_bytes, detail.data, 0, &out, &unchanged);
        ok_named(st == TM_E_INPUT, "times that are not listed are noticed");
        tracemerge__detail__free_unpacked(d, NULL);
    }
    result_free(r);
    tm_buf_release(&detail);
    tm_buf_release(&out);
    tm_buf_release(&m.out);
}

static void add_instant(struct maker *m, uint64_t time)
{
    begin_packet(m, time, 2, 0);
    open_field(m, 11);
    number(m, 9, 3);
    text(m, 23, "instant with a name");
    close_field(m);
    end_packet(m);
}

static void test_damage(void)
{
    struct maker m = {0};
    for (uint64_t i = 1; i <= 10; i++)
        add_instant(&m, i);
    size_t one = m.out.len / 10;
    struct result *r = run(m.out.data, m.out.len - 3, TM_DAMAGE_HALT);
    char want[64];
    snprintf(want, sizeof want, "byte %zu: packet is cut short", one * 9);
    ok_named(r->status == TM_E_INPUT && strcmp(r->err.text, want) == 0, "cut");
    result_free(r);
    r = run(m.out.data, m.out.len - 3, TM_DAMAGE_SALVAGE);
    ok_named(r->status == TM_OK && r->count == 9 && r->damaged == 1 && r->skipped_bytes == one - 3, "cut, salvaged");
    result_free(r);
    m.out.data[one * 4 + 1] ^= 0x10; /* the length of the fifth */
    r = run(m.out.data, m.out.len, TM_DAMAGE_SALVAGE);
    ok_named(r->status == TM_OK && r->damaged == 1 && r->count >= 8 && r->skipped_bytes >= one,
       "a wrong length");
    result_free(r);
    r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    ok_named(r->status == TM_E_INPUT, "halts there without salvage");
    result_free(r);
    tm_buf_release(&m.out);
}

static void test_sniff(void)
{
    static const char json[] = "\n{\"traceEvents\": [{\"ph\": \"X\", \"ts\": 1, \"dur\": 1, \"pid\": 1, \"tid\": 1}, "
                               "{\"ph\": \"X\", \"ts\": 1, \"dur\": 1, \"pid\": 1, \"tid\": 1}]}";
    struct maker m = {0};
    add_instant(&m, 1);
    ok_named(!tm_format_proto.sniff((const uint8_t *)json, 70) &&
                 !tm_format_proto.sniff((const uint8_t *)json, sizeof json - 1),
             "JSON behind a newline is no packet");
    ok_named(tm_format_sniff((const uint8_t *)json, sizeof json - 1) != &tm_format_proto_any, "it is JSON");
    ok_named(tm_format_proto.sniff(m.out.data, m.out.len) && !tm_format_symbols.sniff(m.out.data, m.out.len),
             "a packet is one");
    ok_named(tm_format_sniff(m.out.data, m.out.len - 1) == &tm_format_proto_any, "a cut one still looks like a proto");
    tm_buf_release(&m.out);
    begin_packet(&m, 0, 0, 0);
    open_field(&m, 61);
    text(&m, 1, "lib.so");
    close_field(&m);
    end_packet(&m);
    ok_named(tm_format_symbols.sniff(m.out.data, m.out.len), "symbols");
    tm_buf_release(&m.out);
}

/* Every cut and every flipped bit: an answer, whatever it is, without harm. */
static void test_hostile(void)
{
    struct maker m = {0};
    bool fine = true;
    begin_packet(&m, 3, 2, 1);
    intern(&m, 2, 1, "n");
    open_field(&m, 11);
    number(&m, 9, 1);
    number(&m, 10, 1);
    close_field(&m);
    end_packet(&m);
    begin_packet(&m, 0, 1, 0);
    open_field(&m, 1);
    number(&m, 1, 3);
    open_field(&m, 2);
    number(&m, 1, 500);
    open_field(&m, 4);
    text(&m, 1, "old");
    close_field(&m);
    close_field(&m);
    close_field(&m);
    end_packet(&m);
    for (size_t i = 0; i < m.out.len; i++) {
        struct result *r = run(m.out.data, i, TM_DAMAGE_SALVAGE);
        fine &= r->status == TM_OK;
        result_free(r);
        for (int bit = 0; bit < 8; bit++) {
            m.out.data[i] ^= (uint8_t)(1 << bit);
            r = run(m.out.data, m.out.len, TM_DAMAGE_SALVAGE);
            fine &= r->status == TM_OK || r->status == TM_E_INPUT;
            result_free(r);
            m.out.data[i] ^= (uint8_t)(1 << bit);
        }
    }
    ok_named(fine, "cuts and flipped bits are survived");
    tm_buf_release(&m.out);
}

int main(void)
{
    test_interning();
    test_generations();
    test_counters();
    test_snapshots();
    test_ftrace();
    test_compact_sched();
    test_compressed();
    test_annotations();
    test_samples();
    test_inner_times();
    test_damage();
    test_sniff();
    test_hostile();
    return tap_done();
}

/* Unit test of output pftrace: its bytes do not depend on how rows are divided into batches. A recorded packet whose
 * values are in the rows after it is written at once if the batch has these rows, otherwise when the next row comes. An
 * event of another format is written at once if the next row of the batch is such an event and has a later time. */
#include "base/pb.h"
#include "emit/outputs.h"
#include "perfetto/packet_fields.h"
#include "perfetto/track_event_fields.h"
#include "stream/batch_builder.h"
#include "stream/detail_fields.h"

#include "tap.h"

#include <stdio.h>
#include <unistd.h>

enum { EVENTS = 300, TRACKS = 5 };

/* The output and the rows that it has not got yet. */
struct run {
    void *state;
    struct tm_batch_builder rows;
    uint32_t batch_rows; /* rows of a batch */
    enum tm_status st;
    struct tm_error err;
};

static void show(struct run *run)
{
    const struct tm_frame frame = {.type = TM_FRAME_BATCH};
    struct tm_batch batch;
    if (run->rows.count == 0 || run->st < 0)
        return;
    tm_batch_builder_view(&run->rows, &batch);
    run->st = tm_emit_pftrace_functions.frame(run->state, &frame, &batch, &run->err);
    tm_batch_builder_clear(&run->rows);
}

static void add(struct run *run, const struct tm_event *e)
{
    if (tm_batch_builder_add(&run->rows, e) != TM_OK)
        run->st = TM_E_SYSTEM;
    if (run->rows.count == run->batch_rows)
        show(run);
}

/* Adds a definition of track UUID of FILE, due at TIME_NS or when an event needs it. */
static void add_track(struct run *run, uint32_t file, uint64_t uuid, int64_t time_ns)
{
    struct tm_buf detail = {0}, raw = {0};
    size_t mark;
    tm_pb_begin(&detail, 5, &mark);
    tm_pb_put_i64(&detail, 1, uuid);
    tm_pb_end(&detail, mark);
    tm_pb_begin(&raw, TM_PACKET_TRACK_DESCRIPTOR, &mark);
    tm_pb_put_varint(&raw, TM_DESCRIPTOR_UUID, uuid);
    tm_pb_end(&raw, mark);
    const struct tm_event e = {.time_ns = time_ns, .kind = TM_KIND_TRACK, .file = file, .sequence = 1,
                               .generation = file + 1,
                               .flags = TM_EVENT_DEFINITION | TM_EVENT_HAS_TRACK | tm_event_raw_flags(TM_RAW_PACKET),
                               .track = uuid, .detail = detail.data, .detail_bytes = (uint32_t)detail.len,
                               .raw = raw.data, .raw_bytes = (uint32_t)raw.len};
    add(run, &e);
    tm_buf_release(&detail);
    tm_buf_release(&raw);
}

/* Adds event I and I % 4 values of it, each on a track of its own. */
static void add_event(struct run *run, uint32_t i)
{
    const uint32_t values = i % 4, file = i / 7 % 2;
    struct tm_buf raw = {0};
    size_t mark;
    tm_pb_begin(&raw, TM_PACKET_TRACK_EVENT, &mark);
    tm_pb_put_varint(&raw, TM_TRACK_EVENT_TYPE, 1 + i % 3);
    tm_pb_put_varint(&raw, TM_TRACK_EVENT_TRACK_UUID, 10 + i % TRACKS);
    for (uint32_t k = 0; k < values; k++) {
        tm_pb_put_varint(&raw, TM_TRACK_EVENT_EXTRA_TRACKS, 20 + (i + k) % TRACKS);
        tm_pb_put_varint(&raw, TM_TRACK_EVENT_EXTRA_VALUES, 1);
    }
    tm_pb_end(&raw, mark);
    struct tm_event e = {.time_ns = 1000 + i, .position = i, .kind = TM_KIND_SLICE_BEGIN + i % 2, .file = file,
                         .sequence = 1, .generation = file + 1, .track = 10 + i % TRACKS,
                         .flags = TM_EVENT_HAS_TRACK | tm_event_scope_flags(TM_SCOPE_TRACK) |
                                  tm_event_raw_flags(TM_RAW_PACKET),
                         .raw = raw.data, .raw_bytes = (uint32_t)raw.len};
    add(run, &e);
    for (uint32_t k = 0; k < values; k++) {
        struct tm_event value = {.time_ns = e.time_ns, .position = i, .kind = TM_KIND_COUNTER, .file = file,
                                 .sequence = 1, .generation = file + 1, .track = 20 + (i + k) % TRACKS,
                                 .value = i * 100 + k,
                                 .flags = TM_EVENT_DERIVED | TM_EVENT_HAS_TRACK | TM_EVENT_HAS_VALUE |
                                          tm_event_scope_flags(TM_SCOPE_TRACK)};
        add(run, &value);
    }
    tm_buf_release(&raw);
}

/* Adds rows of two traces of recorded packets. */
static void add_recorded(struct run *run)
{
    for (uint32_t i = 0; i < 2 * TRACKS; i++) /* some are due, some are needed before, some never */
        add_track(run, i % 2, (i < TRACKS ? 10 : 20) + i % TRACKS, i % 3 ? 1000 + 20 * (int64_t)i : 100000);
    add_track(run, 0, 99, 200000);
    for (uint32_t i = 0; i < EVENTS; i++)
        add_event(run, i);
}

/* Adds event I of Chrome JSON, of one of some threads. Several events have one time. */
static void add_json_event(struct run *run, uint32_t i)
{
    static const uint32_t kinds[] = {TM_KIND_SLICE_COMPLETE, TM_KIND_SLICE_COMPLETE, TM_KIND_FLOW_START,
                                     TM_KIND_SLICE_COMPLETE, TM_KIND_INSTANT, TM_KIND_LOG, TM_KIND_FLOW_END};
    struct tm_buf detail = {0};
    if (i % 5 == 0)
        tm_pb_put_varint(&detail, TM_DETAIL_THREAD_TIME, tm_zigzag(i));
    if (i % 10 == 0)
        tm_pb_put_varint(&detail, TM_DETAIL_THREAD_DUR, tm_zigzag(3));
    const struct tm_event e = {.time_ns = 1000 + i * i / 64, .dur_ns = i % 41, .position = i, .kind = kinds[i % 7],
                               .file = i / 11 % 2, .pid = 1 + i % 2, .tid = 10 + i % TRACKS, .track = i / 7,
                               .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD),
                               .detail = detail.data, .detail_bytes = (uint32_t)detail.len};
    add(run, &e);
    tm_buf_release(&detail);
}

static void add_json(struct run *run)
{
    for (uint32_t i = 0; i < EVENTS; i++)
        add_json_event(run, i);
}

/* Returns the output of the rows of ADD_ROWS, of files of TYPE, in batches of BATCH_ROWS. */
static struct tm_buf output_of(void (*add_rows)(struct run *run), enum tm_input_type type, uint32_t batch_rows)
{
    const Tracemerge__ClockPolicy policy = type == TM_INPUT_JSON ? TRACEMERGE__CLOCK_POLICY__PRIVATE
                                                                 : TRACEMERGE__CLOCK_POLICY__PROTO;
    struct tm_catalog_file files[] = {{.begun = true, .input_type = type, .clock_policy = policy},
                                      {.begun = true, .input_type = type, .clock_policy = policy,
                                       .processing_order = 1}};
    struct tm_catalog_machine machines[] = {{.raw_id = 0}};
    struct tm_catalog_sequence sequences[3] = {{0}, {0, 0, 1}, {1, 0, 1}};
    struct tm_catalog catalog = {.files = files, .file_count = 2, .machines = machines, .machine_count = 1,
                                 .sequences = sequences, .sequence_count = 3};
    const struct tm_emit_options options = {.append = false};
    const struct tm_stream_reader stream = {.event_count = 0};
    FILE *file = tmpfile();
    const struct tm_emit_context context = {.fd = fileno(file), .options = &options, .catalog = &catalog,
                                            .stream = &stream};
    struct run run = {.batch_rows = batch_rows};
    struct tm_buf out = {0};
    run.st = tm_emit_pftrace_functions.open(&context, &run.state, &run.err);
    add_rows(&run);
    show(&run);
    if (run.st >= 0)
        run.st = tm_emit_pftrace_functions.finish(run.state, &run.err);
    ok_named(run.st == TM_OK, run.err.text);
    tm_emit_pftrace_functions.close(run.state);
    tm_buf_reserve(&out, 1 << 20);
    rewind(file);
    out.len = fread(out.data, 1, out.cap, file);
    fclose(file);
    tm_batch_builder_release(&run.rows);
    return out;
}

static void test(void (*add_rows)(struct run *run), enum tm_input_type type)
{
    struct tm_buf one_by_one = output_of(add_rows, type, 1);
    ok_named(one_by_one.len > EVENTS * 20, "an output");
    for (uint32_t rows = 2; rows < 2000; rows = rows * 2 + 1) {
        struct tm_buf other = output_of(add_rows, type, rows);
        ok_named(other.len == one_by_one.len && memcmp(other.data, one_by_one.data, other.len) == 0,
                 "the same bytes from larger batches");
        tm_buf_release(&other);
    }
    tm_buf_release(&one_by_one);
}

int main(void)
{
    test(add_recorded, TM_INPUT_PROTO);
    test(add_json, TM_INPUT_JSON);
    return tap_done();
}

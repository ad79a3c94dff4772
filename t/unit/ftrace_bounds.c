/* Unit tests of the time from which ftrace data counts: bounds of files on their machines, and of machines. */
#include "emit/perfetto/ftrace_bounds.h"
#include "stream/detail_fields.h"
#include "tap.h"


enum { FILES = 3, MACHINES = 2 };

struct fixture {
    struct tm_catalog_file files[FILES];
    struct tm_catalog_machine machines[MACHINES];
    struct tm_catalog catalog;
    struct tm_packet_writer writer;
    struct tm_ftrace_bounds bounds;
    struct tm_error err;
};

static void set_up(struct fixture *f)
{
    *f = (struct fixture){0};
    f->machines[1].raw_id = 7;
    for (int i = 0; i < FILES; i++)
        f->files[i] = (struct tm_catalog_file){.begun = true, .clock_policy = TRACEMERGE__CLOCK_POLICY__PROTO};
    f->catalog.files = f->files;
    f->catalog.file_count = FILES;
    f->catalog.machines = f->machines;
    f->catalog.machine_count = MACHINES;
    ok_named(tm_packet_writer_init(&f->writer, &f->catalog, -1, NULL, &f->err) == TM_OK, "a writer");
}

static void tear_down(struct fixture *f)
{
    tm_ftrace_bounds_release(&f->bounds);
    tm_packet_writer_release(&f->writer);
}

/* Adds the row NAME of FILE, with its text in the detail. */
static void word(struct fixture *f, uint32_t file, const char *name, int64_t time_ns)
{
    struct tm_buf detail = {0};
    struct tm_event e = {.kind = TM_KIND_METADATA, .flags = TM_EVENT_DERIVED | TM_EVENT_DEFINITION, .file = file,
                         .time_ns = time_ns, .name = TM_STRING_INLINE | 1};
    enum { DETAIL_TEXT = 4 };
    ok_named(tm_pb_put_str(&detail, DETAIL_TEXT, name) == TM_OK, "a text");
    e.detail = detail.data;
    e.detail_bytes = (uint32_t)detail.len;
    ok_named(tm_ftrace_bounds_note(&f->bounds, &f->writer, &e, &f->err) == TM_OK, "a word of a file");
    tm_buf_release(&detail);
}

/* Adds the rest of a bundle of FILE. */
static void bundle(struct fixture *f, uint32_t file)
{
    static const uint8_t raw[] = {0x0a, 0x02, 0x08, 0x03}; /* ftrace_events { cpu: 3 } */
    struct tm_event e = {.kind = TM_KIND_PACKET, .flags = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_HAS_CPU,
                         .file = file, .cpu = 3, .raw = raw, .raw_bytes = sizeof raw};
    ok_named(tm_ftrace_bounds_note(&f->bounds, &f->writer, &e, &f->err) == TM_OK, "a bundle");
}

/* Adds the rest of a bundle of FILE that states the last read of its cpu's buffer: reading 0, END_NS in trace time. */
static void bundle_after(struct fixture *f, uint32_t file, uint64_t end_ns)
{
    enum { INNER_VALUE = 3, INNER_STATE = 4, CONVERTED = 1 };
    static const uint8_t raw[] = {0x0a, 0x04, 0x08, 0x03, 0x50, 0x00}; /* ftrace_events { cpu: 3 previous_end: 0 } */
    struct tm_buf detail = {0};
    size_t mark;
    ok_named(tm_pb_begin(&detail, TM_DETAIL_INNER_TIMES, &mark) == TM_OK &&
                 tm_pb_put_i64(&detail, INNER_VALUE, end_ns) == TM_OK &&
                 tm_pb_put_i32(&detail, INNER_STATE, CONVERTED) == TM_OK && tm_pb_end(&detail, mark) == TM_OK,
             "a time within it");
    struct tm_event e = {.kind = TM_KIND_PACKET,
                         .flags = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_HAS_CPU | TM_EVENT_INNER_TIMES |
                                  tm_event_raw_flags(TM_RAW_PACKET),
                         .file = file, .cpu = 3, .raw = raw, .raw_bytes = sizeof raw, .detail = detail.data,
                         .detail_bytes = (uint32_t)detail.len};
    ok_named(tm_ftrace_bounds_note(&f->bounds, &f->writer, &e, &f->err) == TM_OK, "a bundle with an end before it");
    tm_buf_release(&detail);
}

/* True if the written packets state END_NS of a cpu without events. */
static bool says_end(const struct fixture *f, uint64_t end_ns)
{
    enum { CPU = 1, PREVIOUS_END = 10 };
    struct tm_pb packets = tm_pb_of(f->writer.out.data, f->writer.out.len);
    struct tm_pb_field packet, body, field;
    bool says = false;
    while (tm_pb_next(&packets, &packet) == TM_OK) {
        struct tm_pb fields = tm_pb_of(packet.data, packet.len);
        while (tm_pb_next(&fields, &body) == TM_OK) {
            struct tm_pb bundle = tm_pb_of(body.data, body.len);
            while (body.id == TM_PACKET_FTRACE_EVENTS && tm_pb_next(&bundle, &field) == TM_OK)
                says |= field.id == PREVIOUS_END && field.value == end_ns;
        }
    }
    return says;
}

static int64_t start_of(const struct fixture *f, uint32_t file)
{
    struct tm_event e = {.file = file};
    return tm_ftrace_bounds_start(&f->bounds, &e);
}

/* True if a service event at TIME_NS keeps its tracing_started. */
static bool keeps(struct fixture *f, int64_t time_ns)
{
    uint8_t raw[] = {0xaa, 0x04, 0x02, 0x10, 0x01}; /* service_event { tracing_started: true } */
    struct tm_event e = {.time_ns = time_ns, .raw = raw, .raw_bytes = sizeof raw};
    struct tm_pb pb = tm_pb_of(raw, sizeof raw);
    struct tm_pb_field field;
    struct tm_buf other = {0};
    ok_named(tm_pb_next(&pb, &field) == TM_OK && field.id == TM_PACKET_SERVICE_EVENT, "a service event");
    ok_named(tm_ftrace_bounds_service_event(&f->bounds, &e, &field, &other, &f->err) == TM_OK, "is looked at");
    bool is_kept = e.raw_bytes == sizeof raw;
    tm_buf_release(&other);
    return is_kept;
}

static void settle(struct fixture *f)
{
    ok_named(tm_ftrace_bounds_settle(&f->bounds, &f->writer, &f->err) == TM_OK, "all is known");
}

static void test_one(void)
{
    struct fixture f;
    set_up(&f);
    bundle(&f, 0);
    word(&f, 0, "tracing_started_ns", 100);
    word(&f, 1, "tracing_started_ns", 300);
    settle(&f);
    ok_named(f.writer.out.len == 0, "one file with data: nothing is said at the front");
    ok_named(!f.bounds.is_cutting && start_of(&f, 0) == INT64_MIN, "nor is anything cut");
    ok_named(keeps(&f, 100) && !keeps(&f, 300), "its start is kept, that of a file without data is not");
    tear_down(&f);
}

static void test_two(void)
{
    struct fixture f;
    set_up(&f);
    bundle(&f, 0);
    bundle(&f, 1);
    word(&f, 0, "tracing_started_ns", 200);
    word(&f, 1, "tracing_started_ns", 100);
    settle(&f);
    ok_named(f.writer.out.len > 0, "two files with data: the start is said at the front");
    ok_named(f.bounds.is_cutting && start_of(&f, 0) == 200 && start_of(&f, 1) == INT64_MIN, "the later one is cut");
    ok_named(start_of(&f, 2) == INT64_MIN, "a file that was not heard of is not");
    ok_named(keeps(&f, 100) && !keeps(&f, 200), "and the earlier start kept");
    tear_down(&f);
}

static void test_whole_buffer(void)
{
    struct fixture f;
    set_up(&f);
    bundle(&f, 0);
    bundle(&f, 1);
    word(&f, 0, "tracing_started_ns", 200);
    word(&f, 1, "tracing_started_ns", 100);
    word(&f, 1, "preserve_ftrace_buffer", 0);
    settle(&f);
    ok_named(f.writer.out.len == 0 && start_of(&f, 0) == 200 && start_of(&f, 1) == INT64_MIN,
             "where one keeps its buffer there is no start, and the other is cut");
    ok_named(!keeps(&f, 100) && !keeps(&f, 200), "no service event says one");
    tear_down(&f);
}

static void test_read_before(void)
{
    struct fixture f;
    set_up(&f);
    bundle_after(&f, 0, 209);
    settle(&f);
    ok_named(says_end(&f, 209), "a buffer was read at 0 of its own clock: its reading on trace time is said");
    tear_down(&f);
    set_up(&f);
    bundle_after(&f, 0, 0);
    settle(&f);
    ok_named(says_end(&f, 0), "0 of trace time is said, too");
    tear_down(&f);
    set_up(&f);
    bundle_after(&f, 0, 209);
    bundle_after(&f, 1, 70);
    settle(&f);
    ok_named(says_end(&f, 70) && !says_end(&f, 209), "of two files the earlier one is said");
    tear_down(&f);
    set_up(&f);
    bundle_after(&f, 0, 209);
    bundle(&f, 1);
    settle(&f);
    ok_named(f.writer.out.len == 0, "where one does not say it, nothing is");
    tear_down(&f);
}

static void test_cut_switch(void)
{
    struct fixture f;
    struct tm_event e = {.kind = TM_KIND_SCHED_SWITCH, .cpu = 1};
    bool after_cut = true;
    set_up(&f);
    ok_named(tm_ftrace_bounds_switch(&f.bounds, &e, false, &after_cut, &f.err) == TM_OK && !after_cut, "none was cut");
    ok_named(tm_ftrace_bounds_switch(&f.bounds, &e, true, &after_cut, &f.err) == TM_OK && !after_cut, "one is");
    e.cpu = 2;
    ok_named(tm_ftrace_bounds_switch(&f.bounds, &e, false, &after_cut, &f.err) == TM_OK && !after_cut,
             "not of another cpu");
    e.cpu = 1;
    ok_named(tm_ftrace_bounds_switch(&f.bounds, &e, false, &after_cut, &f.err) == TM_OK && after_cut,
             "the next one is behind it");
    ok_named(tm_ftrace_bounds_switch(&f.bounds, &e, false, &after_cut, &f.err) == TM_OK && !after_cut, "and no other");
    tear_down(&f);
}

int main(void)
{
    test_one();
    test_two();
    test_whole_buffer();
    test_read_before();
    test_cut_switch();
    return tap_done();
}

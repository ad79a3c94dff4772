/* Writes a small placed and sorted stream to standard output, for the tests of tm-emit and tm-merge.
 *
 *     emit-stream [-n COUNT] [WORD]...
 *
 * Words change it:
 *     hostile          names with control bytes, quotes and invalid UTF-8
 *     dropped          two events were dropped, 5 bytes skipped
 *     needs-state      two events were dropped for a reason that --strict ignores
 *     unbalanced       one event more was read than placed or dropped
 *     unplaced, unsorted   by the header
 *     stranger, strange-machine   an event of an unknown file or machine
 *     optional         a frame of an unknown optional type
 *     listed           a Dropped frame; misfit: with a time too few; odd-names: with unknown names; nowhere: of an
 *                      unknown file
 *     early            events at the earliest time there is, and slices that end before time 0
 *     lists            a slice that gets elements of a list four times
 *     backward-dump    a heap profile over a negative time, the least there is
 *     cut              no end frame
 * COUNT more instants are added. */
#include "base/pb.h"
#include "stream/event_sink.h"
#include "stream/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PHONE = 1, WATCH = 2, PID = 512, TID = 530 };

struct maker {
    struct tm_stream_writer writer;
    struct tm_event_sink sink;
    struct tm_error err;
    enum tm_status st;
    int argc;
    char **argv;
};

static bool wants(const struct maker *m, const char *word)
{
    for (int i = 1; i < m->argc; i++)
        if (strcmp(m->argv[i], word) == 0)
            return true;
    return false;
}

static ProtobufCBinaryData str(const char *s)
{
    return tm_bytes(s, strlen(s));
}

static void put(struct maker *m, enum tm_frame_type type, const ProtobufCMessage *message)
{
    if (m->st >= 0)
        m->st = tm_stream_write_message(&m->writer, type, message, &m->err);
}

static void put_file(struct maker *m, uint32_t id, const char *name, const char *type)
{
    Tracemerge__File f = TRACEMERGE__FILE__INIT;
    f.id = id;
    f.has_parent = id > 0;
    f.has_name = name != NULL;
    f.name = str(name ? name : "");
    f.type = str(type);
    f.size_bytes = 1000 * (uint64_t)id;
    f.is_container = id == 0;
    put(m, TM_FRAME_FILE, &f.base);
}

static void put_machine(struct maker *m, uint32_t id, int64_t raw_id, const char *name)
{
    Tracemerge__Machine x = TRACEMERGE__MACHINE__INIT;
    x.id = id;
    x.raw_id = raw_id;
    x.has_name = true;
    x.name = str(name);
    put(m, TM_FRAME_MACHINE, &x.base);
}

static void put_account(struct maker *m, const char *reason, uint64_t count)
{
    Tracemerge__Account a = TRACEMERGE__ACCOUNT__INIT;
    a.file = WATCH;
    a.has_machine = true;
    a.machine = 1;
    a.clock = 6;
    a.reason = str(reason);
    a.count = count;
    a.has_byte = true;
    a.byte = 77;
    put(m, TM_FRAME_ACCOUNT, &a.base);
}

static void put_placement(struct maker *m, uint32_t file, uint64_t count)
{
    Tracemerge__Placement p = TRACEMERGE__PLACEMENT__INIT;
    p.file = file;
    p.machine = file - 1;
    p.clock = 6;
    p.rule = str(file == PHONE ? "trace_time" : "rendezvous");
    p.path = str(file == PHONE ? "" : "BOOTTIME > REALTIME > REALTIME > BOOTTIME");
    p.first_ns = 1000000000;
    p.last_ns = 1000004000;
    p.first_offset_ns = file == PHONE ? 0 : -1500;
    p.last_offset_ns = file == PHONE ? 0 : 250000000;
    p.snapshots_used = 2;
    p.has_max_distance_ns = file == WATCH;
    p.max_distance_ns = 12345678;
    p.placed_count = count;
    put(m, TM_FRAME_PLACEMENT, &p.base);
}

static void put_listed(struct maker *m)
{
    uint64_t positions[] = {7, 8};
    int64_t times[] = {-5, 6};
    uint32_t kinds[] = {TM_KIND_INSTANT, UINT32_MAX};
    uint32_t names[] = {TM_STRING_INLINE, wants(m, "odd-names") ? TM_STRING_INLINE | 3 : 0};
    protobuf_c_boolean definitions[] = {0, 1};
    Tracemerge__Dropped d = TRACEMERGE__DROPPED__INIT;
    d.file = wants(m, "nowhere") ? 77 : WATCH;
    d.machine = 1;
    d.clock = 6;
    d.reason = str("no_path");
    d.n_position = d.n_kind = d.n_name = d.n_is_definition = 2;
    d.n_time_ns = wants(m, "misfit") ? 1 : 2;
    d.position = positions;
    d.time_ns = times;
    d.kind = kinds;
    d.name = names;
    d.is_definition = definitions;
    d.has_texts = true;
    d.texts = wants(m, "odd-names") ? str("\x7f" "ab\x7f") : str("\x03" "a\tb");
    put(m, TM_FRAME_DROPPED, &d.base);
}

static void put_rest(struct maker *m)
{
    Tracemerge__TraceTime t = TRACEMERGE__TRACE_TIME__INIT;
    Tracemerge__Stat s = TRACEMERGE__STAT__INIT;
    Tracemerge__Metadata d = TRACEMERGE__METADATA__INIT;
    t.clock = 6;
    t.has_machine = t.has_file = true;
    t.file = PHONE;
    put(m, TM_FRAME_TRACE_TIME, &t.base);
    s.name = str("clock_sync_failure_no_path");
    s.severity = TRACEMERGE__SEVERITY__ERROR;
    s.value = 2;
    s.has_machine = s.has_file = true;
    s.machine = 1;
    s.file = WATCH;
    put(m, TM_FRAME_STAT, &s.base);
    d.name = str("manifest_attribute.run");
    d.value_case = TRACEMERGE__METADATA__VALUE_STR_VALUE;
    d.str_value = str("nightly \x1b[31m");
    put(m, TM_FRAME_METADATA, &d.base);
    if (wants(m, "listed") || wants(m, "misfit") || wants(m, "odd-names") || wants(m, "nowhere"))
        put_listed(m);
    if (wants(m, "optional") && m->st >= 0) {
        struct tm_piece piece = {"abc", 3};
        m->st = tm_frame_write(&m->writer.frames, 99, &piece, 1, &m->err);
    }
}

/* Adds an event with a name and a detail message. Its time, unless E has one, is 1 s + NS. */
static void add(struct maker *m, struct tm_event e, int64_t ns, const char *name, const ProtobufCMessage *detail)
{
    struct tm_buf bytes = {0};
    if (m->st < 0)
        return;
    if (detail && tm_buf_reserve(&bytes, protobuf_c_message_get_packed_size(detail) + 1) == TM_OK)
        bytes.len = protobuf_c_message_pack(detail, bytes.data);
    m->st = tm_event_sink_string(&m->sink, tm_text_at(name, name ? strlen(name) : 0), &bytes, &e.name, &m->err);
    e.time_ns = e.time_ns ? e.time_ns : 1000000000 + ns;
    e.clock = 6;
    e.machine = m->sink.file == WATCH;
    e.detail = bytes.data;
    e.detail_bytes = (uint32_t)bytes.len;
    if (m->st >= 0)
        m->st = tm_event_sink_add(&m->sink, &e, &m->err);
    tm_buf_release(&bytes);
}

static void add_definitions(struct maker *m)
{
    Tracemerge__Detail d = TRACEMERGE__DETAIL__INIT;
    Tracemerge__ProcessDescription p = TRACEMERGE__PROCESS_DESCRIPTION__INIT;
    Tracemerge__ThreadDescription t = TRACEMERGE__THREAD_DESCRIPTION__INIT;
    Tracemerge__TrackDescription k = TRACEMERGE__TRACK_DESCRIPTION__INIT;
    const uint32_t untimed = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED;
    p.has_pid = t.has_pid = t.has_tid = p.has_name = t.has_name = true;
    p.pid = t.pid = PID;
    t.tid = TID;
    p.name = str(wants(m, "hostile") ? "evil\x1b]0;pwn\x07\n" : "surfaceflinger");
    t.name = str("RenderEngine");
    d.process = &p;
    add(m, (struct tm_event){.kind = TM_KIND_PROCESS, .flags = untimed}, 0, NULL, &d.base);
    d.process = NULL;
    d.thread = &t;
    add(m, (struct tm_event){.kind = TM_KIND_THREAD, .flags = untimed}, 0, NULL, &d.base);
    d.thread = NULL;
    d.track = &k;
    k.has_uuid = k.has_pid = k.has_tid = true;
    k.uuid = 10;
    k.pid = PID;
    k.tid = TID;
    add(m, (struct tm_event){.kind = TM_KIND_TRACK, .flags = untimed}, 0, NULL, &d.base);
    k.uuid = 11;
    k.has_pid = k.has_tid = false;
    k.has_parent_uuid = k.has_name = true;
    k.parent_uuid = 10;
    k.name = str("child");
    add(m, (struct tm_event){.kind = TM_KIND_TRACK, .flags = untimed}, 0, NULL, &d.base);
    k.uuid = 12;
    k.parent_uuid = 12; /* its own parent: the search for ancestors must end */
    k.name = str("lonely track");
    add(m, (struct tm_event){.kind = TM_KIND_TRACK, .flags = untimed}, 0, NULL, &d.base);
}

static void add_args(struct maker *m, struct tm_event e, int64_t ns, const char *name)
{
    Tracemerge__Detail d = TRACEMERGE__DETAIL__INIT;
    Tracemerge__Arg args[] = {TRACEMERGE__ARG__INIT, TRACEMERGE__ARG__INIT, TRACEMERGE__ARG__INIT,
                              TRACEMERGE__ARG__INIT};
    Tracemerge__Arg *list[] = {&args[0], &args[1], &args[2], &args[3]};
    uint64_t flows[] = {7, UINT64_MAX};
    bool hostile = wants(m, "hostile");
    for (int i = 0; i < 4; i++)
        args[i].has_key = true;
    args[0].key = str("debug.a[0]");
    args[0].value_case = TRACEMERGE__ARG__VALUE_INT_VALUE;
    args[0].int_value = INT64_MIN;
    args[1].key = str(hostile ? "k\"\\\xff\x01" : "debug.s");
    args[1].value_case = TRACEMERGE__ARG__VALUE_STRING_VALUE;
    args[1].string_value = str(hostile ? "\xc0\x80\xed\xa0\x80\"],}\x7f\xc2\x9b" : "text");
    args[2].key = str("debug.d");
    args[2].value_case = TRACEMERGE__ARG__VALUE_DOUBLE_VALUE;
    args[2].double_value = hostile ? tm_pb_double(UINT64_C(0x7ff8000000000000)) : 0.1;
    args[3].key = str("debug.j");
    args[3].value_case = TRACEMERGE__ARG__VALUE_JSON_VALUE;
    args[3].json_value = str(hostile ? "{\"not\": json" : "{\"x\":1}");
    d.n_args = 4;
    d.args = list;
    d.n_flow_ids = 2;
    d.flow_ids = flows;
    add(m, e, ns, name, &d.base);
}

static uint32_t scope(enum tm_scope s)
{
    return tm_event_scope_flags(s);
}

static void add_early(struct maker *m)
{
    const uint32_t on_thread = scope(TM_SCOPE_THREAD) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    add(m, (struct tm_event){.kind = TM_KIND_TASK_NEW, .flags = scope(TM_SCOPE_THREAD) | TM_EVENT_HAS_TID, .tid = 7,
                             .time_ns = INT64_MIN},
        0, "new", NULL);
    add(m, (struct tm_event){.kind = TM_KIND_SLICE_COMPLETE, .flags = on_thread, .pid = PID, .tid = 7,
                             .time_ns = INT64_MIN, .dur_ns = INT64_MAX},
        0, "long", NULL);
    for (int64_t ns = -30; ns < 0; ns += 10)
        add(m, (struct tm_event){.kind = TM_KIND_SLICE_COMPLETE, .flags = on_thread, .pid = PID, .tid = 7,
                                 .time_ns = ns, .dur_ns = 5},
            0, "early", NULL);
}

/* Adds a slice whose begin, end and what comes between them have an element of one list. */
static void add_lists(struct maker *m)
{
    static const enum tm_kind kinds[] = {TM_KIND_SLICE_BEGIN, TM_KIND_SLICE_ARGS, TM_KIND_SLICE_ARGS,
                                         TM_KIND_SLICE_END};
    Tracemerge__Detail d = TRACEMERGE__DETAIL__INIT;
    Tracemerge__Arg arg = TRACEMERGE__ARG__INIT, *list = &arg;
    arg.has_key = true;
    arg.key = str("debug.list[0]");
    arg.value_case = TRACEMERGE__ARG__VALUE_INT_VALUE;
    d.n_args = 1;
    d.args = &list;
    for (arg.int_value = 0; arg.int_value < 4; arg.int_value++)
        add(m, (struct tm_event){.kind = kinds[arg.int_value], .pid = PID, .tid = 531,
                                 .flags = scope(TM_SCOPE_THREAD) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID},
            2600 + arg.int_value, "lists", &d.base);
}

static void add_phone(struct maker *m)
{
    const uint32_t on_thread = scope(TM_SCOPE_THREAD) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    const char *name = wants(m, "hostile") ? "a\x1b[2J,\"b\"\r\nc\xff" : "draw frame";
    if (wants(m, "early"))
        add_early(m);
    add(m, (struct tm_event){.kind = TM_KIND_SLICE_BEGIN, .flags = on_thread, .pid = PID, .tid = TID}, 0, name, NULL);
    add_args(m, (struct tm_event){.kind = TM_KIND_SLICE_COMPLETE, .flags = on_thread, .pid = PID, .tid = PID,
                                  .dur_ns = 1500},
             500, "commit");
    add(m, (struct tm_event){.kind = TM_KIND_SLICE_END, .flags = on_thread, .pid = PID, .tid = TID}, 1000, NULL, NULL);
    add(m, (struct tm_event){.kind = TM_KIND_INSTANT, .flags = scope(TM_SCOPE_TRACK) | TM_EVENT_HAS_TRACK,
                             .track = 11},
        1500, "tick", NULL);
    add(m, (struct tm_event){.kind = TM_KIND_COUNTER, .flags = scope(TM_SCOPE_TRACK) | TM_EVENT_HAS_TRACK |
                                                               TM_EVENT_HAS_VALUE | TM_EVENT_VALUE_DOUBLE,
                             .track = 12, .value = tm_pb_bits(0.1)},
        2000, "load", NULL);
    add(m, (struct tm_event){.kind = TM_KIND_SCHED_SWITCH,
                             .flags = scope(TM_SCOPE_CPU) | TM_EVENT_HAS_CPU | TM_EVENT_HAS_TID | TM_EVENT_HAS_PID,
                             .cpu = 3, .tid = TID, .pid = 33, .value = 1 | UINT64_C(120) << 32 | UINT64_C(97) << 48},
        2500, "kworker", NULL);
    if (wants(m, "lists"))
        add_lists(m);
    if (wants(m, "backward-dump"))
        add(m, (struct tm_event){.kind = TM_KIND_HEAP_DUMP, .flags = TM_EVENT_HAS_PID, .pid = PID, .dur_ns = INT64_MIN},
            2600, "heap", NULL);
}

static void add_watch(struct maker *m)
{
    add(m, (struct tm_event){.kind = TM_KIND_SLICE_COMPLETE, .flags = scope(TM_SCOPE_PROCESS) | TM_EVENT_HAS_PID |
                                                                      TM_EVENT_OPEN_ENDED,
                             .pid = 9},
        3000, "never ends", NULL);
    add(m, (struct tm_event){.kind = TM_KIND_PACKET, .flags = tm_event_raw_flags(TM_RAW_PACKET), .raw =
                             (const uint8_t *)"\x08\x2a", .raw_bytes = 2},
        3500, NULL, NULL);
    add(m, (struct tm_event){.kind = TM_KIND_COUNTER, .flags = TM_EVENT_DERIVED | TM_EVENT_HAS_VALUE,
                             .value = (uint64_t)INT64_C(-4)},
        3500, "mem", NULL);
    add(m, (struct tm_event){.kind = 99}, 4000, NULL, NULL);
}

static void begin(struct maker *m, uint32_t file, uint32_t order)
{
    Tracemerge__FileBegin b = TRACEMERGE__FILE_BEGIN__INIT;
    b.id = file;
    b.processing_order = order;
    if (m->st >= 0)
        m->st = tm_event_sink_file_begin(&m->sink, &b, &m->err);
}

/* Writes a FileEnd with counts as if ACCOUNTED more events had been read. */
static void end(struct maker *m, uint32_t file, uint64_t accounted)
{
    m->sink.timed_count += accounted;
    if (m->st >= 0)
        m->st = tm_event_sink_file_end(&m->sink, file, 1000 * (uint64_t)file, &m->err);
}

static void make(struct maker *m, long count)
{
    bool dropped = wants(m, "dropped") || wants(m, "needs-state");
    put_file(m, 0, NULL, "zip");
    put_file(m, PHONE, wants(m, "hostile") ? "ph\x1bone\"\xff.pftrace" : "phone.pftrace", "");
    put_file(m, WATCH, "logs/watch.json", "json");
    put_machine(m, 0, INT64_C(4294967296), wants(m, "hostile") ? "pho\nne\x1b" : "phone");
    if (!wants(m, "strange-machine"))
        put_machine(m, 1, 0, "");
    put_rest(m);
    put_placement(m, PHONE, 6 + (wants(m, "early") ? 5 : 0) + (wants(m, "lists") ? 4 : 0) +
                                (wants(m, "backward-dump") ? 1 : 0));
    put_placement(m, WATCH, 3 + (uint64_t)count);
    if (dropped)
        put_account(m, wants(m, "dropped") ? "negative_time" : "needs_state", 2);
    if (wants(m, "dropped"))
        put_account(m, "skipped_bytes", 5);
    begin(m, PHONE, 1);
    add_definitions(m);
    add_phone(m);
    end(m, PHONE, wants(m, "unbalanced"));
    begin(m, WATCH, 2);
    add_watch(m);
    for (long i = 0; i < count; i++)
        add(m, (struct tm_event){.kind = TM_KIND_INSTANT, .flags = scope(TM_SCOPE_THREAD) | TM_EVENT_HAS_TID,
                                 .tid = TID + i % 7},
            4000 + i, i % 3 ? "one of many" : "another of many", NULL);
    if (wants(m, "stranger"))
        m->sink.file = 7;
    if (wants(m, "stranger"))
        add(m, (struct tm_event){.kind = TM_KIND_INSTANT}, 4000, NULL, NULL);
    end(m, WATCH, dropped ? 2 : 0);
}

int main(int argc, char **argv)
{
    struct maker m = {.argc = argc, .argv = argv};
    long count = argc > 2 && strcmp(argv[1], "-n") == 0 ? atol(argv[2]) : 0;
    bool placed = !wants(&m, "unplaced");
    const struct tm_stream_header header = {.stage = placed ? TRACEMERGE__STAGE__PLACED : TRACEMERGE__STAGE__UNPACKED,
                                            .sorted = placed && !wants(&m, "unsorted")};
    m.st = tm_stream_writer_open(&m.writer, STDOUT_FILENO, "emit-stream", &header, &m.err);
    tm_event_sink_init(&m.sink, &m.writer);
    make(&m, count);
    if (m.st >= 0)
        m.st = tm_event_sink_flush(&m.sink, &m.err);
    if (m.st >= 0)
        m.st = wants(&m, "cut") ? tm_frame_flush(&m.writer.frames, &m.err) : tm_stream_writer_end(&m.writer, &m.err);
    tm_event_sink_release(&m.sink);
    tm_stream_writer_release(&m.writer);
    if (m.st < 0)
        fprintf(stderr, "emit-stream: %s\n", m.err.text);
    return tm_status_exit(m.st);
}

/* Unit tests of lib/stream: frames are read back as written; every cut and every flipped bit is detected. */
#include "stream/detail_fields.h"
#include "stream/drop_reason.h"
#include "stream/event_sink.h"
#include "stream/input_type.h"
#include "stream/json_ref.h"
#include "stream/placement_rule.h"
#include "stream/reader.h"
#include "stream/task_description.h"

#include "os/io.h"

#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

enum { EVENTS = 300 };

static int write_sample(struct tm_buf *bytes)
{
    struct tm_error err = {0};
    struct tm_stream_writer writer;
    struct tm_event_sink sink;
    int fd;
    const struct tm_stream_header header = {.stage = TRACEMERGE__STAGE__UNPACKED};
    Tracemerge__FileBegin begin = TRACEMERGE__FILE_BEGIN__INIT;
    if (tm_io_temporary(NULL, &fd, &err) < 0 ||
        tm_stream_writer_open(&writer, fd, "test", &header, &err) < 0)
        return -1;
    tm_event_sink_init(&sink, &writer);
    begin.id = 3;
    enum tm_status st = tm_event_sink_file_begin(&sink, &begin, &err);
    for (int i = 0; i < EVENTS && st >= 0; i++) {
        struct tm_event e = {.time_ns = 1000 - i, .kind = TM_KIND_INSTANT, .pid = i & 1 ? -5 : 7};
        struct tm_buf detail = {0};
        char name[16];
        snprintf(name, sizeof name, "n%d", i % 7);
        st = tm_event_sink_string(&sink, tm_text_at(name, strlen(name)), &detail, &e.name, &err);
        e.raw = (const uint8_t *)name;
        e.raw_bytes = (uint32_t)i % 3;
        if (st >= 0)
            st = tm_event_sink_add(&sink, &e, &err);
        tm_buf_release(&detail);
    }
    if (st >= 0)
        st = tm_event_sink_file_end(&sink, 3, 99, &err);
    if (st >= 0)
        st = tm_stream_writer_end(&writer, &err);
    off_t size = lseek(fd, 0, SEEK_END);
    if (st < 0 || tm_buf_reserve(bytes, (size_t)size) < 0 || tm_io_pread(fd, bytes->data, (size_t)size, 0, &err) < 0)
        return -1;
    bytes->len = (size_t)size;
    tm_event_sink_release(&sink);
    tm_stream_writer_release(&writer);
    close(fd);
    return 0;
}

/* Reads LEN bytes as a stream. Returns the last status, and the frames that were read. */
static enum tm_status read_all(const uint8_t *data, size_t len, uint64_t *events, int64_t *sum, struct tm_error *err)
{
    struct tm_stream_reader reader;
    struct tm_frame frame;
    struct tm_batch batch;
    int fd;
    *events = 0;
    *sum = 0;
    if (tm_io_temporary(NULL, &fd, err) < 0 || tm_io_write(fd, data, len, err) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return TM_E_SYSTEM;
    enum tm_status st = tm_stream_reader_open(&reader, fd, err);
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, err)) == TM_OK) {
        if (frame.type != TM_FRAME_BATCH)
            continue;
        struct tm_batch_walk walk = {.batch = &batch};
        struct tm_event e;
        while (tm_batch_next(&walk, &e)) {
            ++*events;
            *sum += e.time_ns + e.pid + (int64_t)e.raw_bytes + (int64_t)e.position;
            if (e.raw_bytes && e.raw[0] != 'n')
                *sum = -1;
        }
    }
    tm_stream_reader_release(&reader);
    close(fd);
    return st;
}

static void test_round_trip(const struct tm_buf *bytes)
{
    struct tm_error err = {0};
    uint64_t events;
    int64_t sum, want = 0;
    for (int i = 0; i < EVENTS; i++)
        want += 1000 - i + (i & 1 ? -5 : 7) + i % 3 + i;
    is_int(read_all(bytes->data, bytes->len, &events, &sum, &err), TM_END);
    is_int(events, EVENTS);
    is_int(sum, want);
}

static void test_cuts(const struct tm_buf *bytes)
{
    int noticed = 0;
    for (size_t cut = 0; cut < bytes->len; cut++) {
        struct tm_error err = {0};
        uint64_t events;
        int64_t sum;
        noticed += read_all(bytes->data, cut, &events, &sum, &err) == TM_E_INPUT && strstr(err.text, "byte ");
    }
    is_int(noticed, (long long)bytes->len);
}

static void test_flips(struct tm_buf *bytes)
{
    int noticed = 0, tried = 0;
    for (size_t at = 0; at < bytes->len; at += 7) {
        struct tm_error err = {0};
        uint64_t events;
        int64_t sum;
        bytes->data[at] ^= (uint8_t)(1 << at % 8);
        noticed += read_all(bytes->data, bytes->len, &events, &sum, &err) == TM_E_INPUT;
        bytes->data[at] ^= (uint8_t)(1 << at % 8);
        tried++;
    }
    is_int(noticed, tried);
}

static void test_twice(const struct tm_buf *bytes)
{
    struct tm_buf two = {0};
    struct tm_error err = {0};
    uint64_t events;
    int64_t sum;
    ok(tm_buf_add(&two, bytes->data, bytes->len) == TM_OK && tm_buf_add(&two, bytes->data, bytes->len) == TM_OK);
    is_int(read_all(two.data, two.len, &events, &sum, &err), TM_E_INPUT);
    ok(strstr(err.text, "tm-sort -m") != NULL);
    tm_buf_release(&two);
}

static void test_unknown_frames(void)
{
    static const uint32_t types[] = {40, 90};
    const struct tm_stream_header header = {.stage = TRACEMERGE__STAGE__PLACED, .sorted = true};
    for (int i = 0; i < 2; i++) {
        struct tm_error err = {0};
        struct tm_stream_writer writer;
        struct tm_stream_reader reader;
        struct tm_frame frame;
        struct tm_batch batch;
        struct tm_piece piece = {"abc", 3};
        int fd;
        ok(tm_io_temporary(NULL, &fd, &err) == TM_OK);
        ok(tm_stream_writer_open(&writer, fd, "test", &header, &err) == TM_OK);
        ok(tm_frame_write(&writer.frames, types[i], &piece, 1, &err) == TM_OK);
        ok(tm_stream_writer_end(&writer, &err) == TM_OK && lseek(fd, 0, SEEK_SET) == 0);
        ok(tm_stream_reader_open(&reader, fd, &err) == TM_OK && reader.header.sorted);
        is_int(tm_stream_reader_next(&reader, &frame, &batch, &err), types[i] < 64 ? TM_E_INPUT : TM_OK);
        tm_stream_reader_release(&reader);
        tm_stream_writer_release(&writer);
        close(fd);
    }
}

/* Frames that the stream already has are neither written nor counted, whatever call gets them. */
static void test_passed_over(void)
{
    struct tm_error err = {0};
    const struct tm_stream_header header = {.stage = TRACEMERGE__STAGE__PLACED, .sorted = true};
    struct tm_stream_writer writer;
    struct tm_frame frame = {.type = TM_FRAME_STRINGS, .body = (const uint8_t *)"abc", .body_bytes = 3,
                             .whole = (const uint8_t *)"\x0a\x03" "abc", .whole_bytes = 5};
    int fd;
    ok(tm_io_temporary(NULL, &fd, &err) == TM_OK);
    ok(tm_stream_writer_open(&writer, fd, "test", &header, &err) == TM_OK);
    uint64_t count = writer.frames.count;
    writer.passed_over = 2;
    ok(tm_stream_write_frame(&writer, &frame, &err) == TM_OK);
    ok(tm_stream_forward(&writer, &frame, NULL, &err) == TM_OK);
    ok(writer.passed_over == 0 && writer.frames.count == count);
    tm_stream_writer_release(&writer);
    close(fd);
}

/* Memory depends on the bytes that were read, not on a stated length. */
static void test_lying_length(void)
{
    static const uint8_t bytes[] = {0x0a, 0x80, 0x80, 0x80, 0xe0, 0x02, 'x'}; /* 704 MiB */
    struct tm_error err = {0};
    struct tm_frame_reader reader;
    struct tm_frame frame;
    int fd;
    ok(tm_io_temporary(NULL, &fd, &err) == TM_OK && tm_io_write(fd, bytes, sizeof bytes, &err) == TM_OK);
    ok(lseek(fd, 0, SEEK_SET) == 0);
    tm_frame_reader_init(&reader, fd);
    is_int(tm_frame_read(&reader, &frame, &err), TM_E_INPUT);
    is_str(err.text, "byte 0: frame is cut short");
    ok(reader.cap <= 4 << 20);
    tm_frame_reader_release(&reader);
    close(fd);
}

/* Frames of 1 B to 8 MiB and back through a reader that begins with little memory. */
static void test_sizes(void)
{
    struct tm_error err = {0};
    struct tm_frame_writer writer;
    struct tm_frame_reader reader;
    struct tm_frame frame;
    struct tm_piece piece = {malloc(8 << 20), 0};
    int fd = -1, good = 0, n = 0;
    ok(piece.data && tm_io_temporary(NULL, &fd, &err) == TM_OK);
    memset((void *)(uintptr_t)piece.data, 'x', 8 << 20);
    tm_frame_writer_init(&writer, fd);
    for (size_t len = 1; len <= 8 << 20; len = len * 3 + 1, n++)
        for (int i = 0; i < 3; i++) {
            piece.len = i == 1 ? 7 : len;
            good += tm_frame_write(&writer, 64, &piece, 1, &err) == TM_OK;
        }
    ok(tm_frame_flush(&writer, &err) == TM_OK && lseek(fd, 0, SEEK_SET) == 0);
    tm_frame_reader_init(&reader, fd);
    reader.chunk_bytes = 512;
    for (size_t len = 1; len <= 8 << 20; len = len * 3 + 1)
        for (int i = 0; i < 3; i++)
            good += tm_frame_read(&reader, &frame, &err) == TM_OK && frame.body_bytes == (i == 1 ? 7 : len) &&
                    memcmp(frame.body, piece.data, frame.body_bytes) == 0;
    is_int(good, 6 * n);
    is_int(tm_frame_read(&reader, &frame, &err), TM_END);
    ok(reader.cap <= 32 << 20);
    tm_frame_reader_release(&reader);
    tm_frame_writer_release(&writer);
    free((void *)(uintptr_t)piece.data);
    close(fd);
}

/* A JsonRef is read back unchanged. No changed byte and no cut gives offsets outside the text. */
static void test_json_ref(void)
{
    struct tm_json_ref ref = {.is_elsewhere = true, .offset = UINT64_C(1) << 40, .bytes = 300, .checksum = 0xdeadbeef,
                              .before = 70000, .has_offsets = true, .offset_count = 3};
    struct tm_json_ref back;
    struct tm_buf detail = {0};
    ref.offsets[0] = (struct tm_json_value_offset){10, 5, TM_JSON_VALUE_TS, false};
    ref.offsets[1] = (struct tm_json_value_offset){15, 200, TM_JSON_VALUE_PID, true};
    ref.offsets[2] = (struct tm_json_value_offset){290, 2, TM_JSON_VALUE_ID2, false};
    is_int(tm_json_ref_find(NULL, 0, &back), TM_END);
    ok(tm_json_ref_put(&ref, &detail) == TM_OK && tm_json_ref_find(detail.data, detail.len, &back) == TM_OK);
    ok(back.is_elsewhere && back.offset == ref.offset && back.bytes == 300 && back.checksum == 0xdeadbeef &&
       back.before == 70000 && back.has_offsets);
    bool equal = back.offset_count == 3 && back.offsets_end == 292;
    for (int i = 0; i < 3; i++)
        equal = equal && back.offsets[i].at == ref.offsets[i].at && back.offsets[i].len == ref.offsets[i].len &&
                back.offsets[i].of == ref.offsets[i].of && back.offsets[i].is_string == ref.offsets[i].is_string;
    ok(equal);
    int wrong = 0;
    for (size_t i = 0; i < detail.len; i++) {
        for (int value = 0; value < 256; value++) {
            uint8_t was = detail.data[i];
            detail.data[i] = (uint8_t)value;
            if (tm_json_ref_find(detail.data, detail.len, &back) == TM_OK && back.has_offsets)
                for (uint32_t s = 0; s < back.offset_count; s++)
                    wrong += back.offsets[s].at + (uint64_t)back.offsets[s].len > back.offsets_end ||
                             (back.offsets[s].is_string && back.offsets[s].len < 2) ||
                             back.offsets[s].of < TM_JSON_VALUE_TS || back.offsets[s].of > TM_JSON_VALUE_BIND_ID;
            detail.data[i] = was;
        }
        wrong += i > 0 && tm_json_ref_find(detail.data, i, &back) != TM_E_INPUT;
    }
    is_int(wrong, 0);
    ref.is_elsewhere = false;
    ref.offset_count = 0;
    tm_buf_clear(&detail);
    ok(tm_json_ref_put(&ref, &detail) == TM_OK && tm_json_ref_find(detail.data, detail.len, &back) == TM_OK &&
       !back.is_elsewhere && back.has_offsets && back.offset_count == 0);
    tm_buf_release(&detail);
}

/* NUMBER is the field NAME of the message of DESCRIPTOR. */
static bool is_field(const ProtobufCMessageDescriptor *descriptor, const char *name, unsigned number)
{
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(descriptor, name);
    return field && field->id == number;
}

static void test_detail_fields(void)
{
    const ProtobufCMessageDescriptor *d = &tracemerge__detail__descriptor, *a = &tracemerge__arg__descriptor;
    const ProtobufCMessageDescriptor *track = &tracemerge__track_description__descriptor;
    const ProtobufCMessageDescriptor *process = &tracemerge__process_description__descriptor;
    const ProtobufCMessageDescriptor *thread = &tracemerge__thread_description__descriptor;
    const ProtobufCMessageDescriptor *frame = &tracemerge__stack_frame__descriptor;
    const ProtobufCMessageDescriptor *inner = &tracemerge__inner_time__descriptor;
    const ProtobufCMessageDescriptor *machine = &tracemerge__machine_description__descriptor;
    ok(is_field(d, "args", TM_DETAIL_ARGS) && is_field(d, "flow_ids", TM_DETAIL_FLOW_IDS) &&
       is_field(d, "terminating_flow_ids", TM_DETAIL_TERMINATING_FLOW_IDS) && is_field(d, "text", TM_DETAIL_TEXT));
    ok(is_field(d, "track", TM_DETAIL_TRACK) && is_field(d, "process", TM_DETAIL_PROCESS) &&
       is_field(d, "thread", TM_DETAIL_THREAD) && is_field(d, "machine", TM_DETAIL_MACHINE));
    ok(is_field(d, "inner_times", TM_DETAIL_INNER_TIMES) && is_field(d, "frames", TM_DETAIL_FRAMES) &&
       is_field(d, "id", TM_DETAIL_ID) && is_field(d, "json", TM_DETAIL_JSON));
    ok(is_field(d, "bind_out", TM_DETAIL_BIND_OUT) && is_field(d, "bind_step", TM_DETAIL_BIND_STEP) &&
       is_field(d, "bind_in", TM_DETAIL_BIND_IN) && is_field(d, "thread_time_ns", TM_DETAIL_THREAD_TIME) &&
       is_field(d, "thread_dur_ns", TM_DETAIL_THREAD_DUR) && is_field(d, "flow_track", TM_DETAIL_FLOW_TRACK) &&
       is_field(d, "heap_graph", TM_DETAIL_HEAP_GRAPH) && is_field(d, "legacy_phase", TM_DETAIL_LEGACY_PHASE) &&
       is_field(d, "id_scope", TM_DETAIL_ID_SCOPE) &&
       is_field(d, "thread_instruction_delta", TM_DETAIL_THREAD_INSTRUCTION_DELTA) &&
       is_field(d, "kernel_function", TM_DETAIL_KERNEL_FUNCTION));
    ok(is_field(a, "key", TM_ARG_KEY) && is_field(a, "int_value", TM_ARG_INT) &&
       is_field(a, "uint_value", TM_ARG_UINT) && is_field(a, "double_value", TM_ARG_DOUBLE) &&
       is_field(a, "string_value", TM_ARG_STRING) && is_field(a, "bool_value", TM_ARG_BOOL) &&
       is_field(a, "pointer_value", TM_ARG_POINTER) && is_field(a, "json_value", TM_ARG_JSON));
    ok(is_field(track, "uuid", TM_TRACK_DESCRIPTION_UUID) && is_field(track, "name", TM_TRACK_DESCRIPTION_NAME) &&
       is_field(track, "parent_uuid", TM_TRACK_DESCRIPTION_PARENT_UUID) &&
       is_field(track, "pid", TM_TRACK_DESCRIPTION_PID) && is_field(track, "tid", TM_TRACK_DESCRIPTION_TID) &&
       is_field(track, "is_thread", TM_TRACK_DESCRIPTION_IS_THREAD) &&
       is_field(track, "is_process", TM_TRACK_DESCRIPTION_IS_PROCESS) &&
       is_field(track, "sibling_merge_behavior", TM_TRACK_DESCRIPTION_SIBLING_MERGE_BEHAVIOR));
    ok(is_field(track, "is_counter", TM_TRACK_DESCRIPTION_IS_COUNTER) &&
       is_field(track, "unit", TM_TRACK_DESCRIPTION_UNIT) &&
       is_field(track, "is_incremental", TM_TRACK_DESCRIPTION_IS_INCREMENTAL) &&
       is_field(track, "unit_multiplier", TM_TRACK_DESCRIPTION_UNIT_MULTIPLIER) &&
       is_field(track, "categories", TM_TRACK_DESCRIPTION_CATEGORIES) &&
       is_field(track, "child_ordering", TM_TRACK_DESCRIPTION_CHILD_ORDERING) &&
       is_field(track, "sibling_order_rank", TM_TRACK_DESCRIPTION_SIBLING_ORDER_RANK) &&
       is_field(track, "description", TM_TRACK_DESCRIPTION_DESCRIPTION) &&
       is_field(track, "sibling_merge_key", TM_TRACK_DESCRIPTION_SIBLING_MERGE_KEY) &&
       is_field(track, "is_state", TM_TRACK_DESCRIPTION_IS_STATE) &&
       is_field(track, "named_track", TM_TRACK_DESCRIPTION_NAMED_TRACK) &&
       is_field(track, "gpu", TM_TRACK_DESCRIPTION_GPU));
    ok(is_field(process, "pid", TM_PROCESS_DESCRIPTION_PID) && is_field(process, "name", TM_PROCESS_DESCRIPTION_NAME) &&
       is_field(process, "parent_pid", TM_PROCESS_DESCRIPTION_PARENT_PID) &&
       is_field(process, "cmdline", TM_PROCESS_DESCRIPTION_CMDLINE) &&
       is_field(process, "uid", TM_PROCESS_DESCRIPTION_UID) &&
       is_field(process, "start_ns", TM_PROCESS_DESCRIPTION_START_NS) &&
       is_field(process, "labels", TM_PROCESS_DESCRIPTION_LABELS) &&
       is_field(process, "sort_index", TM_PROCESS_DESCRIPTION_SORT_INDEX) &&
       is_field(process, "is_kthread", TM_PROCESS_DESCRIPTION_IS_KTHREAD));
    ok(is_field(thread, "tid", TM_THREAD_DESCRIPTION_TID) && is_field(thread, "pid", TM_THREAD_DESCRIPTION_PID) &&
       is_field(thread, "name", TM_THREAD_DESCRIPTION_NAME) &&
       is_field(thread, "is_main", TM_THREAD_DESCRIPTION_IS_MAIN) &&
       is_field(thread, "sort_index", TM_THREAD_DESCRIPTION_SORT_INDEX));
    ok(is_field(frame, "function", TM_STACK_FRAME_FUNCTION) && is_field(frame, "mapping", TM_STACK_FRAME_MAPPING) &&
       is_field(frame, "rel_pc", TM_STACK_FRAME_REL_PC) && is_field(frame, "file", TM_STACK_FRAME_FILE) &&
       is_field(frame, "line", TM_STACK_FRAME_LINE));
    ok(is_field(inner, "field", TM_INNER_TIME_FIELD) && is_field(inner, "clock", TM_INNER_TIME_CLOCK) &&
       is_field(inner, "value", TM_INNER_TIME_VALUE) && is_field(inner, "state", TM_INNER_TIME_STATE));
    ok(is_field(machine, "name", TM_MACHINE_DESCRIPTION_NAME) &&
       is_field(machine, "release", TM_MACHINE_DESCRIPTION_RELEASE));
}

static struct tm_text text(const char *s)
{
    return (struct tm_text){(const uint8_t *)s, s ? strlen(s) : 0};
}

/* Each enumerated value of the stream has a name that only this value has. */
/* Texts that agree in their length, first and last bytes are different strings. So are texts after the strings were
 * cleared, as for each turn of a worker. */
static void test_strings(void)
{
    struct tm_error err = {0};
    struct tm_event_sink sink;
    struct tm_buf detail = {0};
    bool right = true;
    tm_event_sink_init(&sink, NULL);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 300; i++) {
            char name[32];
            uint32_t string = 0;
            int kind = turn ? 99 - i % 100 : i % 100;
            snprintf(name, sizeof name, "beginning %02d with the end", kind);
            right &= tm_event_sink_string(&sink, tm_text_at(name, strlen(name)), &detail, &string, &err) == TM_OK &&
                     string == (uint32_t)i % 100 + 1;
        }
        tm_intern_clear(&sink.strings);
    }
    ok_named(right && detail.len == 0, "a text has the number of its first use in a turn");
    tm_buf_release(&detail);
    tm_event_sink_release(&sink);
}

static void test_words(void)
{
    bool reasons = true, rules = true, types = true;
    for (enum tm_drop_reason i = TM_DROP_OTHER + 1; i < TM_DROP_REASONS; i++)
        reasons = reasons && tm_drop_reason_name(i) && tm_drop_reason_of(text(tm_drop_reason_name(i))) == i;
    for (enum tm_placement_rule i = TM_RULE_OTHER + 1; i < TM_RULES; i++)
        rules = rules && tm_placement_rule_name(i) && tm_placement_rule_of(text(tm_placement_rule_name(i))) == i;
    for (enum tm_input_type i = TM_INPUT_OTHER + 1; i < TM_INPUT_TYPES; i++)
        types = types && tm_input_type_name(i) && tm_input_type_of(text(tm_input_type_name(i))) == i;
    ok(reasons);
    ok(rules);
    ok(types);
    ok(tm_drop_reason_of(text("skipped_bytes")) == TM_DROP_SKIPPED_BYTES);
    ok(tm_drop_reason_of(text("skipped_byte")) == TM_DROP_OTHER && tm_drop_reason_of(text(NULL)) == TM_DROP_OTHER);
    ok(tm_placement_rule_of(text("same_domain")) == TM_RULE_SAME_DOMAIN);
    ok(tm_placement_rule_of(text("same domain")) == TM_RULE_OTHER);
    ok(tm_input_type_of(text("json")) == TM_INPUT_JSON && tm_input_type_of(text("jso")) == TM_INPUT_OTHER);
}

static void test_slice_tids(void)
{
    struct tm_slice_tids set = {0};
    enum tm_status st = TM_OK;
    for (int64_t tid = TM_SLICE_TIDS_MAX; tid > 0 && st == TM_OK; tid--)
        for (int i = 0; i < 2 && st == TM_OK; i++)
            st = tm_slice_tids_add(&set, i ? TM_SLICE_TIDS_MAX : tid);
    ok(st == TM_OK && set.count == TM_SLICE_TIDS_MAX && !set.is_full);
    tm_slice_tids_sort(&set);
    ok(set.tids[0] == 1 && set.tids[TM_SLICE_TIDS_MAX - 1] == TM_SLICE_TIDS_MAX);
    ok(tm_slice_tids_add(&set, 7) == TM_OK && !set.is_full);
    ok(tm_slice_tids_add(&set, 0) == TM_OK && set.is_full && set.count == TM_SLICE_TIDS_MAX);
    tm_slice_tids_clear(&set);
    ok(tm_slice_tids_add(&set, 7) == TM_OK && set.count == 1 && !set.is_full);
    tm_slice_tids_release(&set);
    const uint32_t thread = tm_event_scope_flags(TM_SCOPE_THREAD);
    ok(tm_makes_kernel_slice(thread | TM_EVENT_DERIVED, TM_KIND_SLICE_BEGIN));
    ok(tm_makes_kernel_slice(0, TM_KIND_BINDER));
    ok(!tm_makes_kernel_slice(thread, TM_KIND_SLICE_BEGIN));
    ok(!tm_makes_kernel_slice(tm_event_raw_flags(TM_RAW_FTRACE_EVENT), TM_KIND_SCHED_SWITCH));
}

/* Whether ROW with NAME has the description of the LEN bytes at WANT. */
static bool describes(struct tm_event row, struct tm_text name, const char *want, size_t len)
{
    struct tm_buf detail = {0};
    bool same = tm_task_description_put(&detail, &row, name) == TM_OK && detail.len == len &&
                memcmp(detail.data, want, len) == 0;
    tm_buf_release(&detail);
    return same;
}

static void test_task_descriptions(void)
{
    const struct tm_text none = {0};
    struct tm_event row = {.kind = TM_KIND_THREAD, .pid = 3, .tid = -4, .flags = TM_EVENT_HAS_TID};
    char longest[3 + 5 + 200] = "\x3a\xcd\x01\x08\x07\x1a\xc8\x01";
    struct tm_buf numbers = {0};
    ok(describes(row, none, "\x3a\x02\x08\x07", 4));
    ok(describes(row, text(""), "\x3a\x04\x08\x07\x1a\x00", 6));
    memset(longest + 8, 'x', 200);
    ok(describes(row, tm_text_at(longest + 8, 200), longest, sizeof longest));
    row.flags |= TM_EVENT_HAS_PID;
    ok(describes(row, text("a"), "\x3a\x07\x08\x07\x10\x06\x1a\x01" "a", 9));
    row.kind = TM_KIND_PROCESS;
    ok(describes(row, text("a"), "\x32\x05\x08\x06\x1a\x01" "a", 7));
    ok(tm_task_description_numbers(&numbers, &row) == TM_OK && numbers.len == 2 &&
       memcmp(numbers.data, "\x08\x06", 2) == 0);
    tm_buf_release(&numbers);
}

int main(void)
{
    struct tm_buf bytes = {0};
    ok(write_sample(&bytes) == 0);
    test_round_trip(&bytes);
    test_cuts(&bytes);
    test_flips(&bytes);
    test_twice(&bytes);
    test_unknown_frames();
    test_passed_over();
    test_lying_length();
    test_sizes();
    test_json_ref();
    test_detail_fields();
    test_task_descriptions();
    test_strings();
    test_words();
    test_slice_tids();
    tm_buf_release(&bytes);
    return tap_done();
}

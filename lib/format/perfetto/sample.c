#include "format/perfetto/sample.h"

#include "base/checked.h"
#include "format/perfetto/clock.h"
#include "format/perfetto/count.h"
#include "format/perfetto/numbers.h"
#include "format/perfetto/perf_counts.h"
#include "format/perfetto/sequence.h"
#include "stream/detail_arg.h"

enum { SAMPLE_CPU = 1, SAMPLE_PID = 2, SAMPLE_TID = 3, SAMPLE_CALLSTACK = 4, SAMPLE_CPU_MODE = 5 };
enum { SAMPLE_UNWIND_ERROR = 16 };
enum { SAMPLE_RECORDS_LOST = 17, SAMPLE_SKIP_REASON = 18, SAMPLE_PRODUCER_EVENT = 19 };
enum { PRODUCER_STOP_REASON = 1, STOPPED_BY_LIMIT = 1 };
enum { SKIPPED_WHEN_READ = 1, SKIPPED_WHEN_UNWOUND = 2, SKIPPED_QUEUE_FULL = 3 }; /* SampleSkipReason */
enum { STREAM_CALLSTACKS = 1, STREAM_DELTAS_US = 2 };
enum {
    PATH_BYTES_MAX = 64 << 10,  /* no part is added to a path that is longer */
    MESSAGE_BYTES_MAX = 1 << 20 /* of the interned messages that are read for one stack, other than texts */
};

/* A stack that is put into the detail of the next row. */
struct stack {
    struct tm_proto_rows *rows;
    const struct tm_proto_sequence *sequence; /* has the interned data */
    size_t bytes_left;                        /* that may be read of interned messages */
};

/* Finds the interned message (FIELD, IID). False: there is none, or no more are to be read. */
static bool find(struct stack *s, uint32_t field, uint64_t iid, struct tm_pb *message)
{
    const uint8_t *data;
    size_t len;
    if (!tm_proto_interned_find(s->sequence, field, iid, &data, &len))
        return false;
    s->rows->is_cut |= len > s->bytes_left;
    if (len > s->bytes_left)
        return false;
    s->bytes_left -= len;
    *message = tm_pb_of(data, len);
    return true;
}

/* Puts the interned text (FIELD, IID) as field ID of the frame. */
static enum tm_status put_interned(struct stack *s, uint32_t id, uint32_t field, uint64_t iid)
{
    struct tm_pb_field text = tm_proto_interned_text(s->sequence, field, iid);
    return text.data ? tm_pb_put_bytes(&s->rows->detail, id, text.data, text.len) : TM_OK;
}

/* Puts a build id in hexadecimal. */
static enum tm_status put_build_id(struct stack *s, uint64_t iid)
{
    struct tm_proto_rows *rows = s->rows;
    struct tm_pb_field id = tm_proto_interned_text(s->sequence, TM_INTERNED_BUILD_IDS, iid);
    enum tm_status st = TM_OK;
    rows->key.len = 0;
    for (size_t i = 0; st == TM_OK && i < id.len; i++)
        st = tm_buf_add_hex(&rows->key, id.data[i], 2);
    return st == TM_OK && id.len
               ? tm_pb_put_bytes(&rows->detail, TM_STACK_FRAME_BUILD_ID, rows->key.data, rows->key.len)
               : st;
}

/* Puts the facts of MAPPING except its path: the build id, the addresses and the part of the file that it covers. */
static enum tm_status put_mapped(struct stack *s, struct tm_pb mapping)
{
    static const uint32_t numbers[][2] = {{TM_MAPPING_EXACT_OFFSET, TM_STACK_FRAME_MAPPING_EXACT_OFFSET},
                                          {TM_MAPPING_START_OFFSET, TM_STACK_FRAME_MAPPING_START_OFFSET},
                                          {TM_MAPPING_START, TM_STACK_FRAME_MAPPING_START},
                                          {TM_MAPPING_LOAD_BIAS, TM_STACK_FRAME_MAPPING_LOAD_BIAS}};
    struct tm_proto_rows *rows = s->rows;
    struct tm_pb_field f;
    uint64_t end = 0;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&mapping, &f) == TM_OK && tm_proto_detail_takes(rows)) {
        if (f.type != TM_PB_VARINT)
            continue;
        if (f.id == TM_MAPPING_BUILD_ID)
            st = put_build_id(s, f.value);
        end = f.id == TM_MAPPING_END ? f.value : end;
        for (size_t i = 0; st == TM_OK && i < sizeof numbers / sizeof *numbers; i++)
            if (f.id == numbers[i][0] && f.value)
                st = tm_pb_put_varint(&rows->detail, numbers[i][1], f.value);
    }
    return st < 0 ? st : tm_pb_put_varint(&rows->detail, TM_STACK_FRAME_MAPPING_END, end);
}

/* Puts the path of a mapping: its parts, each after a slash. The first part can be a whole path with its slash. */
static enum tm_status put_mapping(struct stack *s, uint64_t iid)
{
    struct tm_proto_rows *rows = s->rows;
    struct tm_pb mapping;
    uint64_t part;
    enum tm_status st = TM_OK;
    if (!find(s, TM_INTERNED_MAPPINGS, iid, &mapping))
        return TM_OK;
    struct tm_proto_numbers parts = {.pb = mapping, .id = TM_MAPPING_PATH};
    rows->key.len = 0;
    while (st == TM_OK && rows->key.len <= PATH_BYTES_MAX && tm_proto_numbers_next(&parts, &part)) {
        struct tm_pb_field text = tm_proto_interned_text(s->sequence, TM_INTERNED_MAPPING_PATHS, part);
        st = tm_buf_add_byte(&rows->key, '/');
        if (st == TM_OK && text.data)
            st = tm_buf_add(&rows->key, text.data, text.len);
    }
    if (st < 0 || rows->key.len == 0)
        return st;
    size_t extra = rows->key.len > 1 && rows->key.data[1] == '/';
    st = tm_pb_put_bytes(&rows->detail, TM_STACK_FRAME_MAPPING, rows->key.data + extra, rows->key.len - extra);
    return st < 0 ? st : put_mapped(s, mapping);
}

static enum tm_status put_frame_field(struct stack *s, const struct tm_pb_field *f)
{
    switch (f->id) {
    case TM_FRAME_FUNCTION:
        return put_interned(s, TM_STACK_FRAME_FUNCTION, TM_INTERNED_FUNCTION_NAMES, f->value);
    case TM_FRAME_MAPPING:
        return put_mapping(s, f->value);
    case TM_FRAME_REL_PC:
        return tm_pb_put_varint(&s->rows->detail, TM_STACK_FRAME_REL_PC, f->value);
    case TM_FRAME_PATH:
        return put_interned(s, TM_STACK_FRAME_FILE, TM_INTERNED_SOURCE_PATHS, f->value);
    case TM_FRAME_LINE:
        return tm_pb_put_varint(&s->rows->detail, TM_STACK_FRAME_LINE, (uint32_t)f->value);
    default:
        return TM_OK;
    }
}

static enum tm_status put_frame(struct stack *s, uint64_t iid)
{
    struct tm_pb frame;
    struct tm_pb_field f;
    size_t mark;
    if (!find(s, TM_INTERNED_FRAMES, iid, &frame))
        return TM_OK;
    enum tm_status st = tm_pb_begin(&s->rows->detail, TM_DETAIL_FRAMES, &mark);
    while (st == TM_OK && tm_pb_next(&frame, &f) == TM_OK && tm_proto_detail_takes(s->rows))
        st = put_frame_field(s, &f);
    return st == TM_OK ? tm_pb_end(&s->rows->detail, mark) : st;
}

enum tm_status tm_proto_stack_put(struct tm_proto_rows *rows, const struct tm_proto_sequence *sequence, uint64_t iid,
                                  struct tm_error *err)
{
    struct tm_detail_budget *budget = &rows->sink->budget;
    const size_t bytes_max = tm_detail_budget_left(budget, MESSAGE_BYTES_MAX);
    struct stack stack = {.rows = rows, .sequence = sequence, .bytes_left = bytes_max};
    struct tm_proto_numbers frames = {.id = TM_CALLSTACK_FRAMES};
    uint64_t frame;
    enum tm_status st = TM_OK;
    if (!find(&stack, TM_INTERNED_CALLSTACKS, iid, &frames.pb))
        return TM_OK;
    for (int left = TM_PROTO_FRAMES_MAX; st == TM_OK && tm_proto_numbers_next(&frames, &frame); left--) {
        rows->is_cut |= left == 0;
        if (left == 0 || !tm_proto_detail_takes(rows))
            break;
        st = put_frame(&stack, frame);
    }
    (void)tm_detail_budget_reads(budget, bytes_max - stack.bytes_left);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Puts the word of NAMES for a number as argument KEY; "unknown" if there is none. */
static enum tm_status put_word(struct tm_buf *detail, const char *key, uint64_t number, const char *const *names,
                               size_t count)
{
    const char *name = number < count && names[number] ? names[number] : "unknown";
    return tm_detail_arg_text(detail, key, name, strlen(name));
}

/* Puts the mode of the cpu, and the error that ended the stack, if any. */
static enum tm_status put_conditions(struct tm_proto_rows *rows, const struct tm_proto_packet *packet)
{
    static const char *const modes[] = {NULL, "kernel", "user", "hypervisor", "guest_kernel", "guest_user"};
    static const char *const errors[] = {NULL,           "none",           "memory_invalid",
                                         "unwind_info",  "unsupported",    "invalid_map",
                                         "max_frames_exceeded", "repeated_frame", "invalid_elf",
                                         "system_call",  "thread_timeout", "thread_does_not_exist",
                                         "bad_arch",     "maps_parse",     "invalid_parameter",
                                         "ptrace_call"};
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    uint64_t mode = 0;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == SAMPLE_CPU_MODE && f.type == TM_PB_VARINT)
            mode = f.value;
        else if (f.id == SAMPLE_UNWIND_ERROR && f.type == TM_PB_VARINT)
            st = put_word(&rows->detail, "unwind_error", f.value, errors, sizeof errors / sizeof *errors);
    }
    return st == TM_OK ? put_word(&rows->detail, "cpu_mode", mode, modes, sizeof modes / sizeof *modes) : st;
}

/* What a packet states about losses; 0: nothing. */
struct loss {
    uint64_t records; /* of the cpu, which the kernel lost */
    uint64_t reason;  /* SampleSkipReason: the recorder left the sample without a stack */
};

static enum tm_status count_loss(struct tm_proto_rows *rows, const struct tm_event *row, const struct loss *loss,
                                 struct tm_error *err)
{
    if (loss->records)
        return tm_proto_count_indexed(&rows->counts, TM_PROTO_STAT_PERF_LOST,
                                      (struct tm_proto_stat_index){row->machine, row->cpu}, (int64_t)loss->records,
                                      err);
    switch (loss->reason) {
    case SKIPPED_WHEN_READ:
    case SKIPPED_WHEN_UNWOUND:
        return tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_PERF_SKIPPED, row->machine, 1, err);
    case SKIPPED_QUEUE_FULL:
        return tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_PERF_SKIPPED_LOSS, row->machine, 1, err);
    default:
        return TM_OK;
    }
}

uint64_t tm_proto_sample_session(struct tm_proto_sequences *sequences, struct tm_proto_sequence *sequence)
{
    if (sequence == NULL)
        return 0;
    if (sequence->perf_session == 0)
        sequence->perf_session = ++sequences->perf_sessions;
    return sequence->perf_session - 1;
}

/* True if REPORT, a ProducerEvent, states that the profiler stopped because it used too much of the device. */
static bool is_stop(const struct tm_pb_field *report)
{
    struct tm_pb pb = tm_pb_of(report->data, report->len);
    struct tm_pb_field f;
    bool is = false;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == PRODUCER_STOP_REASON && f.type == TM_PB_VARINT)
            is = f.value == STOPPED_BY_LIMIT;
    return is;
}

enum tm_status tm_proto_perf_sample_read(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                         const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_event row = tm_proto_event(packet, TM_KIND_SAMPLE);
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    uint64_t callstack = 0;
    struct loss loss = {0};
    bool is_report = false, stops = false;
    const uint64_t session = tm_proto_sample_session(sequences, packet->sequence);
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == SAMPLE_CPU) {
            row.cpu = (uint32_t)f.value;
            row.flags |= TM_EVENT_HAS_CPU;
        } else if (f.id == SAMPLE_PID) {
            row.pid = (int64_t)(uint32_t)f.value;
            row.flags |= TM_EVENT_HAS_PID;
        } else if (f.id == SAMPLE_TID) {
            row.tid = (int64_t)(uint32_t)f.value;
            row.flags |= TM_EVENT_HAS_TID;
        } else if (f.id == SAMPLE_CALLSTACK) {
            callstack = f.value;
        } else if (f.id == SAMPLE_RECORDS_LOST) {
            loss.records = f.value;
        } else if (f.id == SAMPLE_SKIP_REASON) {
            loss.reason = f.value;
        }
        is_report |= f.id == SAMPLE_PRODUCER_EVENT;
        stops |= f.id == SAMPLE_PRODUCER_EVENT && f.type == TM_PB_LEN && is_stop(&f);
    }
    if ((loss.records || !is_report) && count_loss(rows, &row, &loss, err) < 0)
        return err->status;
    is_report |= loss.records || !packet->has_time;
    if (is_report) {
        row = tm_proto_packet_event(packet);
        enum tm_status st = tm_proto_add(rows, &row, err);
        return st < 0 || !stops || loss.records
                   ? st
                   : tm_proto_add_time(rows, packet, "perf_guardrail_stop_ts", &session, err);
    }
    row.flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID; /* a number that is not stated is 0 */
    if (put_conditions(rows, packet) < 0)
        return tm_error_nomem(err);
    enum tm_status st = callstack ? tm_proto_stack_put(rows, packet->sequence, callstack, err) : TM_OK;
    if (st >= 0)
        st = tm_proto_add(rows, &row, err);
    return st < 0 || !rows->sink->want_packet_args ? st : tm_proto_perf_counts_add(rows, packet, &row, err);
}

static int64_t scaled_sum(int64_t sum, uint64_t delta_us)
{
    int64_t delta;
    if (!tm_mul_i64((int64_t)delta_us, INT64_C(1000), &delta) || !tm_add_i64(sum, delta, &sum))
        return (int64_t)delta_us < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

static enum tm_status add_sample(struct tm_proto_rows *rows, const struct tm_proto_packet *packet, uint64_t callstack,
                                 struct tm_error *err)
{
    const struct tm_proto_sequence *sequence = packet->sequence;
    struct tm_event row = {
        .kind = TM_KIND_SAMPLE,
        .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID,
        .time_ns = sequence->reference_ns,
        .clock = TM_CLOCK_MONOTONIC_IF_RELATED,
        .machine = packet->machine,
        .sequence = packet->sequence_id,
        .generation = packet->generation,
        .pid = sequence->pid,
        .tid = sequence->tid,
    };
    enum tm_status st = tm_proto_stack_put(rows, sequence, callstack, err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}

enum tm_status tm_proto_streaming_profile_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                               struct tm_error *err)
{
    struct tm_event row = tm_proto_packet_event(packet);
    struct tm_proto_sequence *sequence = packet->sequence;
    struct tm_pb body = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_proto_numbers stacks = {.pb = body, .id = STREAM_CALLSTACKS};
    struct tm_proto_numbers deltas = {.pb = body, .id = STREAM_DELTAS_US};
    uint64_t callstack, delta;
    enum tm_status st = tm_proto_add(rows, &row, err);
    if (st >= 0 && (sequence == NULL || !sequence->has_reference || !sequence->has_thread))
        return tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_DELTA_NO_STATE, packet->machine, 1, err);
    while (st >= 0 && tm_proto_numbers_next(&deltas, &delta)) {
        sequence->reference_ns = scaled_sum(sequence->reference_ns, delta);
        if (tm_proto_numbers_next(&stacks, &callstack))
            st = add_sample(rows, packet, callstack, err);
    }
    return st;
}

/* Streams of random events, equal for equal parameters, for tests and benchmarks of code that reads only the stream. */
#ifndef TM_T_RANDOM_STREAM_H
#define TM_T_RANDOM_STREAM_H

#include "base/hash.h"
#include "stream/batch_builder.h"
#include "stream/writer.h"

#include <stdio.h>

enum random_order { RANDOM_SORTED, RANDOM_SHUFFLED, RANDOM_REVERSED, RANDOM_NEARLY, RANDOM_BURSTS };

struct random_stream {
    uint64_t events;
    uint64_t seed;
    uint64_t span_ns;             /* times are in [0, span_ns) or near; 0: 1 microsecond an event */
    enum random_order order;      /* of the times within each file */
    uint32_t files;               /* at least 1 */
    uint32_t batch_rows;          /* 0: batches of the usual size */
    uint32_t definitions_percent; /* events that are definitions */
    uint32_t payload_max;         /* bytes of raw and of detail, each */
    uint32_t strings;             /* names s0, s1, … */
    bool interleaved;             /* files take turns batch by batch */
    bool jumbled;                 /* positions do not rise */
    bool placed;                  /* stage PLACED with a machine and a trace time */
    bool says_sorted;             /* the header's field sorted */
    const char *machine;          /* name of the machine, or NULL: the host */
    uint32_t trace_clock;
    const char *tag;              /* prefix of the names of files and strings; may be NULL */
};

enum { RANDOM_FILES_MAX = 4096, RANDOM_DROPPED = 3 };

struct random_work {
    const struct random_stream *r;
    struct tm_stream_writer writer;
    struct tm_batch_builder batch;
    struct tm_error err;
    uint64_t timed[RANDOM_FILES_MAX + 1]; /* by file: events that its FileEnd counts */
    uint64_t untimed[RANDOM_FILES_MAX + 1];
    uint8_t bytes[64 << 10];
};

static inline uint64_t random_of(const struct random_stream *r, uint64_t i, uint64_t what)
{
    return tm_hash_u64(i * 16 + what + (r->seed << 40));
}

static inline int64_t random_time(const struct random_stream *r, uint64_t i, uint64_t n)
{
    uint64_t span = r->span_ns ? r->span_ns : r->events * 1000;
    uint64_t step = span / (n ? n : 1);
    switch (r->order) {
    case RANDOM_SORTED:
        return (int64_t)(i * step);
    case RANDOM_REVERSED:
        return (int64_t)((n - i) * step);
    case RANDOM_NEARLY:
        return (int64_t)(i * step + random_of(r, i, 1) % (step * 8 + 1));
    case RANDOM_BURSTS: /* four sorted sequences, which alternate every 300 events */
        return (int64_t)((i / 1200 * 300 + i % 300) * 4 * step);
    default:
        return (int64_t)(random_of(r, i, 1) % (span ? span : 1));
    }
}

static inline void random_event(struct random_work *w, uint32_t file, uint64_t i, uint64_t n)
{
    static const uint32_t kinds[] = {TM_KIND_SLICE_BEGIN, TM_KIND_SLICE_END, TM_KIND_INSTANT, TM_KIND_COUNTER};
    const struct random_stream *r = w->r;
    uint64_t key = i + (uint64_t)file * n;
    uint64_t x = random_of(r, key, 2);
    uint32_t payload = r->payload_max + 1;
    struct tm_event e = {
        .time_ns = random_time(r, i, n),
        .position = r->jumbled ? random_of(r, key, 3) : i,
        .kind = kinds[x & 3],
        .flags = TM_EVENT_HAS_TID | TM_EVENT_HAS_PID | tm_event_scope_flags(TM_SCOPE_THREAD) |
                 tm_event_raw_flags(TM_RAW_PACKET),
        .file = file,
        .clock = 6,
        .sequence = (uint32_t)(x >> 8 & 7) + 1,
        .generation = file,
        .name = r->strings ? (uint32_t)(x >> 16) % r->strings + 1 : 0,
        .category = r->strings ? (uint32_t)(x >> 20) % (r->strings < 4 ? r->strings : 4) + 1 : 0,
        .pid = 1000 + (int64_t)file,
        .tid = 2000 + (int64_t)(x >> 24 & 15),
        .track = x >> 28 & 255,
        .raw = w->bytes + (x & 0xff),
        .raw_bytes = (uint32_t)(x >> 32 & 0xffff) % payload,
        .detail = w->bytes + 1 + (x & 0xff),
        .detail_bytes = (uint32_t)(x >> 48) % payload};
    if (r->definitions_percent && x % 100 < r->definitions_percent)
        e.flags |= x & 128 ? TM_EVENT_DEFINITION : TM_EVENT_DEFINITION | TM_EVENT_UNTIMED;
    if (tm_event_is_counted(e.flags))
        w->timed[file]++;
    else
        w->untimed[file]++;
    if (tm_batch_builder_add(&w->batch, &e) < 0)
        tm_error_nomem(&w->err);
}

static inline void random_flush(struct random_work *w)
{
    struct tm_batch batch;
    tm_batch_builder_view(&w->batch, &batch);
    tm_stream_write_batch(&w->writer, &batch, &w->err);
    tm_batch_builder_clear(&w->batch);
}

static inline bool random_is_full(const struct random_work *w)
{
    return tm_batch_builder_full(&w->batch) || (w->r->batch_rows && w->batch.count >= w->r->batch_rows);
}

static inline void random_file(struct random_work *w, uint32_t id, bool begin)
{
    Tracemerge__File file = TRACEMERGE__FILE__INIT;
    Tracemerge__FileBegin turn = TRACEMERGE__FILE_BEGIN__INIT;
    Tracemerge__FileEnd end = TRACEMERGE__FILE_END__INIT;
    char name[64];
    int len = snprintf(name, sizeof name, "%sfile%u", w->r->tag ? w->r->tag : "", id);
    file.id = turn.id = end.id = id;
    file.has_parent = file.has_name = id != 0;
    file.is_container = id == 0;
    file.name = tm_bytes(name, (size_t)len);
    file.type = turn.type = id ? tm_bytes("proto", 5) : tm_bytes("tar", 3);
    /* Later files are processed first, so the order differs from that of ids. */
    turn.processing_order = id ? w->r->files + 1 - id : 0;
    end.timed_count = w->timed[id];
    end.untimed_count = w->untimed[id];
    if (begin) {
        tm_stream_write_message(&w->writer, TM_FRAME_FILE, &file.base, &w->err);
        tm_stream_write_message(&w->writer, TM_FRAME_FILE_BEGIN, &turn.base, &w->err);
    } else {
        tm_stream_write_message(&w->writer, TM_FRAME_FILE_END, &end.base, &w->err);
    }
}

static inline void random_generation(struct random_work *w, uint32_t id)
{
    Tracemerge__Sequence m = TRACEMERGE__SEQUENCE__INIT;
    m.generation = m.file = id;
    m.trusted_packet_sequence_id = 7;
    tm_stream_write_message(&w->writer, TM_FRAME_SEQUENCE, &m.base, &w->err);
}

static inline void random_strings(struct random_work *w)
{
    for (uint32_t i = 0; i < w->r->strings; i++) {
        Tracemerge__Strings m = TRACEMERGE__STRINGS__INIT;
        ProtobufCBinaryData text;
        char name[64];
        int len = snprintf(name, sizeof name, "%ss%u", w->r->tag && i % 2 ? w->r->tag : "", i);
        text = tm_bytes(name, (size_t)len);
        m.first = i + 1;
        m.n_text = 1;
        m.text = &text;
        tm_stream_write_message(&w->writer, TM_FRAME_STRINGS, &m.base, &w->err);
    }
}

static inline void random_placed(struct random_work *w)
{
    Tracemerge__Machine machine = TRACEMERGE__MACHINE__INIT;
    Tracemerge__TraceTime time = TRACEMERGE__TRACE_TIME__INIT;
    Tracemerge__ClockRow row = TRACEMERGE__CLOCK_ROW__INIT;
    machine.has_name = w->r->machine != NULL;
    machine.name = tm_bytes(w->r->machine, w->r->machine ? strlen(w->r->machine) : 0);
    machine.raw_id = w->r->machine ? INT64_C(1) << 32 : 0;
    time.clock = w->r->trace_clock ? w->r->trace_clock : 6;
    time.has_machine = true;
    row.clock = 6;
    tm_stream_write_message(&w->writer, TM_FRAME_MACHINE, &machine.base, &w->err);
    tm_stream_write_message(&w->writer, TM_FRAME_TRACE_TIME, &time.base, &w->err);
    tm_stream_write_message(&w->writer, TM_FRAME_CLOCK_ROW, &row.base, &w->err);
}

/* Accounts for RANDOM_DROPPED further events as dropped. */
static inline void random_account(struct random_work *w, uint32_t file)
{
    Tracemerge__Account m = TRACEMERGE__ACCOUNT__INIT;
    m.file = file;
    m.clock = 6;
    m.reason = tm_bytes("no_path", 7);
    m.count = RANDOM_DROPPED;
    w->timed[file] += RANDOM_DROPPED;
    tm_stream_write_message(&w->writer, TM_FRAME_ACCOUNT, &m.base, &w->err);
}

/* Writes the stream to FD. W is zero-initialised. Returns the status of W->err. */
static inline enum tm_status random_stream_write(struct random_work *w, const struct random_stream *r, int fd)
{
    uint64_t n = r->events / r->files;
    w->r = r;
    for (size_t i = 0; i < sizeof w->bytes; i++)
        w->bytes[i] = (uint8_t)(i * 7);
    const struct tm_stream_header header = {.sorted = r->says_sorted,
                                            .stage = r->placed ? TRACEMERGE__STAGE__PLACED
                                                               : TRACEMERGE__STAGE__UNPACKED};
    tm_stream_writer_open(&w->writer, fd, "random", &header, &w->err);
    random_file(w, 0, true);
    if (r->placed)
        random_placed(w);
    random_strings(w);
    for (uint32_t file = 1; file <= r->files; file++) {
        random_file(w, file, true);
        random_generation(w, file);
        for (uint64_t i = 0; i < n && !r->interleaved && w->err.status == TM_OK; i++) {
            random_event(w, file, i, n);
            if (random_is_full(w))
                random_flush(w);
        }
        random_flush(w);
        if (!r->says_sorted)
            random_account(w, file);
    }
    for (uint64_t i = 0, rows = r->batch_rows ? r->batch_rows : 1000; i < n && r->interleaved; i += rows) {
        for (uint32_t file = 1; file <= r->files; file++) {
            for (uint64_t j = i; j < n && j < i + rows; j++)
                random_event(w, file, j, n);
            random_flush(w);
        }
    }
    for (uint32_t file = r->files + 1; file-- > 0 && !r->says_sorted;)
        random_file(w, file, false);
    tm_stream_writer_end(&w->writer, &w->err);
    tm_batch_builder_release(&w->batch);
    tm_stream_writer_release(&w->writer);
    return w->err.status;
}

#endif

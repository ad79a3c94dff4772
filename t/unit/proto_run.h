/* Perfetto traces read by lib/format: packets in, rows out. */
#ifndef TM_T_UNIT_PROTO_RUN_H
#define TM_T_UNIT_PROTO_RUN_H

#include "os/io.h"
#include "format/perfetto/perfetto.h"
#include "stream/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS_MAX = 4096, NAME_MAX_BYTES = 64 };

/* A row of the stream, with its strings. */
struct row {
    struct tm_event e;
    char name[NAME_MAX_BYTES];
    char category[NAME_MAX_BYTES];
    size_t raw_at, detail_at; /* in bytes */
};

/* The stream of a trace. */
struct result {
    struct row rows[ROWS_MAX];
    size_t count;
    struct tm_buf bytes; /* payloads */
    struct tm_buf text;  /* strings of the stream, one after the other */
    size_t ends[ROWS_MAX];
    size_t string_count;
    uint32_t snapshots, syncs, sequences;
    uint64_t needs_state, damaged, skipped_bytes, timed;
    int64_t stats; /* the sum of their values */
    uint32_t snapshot_clock[8];
    int64_t snapshot_value[8];
    uint32_t snapshot_readings, snapshot_primary;
    enum tm_status status;
    struct tm_error err;
};

static inline void copy_string(const struct result *r, uint32_t string, const struct tm_event *e, char *out)
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

static inline void take_strings(struct result *r, const struct tm_frame *frame)
{
    Tracemerge__Strings *s = (Tracemerge__Strings *)tm_frame_message(frame, &tracemerge__strings__descriptor, &r->err);
    for (size_t i = 0; s && i < s->n_text && r->string_count < ROWS_MAX; i++) {
        tm_buf_add(&r->text, s->text[i].data, s->text[i].len);
        r->ends[r->string_count++] = r->text.len;
    }
    if (s)
        protobuf_c_message_free_unpacked(&s->base, NULL);
}

static inline void take_snapshot(struct result *r, const struct tm_frame *frame)
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

static inline void take_account(struct result *r, const struct tm_frame *frame)
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

static inline void take_stat(struct result *r, const struct tm_frame *frame)
{
    Tracemerge__Stat *s = (Tracemerge__Stat *)tm_frame_message(frame, &tracemerge__stat__descriptor, &r->err);
    if (s == NULL)
        return;
    r->stats += s->value;
    protobuf_c_message_free_unpacked(&s->base, NULL);
}

static inline void take_batch(struct result *r, const struct tm_batch *batch)
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

static inline void collect(struct result *r, int fd)
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
        case TM_FRAME_STAT:
            take_stat(r, &frame);
            break;
        default:
            break;
        }
    }
    if (st != TM_END && r->status == TM_OK)
        r->status = st;
    tm_stream_reader_release(&reader);
}

/* Gives bytes piece by piece, each in memory that the next one overwrites, so a pointer kept too long is detected.
 */
struct pieces {
    const uint8_t *data;
    size_t len;
    uint8_t *shown;
    size_t shown_len;
};

static inline void forget_piece(struct pieces *p)
{
    if (p->shown)
        memset(p->shown, 0xa5, p->shown_len);
    free(p->shown);
}

static inline enum tm_status show_piece(void *source, struct tm_input *in, size_t need, struct tm_error *err)
{
    enum { PIECE_BYTES = 1000 };
    struct pieces *p = source;
    size_t left = p->len - (size_t)in->offset, want = need < PIECE_BYTES ? PIECE_BYTES : need;
    size_t n = left < want ? left : want;
    uint8_t *piece = malloc(n + 1);
    (void)err;
    if (piece == NULL)
        abort();
    memcpy(piece, p->data + in->offset, n);
    forget_piece(p);
    p->shown = piece;
    p->shown_len = n;
    in->data = in->first = piece;
    in->len = n;
    in->ended = n == left;
    return n >= need ? TM_OK : TM_END;
}

static inline void close_pieces(void *source)
{
    forget_piece(source);
}

static const struct tm_input_ops pieces_ops = {.show = show_piece, .close = close_pieces};

/* Reads LEN bytes of trace. WANTS_VALUE_ROWS is that of the sink. */
static inline struct result *run_with(const uint8_t *data, size_t len, enum tm_on_damage on_damage,
                                      bool wants_value_rows)
{
    struct result *r = calloc(1, sizeof *r);
    struct tm_stream_writer writer;
    struct tm_event_sink sink;
    struct tm_input in;
    struct tm_format_options options = {.on_damage = on_damage};
    struct tm_format_context context = {.input = &in, .sink = &sink, .options = &options, .sniff = tm_format_sniff};
    Tracemerge__FileBegin begin = TRACEMERGE__FILE_BEGIN__INIT;
    const struct tm_stream_header header = {.stage = TRACEMERGE__STAGE__UNPACKED};
    void *state = NULL;
    int fd;
    if (r == NULL || tm_io_temporary(NULL, &fd, &r->err) < 0)
        abort();
    tm_stream_writer_open(&writer, fd, "test", &header, &r->err);
    tm_event_sink_init(&sink, &writer);
    sink.want_value_rows = wants_value_rows;
    tm_event_sink_file_begin(&sink, &begin, &r->err);
    struct pieces pieces = {.data = data, .len = len};
    tm_input_init(&in, &pieces_ops, &pieces);
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

static inline struct result *run(const uint8_t *data, size_t len, enum tm_on_damage on_damage)
{
    return run_with(data, len, on_damage, true);
}

static inline void result_free(struct result *r)
{
    tm_buf_release(&r->bytes);
    tm_buf_release(&r->text);
    free(r);
}

/* Returns the I-th row of KIND, counted from 0, or NULL. */
static inline const struct row *row_of(const struct result *r, enum tm_kind kind, size_t i)
{
    for (size_t at = 0; at < r->count; at++)
        if (r->rows[at].e.kind == kind && i-- == 0)
            return &r->rows[at];
    return NULL;
}

/* True if the row's payload contains the bytes of TEXT. */
static inline bool payload_has(const struct result *r, const struct row *row, const char *text)
{
    size_t len = strlen(text), total = (size_t)row->e.raw_bytes + row->e.detail_bytes;
    for (size_t i = 0; i + len <= total; i++)
        if (memcmp(r->bytes.data + row->raw_at + i, text, len) == 0)
            return true;
    return false;
}

#endif

/* Runs a format over bytes in memory and shows its stream as text, with a line for each row, account, stat, hint or
 * metadata. */
#ifndef TM_T_UNIT_FORMAT_RUN_H
#define TM_T_UNIT_FORMAT_RUN_H

#include "os/io.h"
#include "base/pb.h"
#include "format/format.h"
#include "model/catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct format_run {
    struct tm_buf text;   /* NUL-terminated */
    enum tm_status status; /* of the parser */
    struct tm_error err;
    uint64_t used; /* bytes the parser took */
};

/* A source that gives at most CHUNK bytes a read. */
struct chunk_source {
    const uint8_t *data;
    size_t len, at, chunk;
};

static enum tm_status chunk_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct chunk_source *s = source;
    size_t n = s->len - s->at;
    (void)err;
    n = n < len ? n : len;
    n = n < s->chunk ? n : s->chunk;
    memcpy(data, s->data + s->at, n);
    s->at += n;
    *got = n;
    return n ? TM_OK : TM_END;
}

static const struct tm_input_ops chunk_ops = {.read = chunk_read};

static inline void show_text(struct tm_buf *out, struct tm_text t)
{
    for (size_t i = 0; i < t.len; i++)
        tm_buf_addf(out, t.data[i] < 0x20 ? "\\x%02x" : "%c", t.data[i]);
}

static const char *const kind_names[64] = {"packet",         "begin",        "end",
                                           "complete",       "instant",      "counter",
                                           "flow_start",     "flow_step",    "flow_end",
                                           "async_step",     "sample",       "sched_switch",
                                           "sched_waking",   "task_rename",  "task_new",
                                           "process_exit",   "ftrace",       "process",
                                           "thread",         "log",          "sync_marker",
                                           "slice_args",     "binder",       "kernel",
                                           [32] = "state",   [33] = "track", [34] = "system_info",
                                           [35] = "metadata"};

static inline void show_arg(struct tm_buf *out, const Tracemerge__Arg *a)
{
    tm_buf_add_str(out, " ");
    show_text(out, (struct tm_text){a->key.data, a->key.len});
    tm_buf_add_str(out, "=");
    switch (a->value_case) {
    case TRACEMERGE__ARG__VALUE_INT_VALUE:
        tm_buf_addf(out, "%" PRId64, a->int_value);
        break;
    case TRACEMERGE__ARG__VALUE_UINT_VALUE:
        tm_buf_addf(out, "u%" PRIu64, a->uint_value);
        break;
    case TRACEMERGE__ARG__VALUE_DOUBLE_VALUE:
        tm_buf_addf(out, "%.17g", a->double_value);
        break;
    case TRACEMERGE__ARG__VALUE_STRING_VALUE:
        tm_buf_add_str(out, "'");
        show_text(out, (struct tm_text){a->string_value.data, a->string_value.len});
        tm_buf_add_str(out, "'");
        break;
    case TRACEMERGE__ARG__VALUE_BOOL_VALUE:
        tm_buf_add_str(out, a->bool_value ? "true" : "false");
        break;
    default:
        tm_buf_add_str(out, "?");
        break;
    }
}

static inline void show_bytes(struct tm_buf *out, const char *label, ProtobufCBinaryData b)
{
    tm_buf_add_str(out, label);
    show_text(out, (struct tm_text){b.data, b.len});
}

static inline void show_detail(struct tm_buf *out, const struct tm_event *e)
{
    Tracemerge__Detail *d = tracemerge__detail__unpack(NULL, e->detail_bytes, e->detail);
    if (d == NULL) {
        tm_buf_add_str(out, " BAD DETAIL");
        return;
    }
    for (size_t i = 0; i < d->n_args; i++)
        show_arg(out, d->args[i]);
    for (size_t i = 0; i < d->n_flow_ids; i++)
        tm_buf_addf(out, " flow=%" PRIx64, d->flow_ids[i]);
    for (size_t i = 0; i < d->n_terminating_flow_ids; i++)
        tm_buf_addf(out, " flow_end=%" PRIx64, d->terminating_flow_ids[i]);
    for (size_t i = 0; i < d->n_bind_out; i++)
        tm_buf_addf(out, " bind_out=%" PRIx64, d->bind_out[i]);
    for (size_t i = 0; i < d->n_bind_step; i++)
        tm_buf_addf(out, " bind_step=%" PRIx64, d->bind_step[i]);
    for (size_t i = 0; i < d->n_bind_in; i++)
        tm_buf_addf(out, " bind_in=%" PRIx64, d->bind_in[i]);
    if (d->has_thread_time_ns)
        tm_buf_addf(out, " tts=%lld", (long long)d->thread_time_ns);
    if (d->has_thread_dur_ns)
        tm_buf_addf(out, " tdur=%lld", (long long)d->thread_dur_ns);
    if (d->has_id)
        show_bytes(out, " id=", d->id);
    if (d->process) {
        tm_buf_add_str(out, " process{");
        if (d->process->has_name)
            show_bytes(out, "name=", d->process->name);
        if (d->process->has_parent_pid)
            tm_buf_addf(out, " parent=%" PRId64, d->process->parent_pid);
        if (d->process->has_sort_index)
            tm_buf_addf(out, " sort=%" PRId64, d->process->sort_index);
        for (size_t i = 0; i < d->process->n_labels; i++)
            show_bytes(out, " label=", d->process->labels[i]);
        tm_buf_add_str(out, "}");
    }
    if (d->thread) {
        tm_buf_add_str(out, " thread{");
        if (d->thread->has_name)
            show_bytes(out, "name=", d->thread->name);
        if (d->thread->has_sort_index)
            tm_buf_addf(out, " sort=%" PRId64, d->thread->sort_index);
        tm_buf_add_str(out, "}");
    }
    for (size_t i = 0; i < d->n_frames; i++)
        show_bytes(out, i ? "<" : " frames=", d->frames[i]->function);
    tracemerge__detail__free_unpacked(d, NULL);
}

/* Writes "kind time pid/tid@cpu name [category] …" without missing parts. */
static inline void show_event(struct tm_buf *out, const struct tm_catalog *catalog, const struct tm_event *event)
{
    struct tm_arg_expander args = tm_catalog_expander(catalog);
    struct tm_event expanded = *event, *e = &expanded;
    tm_arg_expand(&args, e, NULL);
    static const char *const scopes[16] = {"global", "thread", "process", "track", "cpu"};
    tm_buf_addf(out, "%s", e->kind < 64 && kind_names[e->kind] ? kind_names[e->kind] : "?");
    if (!(e->flags & TM_EVENT_UNTIMED))
        tm_buf_addf(out, " %" PRId64, e->time_ns);
    if (e->dur_ns || e->kind == TM_KIND_SLICE_COMPLETE)
        tm_buf_addf(out, " dur=%" PRId64, e->dur_ns);
    if (e->flags & TM_EVENT_HAS_PID)
        tm_buf_addf(out, " pid=%" PRId64, e->pid);
    if (e->flags & TM_EVENT_HAS_TID)
        tm_buf_addf(out, " tid=%" PRId64, e->tid);
    if (e->flags & TM_EVENT_HAS_CPU)
        tm_buf_addf(out, " cpu=%u", e->cpu);
    if (tm_event_scope(e->flags))
        tm_buf_addf(out, " %s", scopes[tm_event_scope(e->flags)]);
    if (e->name) {
        tm_buf_add_str(out, " '");
        show_text(out, tm_catalog_string(catalog, e->name, e));
        tm_buf_add_str(out, "'");
    }
    if (e->category) {
        tm_buf_add_str(out, " [");
        show_text(out, tm_catalog_string(catalog, e->category, e));
        tm_buf_add_str(out, "]");
    }
    if (e->kind == TM_KIND_SCHED_SWITCH)
        tm_buf_addf(out, " state=%x prio=%d>%d", (uint32_t)e->value, (int16_t)(e->value >> 48),
                    (int16_t)(e->value >> 32));
    else if (e->flags & TM_EVENT_HAS_VALUE && e->flags & TM_EVENT_VALUE_DOUBLE)
        tm_buf_addf(out, " value=%.17g", tm_pb_double(e->value));
    else if (e->flags & TM_EVENT_HAS_VALUE)
        tm_buf_addf(out, " value=%" PRId64, (int64_t)e->value);
    if (e->kind == TM_KIND_BINDER)
        tm_buf_addf(out, " event=%llx track=%llx", (unsigned long long)e->value, (unsigned long long)e->track);
    if (e->flags & TM_EVENT_HAS_TRACK)
        tm_buf_addf(out, " track=%" PRIx64, e->track);
    static const struct {
        uint32_t flag;
        const char *name;
    } flags[] = {{TM_EVENT_DEFINITION, "def"}, {TM_EVENT_DERIVED, "derived"}, {TM_EVENT_ASYNC, "async"},
                 {TM_EVENT_OPEN_ENDED, "open"}};
    for (int i = 0; i < 4; i++)
        if (e->flags & flags[i].flag)
            tm_buf_addf(out, " %s", flags[i].name);
    show_detail(out, e);
    if (e->raw_bytes) {
        tm_buf_add_str(out, " raw=");
        show_text(out, (struct tm_text){e->raw, e->raw_bytes});
    }
    tm_buf_add_str(out, "\n");
    tm_arg_expander_release(&args);
}

static inline void show_catalog(struct tm_buf *out, const struct tm_catalog *c)
{
    for (uint32_t i = 0; i < c->account_count; i++) {
        show_bytes(out, "account ", c->accounts[i]->reason);
        tm_buf_addf(out, " %" PRIu64, c->accounts[i]->count);
        if (c->accounts[i]->has_byte)
            tm_buf_addf(out, " at %" PRIu64, c->accounts[i]->byte);
        tm_buf_add_str(out, "\n");
    }
    for (uint32_t i = 0; i < c->stat_count; i++) {
        show_bytes(out, "stat ", c->stats[i]->name);
        tm_buf_addf(out, " %" PRId64 "\n", c->stats[i]->value);
    }
    for (uint32_t i = 0; i < c->metadata_count; i++) {
        show_bytes(out, "row ", c->metadata[i]->name);
        if (c->metadata[i]->value_case == TRACEMERGE__METADATA__VALUE_STR_VALUE)
            show_bytes(out, "=", c->metadata[i]->str_value);
        else
            tm_buf_addf(out, "=%" PRId64, c->metadata[i]->int_value);
        tm_buf_add_str(out, "\n");
    }
}

static inline enum tm_status show_stream(int fd, struct tm_buf *out, struct tm_error *err)
{
    struct tm_stream_reader reader;
    struct tm_catalog catalog = {0};
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st = tm_stream_reader_open(&reader, fd, err);
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, err)) == TM_OK) {
        if ((st = tm_catalog_add(&catalog, &frame, err)) < 0)
            break;
        if (frame.type == TM_FRAME_CLOCK_HINT) {
            Tracemerge__ClockHint *h = tracemerge__clock_hint__unpack(NULL, frame.body_bytes, frame.body);
            tm_buf_addf(out, "hint %u:%" PRId64 " = %u:%" PRId64, h->from_clock, h->from_ns, h->clock, h->value_ns);
            show_bytes(out, " ", h->source);
            tm_buf_add_str(out, "\n");
            tracemerge__clock_hint__free_unpacked(h, NULL);
        }
        struct tm_batch_walk walk = {.batch = &batch};
        struct tm_event e;
        while (frame.type == TM_FRAME_BATCH && tm_batch_next(&walk, &e))
            show_event(out, &catalog, &e);
    }
    show_catalog(out, &catalog);
    tm_catalog_release(&catalog);
    tm_stream_reader_release(&reader);
    return st;
}

/* Parses LEN bytes at DATA, CHUNK at a time (0: all of them in the window from the start), NOW_S seconds after 1970. */
static inline struct format_run format_run_at(int64_t now_s, const struct tm_format *format, const void *data,
                                              size_t len, size_t chunk, const struct tm_format_options *options)
{
    struct format_run run = {0};
    struct chunk_source source = {data, len, 0, chunk};
    struct tm_input in;
    struct tm_stream_writer writer;
    struct tm_event_sink sink;
    void *state = NULL;
    int fd = -1;
    Tracemerge__File file = TRACEMERGE__FILE__INIT;
    Tracemerge__FileBegin begin = TRACEMERGE__FILE_BEGIN__INIT;
    if (tm_io_temporary(NULL, &fd, &run.err) < 0 ||
        tm_stream_writer_open(&writer, fd, "test",
                              &(struct tm_stream_header){.stage = TRACEMERGE__STAGE__UNPACKED}, &run.err) < 0)
        abort();
    if (chunk)
        tm_input_init(&in, &chunk_ops, &source);
    else
        tm_input_init_bytes(&in, data, len);
    tm_event_sink_init(&sink, &writer);
    struct tm_format_context context = {.input = &in, .sink = &sink, .options = options, .sniff = tm_format_sniff,
                                        .now_s = now_s, .whole = {.fd = -1, .len = len}};
    if (format->by_place && (tm_io_temporary(NULL, &context.whole.fd, &run.err) < 0 ||
                             tm_io_write(context.whole.fd, data, len, &run.err) < 0))
        abort();
    enum tm_status st = tm_event_sink_message(&sink, TM_FRAME_FILE, &file.base, &run.err);
    if (st >= 0)
        st = tm_event_sink_file_begin(&sink, &begin, &run.err);
    if (st >= 0)
        st = format->open(&context, &state, &run.err);
    while (st == TM_OK)
        st = format->read(state, &run.err);
    run.status = st;
    run.used = in.offset;
    struct tm_error ignored = {0};
    tm_event_sink_file_end(&sink, 0, in.offset, &ignored);
    tm_stream_writer_end(&writer, &ignored);
    format->close(state);
    lseek(fd, 0, SEEK_SET);
    if (show_stream(fd, &run.text, &ignored) != TM_END)
        tm_buf_addf(&run.text, "STREAM: %s\n", ignored.text);
    tm_buf_cstr(&run.text);
    tm_event_sink_release(&sink);
    tm_stream_writer_release(&writer);
    tm_input_release(&in);
    close(fd);
    if (context.whole.fd >= 0)
        close(context.whole.fd);
    return run;
}

static inline struct format_run format_run(const struct tm_format *format, const void *data, size_t len, size_t chunk,
                                           const struct tm_format_options *options)
{
    return format_run_at(0, format, data, len, chunk, options);
}

static inline void format_run_release(struct format_run *run)
{
    tm_buf_release(&run->text);
}

/* Compares the lines of the whole text, and prints a difference as TAP comments. */
static inline bool format_run_is(const struct format_run *run, const char *want)
{
    const char *got = (const char *)run->text.data;
    if (strcmp(got, want) == 0)
        return true;
    size_t i = 0, line = 0;
    for (; got[i] && got[i] == want[i]; i++)
        if (got[i] == '\n')
            line = i + 1;
    printf("# got:    %.*s\n# wanted: %.*s\n# status %d %s\n", (int)strcspn(got + line, "\n"), got + line,
           (int)strcspn(want + line, "\n"), want + line, run->status, run->err.text);
    return false;
}

/* FORMAT gives WANT for TEXT, read at once, byte by byte and in pieces of 7. */
static inline bool format_gives(const struct tm_format *format, const char *text, const char *want)
{
    static const size_t chunks[] = {0, 1, 7};
    static const struct tm_format_options options = {TM_DAMAGE_HALT, true};
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        struct format_run run = format_run(format, text, strlen(text), chunks[i], &options);
        good = run.status == TM_END && format_run_is(&run, want);
        if (!good)
            printf("# with pieces of %zu: status %d %s\n", chunks[i], run.status, run.err.text);
        format_run_release(&run);
    }
    return good;
}

/* FORMAT fails at TEXT with CAUSE, read at once and in pieces. */
static inline bool format_refuses(const struct tm_format *format, const char *text, const char *cause)
{
    static const struct tm_format_options halt = {TM_DAMAGE_HALT, false};
    bool good = true;
    for (size_t chunk = 0; chunk < 12 && good; chunk += 11) {
        struct format_run run = format_run(format, text, strlen(text), chunk, &halt);
        good = run.status == TM_E_INPUT && strcmp(run.err.text, cause) == 0;
        if (!good)
            printf("# status %d: %s\n", run.status, run.err.text);
        format_run_release(&run);
    }
    return good;
}

#endif

/* Builds a stream and runs tm_configure on it. */
#ifndef TM_T_UNIT_CONFIGURE_RUN_H
#define TM_T_UNIT_CONFIGURE_RUN_H

#include "os/io.h"
#include "manifest/configure.h"
#include "stream/event_sink.h"
#include "stream/reader.h"
#include "stream/writer.h"

#include "tap.h"

#include <unistd.h>

/* The stream that a test builds, and the result of tm_configure on it. */
struct fixture {
    struct tm_error err;
    struct tm_stream_writer writer;
    struct tm_buf seen; /* frames of the result: "F0 C f1=0 B0 …" */
    int in, out;
    uint32_t files;
};

static inline void start(struct fixture *f, Tracemerge__Stage stage)
{
    *f = (struct fixture){0};
    if (tm_io_temporary(NULL, &f->in, &f->err) < 0 || tm_io_temporary(NULL, &f->out, &f->err) < 0 ||
        tm_stream_writer_open(&f->writer, f->in, "test", &(struct tm_stream_header){.stage = stage}, &f->err) < 0)
        ok_named(false, f->err.text);
}

/* Adds a file. PARENT below 0: the outermost file, and NAME is its name on the command line. */
static inline void file(struct fixture *f, int parent, const char *name, const char *type)
{
    Tracemerge__File frame = TRACEMERGE__FILE__INIT;
    frame.id = f->files++;
    frame.has_parent = parent >= 0;
    frame.parent = parent >= 0 ? (uint32_t)parent : 0;
    frame.has_name = name && parent >= 0;
    frame.has_given_name = name && parent < 0;
    frame.name = frame.given_name = tm_bytes(name, name ? strlen(name) : 0);
    frame.type = tm_bytes(type, strlen(type));
    (void)tm_stream_write_message(&f->writer, TM_FRAME_FILE, &frame.base, &f->err);
}

static inline void begin(struct fixture *f, uint32_t id, const char *type, bool is_trace)
{
    Tracemerge__FileBegin frame = TRACEMERGE__FILE_BEGIN__INIT;
    frame.id = id;
    frame.type = tm_bytes(type, strlen(type));
    frame.clock_policy = is_trace ? TRACEMERGE__CLOCK_POLICY__PROTO : TRACEMERGE__CLOCK_POLICY__NO_CLOCK;
    (void)tm_stream_write_message(&f->writer, TM_FRAME_FILE_BEGIN, &frame.base, &f->err);
}

static inline void manifest(struct fixture *f, uint32_t id, const char *text)
{
    Tracemerge__Manifest frame = TRACEMERGE__MANIFEST__INIT;
    begin(f, id, "perfetto_manifest", false);
    frame.has_file = true;
    frame.file = id;
    frame.text = tm_bytes(text, strlen(text));
    (void)tm_stream_write_message(&f->writer, TM_FRAME_MANIFEST, &frame.base, &f->err);
}

static inline void events(struct fixture *f, uint32_t id, int count)
{
    struct tm_event_sink sink;
    Tracemerge__FileBegin frame = TRACEMERGE__FILE_BEGIN__INIT;
    tm_event_sink_init(&sink, &f->writer);
    frame.id = id;
    frame.type = tm_bytes("proto", 5);
    frame.clock_policy = TRACEMERGE__CLOCK_POLICY__PROTO;
    (void)tm_event_sink_file_begin(&sink, &frame, &f->err);
    for (int i = 0; i < count; i++) {
        struct tm_event e = {.time_ns = i, .kind = TM_KIND_INSTANT, .raw = (const uint8_t *)"raw", .raw_bytes = 3};
        (void)tm_event_sink_add(&sink, &e, &f->err);
    }
    (void)tm_event_sink_file_end(&sink, id, 1, &f->err);
    tm_event_sink_release(&sink);
}

static inline void see(struct fixture *f, const struct tm_frame *frame, const struct tm_batch *batch)
{
    if (frame->type == TM_FRAME_CONFIG) {
        (void)tm_buf_add_str(&f->seen, "C ");
    } else if (frame->type == TM_FRAME_FILE_CONFIG) {
        Tracemerge__FileConfig *m =
            (Tracemerge__FileConfig *)tm_frame_message(frame, &tracemerge__file_config__descriptor, NULL);
        (void)tm_buf_addf(&f->seen, "f%u=%u ", m ? m->file : 99, m ? m->entry : 99);
        tracemerge__file_config__free_unpacked(m, NULL);
    } else if (frame->type == TM_FRAME_BATCH) {
        (void)tm_buf_addf(&f->seen, "%u events ", batch->count);
    } else if (frame->type == TM_FRAME_FILE) {
        (void)tm_buf_add_str(&f->seen, "F ");
    } else if (frame->type == TM_FRAME_FILE_BEGIN) {
        (void)tm_buf_add_str(&f->seen, "B ");
    } else if (frame->type != TM_FRAME_FILE_END) {
        (void)tm_buf_addf(&f->seen, "%u ", frame->type);
    }
}

/* Runs tm_configure. WANT: the frames of a good result, or the error. UNMATCHED: the problems about paths. */
static inline void finish(struct fixture *f, const struct tm_configure_options *options, const char *want,
                          size_t unmatched)
{
    struct tm_configure_options plain = {.producer = "test"};
    struct tm_manifest_problems problems = {0};
    struct tm_stream_reader reader;
    struct tm_frame frame;
    struct tm_batch batch;
    (void)tm_stream_writer_end(&f->writer, &f->err);
    (void)lseek(f->in, 0, SEEK_SET);
    enum tm_status st = tm_configure(f->in, f->out, options ? options : &plain, &problems, &f->err);
    if (st == TM_OK) {
        (void)lseek(f->out, 0, SEEK_SET);
        st = tm_stream_reader_open(&reader, f->out, &f->err);
        (void)tm_buf_addf(&f->seen, "%d: ", (int)reader.header.stage);
        while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, &f->err)) == TM_OK)
            see(f, &frame, &batch);
        tm_stream_reader_release(&reader);
        is_str(st == TM_END ? tm_buf_cstr(&f->seen) : f->err.text, want);
    } else {
        is_str(f->err.text, want);
        (void)lseek(f->out, 0, SEEK_SET);
        struct tm_error err = {0};
        st = tm_stream_reader_open(&reader, f->out, &err);
        while (st == TM_OK)
            st = tm_stream_reader_next(&reader, &frame, &batch, &err);
        ok_named(st < 0, "and no whole stream is left behind");
        tm_stream_reader_release(&reader);
    }
    is_int(problems.count, unmatched);
    tm_manifest_problems_release(&problems);
    tm_stream_writer_release(&f->writer);
    tm_buf_release(&f->seen);
    close(f->in);
    close(f->out);
}

/* Makes an archive with members m.json, a.pb, b.json.gz, inner.tar and dir/c. */
static inline void archive(struct fixture *f, const char *text)
{
    start(f, TRACEMERGE__STAGE__UNPACKED);
    file(f, -1, "run.tar", "tar");
    file(f, 0, "a.pb", "");
    file(f, 0, "b.json.gz", "");
    file(f, 0, "inner.tar", "");
    file(f, 0, "m.json", "");
    file(f, 0, "dir/c", "");
    begin(f, 0, "tar", false);
    manifest(f, 4, text);
    events(f, 1, 3);
    begin(f, 2, "gzip", false);
    file(f, 2, "", "");
    events(f, 6, 2);
    begin(f, 3, "tar", false);
    file(f, 3, "inner.pb", "");
    events(f, 7, 1);
    events(f, 5, 1);
}

#endif

/* Stages, with any stream as input: notes of frames (stream_notes.h), or bytes. */
#include "fuzz.h"

#include "align/alignment.h"
#include "clocks/timeline.h"
#include "emit/run.h"
#include "manifest/configure.h"
#include "sort/sort_stream.h"
#include "sort/union/stream_merge.h"

#include <unistd.h>

/* Streams from elsewhere may have accounts that do not balance, which the stages take for a bug. */
enum { INPUT = 1 << -TM_E_INPUT, SYSTEM = 1 << -TM_E_SYSTEM, STRICT = 1 << -TM_E_STRICT };

static void check_is_imbalance(enum tm_status st, const struct tm_error *err)
{
    fuzz_check_status(st, INPUT | SYSTEM, err);
    if (st == TM_E_SYSTEM && !fuzz_fault.is_there)
        FUZZ_CHECK(strstr(err->text, "balance") != NULL);
}

void fuzz_manifest(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    struct tm_manifest manifest = {0};
    struct tm_error err = {0};
    (void)target;
    enum tm_status st = tm_manifest_read(&manifest, data, len, &err);
    fuzz_check_status(st, INPUT, &err);
    FUZZ_CHECK((st == TM_OK) == (manifest.problems.count == 0) || fuzz_fault.is_there);
    tm_manifest_release(&manifest);
}

void fuzz_reader(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    struct tm_stream_reader reader;
    struct tm_frame frame;
    struct tm_batch batch;
    struct tm_event event;
    struct tm_error err = {0};
    int fd = fuzz_file_of(data, len);
    (void)target;
    enum tm_status st = tm_stream_reader_open_chunked(&reader, fd, 4096, &err);
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, &err)) == TM_OK) {
        struct tm_batch_walk walk = {.batch = &batch};
        while (frame.type == TM_FRAME_BATCH && tm_batch_next(&walk, &event))
            FUZZ_CHECK(walk.at <= batch.payload_bytes);
    }
    fuzz_check_status(st, INPUT, &err);
    tm_stream_reader_release(&reader);
    close(fd);
}

void fuzz_configure(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    struct tm_manifest_problems unmatched = {0};
    struct tm_error err = {0};
    static const struct tm_configure_options options = {.producer = "fuzz"};
    int in = fuzz_stream_of(data, len), out = fuzz_file();
    (void)target;
    fuzz_check_status(tm_configure(in, out, &options, &unmatched, &err), INPUT, &err);
    tm_manifest_problems_release(&unmatched);
    close(in);
    close(out);
}

void fuzz_clocks(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    struct tm_error err = {0};
    if (len == 0)
        return;
    struct tm_timeline_options options = {.hints = data[len - 1] & 1, .graph = data[len - 1] & 2};
    int in = fuzz_stream_of(data, len - 1), out = fuzz_file();
    (void)target;
    check_is_imbalance(tm_timeline_run(in, out, &options, &err), &err);
    close(in);
    close(out);
}

void fuzz_sort(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    struct tm_error err = {0};
    if (len == 0)
        return;
    struct tm_sort_options options = {.memory_bytes = (unsigned long long)data[len - 1] << 10};
    int in = fuzz_stream_of(data, len - 1), out = fuzz_file();
    (void)target;
    enum tm_status st = tm_sort_stream(in, out, &options, &err);
    fuzz_check_status(st, INPUT, &err);
    if (st >= 0) {
        fuzz_rewind(out);
        fuzz_fault.calm++;
        FUZZ_CHECK(tm_sort_check(out, &err) == TM_OK);
        fuzz_fault.calm--;
    }
    close(in);
    close(out);
}

/* tm-sort -m of a stream and its end, cut where its last byte says. */
void fuzz_join(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    struct tm_error err = {0};
    if (len == 0)
        return;
    size_t cut = (len - 1) * data[len - 1] / 255;
    struct tm_merge_stream streams[2] = {{"a", fuzz_stream_of(data, cut)},
                                         {"b", fuzz_stream_of(data + cut, len - 1 - cut)}};
    if (data[len - 1] == 255) { /* a stream and itself */
        close(streams[1].fd);
        streams[1].fd = fuzz_stream_of(data, len - 1);
    }
    struct tm_sort_options options = {.memory_bytes = 1 << 16};
    int out = fuzz_file();
    (void)target;
    const struct tm_merge_streams both = {streams, 2, 2};
    enum tm_status st = tm_stream_merge(&both, out, &options, &err);
    fuzz_check_status(st, INPUT, &err);
    if (st >= 0) {
        fuzz_rewind(out);
        fuzz_fault.calm++;
        FUZZ_CHECK(tm_sort_check(out, &err) == TM_OK);
        fuzz_fault.calm--;
    }
    close(streams[0].fd);
    close(streams[1].fd);
    close(out);
}

/* A text takes nothing but memory. */
static void check_text(enum tm_status st)
{
    FUZZ_CHECK(st == TM_OK || (st == TM_E_SYSTEM && fuzz_fault.is_there));
}

/* All that tm-align writes, by all rules. The last byte chooses rules with parameters. */
void fuzz_align(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    static const char *const rules[] = {NULL, "name:.", "name:.,begin", "key:args.id,name:.,end"};
    struct tm_alignment alignment = TM_ALIGNMENT_INIT;
    struct tm_error err = {0};
    struct tm_buf text = {0}, json = {0}, svg = {0}, manifest = {0}, breaches = {0};
    if (len == 0)
        return;
    int in = fuzz_stream_of(data, len - 1);
    (void)target;
    enum tm_status st = tm_alignment_find(&alignment, in, rules[data[len - 1] % 4], NULL, &err);
    fuzz_check_status(st, INPUT, &err);
    if (st == TM_OK) {
        st = tm_alignment_check(&alignment, &err);
        fuzz_check_status(st, 0, &err);
        check_text(tm_alignment_text(&alignment, &text));
        check_text(tm_alignment_json(&alignment, &json));
        check_text(tm_alignment_svg(&alignment, &svg));
        check_text(tm_alignment_breaches_text(&alignment, &breaches));
        check_text(tm_alignment_breaches_json(&alignment, &breaches));
        fuzz_check_status(tm_alignment_manifest(&alignment, &manifest, &err), INPUT, &err);
    }
    tm_buf_release(&text);
    tm_buf_release(&json);
    tm_buf_release(&svg);
    tm_buf_release(&manifest);
    tm_buf_release(&breaches);
    tm_alignment_release(&alignment);
    close(in);
}

static void ignore_warning(const char *text)
{
    (void)text;
}

enum tm_status fuzz_emit_stream(int in, const struct tm_emit *emit, const struct tm_emit_options *options,
                                struct tm_error *err)
{
    char path[4096];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tm-fuzz-XXXXXX", dir ? dir : "/tmp");
    int out = emit->needs_path ? mkstemp(path) : fuzz_file();
    struct tm_emit_target target = {.emit = emit, .out_fd = out, .out_path = options->out_path};
    struct tm_emit_run run = {
        .in_fd = in, .targets = &target, .target_count = 1, .options = *options, .warn = ignore_warning};
    if (emit->needs_path) {
        target.out_fd = -1;
        target.path = path;
    }
    enum tm_status st = tm_emit_run(&run, err);
    if (emit->needs_path)
        unlink(path);
    close(out);
    return st;
}

void fuzz_emit(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    struct tm_error err = {0};
    if (len == 0)
        return;
    uint8_t how = data[len - 1];
    struct tm_emit_options options = {.absolute = how & 1, .json = how & 2, .hex = how & 4, .rebase = how & 8};
    int in = fuzz_stream_of(data, len - 1);
    check_is_imbalance(fuzz_emit_stream(in, target->with, &options, &err), &err);
    close(in);
}

/* Stages, with any stream as input: notes of frames (stream_notes.h), or bytes. */
#include "fuzz.h"

#include "align/alignment.h"
#include "base/bytes.h"
#include "clocks/timeline.h"
#include "cut/cut.h"
#include "emit/outputs.h"
#include "emit/run.h"
#include "manifest/configure.h"
#include "plan/plan_stream.h"
#include "select/spec.h"
#include "sort/sort_stream.h"
#include "sort/union/stream_merge.h"

#include <unistd.h>

/* Fuzzed streams may have accounts that do not balance, which the stages report as a bug. */
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

/* tm-sort -m of a stream and its rest; the last byte chooses the cut. */
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

/* Writing a text can fail only for lack of memory. */
static void check_text(enum tm_status st)
{
    FUZZ_CHECK(st == TM_OK || (st == TM_E_SYSTEM && fuzz_fault.is_there));
}

/* Makes the plan of the stream IN by RULES. It can be read again, gives times of parts, and has a plan of its own. */
static void check_plan(int in, const char *rules)
{
    struct tm_error err = {0};
    int64_t points[3];
    int plan = fuzz_file(), again = fuzz_file();
    enum tm_status st = tm_plan_stream(in, plan, rules, &err);
    fuzz_check_status(st, INPUT, &err);
    if (st == TM_OK) {
        fuzz_rewind(plan);
        fuzz_check_status(tm_plan_divide(plan, 4, points, &err), 0, &err);
        FUZZ_CHECK(fuzz_fault.is_there || (points[0] < points[1] && points[1] < points[2]));
        fuzz_rewind(plan);
        fuzz_check_status(tm_plan_stream(plan, again, rules, &err), 0, &err);
    }
    close(plan);
    close(again);
}

/* Writes all outputs of tm-align by all rules, and the stream's plan. The last byte chooses rules with parameters. */
void fuzz_align(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    static const char *const rules[] = {NULL, "name:.", "name:.,begin", "key:args.id,name:.,end"};
    struct tm_alignment alignment = {0};
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
    fuzz_rewind(in);
    check_plan(in, rules[data[len - 1] % 4]);
    close(in);
}

static void ignore_warning(const char *text)
{
    (void)text;
}

enum tm_status fuzz_emit_stream(int in, const struct tm_emit *emit, const struct tm_emit_options *options,
                                const struct tm_select_spec *only, struct tm_error *err)
{
    char path[4096];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tm-fuzz-XXXXXX", dir ? dir : "/tmp");
    int out = emit->needs_path ? mkstemp(path) : fuzz_file();
    struct tm_emit_target target = {.emit = emit, .out_fd = out, .out_path = options->out_path};
    struct tm_emit_run run = {
        .in_fd = in, .targets = &target, .target_count = 1, .options = *options, .only = only, .warn = ignore_warning};
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
    check_is_imbalance(fuzz_emit_stream(in, target->with, &options, NULL, &err), &err);
    close(in);
}

/* The last byte chooses the output, the selection, and whether rows are events. */
void fuzz_only(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    static const char *const wanted[] = {
        "dur>=1us",           "name=*a*",        "kind=slice,thread=*", "from=+1us,to=+1ms",
        "cat=*,dur<=1ms",     "process=*e*",     "kind=flow,tid=1",     "kind=counter",
        "from=+2us,name=*",   "kind=sched,to=+1s", "machine=*,pid=1",   "file=*,dur>1us"};
    static const struct tm_emit *const outputs[] = {&tm_emit_jsonl, &tm_emit_pftrace, &tm_emit_json, &tm_emit_sqlite};
    struct tm_select_spec only = {0};
    struct tm_error err = {0};
    (void)target;
    if (len == 0)
        return;
    uint8_t how = data[len - 1];
    struct tm_emit_options options = {.absolute = how & 1};
    enum tm_status st = tm_select_spec_add(&only, wanted[how % (sizeof wanted / sizeof *wanted)], &err);
    FUZZ_CHECK(st == TM_OK || fuzz_fault.is_there);
    int in = fuzz_stream_of(data, len - 1);
    if (st == TM_OK)
        check_is_imbalance(fuzz_emit_stream(in, outputs[how >> 6], &options, &only, &err), &err);
    tm_select_spec_release(&only);
    close(in);
}

enum { CUT_POINTS = 2 };

static enum tm_status open_part(void *self, uint32_t part, int *fd, struct tm_error *err)
{
    int *fds = self;
    (void)err;
    *fd = fds[part] = fuzz_file();
    return TM_OK;
}

static enum tm_status close_part(void *self, uint32_t part, int fd, struct tm_error *err)
{
    (void)self, (void)part, (void)fd, (void)err;
    return TM_OK;
}

/* Writes the parts of a stream, each as a trace that continues the parts before it. The last bytes are the time of the
 * first cut and the number of bits of the distance to the second. */
void fuzz_cut(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    enum { TIME = 8, TAIL = TIME + 1, BITS = 48 };
    struct tm_error err = {0};
    int fds[CUT_POINTS + 1] = {-1, -1, -1};
    (void)target;
    if (len < TAIL)
        return;
    const int64_t first = (int64_t)(tm_get_le64(data + len - TAIL) >> 2);
    const int64_t points[CUT_POINTS] = {first, first + (INT64_C(1) << data[len - 1] % BITS)};
    const struct tm_cut cut = {
        .points = points, .point_count = CUT_POINTS, .open = open_part, .close = close_part, .self = fds};
    int in = fuzz_stream_of(data, len - TAIL);
    enum tm_status st = tm_cut(in, &cut, &err);
    fuzz_check_status(st, INPUT, &err);
    for (int i = 0; i <= CUT_POINTS; i++) {
        const struct tm_emit_options options = {.append = true};
        if (st == TM_OK) {
            fuzz_rewind(fds[i]);
            err = (struct tm_error){0};
            check_is_imbalance(fuzz_emit_stream(fds[i], &tm_emit_pftrace, &options, NULL, &err), &err);
        }
        if (fds[i] >= 0)
            close(fds[i]);
    }
    close(in);
}

/* Containers, and the whole pipe after them. The last byte of an input decides how it is read. */
#include "fuzz.h"

#include "clocks/timeline.h"
#include "unpack/unpack.h"
#include "emit/outputs.h"
#include "manifest/configure.h"
#include "sort/sort_stream.h"

#include <unistd.h>

enum { LEAVES_WHOLE = 4 /* the output for which messages stay whole, in fuzz_merge */ };

static void no_warning(void *arg, const char *text)
{
    (void)arg;
    FUZZ_CHECK(text[0] != '\0');
}

/* Makes FD standard input, through a pipe if it fits, so content that is read by place goes to a temporary file. */
static void be_stdin(const uint8_t *data, size_t len, bool piped)
{
    enum { PIPE_BYTES = 65536 };
    int fds[2];
    fuzz_fault.calm++;
    if (!piped || len > PIPE_BYTES || pipe(fds) != 0) {
        fds[0] = fuzz_file_of(data, len);
    } else {
        FUZZ_CHECK(write(fds[1], data, len) == (ssize_t)len);
        close(fds[1]);
    }
    FUZZ_CHECK(dup2(fds[0], STDIN_FILENO) == STDIN_FILENO);
    close(fds[0]);
    fuzz_fault.calm--;
}

/* Returns the stream that tm-unpack makes from DATA. */
static enum tm_status unpack(const uint8_t *data, size_t len, uint8_t how, int out)
{
    struct tm_unpack_options options = {.format.on_damage = (enum tm_on_damage)(how % 3),
                                        .format.hints = how & 4,
                                        .ignore_unknown = how & 16,
                                        .warn = no_warning};
    const char *const paths[] = {"-"};
    struct tm_stream_writer writer;
    struct tm_event_sink sink;
    struct tm_error err = {0};
    be_stdin(data, len, how & 8);
    fuzz_fault.calm++;
    FUZZ_CHECK(tm_stream_writer_open(&writer, out, "fuzz",
                                     &(struct tm_stream_header){.stage = TRACEMERGE__STAGE__UNPACKED}, &err) == TM_OK);
    fuzz_fault.calm--;
    tm_event_sink_init(&sink, &writer);
    if (how >> 5 == LEAVES_WHOLE)
        fuzz_leave_whole(&sink);
    enum tm_status st = tm_unpack(&options, &sink, paths, 1, &err);
    fuzz_check_status(st, 1 << -TM_E_INPUT, &err);
    if (st >= 0) {
        st = tm_event_sink_flush(&sink, &err);
        if (st == TM_OK)
            st = tm_stream_writer_end(&writer, &err);
        fuzz_check_status(st, 0, &err);
        fuzz_rewind(out);
    }
    tm_event_sink_release(&sink);
    tm_stream_writer_release(&writer);
    return st;
}

void fuzz_unpack(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    (void)target;
    if (len == 0)
        return;
    int fd = fuzz_file();
    if (unpack(data, len - 1, data[len - 1], fd) >= 0)
        fuzz_check_stream(fd, true);
    close(fd);
}

static enum tm_status configure(int in, int out)
{
    struct tm_manifest_problems unmatched = {0};
    struct tm_error err = {0};
    static const struct tm_configure_options options = {.producer = "fuzz"};
    enum tm_status st = tm_configure(in, out, &options, &unmatched, &err);
    fuzz_check_status(st, 1 << -TM_E_INPUT, &err);
    tm_manifest_problems_release(&unmatched);
    fuzz_rewind(out);
    return st;
}

static enum tm_status place(int in, int out)
{
    struct tm_error err = {0};
    static const struct tm_timeline_options options = {.hints = true};
    enum tm_status st = tm_timeline_run(in, out, &options, &err);
    fuzz_check_status(st, 1 << -TM_E_INPUT, &err);
    fuzz_rewind(out);
    return st;
}

static enum tm_status sort(int in, int out)
{
    struct tm_error err = {0};
    static const struct tm_sort_options options = {.memory_bytes = 1 << 20};
    enum tm_status st = tm_sort_stream(in, out, &options, &err);
    fuzz_check_status(st, 0, &err);
    fuzz_rewind(out);
    if (st < 0)
        return st;
    fuzz_fault.calm++;
    FUZZ_CHECK(tm_sort_check(out, &err) == TM_OK);
    fuzz_fault.calm--;
    fuzz_rewind(out);
    return st;
}

/* A stage never refuses the stream of our own stages, unless the input contradicts itself. */
void fuzz_merge(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    static const struct tm_emit *const outputs[] = {&tm_emit_pftrace, &tm_emit_json, &tm_emit_sqlite, &tm_emit_text,
                                                    [LEAVES_WHOLE] = &tm_emit_pftrace, &tm_emit_json, &tm_emit_report,
                                                    &tm_emit_report};
    int fds[4] = {-1, -1, -1, -1};
    (void)target;
    if (len == 0)
        return;
    uint8_t how = data[len - 1];
    for (int i = 0; i < 4; i++)
        fds[i] = fuzz_file();
    if (unpack(data, len - 1, how, fds[0]) >= 0 && configure(fds[0], fds[1]) >= 0 && place(fds[1], fds[2]) >= 0 &&
        sort(fds[2], fds[3]) >= 0) {
        fuzz_check_stream(fds[3], true);
        fuzz_rewind(fds[3]);
        struct tm_emit_options options = {.json = how & 1};
        struct tm_error err = {0};
        fuzz_check_status(fuzz_emit_stream(fds[3], outputs[how >> 5], &options, NULL, &err), 1 << -TM_E_INPUT, &err);
    }
    for (int i = 0; i < 4; i++)
        close(fds[i]);
}

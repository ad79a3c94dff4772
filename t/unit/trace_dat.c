/* Unit tests of trace.dat: complete, cut and wrong records of the process that reads it; options in a circle. */
#include "format/child_event.h"
#include "format/trace_dat/facts.h"
#include "os/io.h"
#include "os/subprocess.h"
#include "tap.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static struct tm_span span(const char *text)
{
    return (struct tm_span){text, strlen(text)};
}

static const struct tm_child_event sample = {.kind = TM_CHILD_EVENT, .buffer = 3, .time_ns = -5, .cpu = 7,
                                                  .tid = 99, .pid = -1, .cycles = 5, .lost = UINT64_MAX};

static void test_records(void)
{
    struct tm_error err = {0};
    struct tm_buf out = {0};
    struct tm_child_event record = sample, got;
    struct tm_input in;
    record.event = span("sched_switch");
    record.task = span("a b");
    record.args = span("x=1");
    ok(tm_child_event_put(&record, &out) == TM_OK);
    size_t first = out.len;
    ok(tm_child_event_put(&(struct tm_child_event){.kind = TM_CHILD_EVENT_DONE, .lost = 2}, &out) == TM_OK);
    tm_input_init_bytes(&in, out.data, out.len);
    ok(tm_child_event_read(&got, &in, &err) == TM_OK);
    ok(got.kind == TM_CHILD_EVENT && got.buffer == 3 && got.time_ns == -5 && got.cpu == 7 && got.tid == 99);
    ok(got.pid == -1 && got.cycles == 5);
    ok(got.lost == UINT64_MAX && tm_span_is(got.event, "sched_switch") && tm_span_is(got.task, "a b") &&
       tm_span_is(got.args, "x=1"));
    ok(tm_child_event_read(&got, &in, &err) == TM_OK);
    ok(got.kind == TM_CHILD_EVENT_DONE && got.lost == 2 && got.args.len == 0);
    ok(tm_child_event_read(&got, &in, &err) == TM_END);
    tm_input_release(&in);
    bool is_end = true;
    for (size_t len = 0; len < first; len++) {
        tm_input_init_bytes(&in, out.data, len);
        is_end = is_end && tm_child_event_read(&got, &in, &err) == TM_END;
        tm_input_release(&in);
    }
    ok_named(is_end, "a record that is cut is the end");
    out.data[0] = 9;
    tm_input_init_bytes(&in, out.data, out.len);
    ok(tm_child_event_read(&got, &in, &err) == TM_E_INPUT);
    tm_input_release(&in);
    tm_buf_release(&out);
}

static void test_long_args(void)
{
    struct tm_error err = {0};
    struct tm_buf out = {0};
    struct tm_child_event record = sample, got;
    struct tm_input in;
    size_t len = 3 * (size_t)TM_CHILD_EVENT_TEXT_MAX;
    char *text = calloc(1, len);
    record.args = (struct tm_span){text, len};
    ok(text && tm_child_event_put(&record, &out) == TM_OK);
    tm_input_init_bytes(&in, out.data, out.len);
    ok(tm_child_event_read(&got, &in, &err) == TM_OK && got.args.len == TM_CHILD_EVENT_TEXT_MAX);
    tm_input_release(&in);
    tm_buf_release(&out);
    free(text);
}

static int say(void *context, int fd)
{
    const char *text = context;
    if (tm_io_write(fd, text, strlen(text), NULL) < 0)
        return 1;
    if (text[0] == 'd')
        (void)raise(SIGKILL);
    return text[0] == 'f' ? 4 : text[0] == 's' ? TM_SUBPROCESS_SYSTEM_FAILED : 0;
}

/* A child that writes TEXT must end with WANT and CAUSE. */
static void run_child(const char *text, enum tm_status want, const char *cause)
{
    struct tm_error err = {0};
    struct tm_subprocess child = {0};
    ok(tm_subprocess_open(&child, say, (void *)(uintptr_t)text, &err) == TM_OK);
    enum tm_status st = tm_input_fill(&child.out, 100, &err);
    ok(st == TM_END && child.out.len == strlen(text) && memcmp(child.out.data, text, child.out.len) == 0);
    ok(tm_subprocess_close(&child, &err) == want);
    is_str(err.text, cause);
}

/* The one list of options of a file of version 7 has OPTIONS of them, and is also the next list. */
static void test_circle(void)
{
    enum { OPTIONS = 60000, FIRST = 32, SECONDS = 20 };
    static const uint8_t head[FIRST] = "\x17\x08\x44tracing7\0\0\x8\0\x10\0\0none\0\0\x20";
    static const uint8_t option[6] = {99}, done[14] = {[2] = 8, [6] = FIRST}, section[16];
    struct tm_error err = {0};
    struct tm_trace_dat_facts facts;
    struct tm_buf file = {0};
    struct tm_extent whole = {0};
    enum tm_status st = tm_buf_add(&file, head, FIRST);
    if (st == TM_OK)
        st = tm_buf_add(&file, section, sizeof section);
    for (int i = 0; st == TM_OK && i < OPTIONS; i++)
        st = tm_buf_add(&file, option, sizeof option);
    if (st == TM_OK)
        st = tm_buf_add(&file, done, sizeof done);
    ok(st == TM_OK && tm_io_temporary(NULL, &whole.fd, &err) == TM_OK);
    ok(tm_io_write(whole.fd, file.data, file.len, &err) == TM_OK);
    whole.len = file.len;
    (void)alarm(SECONDS);
    ok_named(tm_trace_dat_facts_read(&facts, &whole, &err) == TM_OK, "options in a circle end");
    (void)alarm(0);
    ok(close(whole.fd) == 0);
    tm_buf_release(&file);
}

int main(void)
{
    struct tm_error err = {0};
    struct tm_subprocess child = {0};
    test_records();
    test_long_args();
    test_circle();
    run_child("hello", TM_OK, "");
    run_child("dies", TM_E_INPUT, "killed by signal 9");
    run_child("fails", TM_E_INPUT, "ended with status 4");
    run_child("system fails", TM_E_SYSTEM, "a child process had too little memory or could not write");
    ok(tm_subprocess_close(&child, &err) == TM_OK);
    ok(tm_subprocess_open(&child, say, (void *)(uintptr_t) "left alone", &err) == TM_OK);
    ok_named(tm_subprocess_close(&child, &err) == TM_OK, "one that is not waited for");
    return tap_done();
}

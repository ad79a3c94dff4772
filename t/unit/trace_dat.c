/* Unit tests of trace.dat: complete, cut and wrong records of the process that reads it; lists of options without
 * an end. */
#include "format/child_event.h"
#include "format/trace_dat/facts.h"
#include "os/io.h"
#include "os/subprocess.h"
#include "tap.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const struct tm_child_event sample = {.kind = TM_CHILD_EVENT, .buffer = 3, .time_ns = -5, .cpu = 7,
                                                  .tid = 99, .pid = -1, .cycles = 5, .lost = UINT64_MAX,
                                                  .lost_packets = 4};

static void test_records(void)
{
    struct tm_error err = {0};
    struct tm_buf out = {0};
    struct tm_child_event record = sample, got;
    struct tm_input in;
    record.event = tm_text_str("sched_switch");
    record.task = tm_text_str("a b");
    record.args = tm_text_str("x=1");
    ok(tm_child_event_put(&record, &out) == TM_OK);
    size_t first = out.len;
    ok(tm_child_event_put(&(struct tm_child_event){.kind = TM_CHILD_EVENT_DONE, .lost = 2}, &out) == TM_OK);
    tm_input_init_bytes(&in, out.data, out.len);
    ok(tm_child_event_read(&got, &in, &err) == TM_OK);
    ok(got.kind == TM_CHILD_EVENT && got.buffer == 3 && got.time_ns == -5 && got.cpu == 7 && got.tid == 99);
    ok(got.pid == -1 && got.cycles == 5);
    ok(got.lost == UINT64_MAX && got.lost_packets == 4);
    ok(tm_text_is(got.event, "sched_switch") && tm_text_is(got.task, "a b") &&
       tm_text_is(got.args, "x=1"));
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
    record.args = tm_text_at(text, len);
    ok(text && tm_child_event_put(&record, &out) == TM_OK);
    tm_input_init_bytes(&in, out.data, out.len);
    ok(tm_child_event_read(&got, &in, &err) == TM_OK && got.args.len == TM_CHILD_EVENT_TEXT_MAX);
    ok_named(got.kind == TM_CHILD_EVENT && got.is_cut, "arguments that are cut are known to be");
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

enum { LIST = 32, SECTION = 16, OPTION = 6 }; /* where the first list is; bytes of its head and of that of an option */

static void put(struct tm_buf *file, uint64_t value, size_t len)
{
    for (size_t i = 0; i < len; i++)
        (void)tm_buf_add_byte(file, (uint8_t)(value >> 8 * i));
}

/* Begins a file of version 7, with the head of a list of options. */
static void begin_list(struct tm_buf *file, uint16_t flags)
{
    static const uint8_t head[LIST] = "\x17\x08\x44tracing7\0\0\x8\0\x10\0\0none\0\0\x20";
    file->len = 0;
    ok(tm_buf_add(file, head, LIST) == TM_OK);
    put(file, (uint64_t)flags << 16, 8);
    put(file, 0, 8);
}

/* Adds the head of option ID, whose data have LEN bytes. */
static void put_option(struct tm_buf *file, uint64_t id, uint64_t len)
{
    put(file, id | len << 16, OPTION);
}

/* Ends a list; the next one is at NEXT. */
static void end_list(struct tm_buf *file, uint64_t next)
{
    put_option(file, 0, 8);
    put(file, next, 8);
}

/* FILE must be refused for CAUSE; NULL: it is not. */
static void check_lists(const struct tm_buf *file, const char *cause)
{
    enum { SECONDS = 20 };
    struct tm_error err = {0};
    struct tm_trace_dat_facts facts;
    struct tm_extent whole = {.len = file->len};
    ok(tm_io_temporary(NULL, &whole.fd, &err) == TM_OK);
    ok(tm_io_write(whole.fd, file->data, file->len, &err) == TM_OK);
    (void)alarm(SECONDS);
    enum tm_status st = tm_trace_dat_facts_read(&facts, &whole, &err);
    (void)alarm(0);
    ok_named(st == (cause ? TM_E_INPUT : TM_OK) && facts.is_endless == (cause != NULL), cause ? cause : "good lists");
    ok(cause == NULL || strstr(err.text, cause));
    ok(close(whole.fd) == 0);
}

static void test_lists(void)
{
    enum { COUNT = 60000, TOO_MANY = 70000, LISTS = 4 };
    static const uint8_t section[SECTION];
    struct tm_buf file = {0};
    begin_list(&file, 0);
    put_option(&file, 99, 0);
    end_list(&file, LIST + SECTION + OPTION + OPTION + 8);
    (void)tm_buf_add(&file, section, SECTION);
    end_list(&file, 0);
    check_lists(&file, NULL);

    begin_list(&file, 0);
    for (int i = 0; i < COUNT; i++)
        put_option(&file, 99, 0);
    end_list(&file, LIST);
    check_lists(&file, "form a circle");

    begin_list(&file, 0);
    for (int i = 0; i < TOO_MANY; i++)
        put_option(&file, 99, 0);
    end_list(&file, 0);
    check_lists(&file, "too many options");

    /* Each list has one option, which contains the heads of the lists after it. */
    begin_list(&file, 0);
    for (int i = 0; i < LISTS; i++) {
        if (i > 0)
            (void)tm_buf_add(&file, section, SECTION);
        put_option(&file, 99, (LISTS - 1 - i) * (SECTION + OPTION) + i * (OPTION + 8) + 8);
    }
    put(&file, 0, 8);
    for (int i = 1; i <= LISTS; i++)
        end_list(&file, i < LISTS ? LIST + i * (SECTION + OPTION) : 0);
    check_lists(&file, "overlap");

    begin_list(&file, 1);
    end_list(&file, 0);
    check_lists(&file, "are compressed");
    tm_buf_release(&file);
}

int main(void)
{
    struct tm_error err = {0};
    struct tm_subprocess child = {0};
    test_records();
    test_long_args();
    test_lists();
    run_child("hello", TM_OK, "");
    run_child("dies", TM_E_INPUT, "killed by signal 9");
    run_child("fails", TM_E_INPUT, "ended with status 4");
    run_child("system fails", TM_E_SYSTEM, "a child process had too little memory or could not write");
    ok(tm_subprocess_close(&child, &err) == TM_OK);
    ok(tm_subprocess_open(&child, say, (void *)(uintptr_t) "left alone", &err) == TM_OK);
    ok_named(tm_subprocess_close(&child, &err) == TM_OK, "one that is not waited for");
    return tap_done();
}

/* Unit tests of merge/progress_line.h: the text of the line for given counts and times. */
#include "merge/progress_line.h"
#include "os/io.h"

#include "tap.h"

#include <unistd.h>

#define SECOND UINT64_C(1000000000)

enum { STAGES = 3, SORTER = 1 };

static const struct tm_stage stages[STAGES] = {{.name = "tm-unpack"}, {.name = "tm-sort"}, {.name = "tm-emit"}};

struct bench {
    struct tm_progress_page page;
    struct tm_progress_line line;
    char text[4096];
};

/* Makes a merge that began SECONDS ago and was last shown a second ago. */
static void start(struct bench *b, uint64_t seconds, uint64_t total_bytes)
{
    struct tm_error err = {0};
    *b = (struct bench){.line = {.stages = stages, .count = STAGES, .sorter = SORTER, .total_bytes = total_bytes}};
    b->line.page = &b->page;
    if (tm_io_temporary(NULL, &b->line.fd, &err) < 0)
        return;
    tm_progress_line_start(&b->line);
    b->line.started_ns -= seconds * SECOND;
    b->line.last_ns -= SECOND;
}

/* Returns all text written so far. */
static const char *said(struct bench *b)
{
    ssize_t n = pread(b->line.fd, b->text, sizeof b->text - 1, 0);
    b->text[n < 0 ? 0 : n] = '\0';
    return b->text;
}

static bool says(struct bench *b, const char *part)
{
    bool does = strstr(said(b), part) != NULL;
    if (!does)
        printf("# got %s\n", b->text);
    return does;
}

static void test_reading(void)
{
    static const struct {
        uint64_t seconds, done, total;
        const char *said;
    } rows[] = {{100, 500, 1000, "tm-merge: 50% of 1.0 kB read, 1:40 min left, 7 events, "},
                {100, 10, 1000, "tm-merge: 1% of 1.0 kB read, 2:45 h left, "},
                {30, 300, 400, "tm-merge: 75% of 400 B read, 10 s left, "},
                {100, 1, 1000, "tm-merge: 0% of 1.0 kB read, 7 events, "}, /* too few bytes for an estimate */
                {30, 2345, 0, "tm-merge: 2.3 kB read, 7 events, "},
                {30, 12345678, 0, "tm-merge: 12 MB read, "},
                {30, UINT64_MAX, 0, "tm-merge: 1.8 EB read, "},
                {30, 500, 400, "tm-merge: 100% of 400 B read, 0 s left, "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        start(&b, rows[i].seconds, rows[i].total);
        b.page.stages[0].in.bytes = rows[i].done;
        b.page.stages[0].out.events = 7;
        tm_progress_line_tick(&b.line);
        ok_named(says(&b, rows[i].said), rows[i].said);
        close(b.line.fd);
    }
}

/* The stage that waits least is the limit; if the first stage mostly waits for input, the input is. */
static void test_limits(void)
{
    struct bench b;
    start(&b, 30, 0);
    b.page.stages[0].in.waited_ns = SECOND / 4;
    b.page.stages[1].in.waited_ns = SECOND / 8;
    b.page.stages[2].in.waited_ns = 0; /* it does not work yet */
    tm_progress_line_tick(&b.line);
    ok(says(&b, ", tm-sort limits\n"));
    close(b.line.fd);
    start(&b, 30, 0);
    b.page.stages[0].in.since_ns = tm_progress_now_ns() - SECOND; /* a call that has not returned */
    tm_progress_line_tick(&b.line);
    ok(says(&b, ", the input limits\n"));
    close(b.line.fd);
}

static void test_writing(void)
{
    struct bench b;
    start(&b, 100, 1000);
    b.page.stages[SORTER].in.events = 400;
    b.page.stages[SORTER].out.events = 150;
    b.page.stages[2].in.events = 100;
    tm_progress_line_tick(&b.line);
    ok(says(&b, "tm-merge: 25% of 400 events written, "));
    ok(says(&b, " events/s, tm-sort limits\n") && strstr(b.text, " left") == NULL);
    b.line.writing_since_ns -= 20 * SECOND;
    b.line.shown_ns -= 2 * SECOND;
    tm_progress_line_tick(&b.line);
    ok(says(&b, "\ntm-merge: 25% of 400 events written, 1:00 min left, "));
    tm_progress_line_finish(&b.line);
    ok(says(&b, "\ntm-merge: 0 B read, 100 events written in 1:40 min\n"));
    close(b.line.fd);
    start(&b, 100, 0);
    b.page.stages[SORTER].out.events = 1;
    tm_progress_line_tick(&b.line);
    ok(says(&b, "tm-merge: 100% of 0 events written, "));
    close(b.line.fd);
}

/* A file gets a line each second. A terminal has one line, at most as wide as the terminal, which can be removed. */
static void test_lines(void)
{
    struct bench b;
    start(&b, 0, 0);
    tm_progress_line_tick(&b.line);
    is_str(said(&b), "");
    tm_progress_line_clear(&b.line);
    is_str(said(&b), "");
    b.line.started_ns -= 2 * SECOND;
    tm_progress_line_tick(&b.line);
    tm_progress_line_tick(&b.line);
    ok(says(&b, "tm-merge: ") && strchr(b.text, '\n')[1] == '\0' && strchr(b.text, '\r') == NULL);
    close(b.line.fd);
    start(&b, 2, UINT64_MAX);
    b.line.is_terminal = true;
    b.page.stages[0].in.bytes = UINT64_MAX / 2;
    b.page.stages[0].out.events = UINT64_MAX;
    tm_progress_line_tick(&b.line);
    ok(says(&b, "\rtm-merge: 49% of 1.8 EB read, ") && strlen(b.text) <= 80 + strlen("\033[K") &&
       strchr(b.text, '\n') == NULL);
    tm_progress_line_tick(&b.line);
    tm_progress_line_clear(&b.line);
    tm_progress_line_clear(&b.line);
    tm_progress_line_finish(&b.line);
    const char *end = strstr(said(&b), "\033[K\r\033[K");
    ok(end && end[strlen("\033[K\r\033[K")] == '\0');
    close(b.line.fd);
}

int main(void)
{
    test_reading();
    test_limits();
    test_writing();
    test_lines();
    return tap_done();
}

/* Reads a stream from tm-clocks and writes its plan: a small stream with what must be known of a recording before it is
 * merged with others. Or reads a plan and writes the times at which to cut. */
#include "base/decimal.h"
#include "cut/cut.h"
#include "os/compat.h"
#include "os/program_options.h"
#include "os/sandbox.h"
#include "plan/plan_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-plan",
    .summary = "Makes a plan of a placed stream on standard input: files, clocks, counts of\n"
               "events by time, and the events by which tm-align relates clocks.",
    .usage = "[-r RULES] <STREAM >PLAN\n"
             "       tm-plan --parts=N <PLAN\n"
             "\n"
             "  -r, --rules=RULES     keep the events of these rules of tm-align, separated by\n"
             "                        commas (default: all that need no parameter)\n"
             "      --parts=N         write the N - 1 times at which tm-sort can cut the\n"
             "                        planned recording into N parts of equal size\n"
             "  -h, --help            show this help\n"
             "      --version         show the version\n",
};

enum { OPTION_PARTS = 256 };

struct arguments {
    const char *rules;
    uint32_t parts; /* 0: a plan is made */
};

static int take_option(void *context, int option, const char *value)
{
    struct arguments *a = context;
    int64_t parts;
    if (option == 'r') {
        a->rules = value;
        return 0;
    }
    if (tm_decimal_int(value, strlen(value), &parts) != TM_OK || parts < 2 || parts > TM_CUT_POINTS_MAX + 1)
        return tm_program_usage(&program, "--parts=%s: not a number from 2 to %d", value, TM_CUT_POINTS_MAX + 1);
    a->parts = (uint32_t)parts;
    return 0;
}

static int parse(int argc, char **argv, struct arguments *a)
{
    static const struct option longs[] = {
        {"rules", required_argument, NULL, 'r'},
        {"parts", required_argument, NULL, OPTION_PARTS},
        TM_PROGRAM_OPTIONS_END,
    };
    const struct tm_program_options options = {":r:", longs, take_option, a};
    int status = tm_program_options_only(&program, &options, argc, argv);
    if (status == TM_OPTIONS_GO_ON && a->rules && a->parts)
        return tm_program_usage(&program, "--rules is for making a plan, --parts reads one");
    return status;
}

static enum tm_status write_times(uint32_t parts, struct tm_error *err)
{
    int64_t *points = calloc(parts, sizeof *points);
    enum tm_status st = points ? tm_plan_divide(STDIN_FILENO, parts, points, err) : tm_error_nomem(err);
    for (uint32_t i = 0; st == TM_OK && i + 1 < parts; i++)
        (void)printf("%s%" PRId64, i ? "," : "", points[i]);
    if (st == TM_OK)
        (void)putchar('\n');
    free(points);
    return st;
}

int main(int argc, char **argv)
{
    int status = tm_program_begin(&program);
    if (status != 0)
        return status;
    tm_compat_prepare_heap();
    struct arguments a = {0};
    const struct tm_sandbox sandbox = {0};
    struct tm_error err = {0};
    enum tm_status st;
    status = parse(argc, argv, &a);
    if (status != TM_OPTIONS_GO_ON)
        return status;
    if (!a.parts && tm_program_refuses_terminal(STDOUT_FILENO, "pipe it into tm-sort", &err))
        st = err.status;
    else
        st = tm_sandbox_enter(&sandbox, &err);
    if (st == TM_OK)
        st = a.parts ? write_times(a.parts, &err) : tm_plan_stream(STDIN_FILENO, STDOUT_FILENO, a.rules, &err);
    return tm_program_finish(&program, st, &err);
}

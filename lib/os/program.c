#include "os/program.h"

#include "base/decimal.h"
#include "os/io.h"
#include "os/out_file.h"
#include "os/pipeline.h"
#include "os/stack.h"
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *name, const char *text)
{
    char line[TM_ERROR_TEXT_MAX + 64];
    int n = snprintf(line, sizeof line, "%s: %s\n", name, text);
    if (n < 0)
        return;
    if ((size_t)n >= sizeof line)
        n = (int)sizeof line - 1;
    line[n - 1] = '\n';
    tm_io_message(STDERR_FILENO, line, (size_t)n);
}

TM_PRINTF(3, 0)
static void vsay(const struct tm_program *program, const char *prefix, const char *format, va_list args)
{
    char text[TM_ERROR_TEXT_MAX], escaped[TM_ERROR_TEXT_MAX];
    size_t len = (size_t)snprintf(text, sizeof text, "%s", prefix);
    vsnprintf(text + len, sizeof text - len, format, args);
    tm_text_escape(text, strlen(text), escaped, sizeof escaped);
    say(program->name, escaped);
}

void tm_program_message(const struct tm_program *program, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsay(program, "", format, args);
    va_end(args);
}

void tm_program_warning(const struct tm_program *program, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsay(program, TM_WARNING_PREFIX, format, args);
    va_end(args);
}

/* Returns the exit status for ST, which is that of ERR or graver. */
static int exit_status(enum tm_status st, const struct tm_error *err)
{
    bool is_cut = st == TM_E_INPUT && err->status == TM_E_INPUT && err->is_cut_stream;
    return is_cut && getenv(TM_PIPELINE_VARIABLE) ? TM_PIPELINE_CUT_STREAM : tm_status_exit(st);
}

int tm_program_begin(const struct tm_program *program)
{
    struct tm_error err = {0};
    return tm_stack_raise(&err) < 0 ? tm_program_fail(program, &err) : 0;
}

int tm_program_fail(const struct tm_program *program, const struct tm_error *err)
{
    say(program->name, err->text);
    return exit_status(err->status, err);
}

void tm_program_help(const struct tm_program *program)
{
    printf("usage: %s %s\n%s\n", program->name, program->usage, program->summary);
}

void tm_program_version(const struct tm_program *program)
{
    printf("%s (tracemerge) %s\n", program->name, PACKAGE_VERSION);
}

int tm_program_usage(const struct tm_program *program, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsay(program, "", format, args);
    va_end(args);
    tm_program_message(program, "try '%s --help'", program->name);
    return 2;
}

int tm_program_finish(const struct tm_program *program, enum tm_status st, struct tm_error *err)
{
    if (st < 0)
        tm_program_fail(program, err);
    if (st < 0 && err->status < 0)
        st = err->status; /* the first failure decides, even if a caller returned another status */
    if (fflush(stdout) != 0 || ferror(stdout) || (close(STDOUT_FILENO) != 0 && errno != EBADF)) {
        if (st >= 0) {
            struct tm_error out = {0};
            st = tm_error_errno(&out, errno, "standard output: cannot write");
            tm_program_fail(program, &out);
        }
    }
    return exit_status(st, err);
}

bool tm_program_refuses_terminal(int fd, const char *hint, struct tm_error *err)
{
    if (!isatty(fd))
        return false;
    tm_error_set(err, TM_E_USAGE, "will not write a binary stream to a terminal; %s", hint);
    return true;
}

enum tm_status tm_program_size(const char *text, unsigned long long *bytes)
{
    static const char units[] = "KMGT";
    unsigned long long v = 0;
    const char *p = text;
    if (*p < '0' || *p > '9')
        return TM_E_USAGE;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (v > (ULLONG_MAX >> 1) / 10 - 1)
            return TM_E_USAGE;
        v = v * 10 + (unsigned long long)(*p - '0');
    }
    if (*p) {
        char up = *p >= 'a' && *p <= 'z' ? (char)(*p - 32) : *p;
        const char *unit = strchr(units, up);
        if (unit == NULL || (strcmp(p + 1, "") != 0 && strcmp(p + 1, "iB") != 0 && strcmp(p + 1, "B") != 0))
            return TM_E_USAGE;
        unsigned shift = 10 * (unsigned)(unit - units + 1);
        if (v > ULLONG_MAX >> (shift + 1))
            return TM_E_USAGE;
        v <<= shift;
    }
    *bytes = v;
    return TM_OK;
}

int tm_program_check_input(const struct tm_program *program, const char *option, const char *name)
{
    static const char *const stdin_names[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
    if (*name == '\0')
        return tm_program_usage(program, "%s: '' is no file", option);
    for (size_t i = 0; i < sizeof stdin_names / sizeof *stdin_names; i++)
        if (strcmp(name, stdin_names[i]) == 0)
            return tm_program_usage(program, "%s: give a file, not standard input", option);
    return 0;
}

int tm_program_check_output(const struct tm_program *program, const char *option, const char *name)
{
    if (*name == '\0')
        return tm_program_usage(program, "%s: '' is no file", option);
    if (tm_out_file_is_stdout(name))
        return tm_program_usage(program, "%s: give a file, not standard output", option);
    return 0;
}

int tm_program_limit(const struct tm_program *program, const char *option, const char *text, unsigned long long *bytes)
{
    if (tm_program_size(text, bytes) < 0 || *bytes == 0)
        return tm_program_usage(program, "%s: '%s' is not a size", option, text);
    return 0;
}

int tm_program_jobs(const struct tm_program *program, const char *text, unsigned *jobs)
{
    int64_t number;
    if (tm_decimal_int(text, strlen(text), &number) != TM_OK || number < 1 || number > TM_JOBS_MAX)
        return tm_program_usage(program, "--jobs: '%s' is not a number from 1 to %d", text, TM_JOBS_MAX);
    *jobs = (unsigned)number;
    return 0;
}

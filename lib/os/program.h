/* The shell around each program: messages, option text, and an end that notices a full disk. */
#ifndef TM_OS_PROGRAM_H
#define TM_OS_PROGRAM_H

#include "base/status.h"

#include <stdbool.h>

/* Stands after "NAME: " in lines that state no failure. */
#define TM_WARNING_PREFIX "warning: "

struct tm_program {
    const char *name;    /* "tm-sort" */
    const char *summary; /* one line for --help: what goes in and what comes out */
    const char *usage;   /* the lines of --help after "usage: NAME ", options included, with a final newline */
};

/* Must be the first call of main. Returns 0, or the exit status after a message if the system does not allow the
 * program the stack that it needs (os/stack.h). */
int tm_program_begin(const struct tm_program *program);

/* Writes "NAME: TEXT" to standard error with one write, so lines of several stages do not mix. */
void tm_program_message(const struct tm_program *program, const char *format, ...) TM_PRINTF(2, 3);

/* Writes "NAME: warning: TEXT" in the same way. tm-merge shows it even if the stage then fails because a neighbour
 * did. */
void tm_program_warning(const struct tm_program *program, const char *format, ...) TM_PRINTF(2, 3);

/* Writes the text of ERR as tm_program_message does. Returns the exit status for it. It is that of tm_status_exit,
 * except in a stage of tm-merge (os/pipeline.h). */
int tm_program_fail(const struct tm_program *program, const struct tm_error *err);

/* These write the answers to --help and --version to standard output. */
void tm_program_help(const struct tm_program *program);
void tm_program_version(const struct tm_program *program);

/* Says what is wrong with the command line, and how to get help. FORMAT is as for printf. Returns exit status 2. */
int tm_program_usage(const struct tm_program *program, const char *format, ...) TM_PRINTF(2, 3);

/* Must be the last call of main. Writes the text of ERR, flushes and closes standard output, and returns the exit
 * status for ST. A failure to close is an error of its own (status 3). */
int tm_program_finish(const struct tm_program *program, enum tm_status st, struct tm_error *err);

/* True, with ERR set, if FD is a terminal, which binary output would garble. HINT names a program to pipe into. */
bool tm_program_refuses_terminal(int fd, const char *hint, struct tm_error *err);

/* Sets *BYTES to the size that TEXT states, such as 64M, 1k, 2GiB. K, M, G and T are powers of 1024; a plain number is
 * bytes. TM_OK or TM_E_USAGE. */
enum tm_status tm_program_size(const char *text, unsigned long long *bytes);

/* Sets *BYTES to the size, 1 or more, that TEXT, the value of OPTION, states. Returns 0, or the exit status after a
 * message. */
int tm_program_limit(const struct tm_program *program, const char *option, const char *text, unsigned long long *bytes);

/* The most threads that --jobs can state. */
enum { TM_JOBS_MAX = 256 };

/* Checks NAME, the value of OPTION, a file to be read beside standard input. Returns 0, or the exit status after a
 * message. */
int tm_program_check_input(const struct tm_program *program, const char *option, const char *name);

/* Checks NAME, the value of OPTION, a file to be written beside standard output. Returns 0, or the exit status after a
 * message. */
int tm_program_check_output(const struct tm_program *program, const char *option, const char *name);

/* Sets *JOBS to the number of threads that TEXT, the value of --jobs, states: 1 to TM_JOBS_MAX. Returns 0, or the exit
 * status after a message. */
int tm_program_jobs(const struct tm_program *program, const char *text, unsigned *jobs);

#endif

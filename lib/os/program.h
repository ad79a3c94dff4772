/* The shell around each program: messages, option text, and an end that notices a full disk. */
#ifndef TM_OS_PROGRAM_H
#define TM_OS_PROGRAM_H

#include "base/status.h"

#include <stdbool.h>

struct tm_program {
    const char *name;    /* "tm-sort" */
    const char *summary; /* one line for --help: what goes in and what comes out */
    const char *usage;   /* the lines of --help after "usage: NAME ", options included, with a final newline */
};

/* "NAME: TEXT" on standard error, in one write, so that lines of several stages do not mix. What is
 * no failure begins with "warning: ": tm-merge shows it even where the stage then fails because a
 * neighbour did. */
void tm_program_message(const struct tm_program *program, const char *format, ...) TM_PRINTF(2, 3);

/* Prints ERR's text likewise. */
void tm_program_fail(const struct tm_program *program, const struct tm_error *err);

/* --help and --version on standard output. */
void tm_program_help(const struct tm_program *program);
void tm_program_version(const struct tm_program *program);

/* Says why the command line is not understood, and where help is. FORMAT is as for printf. Returns exit status 2. */
int tm_program_usage(const struct tm_program *program, const char *format, ...) TM_PRINTF(2, 3);

/* The last call of main: prints what ERR holds, flushes and closes standard output (a failure
 * there is an error of its own, exit 3) and returns the exit status for ST. */
int tm_program_finish(const struct tm_program *program, enum tm_status st, struct tm_error *err);

/* True, with ERR set, when FD is a terminal: binary output would garble it. HINT names what to pipe
 * into. */
bool tm_program_refuses_terminal(int fd, const char *hint, struct tm_error *err);

/* Sets *BYTES to the size that TEXT states, such as 64M, 1k, 2GiB. K, M, G and T are powers of 1024; a plain number is
 * bytes. TM_OK or TM_E_USAGE. */
enum tm_status tm_program_size(const char *text, unsigned long long *bytes);

#endif

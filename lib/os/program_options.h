/* Reads the command line in the same way for all programs. Answers -h, --help and --version, refuses unknown options,
 * and reports errors in the same words. */
#ifndef TM_OS_PROGRAM_OPTIONS_H
#define TM_OS_PROGRAM_OPTIONS_H

#include "os/program.h"

#include <getopt.h>

/* Letters that end every table of options. A program may also list them in `letters'. */
enum { TM_OPTION_HELP = 'h', TM_OPTION_VERSION = 'V' };

/* clang-format off */
#define TM_PROGRAM_OPTIONS_END \
    {"help", no_argument, NULL, TM_OPTION_HELP}, {"version", no_argument, NULL, TM_OPTION_VERSION}, {NULL, 0, NULL, 0}
/* clang-format on */

struct tm_program_options {
    const char *letters;         /* the one-letter options in getopt's form, with ':' in front */
    const struct option *longs;  /* ended by TM_PROGRAM_OPTIONS_END */
    /* Takes the option LETTER (`val' of its entry) with its VALUE, which lives as long as argv. Returns 0, or the exit
     * status of a usage error that it has reported. */
    int (*take)(void *context, int letter, const char *value);
    void *context;
};

enum { TM_OPTIONS_GO_ON = -1 };

/* Reads the options of ARGV. TM_OPTIONS_GO_ON, with getopt's optind at the first operand; else the exit status to
 * return at once: 2 after a usage error, or that of --help and --version. */
int tm_program_options(const struct tm_program *program, const struct tm_program_options *options, int argc,
                       char **argv);

/* Reads the options of a program without operands, which reads a stream on standard input. Returns as
 * tm_program_options does. */
int tm_program_options_only(const struct tm_program *program, const struct tm_program_options *options, int argc,
                            char **argv);

#endif

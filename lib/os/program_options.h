/* Reads the command line, in the same way for all programs: -h, --help and --version are answered, an argument that
 * looks like an option is refused, and errors have the same words. */
#ifndef TM_OS_PROGRAM_OPTIONS_H
#define TM_OS_PROGRAM_OPTIONS_H

#include "os/program.h"

#include <getopt.h>

/* Letters that every table of options ends with. A program may give them in `letters' too. */
enum { TM_OPTION_HELP = 'h', TM_OPTION_VERSION = 'V' };

/* clang-format off */
#define TM_PROGRAM_OPTIONS_END \
    {"help", no_argument, NULL, TM_OPTION_HELP}, {"version", no_argument, NULL, TM_OPTION_VERSION}, {NULL, 0, NULL, 0}
/* clang-format on */

struct tm_program_options {
    const char *letters;         /* the one-letter options as getopt has them, with ':' before all else */
    const struct option *longs;  /* ended by TM_PROGRAM_OPTIONS_END */
    /* Takes the option LETTER (`val' of its entry) with its VALUE, which lives as long as argv. 0, or the exit status
     * of a usage error that was said. */
    int (*take)(void *context, int letter, const char *value);
    void *context;
};

enum { TM_OPTIONS_GO_ON = -1 };

/* Reads the options of ARGV. TM_OPTIONS_GO_ON, with getopt's optind at the first operand; else the exit status to
 * return at once: 2 after a usage error, or that of --help and --version. */
int tm_program_options(const struct tm_program *program, const struct tm_program_options *options, int argc,
                       char **argv);

/* As tm_program_options, for a program without operands, which reads a stream on standard input. */
int tm_program_options_only(const struct tm_program *program, const struct tm_program_options *options, int argc,
                            char **argv);

#endif

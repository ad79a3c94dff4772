#include "os/program_options.h"

#include <signal.h>
#include <stddef.h>

static bool is_known(const struct option *longs, int letter)
{
    for (; longs->name; longs++)
        if (longs->val == letter)
            return true;
    return false;
}

/* What getopt says by '?': WORD is where it was. */
static int refuse(const struct tm_program *program, const struct option *longs, const char *word)
{
    if (optopt != 0 && is_known(longs, optopt))
        return tm_program_usage(program, "'%s': the option takes no argument", word);
    if (optopt != 0)
        return tm_program_usage(program, "unknown option '-%c'", optopt);
    return tm_program_usage(program, "unknown option '%s'", word);
}

static int answer(const struct tm_program *program, void (*show)(const struct tm_program *))
{
    struct tm_error err = {0};
    show(program);
    return tm_program_finish(program, TM_OK, &err);
}

int tm_program_options(const struct tm_program *program, const struct tm_program_options *options, int argc,
                       char **argv)
{
    int letter, status;
    (void)signal(SIGXFSZ,
                 SIG_IGN); /* a file that may not grow is an error of write, after which there is cleaning up */
    opterr = 0;
    while ((letter = getopt_long(argc, argv, options->letters, options->longs, NULL)) != -1) {
        if (letter == ':')
            return tm_program_usage(program, "option '%s' needs an argument", argv[optind - 1]);
        if (letter == '?')
            return refuse(program, options->longs, argv[optind - 1]);
        if (letter == TM_OPTION_HELP)
            return answer(program, tm_program_help);
        if (letter == TM_OPTION_VERSION)
            return answer(program, tm_program_version);
        if ((status = options->take(options->context, letter, optarg)) != 0)
            return status;
    }
    return TM_OPTIONS_GO_ON;
}

int tm_program_options_only(const struct tm_program *program, const struct tm_program_options *options, int argc,
                            char **argv)
{
    int status = tm_program_options(program, options, argc, argv);
    if (status == TM_OPTIONS_GO_ON && optind < argc)
        return tm_program_usage(program, "'%s': a stream is read from standard input only", argv[optind]);
    return status;
}

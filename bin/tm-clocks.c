/* Reads a stream from tm-manifest and writes it with all times converted to one timeline, its
 * machines as rows of a table, and an account of what could not be placed. */
#include "base/program.h"
#include "clocks/timeline.h"

#include <getopt.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-clocks",
    .summary = "Puts the events of a stream on standard input on one timeline.",
    .usage = "[OPTION]... <STREAM >STREAM\n"
             "      --hints       where nothing else relates a file to the others, believe what it mentions of\n"
             "                    other clocks outside its snapshots (see tm-unpack --hints)\n"
             "      --graph       write the clock graph for Graphviz instead of a stream\n"
             "      --strict      fail with exit status 4 if any event could not be placed\n"
             "  -T, --temporary-directory=DIR\n"
             "                    for events that wait for the end of their file (default $TMPDIR,\n"
             "                    else /tmp)\n"
             "      --help        show this help\n"
             "      --version     show the version\n",
};

enum { OPTION_GRAPH = 256, OPTION_HINTS, OPTION_STRICT, OPTION_HELP, OPTION_VERSION };

/* Reads the command line into OPTIONS. True to go on; else *EXIT_STATUS is what to return. */
static bool parse(int argc, char **argv, struct tm_timeline_options *options, int *exit_status)
{
    static const struct option longs[] = {{"graph", no_argument, NULL, OPTION_GRAPH},
                                          {"hints", no_argument, NULL, OPTION_HINTS},
                                          {"strict", no_argument, NULL, OPTION_STRICT},
                                          {"temporary-directory", required_argument, NULL, 'T'},
                                          {"help", no_argument, NULL, OPTION_HELP},
                                          {"version", no_argument, NULL, OPTION_VERSION},
                                          {NULL, 0, NULL, 0}};
    struct tm_error err = {0};
    int c;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":T:", longs, NULL)) != -1) {
        switch (c) {
        case OPTION_GRAPH:
            options->graph = true;
            break;
        case OPTION_HINTS:
            options->hints = true;
            break;
        case OPTION_STRICT:
            options->strict = true;
            break;
        case 'T':
            options->spill_dir = optarg;
            break;
        case OPTION_HELP:
            tm_program_help(&program);
            *exit_status = tm_program_finish(&program, TM_OK, &err);
            return false;
        case OPTION_VERSION:
            tm_program_version(&program);
            *exit_status = tm_program_finish(&program, TM_OK, &err);
            return false;
        default:
            *exit_status = tm_program_usage(&program, c == ':' ? "option '%s' needs an argument" : "unknown option '%s'",
                                            argv[optind - 1]);
            return false;
        }
    }
    if (optind < argc) {
        *exit_status = tm_program_usage(&program, "'%s': a stream is read from standard input only", argv[optind]);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct tm_timeline_options options = {0};
    struct tm_error err = {0};
    int exit_status = 0;
    if (!parse(argc, argv, &options, &exit_status))
        return exit_status;
    enum tm_status st = TM_OK;
    if (!options.graph &&
        tm_program_refuses_terminal(STDOUT_FILENO, "pipe it into tm-sort, or see it with tm-emit -f frames", &err))
        st = err.status;
    if (st == TM_OK)
        st = tm_timeline_run(STDIN_FILENO, STDOUT_FILENO, &options, &err);
    return tm_program_finish(&program, st, &err);
}

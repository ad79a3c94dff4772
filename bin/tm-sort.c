/* tm-sort: a stream, or several sorted ones, goes in; the same events come out in order. */
#include "base/program.h"
#include "sort/sort_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-sort",
    .summary = "Reads a stream (standard input without FILE, or with -), writes it in the order of (time, order of\n"
               "processing of the file, position) with all that defines things in front.",
    .usage = "[-S SIZE] [-T DIR] [FILE]\n"
             "       tm-sort -c [FILE]\n"
             "\n"
             "  -c, --check             check the order and write nothing; status 1 when it is wrong\n"
             "  -S, --buffer-size=SIZE  memory for events before they go to temporary files\n"
             "                          (K, M, G, T are powers of 1024; default 256M)\n"
             "  -T, --temporary-directory=DIR  for temporary files (default $TMPDIR, else /tmp)\n"
             "      --help\n"
             "      --version\n",
};

enum { DEFAULT_MEMORY_MIB = 256, OPT_HELP = 256, OPT_VERSION };

static const struct option options[] = {
    {"check", no_argument, NULL, 'c'},
    {"buffer-size", required_argument, NULL, 'S'},
    {"temporary-directory", required_argument, NULL, 'T'},
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

struct settings {
    struct tm_sort_options sort;
    bool check;
};

/* TM_END: what was asked for is done (help); TM_E_USAGE: said what is wrong. */
static enum tm_status parse(int argc, char **argv, struct settings *settings)
{
    int c;
    while ((c = getopt_long(argc, argv, "cS:T:", options, NULL)) != -1) {
        switch (c) {
        case 'c':
            settings->check = true;
            break;
        case 'S':
            if (tm_program_size(optarg, &settings->sort.memory_bytes) < 0)
                return tm_program_usage(&program, "-S %s: not a size", optarg) ? TM_E_USAGE : TM_E_USAGE;
            break;
        case 'T':
            settings->sort.spill_dir = optarg;
            break;
        case OPT_HELP:
            tm_program_help(&program);
            return TM_END;
        case OPT_VERSION:
            tm_program_version(&program);
            return TM_END;
        default:
            tm_program_message(&program, "try '%s --help'", program.name);
            return TM_E_USAGE;
        }
    }
    return TM_OK;
}

static enum tm_status run(const struct settings *settings, const char *path, struct tm_error *err)
{
    int in = STDIN_FILENO;
    if (!settings->check && tm_program_refuses_terminal(STDOUT_FILENO, "pipe it into tm-emit", err))
        return err->status;
    if (path && strcmp(path, "-") != 0 && (in = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return tm_error_errno(err, errno, "%s: cannot open", path);
    enum tm_status st = settings->check ? tm_sort_check(in, err)
                                        : tm_sort_stream(in, STDOUT_FILENO, &settings->sort, err);
    if (st == TM_E_INPUT)
        tm_error_prefix(err, "%s", path && in != STDIN_FILENO ? path : "standard input");
    if (in != STDIN_FILENO)
        close(in);
    return st;
}

int main(int argc, char **argv)
{
    struct settings settings = {.sort = {.memory_bytes = (unsigned long long)DEFAULT_MEMORY_MIB << 20}};
    struct tm_error err = {0};
    enum tm_status st = parse(argc, argv, &settings);
    if (st == TM_E_USAGE)
        return tm_status_exit(st);
    if (st == TM_OK && argc - optind > 1)
        return tm_program_usage(&program, "more than one FILE; -m merges streams that are sorted");
    if (st == TM_OK)
        st = run(&settings, argv[optind], &err);
    return tm_program_finish(&program, st, &err);
}

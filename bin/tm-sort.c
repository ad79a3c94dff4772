/* tm-sort: a stream, or several sorted ones, goes in; the same events come out in order. */
#include "base/program.h"
#include "sort/sort_stream.h"
#include "sort/stream_merge.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-sort",
    .summary = "Reads a stream (standard input without FILE, or with -), writes it in the order of (time, order of\n"
               "processing of the file, position) with all that defines things in front.",
    .usage = "[-S SIZE] [-T DIR] [FILE]\n"
             "       tm-sort -m [-S SIZE] [-T DIR] [FILE]...\n"
             "       tm-sort -c [FILE]\n"
             "\n"
             "  -c, --check             check the order and write nothing; status 1 when it is wrong\n"
             "  -m, --merge             merge streams that are sorted and on one timeline\n"
             "  -S, --buffer-size=SIZE  memory for events before they go to temporary files\n"
             "                          (K, M, G, T are powers of 1024; default 256M)\n"
             "  -T, --temporary-directory=DIR  for temporary files (default $TMPDIR, else /tmp)\n"
             "      --help\n"
             "      --version\n",
};

enum { DEFAULT_MEMORY_MIB = 256, SPARE_DESCRIPTORS = 32, OPT_HELP = 256, OPT_VERSION };

static const struct option options[] = {
    {"check", no_argument, NULL, 'c'},
    {"merge", no_argument, NULL, 'm'},
    {"buffer-size", required_argument, NULL, 'S'},
    {"temporary-directory", required_argument, NULL, 'T'},
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

struct settings {
    struct tm_sort_options sort;
    bool check, merge;
};

/* TM_END: what was asked for is done (help); TM_E_USAGE: said what is wrong. */
static enum tm_status parse(int argc, char **argv, struct settings *settings)
{
    int c;
    while ((c = getopt_long(argc, argv, "cmS:T:", options, NULL)) != -1) {
        switch (c) {
        case 'c':
            settings->check = true;
            break;
        case 'm':
            settings->merge = true;
            break;
        case 'S':
            if (tm_program_size(optarg, &settings->sort.memory_bytes) < 0) {
                tm_program_usage(&program, "-S %s: not a size", optarg);
                return TM_E_USAGE;
            }
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
    if (settings->check && settings->merge)
        tm_program_usage(&program, "-c and -m do not go together");
    else if (!settings->merge && argc - optind > 1)
        tm_program_usage(&program, "more than one FILE; -m merges streams that are sorted");
    else
        return TM_OK;
    return TM_E_USAGE;
}

static enum tm_status open_stream(const char *path, struct tm_merge_stream *stream, struct tm_error *err)
{
    bool is_input = path == NULL || strcmp(path, "-") == 0;
    stream->name = is_input ? "standard input" : path;
    stream->fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    return stream->fd >= 0 ? TM_OK : tm_error_errno(err, errno, "%s: cannot open", path);
}

static void close_stream(const struct tm_merge_stream *stream)
{
    if (stream->fd > STDIN_FILENO)
        close(stream->fd);
}

static enum tm_status run_one(const struct settings *settings, const char *path, struct tm_error *err)
{
    struct tm_merge_stream in;
    enum tm_status st = open_stream(path, &in, err);
    if (st < 0)
        return st;
    st = settings->check ? tm_sort_check(in.fd, err) : tm_sort_stream(in.fd, STDOUT_FILENO, &settings->sort, err);
    if (st == TM_E_INPUT)
        tm_error_prefix(err, "%s", in.name);
    close_stream(&in);
    return st;
}

/* Each stream keeps its descriptor until it has been merged. */
static void allow_descriptors(uint32_t count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (rlim_t)count + SPARE_DESCRIPTORS) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static enum tm_status run_merge(const struct settings *settings, char **paths, uint32_t count, struct tm_error *err)
{
    uint32_t opened = 0;
    enum tm_status st = TM_OK;
    struct tm_merge_stream *streams = calloc((size_t)count + 1, sizeof *streams);
    if (streams == NULL)
        return tm_error_nomem(err);
    allow_descriptors(count);
    do
        st = open_stream(paths[opened], &streams[opened], err);
    while (st == TM_OK && ++opened < count);
    if (st == TM_OK)
        st = tm_stream_merge(streams, opened, STDOUT_FILENO, &settings->sort, err);
    for (uint32_t i = 0; i < opened; i++)
        close_stream(&streams[i]);
    free(streams);
    return st;
}

int main(int argc, char **argv)
{
    struct settings settings = {.sort = {.memory_bytes = (unsigned long long)DEFAULT_MEMORY_MIB << 20}};
    struct tm_error err = {0};
    enum tm_status st = parse(argc, argv, &settings);
    if (st == TM_E_USAGE)
        return tm_status_exit(st);
    if (st == TM_END)
        return tm_program_finish(&program, TM_OK, &err);
    if (!settings.check && tm_program_refuses_terminal(STDOUT_FILENO, "pipe it into tm-emit", &err))
        st = err.status;
    else if (settings.merge)
        st = run_merge(&settings, argv + optind, (uint32_t)(argc - optind), &err);
    else
        st = run_one(&settings, argv[optind], &err);
    return tm_program_finish(&program, st, &err);
}

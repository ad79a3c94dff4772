/* Reads a stream, or several sorted ones, and writes the same events in order. */
#include "os/program_options.h"
#include "os/sandbox.h"
#include "sort/sort_stream.h"
#include "sort/union/stream_merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
             "  -h, --help\n"
             "      --version\n",
};

enum { DEFAULT_MEMORY_MIB = 256, SPARE_DESCRIPTORS = 16 };

struct settings {
    struct tm_sort_options sort;
    bool check, merge;
};

static int take_option(void *context, int option, const char *value)
{
    struct settings *settings = context;
    switch (option) {
    case 'c': settings->check = true; break;
    case 'm': settings->merge = true; break;
    case 'T': settings->sort.spill_dir = value; break;
    default:
        if (tm_program_size(value, &settings->sort.memory_bytes) < 0)
            return tm_program_usage(&program, "-S %s: not a size", value);
    }
    return 0;
}

static int parse(int argc, char **argv, struct settings *settings)
{
    static const struct option longs[] = {
        {"check", no_argument, NULL, 'c'},
        {"merge", no_argument, NULL, 'm'},
        {"buffer-size", required_argument, NULL, 'S'},
        {"temporary-directory", required_argument, NULL, 'T'},
        TM_PROGRAM_OPTIONS_END,
    };
    const struct tm_program_options options = {":cmS:T:", longs, take_option, settings};
    int status = tm_program_options(&program, &options, argc, argv);
    if (status != TM_OPTIONS_GO_ON)
        return status;
    if (settings->check && settings->merge)
        return tm_program_usage(&program, "-c and -m do not go together");
    if (!settings->merge && argc - optind > 1)
        return tm_program_usage(&program, "more than one FILE; -m merges streams that are sorted");
    return status;
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

/* Called once all streams are open. */
static enum tm_status enter_sandbox(const struct settings *settings, struct tm_error *err)
{
    struct tm_sandbox sandbox = {.folders = {tm_sort_dir(&settings->sort)}};
    return tm_sandbox_enter(&sandbox, err);
}

static enum tm_status run_one(const struct settings *settings, const char *path, struct tm_error *err)
{
    struct tm_merge_stream in;
    enum tm_status st = open_stream(path, &in, err);
    if (st < 0)
        return st;
    st = enter_sandbox(settings, err);
    if (st == TM_OK)
        st = settings->check ? tm_sort_check(in.fd, err) : tm_sort_stream(in.fd, STDOUT_FILENO, &settings->sort, err);
    if (st == TM_E_INPUT)
        tm_error_prefix(err, "%s", in.name);
    close_stream(&in);
    return st;
}

/* How many streams may be open at a time. Raises the limit for COUNT of them as far as possible. */
static uint32_t allow_descriptors(uint32_t count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return count;
    if (limit.rlim_cur < (rlim_t)count + SPARE_DESCRIPTORS) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    rlim_t room = limit.rlim_cur > SPARE_DESCRIPTORS ? limit.rlim_cur - SPARE_DESCRIPTORS : 1;
    return room < count ? (uint32_t)room : count;
}

/* Opens the streams that keep a descriptor: all, or if there are too many only those that are not regular files. */
static enum tm_status open_streams(char **paths, uint32_t count, bool are_many, struct tm_merge_stream *streams,
                                   uint32_t *opened, struct tm_error *err)
{
    struct stat info;
    enum tm_status st = TM_OK;
    for (*opened = 0; *opened < count && st == TM_OK; ++*opened) {
        const char *path = paths[*opened];
        if (are_many && path && strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode))
            streams[*opened] = (struct tm_merge_stream){.name = path, .fd = -1};
        else if ((st = open_stream(path, &streams[*opened], err)) < 0)
            break;
    }
    return st;
}

static enum tm_status run_merge(const struct settings *settings, char **paths, uint32_t count, struct tm_error *err)
{
    uint32_t opened = 0, all = count ? count : 1, room = allow_descriptors(all);
    struct tm_sandbox sandbox = {.folders = {tm_sort_dir(&settings->sort)}};
    struct tm_merge_stream *streams = calloc(all, sizeof *streams);
    if (streams == NULL)
        return tm_error_nomem(err);
    if (room < all) {
        sandbox.reads = (const char *const *)paths;
        sandbox.read_count = count;
    }
    enum tm_status st = open_streams(paths, all, room < all, streams, &opened, err);
    if (st == TM_OK)
        st = tm_sandbox_enter(&sandbox, err);
    if (st == TM_OK)
        st = tm_stream_merge(streams, opened, room, STDOUT_FILENO, &settings->sort, err);
    for (uint32_t i = 0; i < opened; i++)
        close_stream(&streams[i]);
    free(streams);
    return st;
}

int main(int argc, char **argv)
{
    struct settings settings = {.sort = {.memory_bytes = (unsigned long long)DEFAULT_MEMORY_MIB << 20}};
    struct tm_error err = {0};
    enum tm_status st;
    int status = parse(argc, argv, &settings);
    if (status != TM_OPTIONS_GO_ON)
        return status;
    if (!settings.check && tm_program_refuses_terminal(STDOUT_FILENO, "pipe it into tm-emit", &err))
        st = err.status;
    else if (settings.merge)
        st = run_merge(&settings, argv + optind, (uint32_t)(argc - optind), &err);
    else
        st = run_one(&settings, argv[optind], &err);
    return tm_program_finish(&program, st, &err);
}

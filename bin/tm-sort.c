/* Reads a stream, or several sorted ones, and writes the same events in order, or in parts by time. */
#include "base/decimal.h"
#include "cut/cut.h"
#include "os/compat.h"
#include "os/memory_size.h"
#include "os/program_options.h"
#include "os/sandbox.h"
#include "os/unfinished.h"
#include "sort/sort_stream.h"
#include "sort/union/stream_merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-sort",
    .summary = "Reads a stream (standard input without FILE, or with -), writes it in the order\n"
               "of (time, order of processing of the file, position) with all definitions in\n"
               "front.",
    .usage = "[-j N] [-S SIZE] [-T DIR] [FILE]\n"
             "       tm-sort -m [-S SIZE] [-T DIR] [FILE]...\n"
             "       tm-sort -c [FILE]\n"
             "       tm-sort --cut=FROM,TO [FILE]\n"
             "       tm-sort --cut=TIME,... --into=DIR [FILE]\n"
             "\n"
             "  -c, --check             check the order and write nothing; exit status 1 if it\n"
             "                          is wrong\n"
             "  -m, --merge             merge streams that are sorted and on one timeline\n"
             "      --cut=FROM,TO       write the part [FROM, TO) of a sorted stream, with the\n"
             "                          state at FROM; FROM or TO may be empty; times are\n"
             "                          nanoseconds, or seconds as 1.5s\n"
             "      --into=DIR          with --cut=TIME,...: write all parts, as DIR/0.tms,\n"
             "                          DIR/1.tms, ..., once all are complete\n"
             "      --max-memory=SIZE   with --cut: memory in all, for the state of tasks and\n"
             "                          slices (default 1G)\n"
             "  -j, --jobs=N            sort with N threads (default: half of the processors\n"
             "                          from 4 on, else 1)\n"
             "  -S, --buffer-size=SIZE  memory for events; the rest goes to temporary files\n"
             "                          (K, M, G, T are powers of 1024; default a sixteenth of\n"
             "                          the memory, 256M to 4G)\n"
             "  -T, --temporary-directory=DIR  directory of temporary files (default $TMPDIR,\n"
             "                          else /tmp)\n"
             "  -h, --help              show this help\n"
             "      --version           show the version\n",
};

enum { SPARE_DESCRIPTORS = 16 };

struct settings {
    struct tm_sort_options sort;
    bool check, merge;
    const char *sorts; /* an option that is only for sorting and merging; NULL: none is given */
    int64_t *points; /* of --cut; NULL: none */
    uint32_t point_count;
    bool is_from_open; /* --cut=,TO */
    bool is_to_open;   /* --cut=FROM, */
    const char *into;
    unsigned long long memory_max; /* with --cut; 0: the default */
};

static bool read_time(const char *text, size_t len, int64_t *ns)
{
    if (len > 0 && text[0] == '+') /* times are those of the timeline, not since its start */
        return false;
    if (len > 1 && text[len - 1] == 's')
        return tm_decimal_scale(text, len - 1, 9, ns) == TM_OK;
    return tm_decimal_int(text, len, ns) == TM_OK;
}

/* Reads the times of --cut. Returns the exit status if VALUE is no list of rising times or too long, otherwise 0. */
static int read_points(struct settings *settings, const char *value)
{
    static const char no_list[] = "--cut=%s: not a list of increasing times, separated by commas";
    size_t count = 1;
    for (const char *p = value; *p; p++)
        count += *p == ',';
    if (count > TM_CUT_POINTS_MAX)
        return tm_program_usage(&program, "--cut: more than the limit of %d times", TM_CUT_POINTS_MAX);
    free(settings->points);
    settings->points = calloc(count, sizeof *settings->points);
    settings->point_count = 0;
    settings->is_from_open = value[0] == ',';
    settings->is_to_open = value[0] && value[strlen(value) - 1] == ',';
    if (settings->points == NULL)
        return tm_program_usage(&program, no_list, value);
    for (const char *p = value; count; count--) {
        size_t len = strcspn(p, ",");
        int64_t *point = &settings->points[settings->point_count];
        bool is_open = len == 0 && (p == value || p[len] == '\0');
        if (!is_open && len && !read_time(p, len, point))
            return tm_program_usage(&program,
                                    "--cut: '%.*s' is not a time on the timeline; write 1500000 (nanoseconds) or 1.5s",
                                    (int)len, p);
        if (!is_open && (len == 0 || (settings->point_count && point[-1] >= *point)))
            return tm_program_usage(&program, no_list, value);
        settings->point_count += !is_open;
        p += len + 1;
    }
    return settings->point_count > 0 ? 0 : tm_program_usage(&program, no_list, value);
}

static int take_option(void *context, int option, const char *value)
{
    struct settings *settings = context;
    switch (option) {
    case 'c': settings->check = true; break;
    case 'm': settings->merge = true; break;
    case 'u': return read_points(settings, value);
    case 'i': settings->into = value; break;
    case 'j': settings->sorts = "--jobs"; return tm_program_jobs(&program, value, &settings->sort.jobs);
    case 'T': settings->sort.temporary_dir = value; break;
    case 'M': return tm_program_limit(&program, "--max-memory", value, &settings->memory_max);
    default:
        settings->sorts = "--buffer-size";
        if (tm_program_size(value, &settings->sort.memory_bytes) < 0)
            return tm_program_usage(&program, "--buffer-size: '%s' is not a size", value);
    }
    return 0;
}

static int parse(int argc, char **argv, struct settings *settings)
{
    static const struct option longs[] = {
        {"check", no_argument, NULL, 'c'},
        {"merge", no_argument, NULL, 'm'},
        {"cut", required_argument, NULL, 'u'},
        {"into", required_argument, NULL, 'i'},
        {"max-memory", required_argument, NULL, 'M'},
        {"jobs", required_argument, NULL, 'j'},
        {"buffer-size", required_argument, NULL, 'S'},
        {"temporary-directory", required_argument, NULL, 'T'},
        TM_PROGRAM_OPTIONS_END,
    };
    const struct tm_program_options options = {":cmj:S:T:", longs, take_option, settings};
    int status = tm_program_options(&program, &options, argc, argv);
    if (status != TM_OPTIONS_GO_ON)
        return status;
    if (settings->check && settings->merge)
        return tm_program_usage(&program, "-c and -m cannot be combined");
    if (settings->points && (settings->check || settings->merge))
        return tm_program_usage(&program, "--cut cannot be combined with -c or -m");
    if (settings->sorts && (settings->check || settings->points))
        return tm_program_usage(&program, "%s is for sorting, and %s does not sort", settings->sorts,
                                settings->check ? "--check" : "--cut");
    if (settings->into && *settings->into == '\0')
        return tm_program_usage(&program, "--into: '' is no folder");
    if (settings->into && settings->points == NULL)
        return tm_program_usage(&program, "--into is for --cut");
    if (settings->memory_max && settings->points == NULL)
        return tm_program_usage(&program, "--max-memory is for --cut");
    if (settings->points && settings->into == NULL &&
        settings->point_count + settings->is_from_open + settings->is_to_open != 2)
        return tm_program_usage(&program, "--cut without --into takes FROM,TO");
    if (settings->into && settings->is_from_open + settings->is_to_open)
        return tm_program_usage(&program, "--cut with --into takes only the times between parts");
    if (!settings->merge && argc - optind > 1)
        return tm_program_usage(&program, "more than one FILE; -m merges streams that are sorted");
    if (argc == optind && isatty(STDIN_FILENO))
        return tm_program_usage(&program, "no FILE, and standard input is a terminal");
    return status;
}

static enum tm_status open_stream(const char *path, struct tm_merge_stream *stream, struct tm_error *err)
{
    bool is_input = path == NULL || strcmp(path, "-") == 0;
    stream->name = is_input ? "standard input" : *path ? path : "''";
    stream->fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    return stream->fd >= 0 ? TM_OK : tm_error_open(err, errno, "%s: cannot open", stream->name);
}

static void close_stream(const struct tm_merge_stream *stream)
{
    if (stream->fd > STDIN_FILENO)
        close(stream->fd);
}

/* Enters the sandbox. All streams must be open. */
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

/* The parts that are written: members of a folder, which get their names when all are complete; or one part, which goes
 * to standard output. */
struct parts {
    const struct settings *settings;
    struct tm_out_file folder;
    char (*names)[16];
    const char **members; /* NULL-terminated */
    int fd;               /* of the part that is being written into the folder; -1: none */
};

/* A part of an earlier run, with more parts, would pass for one that follows the last. */
static enum tm_status check_folder(const char *folder, uint32_t count, struct tm_error *err)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%u.tms", folder, count) < (int)sizeof path && access(path, F_OK) == 0)
        return tm_error_set(err, TM_E_SYSTEM,
                            "%s: is of another run, and would pass for a part after %u.tms; remove it", path,
                            count - 1);
    return TM_OK;
}

static enum tm_status open_folder(struct parts *parts, struct tm_error *err)
{
    const uint32_t count = parts->settings->point_count + 1;
    if (check_folder(parts->settings->into, count, err) < 0)
        return TM_E_SYSTEM;
    parts->names = calloc(count, sizeof *parts->names);
    parts->members = calloc((size_t)count + 1, sizeof *parts->members);
    if (parts->names == NULL || parts->members == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(parts->names[i], sizeof *parts->names, "%u.tms", i);
        parts->members[i] = parts->names[i];
    }
    parts->folder.members = parts->members;
    return tm_unfinished_open(&parts->folder, parts->settings->into, NULL, err);
}

static enum tm_status open_part(void *self, uint32_t part, int *fd, struct tm_error *err)
{
    enum { MODE = 0666 };
    struct parts *parts = self;
    char path[4096];
    if (parts->settings->into == NULL) {
        *fd = part == (parts->settings->is_from_open ? 0u : 1u) ? STDOUT_FILENO : -1;
        return TM_OK;
    }
    if (tm_out_file_member(parts->folder.temp, parts->members[part], path, sizeof path) < 0)
        return tm_error_set(err, TM_E_SYSTEM, "%s: name is too long", parts->settings->into);
    *fd = parts->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
    return *fd >= 0 ? TM_OK : tm_error_errno(err, errno, "%s/%s: cannot open for writing", parts->settings->into,
                                              parts->members[part]);
}

static enum tm_status close_part(void *self, uint32_t part, int fd, struct tm_error *err)
{
    struct parts *parts = self;
    if (parts->settings->into == NULL)
        return TM_OK;
    parts->fd = -1;
    return close(fd) == 0 ? TM_OK : tm_error_errno(err, errno, "%s/%s: cannot write", parts->settings->into,
                                                  parts->members[part]);
}

static void release_parts(struct parts *parts)
{
    if (parts->fd >= 0)
        (void)close(parts->fd);
    tm_unfinished_abandon(&parts->folder);
    free(parts->names);
    free(parts->members);
}

static enum tm_status run_cut(const struct settings *settings, const char *path, struct tm_error *err)
{
    struct parts parts = {.settings = settings, .folder = {.fd = -1}, .fd = -1};
    struct tm_memory_limit memory;
    uint32_t empty = 0;
    uint64_t left_out = 0;
    const struct tm_cut cut = {.points = settings->points,
                               .point_count = settings->point_count,
                               .temporary_dir = settings->sort.temporary_dir,
                               .open = open_part,
                               .close = close_part,
                               .self = &parts,
                               .empty_count = &empty,
                               .left_out = &left_out,
                               .memory = &memory};
    struct tm_sandbox sandbox = {.folders = {tm_sort_dir(&settings->sort), settings->into}};
    char *outer = NULL;
    struct tm_merge_stream in;
    enum tm_status st = open_stream(path, &in, err);
    if (st < 0)
        return st;
    tm_memory_limit_open(&memory, settings->memory_max ? settings->memory_max : TM_MEMORY_BYTES_MAX);
    if (settings->into)
        st = open_folder(&parts, err);
    sandbox.outer[0] = outer = tm_out_file_outer(&parts.folder);
    if (st == TM_OK)
        st = tm_sandbox_enter(&sandbox, err);
    if (st == TM_OK)
        st = tm_cut(in.fd, &cut, err);
    if (st == TM_E_INPUT)
        tm_error_prefix(err, "%s", in.name);
    if (st == TM_OK && settings->into)
        st = tm_out_file_commit(&parts.folder, err);
    if (st == TM_OK && empty)
        tm_program_warning(&program,
                           "%u of the parts %s no events; --cut counts from the zero of the timeline, not from the "
                           "first event",
                           empty, empty == 1 ? "has" : "have");
    if (st == TM_OK && left_out)
        tm_program_warning(&program,
                           "%llu open slices are beyond the limit of a track (tm-limits); later parts may lack them",
                           (unsigned long long)left_out);
    release_parts(&parts);
    free(outer);
    tm_memory_limit_close(&memory);
    close_stream(&in);
    return st;
}

/* Returns how many streams may be open at a time. Raises the limit for COUNT of them as far as possible. */
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

/* Opens the streams that keep a descriptor: all COUNT, or if there are too many only those that are not regular files.
 */
static enum tm_status open_streams(char **paths, uint32_t count, struct tm_merge_streams *all, struct tm_error *err)
{
    struct stat info;
    enum tm_status st = TM_OK;
    const bool are_many = all->descriptors < count;
    for (; all->count < count && st == TM_OK; all->count++) {
        const char *path = paths[all->count];
        struct tm_merge_stream *stream = &all->streams[all->count];
        if (are_many && path && strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode))
            *stream = (struct tm_merge_stream){.name = path, .fd = -1};
        else if ((st = open_stream(path, stream, err)) < 0)
            break;
    }
    return st;
}

static enum tm_status run_merge(const struct settings *settings, char **paths, uint32_t count, struct tm_error *err)
{
    const uint32_t all = count ? count : 1;
    struct tm_merge_streams opened = {.descriptors = allow_descriptors(all)};
    struct tm_sandbox sandbox = {.folders = {tm_sort_dir(&settings->sort)}};
    opened.streams = calloc(all, sizeof *opened.streams);
    if (opened.streams == NULL)
        return tm_error_nomem(err);
    if (opened.descriptors < all) {
        sandbox.reads = (const char *const *)paths;
        sandbox.read_count = count;
    }
    enum tm_status st = open_streams(paths, all, &opened, err);
    if (st == TM_OK)
        st = tm_sandbox_enter(&sandbox, err);
    if (st == TM_OK)
        st = tm_stream_merge(&opened, STDOUT_FILENO, &settings->sort, err);
    for (uint32_t i = 0; i < opened.count; i++)
        close_stream(&opened.streams[i]);
    free(opened.streams);
    return st;
}

int main(int argc, char **argv)
{
    int status = tm_program_begin(&program);
    if (status != 0)
        return status;
    tm_compat_prepare_heap();
    struct settings settings = {.sort = {.memory_bytes = tm_sort_memory_of(tm_memory_size(""))}};
    struct tm_error err = {0};
    enum tm_status st;
    status = parse(argc, argv, &settings);
    if (status != TM_OPTIONS_GO_ON) {
        free(settings.points);
        return status;
    }
    if (!settings.check && !settings.into && tm_program_refuses_terminal(STDOUT_FILENO, "pipe it into tm-emit", &err))
        st = err.status;
    else if (settings.merge)
        st = run_merge(&settings, argv + optind, (uint32_t)(argc - optind), &err);
    else if (settings.points)
        st = run_cut(&settings, argv[optind], &err);
    else
        st = run_one(&settings, argv[optind], &err);
    free(settings.points);
    return tm_program_finish(&program, st, &err);
}

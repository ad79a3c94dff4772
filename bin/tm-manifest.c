/* Reads a stream from tm-unpack and writes it with its perfetto_manifest checked and resolved into configuration
 * frames. With --check, only checks manifest files. */
#include "base/text.h"
#include "base/utf8.h"
#include "os/program_options.h"
#include "os/sandbox.h"
#include "manifest/configure.h"
#include "os/compat.h"
#include "os/unfinished.h"
#include "unpack/file_type.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-manifest",
    .summary = "Turns the perfetto_manifest in a stream on standard input into a checked\n"
               "configuration.",
    .usage = "[-m FILE] [OPTION]... <STREAM >STREAM\n"
             "       tm-manifest --check FILE...\n"
             "  -m, --manifest=FILE  take the manifest from FILE, if the input has none\n"
             "      --replace        with -m: also for input with a manifest, which is left\n"
             "                       out\n"
             "      --present        with -m: use only the entries of files that are there,\n"
             "                       and what these refer to\n"
             "      --machine NAME=FILE\n"
             "      --sync FILE[:CLOCK]=FILE[:CLOCK][+OFFSET]\n"
             "      --trace-time CLOCK[@FILE]\n"
             "      --machine-from RULE\n"
             "                       make a manifest for the files of the stream, if the input\n"
             "                       has none\n"
             "      --write-manifest FILE  write the manifest that was used to FILE\n"
             "      --part FILE      write the manifest to this FILE; the caller renames it\n"
             "      --strict         an error if a path of the manifest matches no file\n"
             "      --check          check each FILE, a manifest, and list all problems\n"
             "  -q, --quiet          no warnings\n"
             "  -h, --help           show this help\n"
             "  -V, --version        show the version\n",
};

struct options {
    const char *manifest, *written, *part;
    struct tm_draft_options draft_options;
    bool strict, quiet, replace, present;
    bool check;
};

static enum tm_status read_manifest(const char *path, struct tm_manifest *manifest, struct tm_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        tm_error_open(err, errno, "cannot open");
        return tm_error_prefix(err, "%s", *path ? path : "''");
    }
    enum tm_status st = tm_manifest_read_fd(manifest, fd, err);
    if (st < 0)
        tm_error_prefix(err, "%s", path);
    (void)close(fd);
    return st;
}

/* Returns the graver of two statuses, in the order of exit statuses of tm-merge. */
static enum tm_status graver(enum tm_status a, enum tm_status b)
{
    return a == TM_E_SYSTEM || b >= 0 ? a : b == TM_E_SYSTEM || a >= 0 ? b : a;
}

/* Warns if tm-unpack would take MANIFEST for another kind of file. */
static void check_type(const char *path, const struct tm_manifest *manifest)
{
    const uint8_t *head = manifest->source;
    size_t len = manifest->source_len < TM_SNIFF_BYTES ? manifest->source_len : TM_SNIFF_BYTES;
    size_t mark = tm_utf8_mark(head, len);
    if (!tm_file_type_is_manifest(head + mark, len - mark))
        tm_program_warning(&program, "%s: perfetto_manifest: it does not begin with {\"perfetto_manifest\", so it is "
                                     "no manifest among other files; -m takes it", path);
}

/* Checks the manifest PATH and prints its problems and warnings. */
static enum tm_status check(const char *path)
{
    struct tm_manifest manifest = {0};
    struct tm_error err = {0};
    const char *line = NULL;
    enum tm_status st = strcmp(path, "-") == 0 ? tm_manifest_read_fd(&manifest, STDIN_FILENO, &err)
                                               : read_manifest(path, &manifest, &err);
    if (st < 0 && manifest.problems.count == 0)
        tm_program_fail(&program, &err);
    size_t shown = 0;
    for (; (line = tm_manifest_problems_next(&manifest.problems, line)) != NULL; shown++)
        tm_program_message(&program, "%s: %s", path, line);
    while ((line = tm_manifest_problems_next(&manifest.warnings, line)) != NULL)
        tm_program_warning(&program, "%s: %s", path, line);
    if (st == TM_OK)
        check_type(path, &manifest);
    if (manifest.problems.count > shown)
        tm_program_message(&program, "%s: %zu more problem%s", path, manifest.problems.count - shown,
                           tm_plural(manifest.problems.count - shown));
    tm_manifest_release(&manifest);
    return st;
}

static int check_all(char **paths)
{
    struct tm_error err = {0};
    enum tm_status st = TM_OK;
    if (*paths == NULL)
        return tm_program_usage(&program, "--check needs the manifests to check");
    struct tm_sandbox sandbox = {.reads = (const char *const *)paths};
    while (paths[sandbox.read_count])
        sandbox.read_count++;
    if ((st = tm_sandbox_enter(&sandbox, &err)) < 0)
        return tm_program_finish(&program, st, &err);
    for (; *paths; paths++)
        st = graver(st, check(*paths));
    return tm_status_exit(st);
}

static void warn(const char *text)
{
    tm_program_warning(&program, "%s", text);
}

/* Enters a sandbox that permits reading the given manifest and writing the one in use, and nothing else. */
static enum tm_status enter_sandbox(const struct options *options, struct tm_error *err)
{
    const char *target = options->part ? options->part : options->written;
    char *folder = target ? tm_out_file_written_folder(target) : NULL;
    struct tm_sandbox sandbox = {
        .reads = &options->manifest, .read_count = options->manifest ? 1 : 0, .folders = {folder}};
    enum tm_status st = tm_sandbox_enter(&sandbox, err);
    free(folder);
    return st;
}

/* Runs the stage from standard input to standard output. Returns the exit status. */
static int filter(const struct options *options)
{
    struct tm_buf used = {0};
    struct tm_manifest manifest = {0};
    struct tm_manifest_problems unmatched = {0};
    struct tm_error err = {0};
    struct tm_configure_options configure = {.producer = program.name,
                                             .strict = options->strict,
                                             .replaces = options->replace,
                                             .present = options->present,
                                             .draft_options = &options->draft_options,
                                             .used = options->written ? &used : NULL,
                                             .warn = options->quiet ? NULL : warn};
    enum tm_status st = TM_OK;
    if (tm_program_refuses_terminal(STDOUT_FILENO, "pipe it into tm-clocks, or see it with tm-emit -f frames", &err)) {
        st = err.status;
    } else if ((st = enter_sandbox(options, &err)) == TM_OK && options->manifest) {
        configure.given = &manifest;
        configure.given_name = options->manifest;
        st = read_manifest(options->manifest, &manifest, &err);
    }
    if (st == TM_OK)
        st = tm_configure(STDIN_FILENO, STDOUT_FILENO, &configure, &unmatched, &err);
    if (st == TM_OK && options->written)
        st = tm_unfinished_put(options->written, options->part, used.data, used.len, &err);
    const char *line = tm_manifest_problems_next(&unmatched, NULL);
    if (st == TM_E_STRICT) /* the first of them is the error itself */
        line = tm_manifest_problems_next(&unmatched, line);
    bool warns = st == TM_E_STRICT || (st == TM_OK && !options->quiet);
    for (; line && warns; line = tm_manifest_problems_next(&unmatched, line)) {
        if (st == TM_OK)
            tm_program_warning(&program, "%s", line);
        else
            tm_program_message(&program, "%s", line);
    }
    tm_buf_release(&used);
    tm_manifest_problems_release(&unmatched);
    tm_manifest_release(&manifest);
    return tm_program_finish(&program, st, &err);
}

enum { OPTION_CHECK = 256, OPTION_REPLACE, OPTION_PRESENT, OPTION_STRICT, OPTION_WRITE_MANIFEST, OPTION_PART };

static int take_option(void *context, int option, const char *value)
{
    struct options *options = context;
    struct tm_error err = {0};
    switch (option) {
    case OPTION_CHECK: options->check = true; break;
    case OPTION_REPLACE: options->replace = true; break;
    case OPTION_PRESENT: options->present = true; break;
    case OPTION_STRICT: options->strict = true; break;
    case OPTION_WRITE_MANIFEST: options->written = value; break;
    case OPTION_PART: options->part = value; break;
    case 'q': options->quiet = true; break;
    case 'm': options->manifest = value; break;
    default:
        if (tm_draft_options_add(&options->draft_options, (enum tm_draft_option_id)option, value, &err) == TM_OK)
            break;
        return tm_program_fail(&program, &err);
    }
    return 0;
}

static int parse(int argc, char **argv, struct options *arguments)
{
    static const struct option longs[] = {
        {"manifest", required_argument, NULL, 'm'},
        {"check", no_argument, NULL, OPTION_CHECK},
        {"replace", no_argument, NULL, OPTION_REPLACE},
        {"present", no_argument, NULL, OPTION_PRESENT},
        {"write-manifest", required_argument, NULL, OPTION_WRITE_MANIFEST},
        {"part", required_argument, NULL, OPTION_PART},
        {"quiet", no_argument, NULL, 'q'},
        TM_DRAFT_OPTIONS,
        {"strict", no_argument, NULL, OPTION_STRICT},
        TM_PROGRAM_OPTIONS_END,
    };
    const struct tm_program_options options = {":m:qhV", longs, take_option, arguments};
    return tm_program_options(&program, &options, argc, argv);
}

/* Refuses options that do not fit together, and does what the others ask for. Returns the exit status. */
static int run(int argc, char **argv, struct options *options)
{
    bool is_filter = options->manifest || options->strict || options->quiet || options->written || options->part ||
                     options->replace || options->present || options->draft_options.count;
    if (options->check && is_filter)
        return tm_program_usage(&program, "--check takes manifests as arguments and no other option");
    if (options->check)
        return check_all(argv + optind);
    if (options->replace && !options->manifest)
        return tm_program_usage(&program, "--replace needs the manifest to take, by -m");
    if (options->present && !options->manifest)
        return tm_program_usage(&program, "--present needs the manifest to take, by -m");
    if (optind < argc)
        return tm_program_usage(&program, "'%s': a stream is read from standard input only; tm-unpack makes one "
                                          "of traces, and tm-merge runs all stages", argv[optind]);
    int status = options->manifest ? tm_program_check_input(&program, "--manifest", options->manifest) : 0;
    if (status == 0 && options->written)
        status = tm_program_check_output(&program, "--write-manifest", options->written);
    if (status)
        return status;
    if (options->part && !options->written)
        return tm_program_usage(&program, "--part needs the name that the file gets, by --write-manifest");
    if (options->manifest && tm_draft_options_need_manifest(&options->draft_options))
        return tm_program_usage(&program, "--manifest cannot be combined with %s, which makes another manifest",
                                tm_draft_option_name(options->draft_options.all[0].id));
    return filter(options);
}

int main(int argc, char **argv)
{
    int status = tm_program_begin(&program);
    if (status != 0)
        return status;
    tm_compat_prepare_heap();
    struct options options = {0};
    status = parse(argc, argv, &options);
    if (status == TM_OPTIONS_GO_ON)
        status = run(argc, argv, &options);
    tm_draft_options_release(&options.draft_options);
    return status;
}

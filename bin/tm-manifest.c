/* Reads a stream from tm-unpack and writes it with its perfetto_manifest checked and resolved into
 * configuration frames; with --check, checks manifest files alone. */
#include "os/io.h"
#include "os/program_options.h"
#include "os/sandbox.h"
#include "manifest/configure.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-manifest",
    .summary = "Turns the perfetto_manifest in a stream on standard input into a checked configuration.",
    .usage = "[-m FILE] [--strict] <STREAM >STREAM\n"
             "       tm-manifest --check FILE...\n"
             "  -m, --manifest=FILE  take the manifest from FILE, for input that has none\n"
             "      --strict         a path of the manifest that matches no file is an error\n"
             "      --check          check the manifests FILE alone and say all that is wrong\n"
             "  -h, --help           show this help\n"
             "  -V, --version        show the version\n",
};

struct options {
    const char *manifest;
    bool strict;
    bool check;
};

static enum tm_status read_manifest(const char *path, struct tm_manifest *manifest, struct tm_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        tm_error_errno(err, errno, "cannot open");
        return tm_error_prefix(err, "%s", path);
    }
    enum tm_status st = tm_manifest_read_fd(manifest, fd, err);
    if (st < 0)
        tm_error_prefix(err, "%s", path);
    (void)close(fd);
    return st;
}

/* The graver of two statuses, as tm-merge ranks exit statuses. */
static enum tm_status graver(enum tm_status a, enum tm_status b)
{
    return a == TM_E_SYSTEM || b >= 0 ? a : b == TM_E_SYSTEM || a >= 0 ? b : a;
}

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
    if (manifest.problems.count > shown)
        tm_program_message(&program, "%s: %zu more problems", path, manifest.problems.count - shown);
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

static int filter(const struct options *options)
{
    struct tm_manifest manifest = {0};
    struct tm_manifest_problems unmatched = {0};
    struct tm_error err = {0};
    struct tm_configure_options configure = {.producer = program.name, .strict = options->strict};
    struct tm_sandbox sandbox = {.reads = &options->manifest, .read_count = options->manifest ? 1 : 0};
    enum tm_status st = TM_OK;
    if (tm_program_refuses_terminal(STDOUT_FILENO, "pipe it into tm-clocks, or see it with tm-emit -f frames", &err)) {
        st = err.status;
    } else if ((st = tm_sandbox_enter(&sandbox, &err)) == TM_OK && options->manifest) {
        configure.given = &manifest;
        st = read_manifest(options->manifest, &manifest, &err);
    }
    if (st == TM_OK)
        st = tm_configure(STDIN_FILENO, STDOUT_FILENO, &configure, &unmatched, &err);
    const char *line = tm_manifest_problems_next(&unmatched, NULL);
    if (st == TM_E_STRICT) /* the first of them is the error itself */
        line = tm_manifest_problems_next(&unmatched, line);
    for (; line && (st == TM_OK || st == TM_E_STRICT); line = tm_manifest_problems_next(&unmatched, line))
        tm_program_message(&program, "%s%s", st == TM_OK ? "warning: " : "", line);
    tm_manifest_problems_release(&unmatched);
    tm_manifest_release(&manifest);
    return tm_program_finish(&program, st, &err);
}

enum { OPTION_CHECK = 256, OPTION_STRICT };

static int take_option(void *context, int option, const char *value)
{
    struct options *options = context;
    switch (option) {
    case OPTION_CHECK: options->check = true; break;
    case OPTION_STRICT: options->strict = true; break;
    default: options->manifest = value;
    }
    return 0;
}

static int parse(int argc, char **argv, struct options *arguments)
{
    static const struct option longs[] = {
        {"manifest", required_argument, NULL, 'm'},
        {"check", no_argument, NULL, OPTION_CHECK},
        {"strict", no_argument, NULL, OPTION_STRICT},
        TM_PROGRAM_OPTIONS_END,
    };
    const struct tm_program_options options = {":m:hV", longs, take_option, arguments};
    return tm_program_options(&program, &options, argc, argv);
}

int main(int argc, char **argv)
{
    struct options options = {0};
    int status = parse(argc, argv, &options);
    if (status != TM_OPTIONS_GO_ON)
        return status;
    if (options.check && (options.manifest || options.strict))
        return tm_program_usage(&program, "--check takes manifests as arguments and no other option");
    if (options.check)
        return check_all(argv + optind);
    if (optind < argc)
        return tm_program_usage(&program, "'%s': a stream is read from standard input only", argv[optind]);
    return filter(&options);
}

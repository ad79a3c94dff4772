/* Reads a stream from tm-clocks and writes how the clocks of its files relate, as their events show: offsets, drifts
 * and bounds. */
#include "align/alignment.h"
#include "base/decimal.h"
#include "os/compat.h"
#include "os/io.h"
#include "os/program_options.h"
#include "os/sandbox.h"
#include "os/unfinished.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-align",
    .summary = "Finds from the events of a placed stream on standard input how the clocks of\n"
               "its files relate.",
    .usage = "[OPTION]... <STREAM\n"
             "  -r, --rules=RULES     use only these rules, separated by commas: flows, spans,\n"
             "                        collectives, recorded-twice, key:args.NAME,\n"
             "                        name:REGEX[,begin|,end] (default: all that need no\n"
             "                        parameter)\n"
             "  -f, --format=STYLE    text (default), json, or svg: a picture of the bounds\n"
             "  -o, --output=FILE     write FILE instead of standard output\n"
             "      --write-manifest=FILE\n"
             "                        write the result as a manifest to FILE\n"
             "      --absolute        relate files to trace time in that manifest, not to\n"
             "                        other files\n"
             "      --check           list effects that come before their causes; exit status\n"
             "                        4 if there are any\n"
             "  -T, --temporary-directory=DIR\n"
             "                        directory of temporary files (default $TMPDIR, else\n"
             "                        /tmp)\n"
             "  -h, --help            show this help\n"
             "      --version         show the version\n",
};

enum { OPTION_CHECK = 256, OPTION_ABSOLUTE, OPTION_WRITE_MANIFEST };

typedef enum tm_status writer(const struct tm_alignment *alignment, struct tm_buf *out);

struct arguments {
    const char *rules, *manifest, *output, *dir;
    writer *write;
    bool check, absolute;
};

static int take_option(void *context, int option, const char *value)
{
    static const struct {
        const char *name;
        writer *write;
    } formats[] = {{"text", tm_alignment_text}, {"json", tm_alignment_json}, {"svg", tm_alignment_svg}};
    struct arguments *a = context;
    switch (option) {
    case 'r': a->rules = value; return 0;
    case 'o': a->output = value; return 0;
    case 'T': a->dir = value; return 0;
    case OPTION_CHECK: a->check = true; return 0;
    case OPTION_ABSOLUTE: a->absolute = true; return 0;
    case OPTION_WRITE_MANIFEST: a->manifest = value; return 0;
    default: break;
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, value) == 0) {
            a->write = formats[i].write;
            return 0;
        }
    return tm_program_usage(&program, "--format: '%s' is none of text, json, svg", value);
}

/* Refuses options that do not fit together. Returns TM_OPTIONS_GO_ON or an exit status. */
static int check(const struct arguments *a)
{
    bool is_free = a->output && !tm_out_file_is_stdout(a->output);
    if (a->absolute && a->manifest == NULL)
        return tm_program_usage(&program, "--absolute is for --write-manifest");
    if (a->check && a->write == tm_alignment_svg)
        return tm_program_usage(&program, "--format: svg is a picture of the alignment, and --check makes none; give "
                                          "text or json");
    if (a->output && *a->output == '\0')
        return tm_program_usage(&program, "--output: '' is no file");
    if (a->output && a->manifest && is_free && tm_out_file_is_same(a->output, a->manifest))
        return tm_program_usage(&program, "%s is given as two outputs", a->output);
    if (a->manifest && (*a->manifest == '\0' || (!is_free && tm_out_file_is_stdout(a->manifest))))
        return tm_program_check_output(&program, "--write-manifest", a->manifest);
    return TM_OPTIONS_GO_ON;
}

static int parse(int argc, char **argv, struct arguments *a)
{
    static const struct option longs[] = {
        {"rules", required_argument, NULL, 'r'},
        {"format", required_argument, NULL, 'f'},
        {"output", required_argument, NULL, 'o'},
        {"write-manifest", required_argument, NULL, OPTION_WRITE_MANIFEST},
        {"absolute", no_argument, NULL, OPTION_ABSOLUTE},
        {"check", no_argument, NULL, OPTION_CHECK},
        {"temporary-directory", required_argument, NULL, 'T'},
        TM_PROGRAM_OPTIONS_END,
    };
    const struct tm_program_options options = {":r:f:o:T:", longs, take_option, a};
    int status = tm_program_options_only(&program, &options, argc, argv);
    return status == TM_OPTIONS_GO_ON ? check(a) : status;
}

/* Writes TEXT to PATH; NULL: to standard output. A file is written as RESULT, which the caller commits. */
static enum tm_status write_file(const char *path, const struct tm_buf *text, struct tm_out_file *result,
                                 struct tm_error *err)
{
    int64_t fd;
    if (path == NULL || tm_out_file_is_stdout(path)) {
        enum tm_status written = tm_io_write(STDOUT_FILENO, text->data, text->len, err);
        return written == TM_OK ? TM_OK : tm_error_prefix(err, "standard output");
    }
    if (strncmp(path, "/dev/fd/", 8) == 0 && tm_decimal_int(path + 8, strlen(path + 8), &fd) == TM_OK && fd <= INT_MAX)
        return tm_io_write((int)fd, text->data, text->len, err);
    enum tm_status st = tm_unfinished_open(result, path, NULL, err);
    if (st == TM_OK && (st = tm_io_write(result->fd, text->data, text->len, err)) < 0)
        tm_error_prefix(err, "%s", path);
    return st == TM_OK ? tm_out_file_close(result, err) : st;
}

static enum tm_status enter_sandbox(const struct arguments *a, struct tm_error *err)
{
    const char *paths[] = {a->manifest, a->output};
    char *folders[2];
    for (int i = 0; i < 2; i++)
        folders[i] = paths[i] ? tm_out_file_written_folder(paths[i]) : NULL;
    const struct tm_sandbox sandbox = {.folders = {tm_io_temporary_dir(a->dir), folders[0], folders[1]}};
    enum tm_status st = tm_sandbox_enter(&sandbox, err);
    for (int i = 0; i < 2; i++)
        free(folders[i]);
    return st;
}

/* Writes the result, and the manifest if one is asked for. TM_E_STRICT if --check finds effects before their causes. */
static enum tm_status write_all(const struct arguments *a, struct tm_alignment *alignment, struct tm_error *err)
{
    struct tm_buf out = {0}, manifest = {0};
    enum tm_status st = a->check ? tm_alignment_check(alignment, err) : TM_OK;
    uint64_t breaches = 0;
    for (uint32_t i = 0; i < alignment->breach_count; i++)
        breaches += alignment->breaches[i].count;
    writer *write = !a->check                       ? a->write
                    : a->write == tm_alignment_json ? tm_alignment_breaches_json
                                                    : tm_alignment_breaches_text;
    if (st == TM_OK && write(alignment, &out) < 0)
        st = tm_error_nomem(err);
    if (st == TM_OK && a->manifest)
        st = tm_alignment_manifest(alignment, &manifest, err);
    struct tm_out_file results[2] = {{.fd = -1}, {.fd = -1}};
    if (st == TM_OK)
        st = write_file(a->output, &out, &results[0], err);
    if (st == TM_OK && a->manifest)
        st = write_file(a->manifest, &manifest, &results[1], err);
    for (int i = 0; i < 2 && st == TM_OK; i++)
        if (results[i].path)
            st = tm_out_file_commit(&results[i], err);
    for (int i = 0; i < 2; i++)
        tm_unfinished_abandon(&results[i]);
    tm_buf_release(&out);
    tm_buf_release(&manifest);
    if (st == TM_OK && breaches > 0)
        st = tm_error_set(err, TM_E_STRICT, "effects come before their causes");
    return st;
}

int main(int argc, char **argv)
{
    int status = tm_program_begin(&program);
    if (status != 0)
        return status;
    tm_compat_prepare_heap();
    struct arguments a = {.write = tm_alignment_text};
    struct tm_alignment alignment = {0};
    struct tm_error err = {0};
    status = parse(argc, argv, &a);
    if (status != TM_OPTIONS_GO_ON)
        return status;
    alignment.absolute = a.absolute;
    enum tm_status st = enter_sandbox(&a, &err);
    if (st == TM_OK)
        st = tm_alignment_find(&alignment, STDIN_FILENO, a.rules, a.dir, &err);
    if (st == TM_OK)
        st = write_all(&a, &alignment, &err);
    tm_alignment_release(&alignment);
    return tm_program_finish(&program, st, &err);
}

/* Reads a stream from tm-manifest and writes it with all times converted to one timeline, its
 * machines as rows of a table, and an account of what could not be placed. */
#include "os/compat.h"
#include "os/io.h"
#include "os/program_options.h"
#include "os/sandbox.h"
#include "clocks/timeline.h"
#include "os/unfinished.h"

#include <stdlib.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-clocks",
    .summary = "Puts the events of a stream on standard input on one timeline.",
    .usage = "[OPTION]... <STREAM >STREAM\n"
             "      --hints       if nothing else relates a file to the others, use what it\n"
             "                    mentions of other clocks outside its snapshots (see\n"
             "                    tm-unpack --hints)\n"
             "      --write-manifest=FILE\n"
             "                    write the hints that were used as a manifest to FILE\n"
             "      --part=FILE   write them to this FILE; the caller renames it\n"
             "      --interpolate  convert times between two snapshots along the line that\n"
             "                    joins them, not by the offset of the earlier snapshot\n"
             "      --keep-dropped  also write the events that could not be placed (tm-emit -f\n"
             "                    dropped)\n"
             "      --graph       write the clock graph for Graphviz instead of a stream\n"
             "      --check-relations  fail if a relation of the manifest has no effect\n"
             "      --strict      exit status 4 if any event could not be placed\n"
             "  -T, --temporary-directory=DIR\n"
             "                    directory of temporary files (default $TMPDIR, else /tmp)\n"
             "  -h, --help        show this help\n"
             "      --version     show the version\n",
};

enum {
    OPTION_GRAPH = 256, OPTION_HINTS, OPTION_INTERPOLATE, OPTION_STRICT, OPTION_CHECK_RELATIONS,
    OPTION_WRITE_MANIFEST, OPTION_KEEP_DROPPED, OPTION_PART
};

struct arguments {
    struct tm_timeline_options timeline;
    const char *manifest; /* NULL: none is written */
    const char *part;     /* written in its place; NULL: none */
};

static int take_option(void *context, int option, const char *value)
{
    struct arguments *a = context;
    struct tm_timeline_options *options = &a->timeline;
    switch (option) {
    case OPTION_GRAPH: options->graph = true; break;
    case OPTION_HINTS: options->hints = true; break;
    case OPTION_INTERPOLATE: options->interpolate = true; break;
    case OPTION_KEEP_DROPPED: options->keep_dropped = true; break;
    case OPTION_CHECK_RELATIONS: options->check_relations = true; break;
    case OPTION_STRICT: options->strict = true; break;
    case OPTION_WRITE_MANIFEST: a->manifest = value; break;
    case OPTION_PART: a->part = value; break;
    default: options->temporary_dir = value;
    }
    return 0;
}

static int parse(int argc, char **argv, struct arguments *a)
{
    static const struct option longs[] = {
        {"graph", no_argument, NULL, OPTION_GRAPH},
        {"hints", no_argument, NULL, OPTION_HINTS},
        {"interpolate", no_argument, NULL, OPTION_INTERPOLATE},
        {"keep-dropped", no_argument, NULL, OPTION_KEEP_DROPPED},
        {"check-relations", no_argument, NULL, OPTION_CHECK_RELATIONS},
        {"strict", no_argument, NULL, OPTION_STRICT},
        {"write-manifest", required_argument, NULL, OPTION_WRITE_MANIFEST},
        {"part", required_argument, NULL, OPTION_PART},
        {"temporary-directory", required_argument, NULL, 'T'},
        TM_PROGRAM_OPTIONS_END,
    };
    const struct tm_program_options options = {":T:", longs, take_option, a};
    int status = tm_program_options_only(&program, &options, argc, argv);
    if (status == TM_OPTIONS_GO_ON && a->timeline.graph && a->timeline.keep_dropped)
        return tm_program_usage(&program, "--keep-dropped adds to a stream, and --graph writes none");
    if (status == TM_OPTIONS_GO_ON && a->part && a->manifest == NULL)
        return tm_program_usage(&program, "--part needs the name that the file gets, by --write-manifest");
    if (status != TM_OPTIONS_GO_ON || a->manifest == NULL)
        return status;
    if (!a->timeline.hints)
        return tm_program_usage(&program, "--write-manifest writes what --hints finds");
    status = tm_program_check_output(&program, "--write-manifest", a->manifest);
    return status ? status : TM_OPTIONS_GO_ON;
}

static void warn(const char *text)
{
    tm_program_warning(&program, "%s", text);
}

int main(int argc, char **argv)
{
    int status = tm_program_begin(&program);
    if (status != 0)
        return status;
    tm_compat_prepare_heap();
    struct arguments a = {.timeline = {.warn = warn}};
    struct tm_buf manifest = {0};
    struct tm_error err = {0};
    status = parse(argc, argv, &a);
    if (status != TM_OPTIONS_GO_ON)
        return status;
    enum tm_status st = TM_OK;
    if (!a.timeline.graph &&
        tm_program_refuses_terminal(STDOUT_FILENO, "pipe it into tm-sort, or see it with tm-emit -f frames", &err))
        st = err.status;
    a.timeline.hint_manifest = a.manifest ? &manifest : NULL;
    if (st == TM_OK) {
        const char *target = a.part ? a.part : a.manifest;
        char *folder = target ? tm_out_file_written_folder(target) : NULL;
        struct tm_sandbox sandbox = {.folders = {tm_io_temporary_dir(a.timeline.temporary_dir), folder}};
        st = tm_sandbox_enter(&sandbox, &err);
        free(folder);
    }
    if (st == TM_OK)
        st = tm_timeline_run(STDIN_FILENO, STDOUT_FILENO, &a.timeline, &err);
    if (st == TM_OK && a.manifest)
        st = tm_unfinished_put(a.manifest, a.part, manifest.data, manifest.len, &err);
    tm_buf_release(&manifest);
    return tm_program_finish(&program, st, &err);
}

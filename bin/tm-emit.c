/* Reads a stream and writes outputs: text, JSON lines, CSV, a report and others. */
#include "os/compat.h"
#include "os/io.h"
#include "os/memory_limit.h"
#include "os/program_options.h"
#include "os/sandbox.h"
#include "emit/output_list.h"
#include "emit/run.h"
#include "os/unfinished.h"

#include <stdio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-emit",
    .summary = "Reads a stream on standard input and writes it as text or in another format.",
    .usage = "[-o OUT [-f FORMAT]]... [OPTION]...\n"
             "  -f, --format FORMAT  text (default), jsonl, csv, frames, report, ...;\n"
             "                       --formats lists them; without -f, the ending of OUT\n"
             "                       chooses\n"
             "  -o, --output OUT     write OUT, which appears once it is complete; - is\n"
             "                       standard output. Repeat -o for several outputs; each -f\n"
             "                       applies to the -o before it\n"
             "      --part FILE      write FILE; the caller renames it to OUT\n"
             "  -T, --temporary-directory DIR  directory of temporary files (default $TMPDIR,\n"
             "                       else /tmp)\n"
             "      --max-memory SIZE  limit of memory for threads, tracks, open slices and\n"
             "                       the like (default 1G)\n"
             "  -j, --jobs N         json: format with N threads (default: 2 if there are 4\n"
             "                       processors, else 1)\n"
             "      --events         text, jsonl, csv: one row for each event, not for each\n"
             "                       slice\n"
             "      --arg ARG,...    csv, jsonl: each of these args gets its own column or\n"
             "                       member\n"
             "      --absolute       text: absolute times, not times since the first event\n"
             "      --json           report, explain, summary, dropped: as JSON\n"
             "      --hex            frames: also show raw payloads\n"
             "      --append         pftrace: the stream is a part by time; readers get it\n"
             "                       after the earlier parts (tm-sort --cut)\n"
             "      --source FILE    a file in which tm-unpack left the text of JSON events;\n"
             "                       can be repeated\n"
             "      --text FILE      the FILE of tm-unpack --text; its space is freed while it\n"
             "                       is read\n"
             "      --alignment FILE  report: include the result of tm-align in FILE: text, or\n"
             "                       JSON with --json\n"
             "      --rebase         json: times count from the first event\n"
             "      --index          sqlite: make indices by track, cpu or thread, and time\n"
             "      --join=LINKS     flows: flows of different files with equal ids are one\n"
             "                       flow, and spans have arrows to their children in other\n"
             "                       files (trace_id, span_id, parent_span_id)\n"
             "      --only KEY=VALUE,...  only these events: machine, file, process, thread,\n"
             "                       cat, name (or shell patterns of them), pid, tid, kind,\n"
             "                       dur>=1ms (or <=, <, >, =), from, to (1.5s, +200ms after\n"
             "                       the first event, nanoseconds)\n"
             "      --strict         exit status 4 and no OUT if events were dropped, bytes\n"
             "                       skipped, or data lost\n"
             "      --no-guess       exit status 4 and no OUT if a file is placed by\n"
             "                       assumption\n"
             "      --max-dropped N  exit status 4 and no OUT if more than N events, or N% of\n"
             "                       all, were dropped\n"
             "      --no-sync        do not wait until OUT is on disk\n"
             "  -q, --quiet          no messages about assumptions and losses\n"
             "      --formats        list the formats and the endings of OUT that choose them\n"
             "  -h, --help           show this help\n"
             "      --version        show the version\n",
};

_Static_assert((int)TM_OUTPUTS_MAX <= (int)TM_UNFINISHED_MAX, "a signal removes all outputs");

struct arguments {
    const char *alignment;
    struct tm_output_list outputs;
    struct tm_emit_options options;
    struct tm_accounting_limit limit;
    struct tm_select_spec only;
    struct tm_source_path *sources; /* at most as many as there are arguments */
    size_t source_count;
    unsigned long long memory_max;
    bool quiet, no_sync, events;
    bool list; /* list the formats */
};

/* The outputs while they are written. */
struct files {
    struct tm_out_file rows[TM_OUTPUTS_MAX];
    char *folders[TM_OUTPUTS_MAX]; /* the folders of their temporary files, or NULL; owned */
    char *outer[TM_OUTPUTS_MAX]; /* the folders from which folders that this program made are removed, or NULL; owned */
};

static void list_formats(void)
{
    for (size_t i = 0; tm_emits[i]; i++) {
        printf("%s", tm_emits[i]->name);
        for (const char *const *s = tm_emits[i]->suffixes; *s; s++)
            printf("%s%s", s == tm_emits[i]->suffixes ? "\t" : " ", *s);
        printf("\n");
    }
}

static int take_option(void *context, int option, const char *value)
{
    struct arguments *a = context;
    struct tm_error err = {0};
    switch (option) {
    case 'f': tm_output_list_format(&a->outputs, value); return 0;
    case 'o':
        if (tm_output_list_add(&a->outputs, value, &err) == TM_OK)
            return 0;
        return tm_program_usage(&program, "%s", err.text);
    case 'p': tm_output_list_part(&a->outputs, value); return 0;
    case 'A': a->alignment = value; return 0;
    case 'T': a->options.temporary_dir = value; return 0;
    case 'm': return tm_program_limit(&program, "--max-memory", value, &a->memory_max);
    case 'a': a->options.absolute = true; return 0;
    case 'e': a->events = true; return 0;
    case 'r':
        if (tm_arg_names_add(&a->options.args, value, &err) == TM_OK)
            return 0;
        return tm_program_usage(&program, "%s", err.text);
    case 'j': return tm_program_jobs(&program, value, &a->options.jobs);
    case 'n': a->options.json = true; return 0;
    case 'x': a->options.hex = true; return 0;
    case 'y': a->no_sync = true; return 0;
    case 'S': a->sources[a->source_count++].path = value; return tm_program_check_input(&program, "--source", value);
    case 't':
        a->sources[a->source_count++] = (struct tm_source_path){value, true};
        return tm_program_check_input(&program, "--text", value);
    case 'b': a->options.rebase = true; return 0;
    case 'i': a->options.index = true; return 0;
    case 'P': a->options.append = true; return 0;
    case 'J':
        if (strcmp(value, "flows") != 0)
            return tm_program_usage(&program, "--join: '%s' is not flows", value);
        a->options.join_flows = true;
        return 0;
    case 's': a->limit.strict = true; return 0;
    case 'g': a->limit.no_guess = true; return 0;
    case 'q': a->quiet = true; return 0;
    case 'O':
        if (tm_select_spec_add(&a->only, value, &err) == TM_OK)
            return 0;
        return tm_program_usage(&program, "%s", err.text);
    case 'd':
        if (tm_accounting_limit_parse(&a->limit, value) == TM_OK)
            return 0;
        return tm_program_usage(&program, "--max-dropped: '%s' is neither a number nor a percentage", value);
    default: a->list = true; return 0;
    }
}

static int parse(int argc, char **argv, struct arguments *a)
{
    static const struct option longs[] = {
        {"format", required_argument, NULL, 'f'},
        {"output", required_argument, NULL, 'o'},
        {"part", required_argument, NULL, 'p'},
        {"no-sync", no_argument, NULL, 'y'},
        {"alignment", required_argument, NULL, 'A'},
        {"temporary-directory", required_argument, NULL, 'T'},
        {"max-memory", required_argument, NULL, 'm'},
        {"jobs", required_argument, NULL, 'j'},
        {"events", no_argument, NULL, 'e'},
        {"arg", required_argument, NULL, 'r'},
        {"absolute", no_argument, NULL, 'a'},
        {"json", no_argument, NULL, 'n'},
        {"hex", no_argument, NULL, 'x'},
        {"join", required_argument, NULL, 'J'},
        {"strict", no_argument, NULL, 's'},
        {"no-guess", no_argument, NULL, 'g'},
        {"source", required_argument, NULL, 'S'},
        {"text", required_argument, NULL, 't'},
        {"rebase", no_argument, NULL, 'b'},
        {"index", no_argument, NULL, 'i'},
        {"append", no_argument, NULL, 'P'},
        {"max-dropped", required_argument, NULL, 'd'},
        {"only", required_argument, NULL, 'O'},
        {"quiet", no_argument, NULL, 'q'},
        {"formats", no_argument, NULL, 'l'},
        TM_PROGRAM_OPTIONS_END,
    };
    const struct tm_program_options options = {":f:o:j:T:q", longs, take_option, a};
    return tm_program_options_only(&program, &options, argc, argv);
}

/* Enters the sandbox. For a database, SQLite sorts in temporary files, in the folder of -T or in one that it chooses
 * itself. */
static enum tm_status enter_sandbox(const struct arguments *a, const struct files *files, struct tm_error *err)
{
    if (a->options.temporary_dir && setenv("SQLITE_TMPDIR", a->options.temporary_dir, 1) != 0)
        return tm_error_errno(err, errno, "-T %s", a->options.temporary_dir);
    const char *const places[] = {getenv("SQLITE_TMPDIR"), getenv("TMPDIR"), "/var/tmp", "/usr/tmp", "/tmp"};
    struct tm_sandbox sandbox = {.folders = {tm_io_temporary_dir(a->options.temporary_dir)}};
    bool needs_path = false;
    for (size_t i = 0; i < a->outputs.count; i++) {
        needs_path = needs_path || a->outputs.rows[i].emit->needs_path;
        sandbox.folders[i + 1] = files->folders[i];
        sandbox.outer[i] = files->outer[i];
    }
    sandbox.libraries = needs_path;
    if (needs_path)
        memcpy(sandbox.folders + a->outputs.count + 1, places, sizeof places);
    return tm_sandbox_enter(&sandbox, err);
}

/* Opens the files of all outputs. */
static enum tm_status open_files(struct files *files, const struct arguments *a, struct tm_emit_target *targets,
                                 struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < a->outputs.count && st == TM_OK; i++) {
        const struct tm_output_choice *output = &a->outputs.rows[i];
        struct tm_out_file *file = &files->rows[i];
        targets[i] = (struct tm_emit_target){.emit = output->emit, .out_fd = STDOUT_FILENO, .out_path = output->out};
        if (output->out == NULL)
            continue;
        file->no_sync = a->no_sync;
        file->members = output->emit->members;
        st = tm_unfinished_open(file, output->out, output->part, err);
        files->folders[i] = file->temp ? tm_out_file_folder(file->temp) : NULL;
        files->outer[i] = tm_out_file_outer(file);
        targets[i].out_fd = output->emit->needs_path ? -1 : file->fd;
        targets[i].path = output->emit->needs_path && st == TM_OK ? tm_out_file_target(file) : NULL;
    }
    return st;
}

/* Opens the outputs and writes them. They get their names once all are complete. */
static enum tm_status emit(struct tm_emit_run *run, const struct arguments *a, struct tm_error *err)
{
    struct files files = {.folders = {NULL}};
    struct tm_emit_target targets[TM_OUTPUTS_MAX];
    const struct tm_output_choice *to_stdout = tm_output_list_stdout(&a->outputs);
    if (to_stdout && to_stdout->emit->is_binary &&
        tm_program_refuses_terminal(STDOUT_FILENO, "give a file with -o", err))
        return TM_E_USAGE;
    for (size_t i = 0; i < TM_OUTPUTS_MAX; i++)
        files.rows[i].fd = -1;
    enum tm_status st = open_files(&files, a, targets, err);
    run->targets = targets;
    run->target_count = a->outputs.count;
    if (st == TM_OK)
        st = enter_sandbox(a, &files, err);
    if (st == TM_OK)
        st = tm_emit_run(run, err);
    for (size_t i = 0; i < a->outputs.count && st == TM_OK; i++)
        st = a->outputs.rows[i].out ? tm_out_file_close(&files.rows[i], err) : TM_OK;
    for (size_t i = 0; i < a->outputs.count && st == TM_OK; i++)
        st = a->outputs.rows[i].out ? tm_out_file_commit(&files.rows[i], err) : TM_OK;
    for (size_t i = 0; i < a->outputs.count; i++) {
        if (a->outputs.rows[i].out)
            tm_unfinished_abandon(&files.rows[i]);
        free(files.folders[i]);
        free(files.outer[i]);
    }
    return st;
}

static void warn(const char *text)
{
    tm_program_warning(&program, "%s", text);
}

/* Reads the result of tm-align, BYTES_MAX at most, into TEXT. */
static enum tm_status read_alignment(const char *path, unsigned long long bytes_max, struct tm_buf *text,
                                     struct tm_error *err)
{
    enum { PIECE = 1 << 16 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    enum tm_status st = fd < 0 ? tm_error_open(err, errno, "%s: cannot open", path) : TM_OK;
    while (st == TM_OK) {
        size_t got = 0;
        if (text->len > bytes_max)
            st = tm_error_set(err, TM_E_INPUT, "more than the %llu bytes of --max-memory", bytes_max);
        else
            st = tm_buf_reserve(text, PIECE) == TM_OK ? tm_io_read(fd, text->data + text->len, PIECE, &got, err)
                                                      : tm_error_nomem(err);
        text->len += got;
    }
    if (fd >= 0)
        (void)close(fd);
    if (st < 0 && fd >= 0)
        tm_error_prefix(err, "%s", path);
    return st == TM_END ? TM_OK : st;
}

/* Finds the outputs, and refuses options that have no effect on any of them. TM_OK or TM_E_USAGE. */
static enum tm_status choose_outputs(struct arguments *a, struct tm_error *err)
{
    struct tm_output_list *outputs = &a->outputs;
    const struct tm_emit_options *options = &a->options;
    enum tm_status st = tm_output_list_choose(outputs, "--formats", err);
    if (st == TM_OK)
        st = tm_output_list_rows(outputs, a->events, options->args.count > 0, err);
    if (st == TM_OK && options->json)
        st = tm_output_list_json(outputs, err);
    if (st == TM_OK && options->join_flows)
        st = tm_output_list_join(outputs, err);
    if (st == TM_OK)
        st = tm_output_list_option(outputs, options->absolute, "--absolute", "text", err);
    if (st == TM_OK)
        st = tm_output_list_option(outputs, options->hex, "--hex", "frames", err);
    if (st == TM_OK)
        st = tm_output_list_option(outputs, a->alignment != NULL, "--alignment", "report", err);
    if (st == TM_OK)
        st = tm_output_list_option(outputs, options->rebase, "--rebase", "json", err);
    if (st == TM_OK)
        st = tm_output_list_option(outputs, options->index, "--index", "sqlite", err);
    for (size_t i = 0; st == TM_OK && options->append && i < outputs->count; i++)
        if (strcmp(outputs->rows[i].emit->name, "pftrace") != 0)
            st = tm_error_set(err, TM_E_USAGE, "--append is for pftrace");
    return st;
}

/* Returns the exit status. */
static int run(struct arguments *a)
{
    struct tm_error err = {0};
    if (a->list) {
        list_formats();
        return tm_program_finish(&program, TM_OK, &err);
    }
    if (choose_outputs(a, &err) < 0)
        return tm_program_usage(&program, "%s", err.text);
    if (isatty(STDIN_FILENO))
        return tm_program_usage(&program, "standard input is a terminal; pipe a stream into it");
    struct tm_emit_run run = {.in_fd = STDIN_FILENO,
                              .options = a->options,
                              .limit = a->limit,
                              .only = &a->only,
                              .warn = a->quiet ? NULL : warn};
    struct tm_buf alignment = {0};
    struct tm_memory_limit memory;
    tm_memory_limit_open(&memory, a->memory_max);
    run.memory = &memory;
    enum tm_status st = a->alignment ? read_alignment(a->alignment, a->memory_max, &alignment, &err) : TM_OK;
    run.options.alignment = (struct tm_text){alignment.data, alignment.len};
    if (st == TM_OK && a->source_count)
        st = tm_sources_open(a->sources, a->source_count, &run.sources, &err);
    if (st == TM_OK)
        st = emit(&run, a, &err);
    tm_sources_free(run.sources);
    tm_buf_release(&alignment);
    tm_memory_limit_close(&memory);
    return tm_program_finish(&program, st, &err);
}

int main(int argc, char **argv)
{
    int status = tm_program_begin(&program);
    if (status != 0)
        return status;
    tm_compat_prepare_heap();
    struct tm_error err = {0};
    struct arguments a = {.sources = calloc((size_t)argc + 1, sizeof *a.sources), .memory_max = TM_MEMORY_BYTES_MAX};
    status = a.sources ? parse(argc, argv, &a) : tm_program_finish(&program, tm_error_nomem(&err), &err);
    if (status == TM_OPTIONS_GO_ON)
        status = run(&a);
    free(a.sources);
    tm_select_spec_release(&a.only);
    tm_arg_names_release(&a.options.args);
    return status;
}

/* Reads trace files and archives and writes their events on one timeline, as text or in the format that the name of OUT
 * asks for. Runs tm-unpack, tm-manifest, tm-clocks, tm-sort and tm-emit. */
#include "align/alignment.h"
#include "container/damage.h"
#include "os/io.h"
#include "os/large_pages.h"
#include "os/program_options.h"
#include "os/sandbox.h"
#include "os/out_file.h"
#include "merge/alignment_run.h"
#include "merge/progress_line.h"
#include "merge/stage_commands.h"
#include "merge/stage_messages.h"
#include "manifest/draft_options.h"
#include "unpack/same_files.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-merge",
    .summary = "Merges trace files onto one timeline, as the perfetto_manifest among them says.",
    .usage = "[-o OUT [-f FORMAT]]... [OPTION]... [FILE]...\n"
             "Without FILE, or if FILE is -, reads standard input. Several files or a\n"
             "directory are merged like one archive.\n"
             "\n"
             "  -o, --output OUT      write OUT, which appears once it is complete (default:\n"
             "                        standard output). Repeat -o for several outputs; each -f\n"
             "                        applies to the -o before it\n"
             "  -f, --format FORMAT   text, jsonl, csv, report, ... (default: by the ending of\n"
             "                        OUT, else text); tm-emit --formats lists them\n"
             "  -m, --manifest FILE   take the manifest from FILE, if the input has none\n"
             "      --replace         with -m: also if the input has one, which is left out\n"
             "      --machine NAME=FILE\n"
             "      --sync FILE[:CLOCK]=FILE[:CLOCK][+OFFSET]\n"
             "      --trace-time CLOCK[@FILE]\n"
             "                        make a manifest for the FILEs as tm-pack does\n"
             "      --machine-from RULE  name machines by dir, file, rank, host,\n"
             "                        s/PATTERN/TEXT/ of the path, or none (default: by the\n"
             "                        ranks that PyTorch profiles state)\n"
             "  -S, --buffer-size SIZE  memory for sorting (default a sixteenth of the memory,\n"
             "                        256M to 4G)\n"
             "  -j, --jobs N          unpack files, and write json, with N threads (default:\n"
             "                        processors)\n"
             "  -T, --temporary-directory DIR  directory of temporary files (default $TMPDIR,\n"
             "                        else /tmp)\n"
             "  -n, --dry-run         write no output; print the report of what would be\n"
             "                        written\n"
             "      --only KEY=VALUE,...  only these events: machine, file, process, thread,\n"
             "                        cat, name (or shell patterns of them), pid, tid, kind,\n"
             "                        dur>=1ms (or <=, <, >, =), from, to (1.5s, +200ms after\n"
             "                        the first event, nanoseconds)\n"
             "      --explain         write no output; explain for each file why it is placed\n"
             "                        where it is, what would change that, and what the\n"
             "                        manifest would need for events that are dropped\n"
             "      --strict          exit status 4 and no OUT if events were dropped, bytes\n"
             "                        skipped, or data lost\n"
             "      --no-guess        exit status 4 and no OUT if a file is placed by\n"
             "                        assumption\n"
             "      --max-dropped N   exit status 4 and no OUT if more than N events, or N% of\n"
             "                        all, were dropped\n"
             "      --on-damage WHAT  in a damaged file: halt (default), skip the rest, or\n"
             "                        salvage what can be read\n"
             "      --ignore-unknown  skip files of unknown type and count them\n"
             "      --max-expansion SIZE  limit on decompressed input (default 1000 times the\n"
             "                        input, and 64G)\n"
             "      --max-memory SIZE  tm-emit's memory for threads, tracks, open slices and\n"
             "                        the like (default 1G)\n"
             "      --hints           use clock hints that files mention outside their\n"
             "                        snapshots\n"
             "      --write-manifest FILE  write the manifest that was used to FILE, to repeat\n"
             "                        the merge\n"
             "      --interpolate     convert times between two snapshots along the line that\n"
             "                        joins them\n"
             "      --join=LINKS      flows: flows of different files with equal ids are one\n"
             "                        flow, and spans have arrows to their children in other\n"
             "                        files (trace_id, span_id, parent_span_id)\n"
             "      --align, --align=RULES  first find from the events how the clocks of the\n"
             "                        files relate, as tm-align does, and merge by that; the\n"
             "                        report includes it\n"
             "      --check-causality  write no output; list effects that would come before\n"
             "                        their causes in other files; exit status 4 if there are\n"
             "                        any\n"
             "      --no-detail       leave out arguments, flows and other detail of events\n"
             "      --events          text, jsonl, csv: one row for each event, not for each\n"
             "                        slice\n"
             "      --arg ARG,...     csv, jsonl: each of these args gets its own column or\n"
             "                        member\n"
             "      --absolute        text: absolute times, not times since the first event\n"
             "      --rebase          json: times count from the first event\n"
             "      --index           sqlite: make indices by track, cpu or thread, and time\n"
             "      --json            report, explain, summary, dropped: as JSON\n"
             "      --no-sync         do not wait until OUT is on disk\n"
             "      --progress        show the progress on standard error, even if it is not a\n"
             "                        terminal\n"
             "  -q, --quiet           no progress, and no messages about assumptions and\n"
             "                        losses\n"
             "  -h, --help            show this help\n"
             "      --version         show the version\n",
};

struct arguments {
    struct tm_merge_request request; /* complete except for facts of the run */
    const char *write_manifest;
    const char *shown; /* the format to print instead of writing outputs; NULL: none */
    bool may_run;      /* the arguments are valid */
    bool progress, no_sync;
    bool aligns, checks_causality;
    const char *rules; /* of --align */
    struct tm_draft_options draft_options;
};

enum { TICK_MS = 40 }; /* for writing to the disk; TM_PROGRESS_TICK_MS is a multiple */

struct merge {
    struct arguments a;
    struct tm_out_file outs[TM_OUTPUTS_MAX];
    struct tm_out_file manifest_out; /* for the hints */
    struct tm_alignment_run alignment;
    int text_fd; /* file for text that stays out of the stream; -1: none */
    char text_path[32];
    struct tm_merge_commands commands;
    struct tm_stage stages[TM_MERGE_STAGES];
    struct tm_pipeline pipeline;
    struct tm_progress_shared shared;
    struct tm_progress_line line;
    unsigned ticks; /* of the pipeline */
};

/* For the signal handler: the signal that asks us to end. */
static volatile sig_atomic_t signal_seen;

static void on_signal(int signum)
{
    signal_seen = signum;
}

static const int handled[] = {SIGINT, SIGTERM, SIGHUP};
enum { HANDLED = sizeof handled / sizeof *handled };

/* Blocks these signals. They are noticed only while the pipeline waits, so there is time to clean up. *BEFORE is the
 * mask before. */
static void watch_signals(sigset_t *before)
{
    sigset_t blocked;
    struct sigaction old, action = {.sa_handler = on_signal};
    (void)sigemptyset(&blocked);
    for (size_t i = 0; i < HANDLED; i++) {
        (void)sigaddset(&blocked, handled[i]);
        if (sigaction(handled[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(handled[i], &action, NULL);
    }
    (void)sigprocmask(SIG_BLOCK, &blocked, before);
}

/* Ends the program as if SIGNUM had no handler. */
static void die_of(int signum)
{
    sigset_t only;
    (void)sigemptyset(&only);
    (void)sigaddset(&only, signum);
    (void)signal(signum, SIG_DFL);
    (void)raise(signum);
    (void)sigprocmask(SIG_UNBLOCK, &only, NULL);
}

/* Has FORMAT printed instead of what the outputs are. */
static int show(struct arguments *a, const char *format)
{
    if (a->shown && strcmp(a->shown, format) != 0)
        return tm_program_usage(&program, "--dry-run and --explain print different texts; give one of them");
    a->shown = format;
    return 0;
}

/* Where the value of OPTION goes, or NULL if more than that is done with it. */
static const char **value_of(struct arguments *a, int option)
{
    struct tm_merge_request *r = &a->request;
    switch (option) {
    case 'm': return &r->manifest;
    case 'S': return &r->buffer_size;
    case 'j': return &r->jobs;
    case 'T': return &r->temporary_directory;
    case 'd': return &r->max_dropped;
    case 'D': return &r->on_damage;
    case 'x': return &r->max_expansion;
    case 'M': return &r->max_memory;
    case 'J': return &r->join;
    case 'W': return &a->write_manifest;
    case 'A': return &a->rules;
    default: return NULL;
    }
}

/* The flag that OPTION sets, or NULL. */
static bool *flag_of(struct arguments *a, int option)
{
    struct tm_merge_request *r = &a->request;
    switch (option) {
    case 's': return &r->strict;
    case 'g': return &r->no_guess;
    case 'u': return &r->ignore_unknown;
    case 'H': return &r->hints;
    case 'R': return &r->replaces_manifest;
    case 'i': return &r->interpolate;
    case 'N': return &r->no_detail;
    case 'a': return &r->absolute;
    case 'E': return &r->events;
    case 'b': return &r->rebase;
    case 'I': return &r->index;
    case 'k': return &r->json;
    case 'q': return &r->quiet;
    case 'A': return &a->aligns;
    case 'c': return &a->checks_causality;
    case 'y': return &a->no_sync;
    case 'P': return &a->progress;
    default: return NULL;
    }
}

/* Adds VALUE to what OPTION collects: outputs, choices, or what a manifest is made from. */
static enum tm_status collect(struct arguments *a, int option, const char *value, struct tm_error *err)
{
    struct tm_merge_request *r = &a->request;
    switch (option) {
    case 'o': return tm_output_list_add(&r->outputs, value, err);
    case 'O': return tm_select_spec_add(&r->only, value, err);
    case 'r': return tm_arg_names_add(&r->args, value, err);
    default: return tm_draft_options_add(&a->draft_options, (enum tm_draft_option_id)option, value, err);
    }
}

static int take_option(void *context, int option, const char *value)
{
    struct arguments *a = context;
    struct tm_error err = {0};
    const char **kept = value_of(a, option);
    bool *flag = flag_of(a, option);
    if (option == 'J' && strcmp(value, "flows") != 0)
        return tm_program_usage(&program, "--join: '%s' is not flows", value);
    if (kept)
        *kept = value;
    if (flag)
        *flag = true;
    if (kept || flag)
        return 0;
    switch (option) {
    case 'n': return show(a, "report");
    case 'e': return show(a, "explain");
    case 'f': tm_output_list_format(&a->request.outputs, value); return 0;
    default: break;
    }
    if (collect(a, option, value, &err) == TM_OK)
        return 0;
    return err.status == TM_E_USAGE ? tm_program_usage(&program, "%s", err.text) : tm_program_fail(&program, &err);
}

/* Returns TM_OPTIONS_GO_ON or an exit status. */
static int parse(int argc, char **argv, struct arguments *a)
{
    static const struct option longs[] = {
        {"output", required_argument, NULL, 'o'},
        {"format", required_argument, NULL, 'f'},
        {"manifest", required_argument, NULL, 'm'},
        {"buffer-size", required_argument, NULL, 'S'},
        {"jobs", required_argument, NULL, 'j'},
        {"temporary-directory", required_argument, NULL, 'T'},
        {"dry-run", no_argument, NULL, 'n'},
        {"explain", no_argument, NULL, 'e'},
        {"strict", no_argument, NULL, 's'},
        {"no-guess", no_argument, NULL, 'g'},
        {"max-dropped", required_argument, NULL, 'd'},
        {"only", required_argument, NULL, 'O'},
        {"on-damage", required_argument, NULL, 'D'},
        {"ignore-unknown", no_argument, NULL, 'u'},
        {"max-expansion", required_argument, NULL, 'x'},
        {"max-memory", required_argument, NULL, 'M'},
        {"hints", no_argument, NULL, 'H'},
        {"replace", no_argument, NULL, 'R'},
        {"interpolate", no_argument, NULL, 'i'},
        {"join", required_argument, NULL, 'J'},
        {"write-manifest", required_argument, NULL, 'W'},
        {"align", optional_argument, NULL, 'A'},
        {"check-causality", no_argument, NULL, 'c'},
        {"no-detail", no_argument, NULL, 'N'},
        {"rebase", no_argument, NULL, 'b'},
        {"index", no_argument, NULL, 'I'},
        {"absolute", no_argument, NULL, 'a'},
        {"events", no_argument, NULL, 'E'},
        {"arg", required_argument, NULL, 'r'},
        {"json", no_argument, NULL, 'k'},
        {"no-sync", no_argument, NULL, 'y'},
        {"progress", no_argument, NULL, 'P'},
        {"quiet", no_argument, NULL, 'q'},
        TM_DRAFT_OPTIONS,
        TM_PROGRAM_OPTIONS_END,
    };
    const struct tm_program_options options = {":o:f:m:S:j:T:nq", longs, take_option, a};
    int status = tm_program_options(&program, &options, argc, argv);
    a->request.files = argv + optind;
    a->request.file_count = (size_t)(argc - optind);
    return status;
}

static void warn(const char *text)
{
    tm_program_warning(&program, "%s", text);
}

/* True if all input can be read a second time. */
static bool is_by_name(const struct tm_merge_request *r)
{
    struct stat info;
    for (size_t i = 0; i < r->file_count; i++)
        if (strcmp(r->files[i], "-") == 0 ||
            (stat(r->files[i], &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
            return false;
    return r->file_count > 0;
}

/* Sets OUTS to the outputs that are files, and to MANIFEST unless it is NULL, ended by NULL. */
static void list_outs(const struct tm_output_list *outputs, const char *manifest, const char *outs[TM_OUTPUTS_MAX + 2])
{
    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->rows[i].out)
            *outs++ = outputs->rows[i].out;
    *outs++ = manifest;
    *outs = NULL;
}

/* Checks that no output replaces an input or another output. A manifest may be written to where it was read. */
static enum tm_status check_files(const struct arguments *a, struct tm_error *err)
{
    const struct tm_merge_request *r = &a->request;
    const char *outs[TM_OUTPUTS_MAX + 2];
    char *manifest[] = {(char *)(uintptr_t)r->manifest};
    list_outs(&r->outputs, a->write_manifest, outs);
    enum tm_status st = tm_same_files_check(r->files, r->file_count, outs, r->quiet ? NULL : warn, err);
    if (st == TM_OK && a->write_manifest)
        st = tm_output_list_check_other(&r->outputs, a->write_manifest, err);
    list_outs(&r->outputs, NULL, outs);
    return st == TM_OK && r->manifest ? tm_same_files_check(manifest, 1, outs, NULL, err) : st;
}

/* Refuses values that a stage would refuse. Returns 0 or an exit status. */
static int check_values(const struct arguments *a)
{
    const struct tm_merge_request *r = &a->request;
    unsigned long long size;
    unsigned jobs;
    struct tm_accounting_limit limit;
    enum tm_on_damage on_damage;
    struct tm_error err = {0};
    int status = r->jobs ? tm_program_jobs(&program, r->jobs, &jobs) : 0;
    if (status == 0 && r->manifest)
        status = tm_program_check_input(&program, "--manifest", r->manifest);
    if (status == 0 && a->write_manifest)
        status = tm_program_check_output(&program, "--write-manifest", a->write_manifest);
    if (status)
        return status;
    if (r->buffer_size && tm_program_size(r->buffer_size, &size) < 0)
        return tm_program_usage(&program, "--buffer-size: '%s' is not a size", r->buffer_size);
    if (r->max_expansion && (status = tm_program_limit(&program, "--max-expansion", r->max_expansion, &size)) != 0)
        return status;
    if (r->max_memory && (status = tm_program_limit(&program, "--max-memory", r->max_memory, &size)) != 0)
        return status;
    if (r->max_dropped && tm_accounting_limit_parse(&limit, r->max_dropped) < 0)
        return tm_program_usage(&program, "--max-dropped: '%s' is neither a number nor a percentage", r->max_dropped);
    if (r->on_damage && !tm_on_damage_parse(r->on_damage, &on_damage))
        return tm_program_usage(&program, "--on-damage: '%s' is none of halt, skip, salvage", r->on_damage);
    if (a->aligns && tm_alignment_check_rules(a->rules, &err) < 0)
        return tm_program_usage(&program, "--align: %s", err.text);
    return 0;
}

/* Finds the outputs, and refuses options that have no effect on any of them. With --dry-run or --explain the outputs
 * that are not written may have any option. TM_OK or TM_E_USAGE. */
static enum tm_status choose_outputs(struct arguments *a, struct tm_error *err)
{
    struct tm_merge_request *r = &a->request;
    struct tm_output_list *outputs = &r->outputs;
    if (a->shown)
        *outputs = (struct tm_output_list){.rows = {{.format = a->shown}}, .count = 1};
    enum tm_status st = tm_output_list_choose(outputs, "tm-emit --formats", err);
    if (st == TM_OK && r->json && !a->checks_causality)
        st = tm_output_list_json(outputs, err);
    if (st < 0 || a->shown)
        return st;
    st = tm_output_list_rows(outputs, r->events, r->args.count > 0, err);
    if (st == TM_OK && r->join)
        st = tm_output_list_join(outputs, err);
    if (st == TM_OK)
        st = tm_output_list_option(outputs, r->absolute, "--absolute", "text", err);
    if (st == TM_OK)
        st = tm_output_list_option(outputs, r->rebase, "--rebase", "json", err);
    return st == TM_OK ? tm_output_list_option(outputs, r->index, "--index", "sqlite", err) : st;
}

/* Refuses options that have no effect because tm-align prints the list of --check-causality. Returns 0 or an exit
 * status. */
static int check_causality_options(const struct arguments *a)
{
    const struct tm_merge_request *r = &a->request;
    const char *unused = r->only.given.count ? "--only"
                         : r->max_dropped    ? "--max-dropped"
                         : r->no_guess       ? "--no-guess"
                         : r->strict         ? "--strict"
                         : a->write_manifest ? "--write-manifest"
                                             : NULL;
    if (a->shown)
        return tm_program_usage(&program, "--check-causality prints its own list; leave out %s",
                                strcmp(a->shown, "explain") == 0 ? "--explain" : "--dry-run");
    return unused ? tm_program_usage(&program, "--check-causality writes no output; leave out %s", unused) : 0;
}

/* Finds errors that the stages would find only after much work. */
static int check(struct arguments *a)
{
    struct tm_merge_request *r = &a->request;
    struct tm_error err = {0};
    int exit_status = a->checks_causality ? check_causality_options(a) : 0;
    if (exit_status)
        return exit_status;
    if (choose_outputs(a, &err) < 0)
        return tm_program_usage(&program, "%s", err.text);
    const struct tm_output_choice *to_stdout = tm_output_list_stdout(&r->outputs);
    if (to_stdout && to_stdout->emit->is_binary && isatty(STDOUT_FILENO))
        return tm_program_usage(&program, "will not write %s to a terminal; give a file with -o",
                                to_stdout->emit->name);
    if ((exit_status = check_values(a)) != 0)
        return exit_status;
    if (tm_draft_options_need_manifest(&a->draft_options) && r->manifest)
        return tm_program_usage(&program, "--manifest cannot be combined with --machine, --sync or other options that "
                                          "make a manifest");
    if (r->replaces_manifest && r->manifest == NULL)
        return tm_program_usage(&program, "--replace needs the manifest to take, by -m");
    if (a->write_manifest && r->manifest && r->hints)
        return tm_program_usage(&program, "--hints --write-manifest is for input without a manifest");
    if (r->file_count == 0 && isatty(STDIN_FILENO))
        return tm_program_usage(&program, "no FILE, and standard input is a terminal");
    if (a->aligns && !is_by_name(r))
        return tm_program_usage(&program, "--align reads its input twice; name files, not standard input or pipes");
    r->draft_options = &a->draft_options;
    if (check_files(a, &err) == TM_OK &&
        (r->manifest || tm_draft_options_add_auto(&a->draft_options, &err) == TM_OK)) {
        a->may_run = true;
        return 0;
    }
    return tm_program_fail(&program, &err);
}

/* Makes the file for text that need not pass through the stages. If it cannot be made, the text stays in the stream. */
static void temporary_text(struct merge *m)
{
    struct tm_merge_request *r = &m->a.request;
    struct tm_error err = {0};
    if (!tm_merge_reads_files(r) || tm_io_temporary(r->temporary_directory, &m->text_fd, &err) < 0)
        return;
    snprintf(m->text_path, sizeof m->text_path, "/dev/fd/%d", m->text_fd);
    if (fcntl(m->text_fd, F_SETFD, 0) == 0 && access(m->text_path, R_OK | W_OK) == 0)
        r->text = m->text_path;
}

static void on_tick(void *context)
{
    struct merge *m = context;
    for (size_t i = 0; i < TM_OUTPUTS_MAX; i++)
        tm_out_file_start_sync(&m->outs[i]);
    if (m->shared.page && ++m->ticks % (TM_PROGRESS_TICK_MS / TICK_MS) == 0)
        tm_progress_line_tick(&m->line);
}

static void on_quiet(void *context)
{
    struct merge *m = context;
    if (m->shared.page)
        tm_progress_line_clear(&m->line);
}

/* Has the wait for the stages call on_tick if that has something to do. */
static void prepare_ticks(struct merge *m)
{
    bool has_work = m->shared.page != NULL;
    for (size_t i = 0; i < TM_OUTPUTS_MAX; i++)
        has_work = has_work || tm_out_file_syncs(&m->outs[i]);
    m->pipeline.tick_ms = has_work ? TICK_MS : 0;
    m->pipeline.tick = on_tick;
    m->pipeline.quiet = on_quiet;
    m->pipeline.context = m;
}

/* Returns the number of bytes of all input, or 0 if it is unknown. */
static uint64_t input_bytes(const struct tm_merge_request *r)
{
    struct stat info;
    uint64_t sum = 0;
    for (size_t i = 0; i < r->file_count || i == 0; i++) {
        bool is_stdin = i >= r->file_count || strcmp(r->files[i], "-") == 0;
        if ((is_stdin ? fstat(STDIN_FILENO, &info) : stat(r->files[i], &info)) < 0 || !S_ISREG(info.st_mode))
            return 0;
        sum += (uint64_t)info.st_size;
    }
    return sum;
}

/* Makes the stages count their progress if it is to be shown. The first one reads TOTAL_BYTES (0: unknown). */
static enum tm_status prepare_progress(struct merge *m, uint64_t total_bytes, struct tm_error *err)
{
    bool is_terminal = isatty(STDERR_FILENO);
    bool is_terminal_in_use = tm_output_list_stdout(&m->a.request.outputs) && isatty(STDOUT_FILENO);
    if (m->a.request.quiet || !(m->a.progress || (is_terminal && !is_terminal_in_use)))
        return TM_OK;
    enum tm_status st = tm_progress_shared_make(&m->shared, m->a.request.temporary_directory,
                                                m->pipeline.stages, m->pipeline.count, err);
    if (st < 0)
        return st;
    m->line = (struct tm_progress_line){.page = m->shared.page,
                                        .stages = m->pipeline.stages,
                                        .count = m->pipeline.count,
                                        .sorter = m->pipeline.count - TM_MERGE_STAGES + TM_MERGE_SORT,
                                        .total_bytes = total_bytes,
                                        .is_terminal = is_terminal,
                                        .fd = STDERR_FILENO};
    tm_progress_line_start(&m->line);
    return TM_OK;
}

/* While the stages run, the sandbox permits only moving their results into place. */
static enum tm_status enter_sandbox(const struct merge *m, struct tm_error *err)
{
    char *folders[TM_OUTPUTS_MAX + 1] = {m->manifest_out.temp ? tm_out_file_folder(m->manifest_out.temp) : NULL};
    struct tm_sandbox sandbox = {.signals = true};
    char *outer[TM_OUTPUTS_MAX];
    bool lacks_memory = m->manifest_out.temp && folders[0] == NULL;
    for (size_t i = 0; i < TM_OUTPUTS_MAX; i++) {
        folders[i + 1] = m->outs[i].temp ? tm_out_file_folder(m->outs[i].temp) : NULL;
        sandbox.outer[i] = outer[i] = tm_out_file_outer(&m->outs[i]);
        lacks_memory = lacks_memory || (m->outs[i].temp && folders[i + 1] == NULL);
    }
    for (size_t i = 0; i <= TM_OUTPUTS_MAX; i++)
        sandbox.folders[i] = folders[i];
    enum tm_status st = lacks_memory ? tm_error_nomem(err) : tm_sandbox_enter(&sandbox, err);
    for (size_t i = 0; i <= TM_OUTPUTS_MAX; i++)
        free(folders[i]);
    for (size_t i = 0; i < TM_OUTPUTS_MAX; i++)
        free(outer[i]);
    return st;
}

/* True if an output is a pipe or the like whose reader has left. */
static bool output_left(const struct merge *m)
{
    const struct tm_output_list *outputs = &m->a.request.outputs;
    bool has_left = false;
    for (size_t i = 0; i < outputs->count; i++) {
        struct pollfd end = {.fd = outputs->rows[i].out == NULL ? STDOUT_FILENO : m->outs[i].temp ? -1 : m->outs[i].fd};
        has_left |= poll(&end, 1, 0) > 0 && (end.revents & (POLLERR | POLLHUP));
    }
    return has_left;
}

/* Runs the stages and returns the exit status. */
static int run_stages(struct merge *m, struct tm_error *err)
{
    enum tm_status st = tm_pipeline_start(&m->pipeline, err);
    if (st == TM_OK && (st = enter_sandbox(m, err)) < 0)
        tm_pipeline_stop(&m->pipeline);
    if (st < 0) {
        if (m->shared.page)
            tm_progress_line_clear(&m->line);
        return tm_program_fail(&program, err);
    }
    tm_pipeline_wait(&m->pipeline);
    m->pipeline.output_left = output_left(m);
    if (m->shared.page)
        tm_progress_line_finish(&m->line);
    if (signal_seen)
        return tm_status_exit(TM_E_SYSTEM);
    tm_stage_messages_print(&program, &m->pipeline, m->a.request.quiet);
    return tm_pipeline_exit(&m->pipeline);
}

/* True if the list RULES names the rule for flows: then their ids are the same in different files. */
static bool names_flows(const char *rules)
{
    for (const char *rule = rules; rule; rule = strchr(rule, ',') ? strchr(rule, ',') + 1 : NULL)
        if (strncmp(rule, "flows", 5) == 0 && (rule[5] == '\0' || rule[5] == ','))
            return true;
    return false;
}

/* Runs tm-align if the options ask for it; the merge then uses its manifest. Returns the exit status; 0: go on. */
static int align(struct merge *m, const char *argv0, struct tm_error *err)
{
    struct tm_merge_request *r = &m->a.request;
    struct tm_alignment_run *run = &m->alignment;
    int status = 0;
    *run = (struct tm_alignment_run){.request = r,
                                     .rules = m->a.rules,
                                     .argv0 = argv0,
                                     .program = &program,
                                     .signal_seen = &signal_seen,
                                     .wait_mask = m->pipeline.wait_mask,
                                     .manifest_fd = -1,
                                     .report_fd = -1,
                                     .copy_fd = -1};
    if (m->a.aligns && r->join == NULL && names_flows(m->a.rules))
        r->join = "flows";
    if (m->a.aligns && tm_alignment_run_find(run, &status, err) == TM_OK && status == 0) {
        r->manifest = run->manifest_path;
        r->alignment = run->report_path;
        r->replaces_manifest = true;
        r->draft_options = NULL;
    }
    if (err->status == TM_OK && status == 0 && m->a.checks_causality)
        (void)tm_alignment_run_check(run, &status, err);
    return status;
}

static enum tm_status open_outs(struct merge *m, struct tm_error *err)
{
    struct tm_output_list *outputs = &m->a.request.outputs;
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < outputs->count && st == TM_OK; i++) {
        m->outs[i].members = outputs->rows[i].emit->members;
        if (outputs->rows[i].out)
            st = tm_out_file_open(&m->outs[i], outputs->rows[i].out, NULL, err);
        m->outs[i].no_sync = m->a.no_sync;
        outputs->rows[i].part = m->outs[i].temp;
    }
    return st;
}

/* Moves the complete results into place. */
static enum tm_status commit_outs(struct merge *m, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < TM_OUTPUTS_MAX && st == TM_OK; i++)
        st = tm_out_file_close(&m->outs[i], err);
    for (size_t i = 0; i < TM_OUTPUTS_MAX && st == TM_OK; i++)
        if (m->outs[i].path)
            st = tm_out_file_commit(&m->outs[i], err);
    if (st == TM_OK && m->manifest_out.path)
        st = tm_out_file_commit(&m->manifest_out, err);
    return st;
}

/* Runs the stages for what is asked, unless only the alignment is. Sets *STATUS to the exit status of the run. */
static enum tm_status run(struct merge *m, const char *argv0, int *status, struct tm_error *err)
{
    struct tm_merge_request *r = &m->a.request;
    *status = align(m, argv0, err);
    enum tm_status st = err->status;
    if (st < 0 || *status != 0 || m->a.checks_causality)
        return st;
    st = open_outs(m, err);
    if (st == TM_OK && m->a.write_manifest)
        st = tm_out_file_open(&m->manifest_out, m->a.write_manifest, NULL, err);
    r->write_manifest = m->a.write_manifest;
    r->manifest_part = m->manifest_out.temp;
    if (st == TM_OK)
        st = tm_merge_commands_make(&m->commands, r, argv0, m->stages, err);
    if (st < 0)
        return st;
    uint64_t bytes = input_bytes(r);
    int copy_fd = tm_alignment_run_copy(&m->alignment, &bytes);
    if (copy_fd >= 0)
        tm_merge_skip_unpack(&m->pipeline, copy_fd);
    if ((st = prepare_progress(m, bytes, err)) < 0)
        return st;
    prepare_ticks(m);
    *status = run_stages(m, err);
    return *status == 0 && !tm_pipeline_reader_left(&m->pipeline) ? commit_outs(m, err) : TM_OK;
}

static void release(struct merge *m)
{
    for (size_t i = 0; i < TM_OUTPUTS_MAX; i++)
        tm_out_file_abandon(&m->outs[i]);
    tm_out_file_abandon(&m->manifest_out);
    tm_alignment_run_release(&m->alignment);
    if (m->text_fd >= 0)
        (void)close(m->text_fd);
    tm_merge_commands_release(&m->commands);
    tm_progress_shared_release(&m->shared);
    tm_pipeline_release(&m->pipeline);
}

/* Runs the whole merge and cleans up. Returns the exit status, unless a signal or the reader's end ends the program. */
static int merge(struct merge *m, const char *argv0)
{
    struct tm_error err = {0};
    int status;
    m->manifest_out.no_sync = m->a.no_sync;
    temporary_text(m);
    tm_large_pages_for_children();
    enum tm_status st = run(m, argv0, &status, &err);
    if (st < 0) {
        tm_program_fail(&program, &err);
        status = tm_status_exit(st);
    }
    const bool reader_left = tm_pipeline_reader_left(&m->pipeline);
    release(m);
    if (signal_seen)
        die_of(signal_seen);
    if (reader_left)
        die_of(SIGPIPE);
    return status;
}

int main(int argc, char **argv)
{
    int status = tm_program_begin(&program);
    if (status != 0)
        return status;
    struct merge m = {.manifest_out = {.fd = -1},
                      .text_fd = -1,
                      .shared = {.fd = -1},
                      .alignment = {.manifest_fd = -1, .report_fd = -1, .copy_fd = -1}};
    for (size_t i = 0; i < TM_OUTPUTS_MAX; i++)
        m.outs[i].fd = -1;
    status = parse(argc, argv, &m.a);
    if (status == TM_OPTIONS_GO_ON)
        status = check(&m.a);
    if (m.a.may_run) {
        m.pipeline =
            (struct tm_pipeline){.stages = m.stages, .count = TM_MERGE_STAGES, .signal_seen = &signal_seen,
                                 .drops_warnings = m.a.request.quiet};
        watch_signals(&m.pipeline.wait_mask);
        status = merge(&m, argv[0]);
    }
    tm_draft_options_release(&m.a.draft_options);
    tm_select_spec_release(&m.a.request.only);
    tm_arg_names_release(&m.a.request.args);
    return status;
}

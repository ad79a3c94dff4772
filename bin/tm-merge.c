/* tm-merge: trace files and archives go in, their events come out on one timeline, as text or in the
 * format that OUT's name asks for. It runs tm-unpack, tm-manifest, tm-clocks, tm-sort and tm-emit. */
#include "base/io.h"
#include "base/pipeline.h"
#include "base/program.h"
#include "emit/emit.h"
#include "emit/out_file.h"
#include "pack/merge_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-merge",
    .summary = "Merges trace files onto one timeline, as the perfetto_manifest among them says.",
    .usage = "[-o OUT] [OPTION]... [FILE]...\n"
             "Without FILE, or with -, standard input. Several files or a directory are merged as one archive.\n"
             "\n"
             "  -o, --output OUT      write OUT, which appears when it is whole (default: standard output)\n"
             "  -f, --format FORMAT   text, jsonl, csv, report, ... (default: by the end of OUT, else text);\n"
             "                        tm-emit --formats lists them\n"
             "  -m, --manifest FILE   take the manifest from FILE, for input that has none\n"
             "      --machine NAME=FILE, --sync FILE[:CLOCK]=FILE[:CLOCK][+OFFSET], --trace-time CLOCK[@FILE]\n"
             "                        make a manifest for the FILEs as tm-pack does\n"
             "  -S, --buffer-size SIZE  memory for sorting (default 256M)\n"
             "  -T, --temporary-directory DIR  for temporary files (default $TMPDIR, else /tmp)\n"
             "  -n, --dry-run         write nothing, print the report of what would be\n"
             "      --strict          exit 4 without OUT if an event was dropped or a byte skipped\n"
             "      --max-dropped N   the same if more than N events, or N% of those read, were dropped\n"
             "      --on-damage WHAT  halt (default), skip, or salvage what can be read of a damaged file\n"
             "      --ignore-unknown  skip files of unknown type and count them\n"
             "      --hints           use clock hints that files mention outside their snapshots\n"
             "      --absolute        text: times as they are, not from the first event on\n"
             "      --rebase          json: times count from the first event on\n"
             "      --json            report: as JSON\n"
             "      --help            show this\n"
             "      --version         show the version\n",
};

enum { STAGES = 5, PATH_MAX_BYTES = 4096, OPTIONS_MAX = 24 };
enum { UNPACK, MANIFEST, CLOCKS, SORT, EMIT };

static const char *const stage_names[STAGES] = {"tm-unpack", "tm-manifest", "tm-clocks", "tm-sort", "tm-emit"};

/* An option that the manifest is made from. */
struct said {
    int option;
    const char *text;
};

struct arguments {
    struct said *said; /* owned; in the order given */
    size_t said_count;
    const char *out, *format, *manifest, *buffer_size, *temporary_directory, *max_dropped, *on_damage;
    bool dry_run, strict, ignore_unknown, hints, absolute, rebase, json, done;
    char **files;
    size_t file_count;
};

/* A command line being made. */
struct command {
    const char **argv;
    size_t count;
    char path[PATH_MAX_BYTES];
};

struct merge {
    struct arguments a;
    const struct tm_emit *emit;
    struct tm_out_file out;
    struct command commands[STAGES];
    int plan_fd; /* the manifest that was made; -1: none */
    char plan_path[32];
    struct tm_stage stages[STAGES];
    struct tm_pipeline pipeline;
};

/* What a handler may touch: the signal that wants us to end. */
static volatile sig_atomic_t signal_seen;

static void on_signal(int signum)
{
    signal_seen = signum;
}

static const int handled[] = {SIGINT, SIGTERM, SIGHUP};
enum { HANDLED = sizeof handled / sizeof *handled };

/* From here on these signals are only seen while waiting, which leaves time to clean up. */
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

/* Ends as if SIGNUM had never been handled. */
static void die_of(int signum)
{
    sigset_t only;
    (void)sigemptyset(&only);
    (void)sigaddset(&only, signum);
    (void)signal(signum, SIG_DFL);
    (void)raise(signum);
    (void)sigprocmask(SIG_UNBLOCK, &only, NULL);
}

static int take_option(int option, struct arguments *a)
{
    switch (option) {
    case 'o': a->out = strcmp(optarg, "-") == 0 ? NULL : optarg; return 0;
    case 'f': a->format = optarg; return 0;
    case 'm': a->manifest = optarg; return 0;
    case '1':
    case '2':
    case '3': a->said[a->said_count++] = (struct said){option, optarg}; return 0;
    case 'S': a->buffer_size = optarg; return 0;
    case 'T': a->temporary_directory = optarg; return 0;
    case 'n': a->dry_run = true; return 0;
    case 's': a->strict = true; return 0;
    case 'd': a->max_dropped = optarg; return 0;
    case 'D': a->on_damage = optarg; return 0;
    case 'u': a->ignore_unknown = true; return 0;
    case 'H': a->hints = true; return 0;
    case 'a': a->absolute = true; return 0;
    case 'b': a->rebase = true; return 0;
    case 'j': a->json = true; return 0;
    case 'h':
        a->done = true;
        tm_program_help(&program);
        return 0;
    case 'V':
        a->done = true;
        tm_program_version(&program);
        return 0;
    default: return tm_program_usage(&program, "unknown option");
    }
}

static int parse(int argc, char **argv, struct arguments *a)
{
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'},      {"format", required_argument, NULL, 'f'},
        {"manifest", required_argument, NULL, 'm'},    {"buffer-size", required_argument, NULL, 'S'},
        {"temporary-directory", required_argument, NULL, 'T'},
        {"machine", required_argument, NULL, '1'},     {"sync", required_argument, NULL, '2'},
        {"trace-time", required_argument, NULL, '3'},
        {"dry-run", no_argument, NULL, 'n'},           {"strict", no_argument, NULL, 's'},
        {"max-dropped", required_argument, NULL, 'd'}, {"on-damage", required_argument, NULL, 'D'},
        {"ignore-unknown", no_argument, NULL, 'u'},    {"hints", no_argument, NULL, 'H'},
        {"rebase", no_argument, NULL, 'b'},
        {"absolute", no_argument, NULL, 'a'},          {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},              {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    int option, status;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":o:f:m:S:T:n", options, NULL)) != -1) {
        if (option == ':')
            return tm_program_usage(&program, "option '%s' needs an argument", argv[optind - 1]);
        if (option == '?')
            return tm_program_usage(&program, "unknown option '%s'", argv[optind - 1]);
        if ((status = take_option(option, a)) != 0 || a->done)
            return status;
    }
    a->files = argv + optind;
    a->file_count = (size_t)(argc - optind);
    return 0;
}

/* What the stages would find out only when much has been done. */
static int check(struct merge *m)
{
    const struct arguments *a = &m->a;
    unsigned long long size;
    struct tm_balance_limit limit;
    m->emit = a->dry_run ? tm_emit_find("report") : tm_emit_choose(a->format, a->out);
    if (m->emit == NULL && a->format)
        return tm_program_usage(&program, "'%s' is no format; tm-emit --formats lists them", a->format);
    if (m->emit == NULL)
        return tm_program_usage(&program, "%s: its ending chooses no format; choose one with -f", a->out);
    if (m->emit->needs_path && a->out == NULL)
        return tm_program_usage(&program, "%s needs a file to write; give one with -o", m->emit->name);
    if (m->emit->is_binary && a->out == NULL && isatty(STDOUT_FILENO))
        return tm_program_usage(&program, "will not write %s to a terminal; give a file with -o", m->emit->name);
    if (a->buffer_size && tm_program_size(a->buffer_size, &size) < 0)
        return tm_program_usage(&program, "--buffer-size: '%s' is no size", a->buffer_size);
    if (a->max_dropped && tm_balance_limit_parse(&limit, a->max_dropped) < 0)
        return tm_program_usage(&program, "--max-dropped: '%s' is neither a number nor a percentage", a->max_dropped);
    if (a->on_damage && strcmp(a->on_damage, "halt") != 0 && strcmp(a->on_damage, "skip") != 0 &&
        strcmp(a->on_damage, "salvage") != 0)
        return tm_program_usage(&program, "--on-damage: '%s' is none of halt, skip, salvage", a->on_damage);
    if (a->said_count > 0 && a->manifest)
        return tm_program_usage(&program, "--manifest, and --machine, --sync or --trace-time, which make another");
    if (a->file_count == 0 && isatty(STDIN_FILENO))
        return tm_program_usage(&program, "no FILE, and standard input is a terminal");
    return 0;
}

static void push(struct command *c, const char *word)
{
    c->argv[c->count++] = word;
}

static void push_option(struct command *c, const char *option, const char *value)
{
    if (value == NULL)
        return;
    push(c, option);
    push(c, value);
}

static void push_flag(struct command *c, const char *flag, bool wanted)
{
    if (wanted)
        push(c, flag);
}

static enum tm_status make_plan(const struct arguments *a, struct tm_buf *manifest, struct tm_error *err)
{
    struct tm_merge_plan plan = {0};
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < a->file_count && st == TM_OK; i++)
        st = tm_merge_plan_add(&plan, a->files[i], a->files[i], err);
    for (size_t i = 0; i < a->said_count && st == TM_OK; i++)
        st = a->said[i].option == '1'   ? tm_merge_plan_machine(&plan, a->said[i].text, err)
             : a->said[i].option == '2' ? tm_merge_plan_sync(&plan, a->said[i].text, err)
                                        : tm_merge_plan_trace_time(&plan, a->said[i].text, err);
    if (st == TM_OK)
        st = tm_merge_plan_manifest(&plan, manifest, err);
    tm_merge_plan_release(&plan);
    return st;
}

/* Puts what the options say of the files into a file without a name that tm-manifest inherits. */
static enum tm_status spool_plan(struct merge *m, struct tm_error *err)
{
    struct tm_buf manifest = {0};
    enum tm_status st = TM_OK;
    if (m->a.said_count == 0)
        return TM_OK;
    st = make_plan(&m->a, &manifest, err);
    if (st == TM_OK)
        st = tm_io_spool(m->a.temporary_directory, &m->plan_fd, err);
    if (st == TM_OK)
        st = tm_io_pwrite(m->plan_fd, manifest.data, manifest.len, 0, err);
    if (st == TM_OK && fcntl(m->plan_fd, F_SETFD, 0) < 0)
        st = tm_error_errno(err, errno, "cannot pass the manifest on");
    snprintf(m->plan_path, sizeof m->plan_path, "/dev/fd/%d", m->plan_fd);
    m->a.manifest = m->plan_path;
    tm_buf_release(&manifest);
    return st;
}

static enum tm_status make_commands(struct merge *m, struct tm_error *err)
{
    const struct arguments *a = &m->a;
    struct command *c = m->commands;
    for (int i = 0; i < STAGES; i++) {
        c[i].argv = calloc(OPTIONS_MAX + (i == UNPACK ? a->file_count : 0), sizeof *c[i].argv);
        if (c[i].argv == NULL)
            return tm_error_nomem(err);
        push(&c[i], stage_names[i]);
    }
    push_option(&c[UNPACK], "--on-damage", a->on_damage);
    push_flag(&c[UNPACK], "--ignore-unknown", a->ignore_unknown);
    push_flag(&c[UNPACK], "--hints", a->hints);
    push_flag(&c[UNPACK], "--no-raw", !m->emit->needs_raw);
    push_flag(&c[UNPACK], "--no-detail", !m->emit->needs_detail);
    push_option(&c[UNPACK], "-T", a->temporary_directory);
    push(&c[UNPACK], "--");
    for (size_t i = 0; i < a->file_count; i++)
        push(&c[UNPACK], a->files[i]);
    push_option(&c[MANIFEST], "-m", a->manifest);
    push_flag(&c[MANIFEST], "--strict", a->strict);
    push_flag(&c[CLOCKS], "--hints", a->hints);
    push_option(&c[CLOCKS], "-T", a->temporary_directory);
    push_option(&c[SORT], "-S", a->buffer_size);
    push_option(&c[SORT], "-T", a->temporary_directory);
    push_option(&c[EMIT], "-f", m->emit->name);
    push_option(&c[EMIT], "-T", a->temporary_directory);
    push_flag(&c[EMIT], "--absolute", a->absolute);
    push_flag(&c[EMIT], "--rebase", a->rebase);
    push_flag(&c[EMIT], "--json", a->json);
    push_flag(&c[EMIT], "--strict", a->strict);
    push_option(&c[EMIT], "--max-dropped", a->max_dropped);
    if (!a->dry_run)
        push_option(&c[EMIT], "-o", a->out);
    push_option(&c[EMIT], "--part", m->out.temp);
    return TM_OK;
}

/* The folder this program is in, or NULL. */
static const char *own_folder(const char *argv0, char *dir, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", dir, size - 1);
    if (n <= 0) {
        n = (ssize_t)strlen(argv0);
        if ((size_t)n >= size)
            return NULL;
        memcpy(dir, argv0, (size_t)n);
    }
    dir[n] = '\0';
    char *slash = strrchr(dir, '/');
    if (slash == NULL)
        return NULL;
    *slash = '\0';
    return dir;
}

static enum tm_status find_programs(struct merge *m, const char *argv0, struct tm_error *err)
{
    char dir[PATH_MAX_BYTES];
    const char *folder = own_folder(argv0, dir, sizeof dir);
    enum tm_status st = TM_OK;
    for (int i = 0; i < STAGES && st == TM_OK; i++) {
        struct command *c = &m->commands[i];
        st = tm_pipeline_find(stage_names[i], folder, c->path, sizeof c->path, err);
        m->stages[i].name = stage_names[i];
        m->stages[i].path = c->path;
        m->stages[i].argv = c->argv;
    }
    return st;
}

/* What STAGE said; of one that failed because another did, its warnings only. */
static void print_held(const struct tm_stage *stage, bool only_warnings)
{
    char prefix[64];
    size_t prefix_len = (size_t)snprintf(prefix, sizeof prefix, "%s: warning: ", stage->name);
    const uint8_t *text = stage->held.data;
    for (size_t at = 0; at < stage->held.len;) {
        const uint8_t *end = memchr(text + at, '\n', stage->held.len - at);
        size_t len = end ? (size_t)(end + 1 - text) - at : stage->held.len - at;
        if (!only_warnings || (len > prefix_len && memcmp(text + at, prefix, prefix_len) == 0))
            (void)tm_io_write(STDERR_FILENO, text + at, len, NULL);
        at += len;
    }
}

static void print_death(const struct tm_stage *stage)
{
    int status = stage->wait_status;
    if (WIFSIGNALED(status))
        tm_program_message(&program, "%s: killed by signal %d (%s)", stage->name, WTERMSIG(status),
                           strsignal(WTERMSIG(status)));
    else if (stage->held.len == 0)
        tm_program_message(&program, "%s: failed with exit status %d", stage->name, WEXITSTATUS(status));
}

static void print_messages(const struct tm_pipeline *p)
{
    size_t cause = tm_pipeline_cause(p);
    for (size_t i = 0; i < p->count; i++) {
        const struct tm_stage *stage = &p->stages[i];
        print_held(stage, i != cause && stage->wait_status != 0);
        if (i == cause)
            print_death(stage);
    }
}

/* Runs the stages; the exit status. */
static int run_stages(struct merge *m, struct tm_error *err)
{
    if (tm_pipeline_start(&m->pipeline, err) < 0) {
        tm_program_fail(&program, err);
        return tm_status_exit(err->status);
    }
    tm_pipeline_wait(&m->pipeline);
    if (signal_seen)
        return tm_status_exit(TM_E_SYSTEM);
    print_messages(&m->pipeline);
    return tm_pipeline_exit(&m->pipeline);
}

static int merge(struct merge *m, const char *argv0)
{
    struct tm_error err = {0};
    enum tm_status st = TM_OK;
    int status = 0;
    st = spool_plan(m, &err);
    if (st == TM_OK && m->a.out && !m->a.dry_run)
        st = tm_out_file_open(&m->out, m->a.out, NULL, &err);
    if (st == TM_OK)
        st = make_commands(m, &err);
    if (st == TM_OK)
        st = find_programs(m, argv0, &err);
    if (st == TM_OK) {
        status = run_stages(m, &err);
        if (status == 0 && !tm_pipeline_reader_left(&m->pipeline))
            st = tm_out_file_commit(&m->out, &err);
    }
    if (st < 0) {
        tm_program_fail(&program, &err);
        status = tm_status_exit(st);
    }
    tm_out_file_abandon(&m->out);
    if (m->plan_fd >= 0)
        (void)close(m->plan_fd);
    free(m->a.said);
    for (int i = 0; i < STAGES; i++)
        free(m->commands[i].argv);
    if (tm_pipeline_reader_left(&m->pipeline))
        die_of(SIGPIPE);
    tm_pipeline_release(&m->pipeline);
    if (signal_seen)
        die_of(signal_seen);
    return status;
}

/* Pipes must not take the places of the standard descriptors. */
static void fill_standard_descriptors(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd > STDERR_FILENO)
        (void)close(fd);
}

int main(int argc, char **argv)
{
    struct merge m = {.out = {.fd = -1}, .plan_fd = -1};
    struct tm_error err = {0};
    fill_standard_descriptors();
    if ((m.a.said = calloc((size_t)argc + 1, sizeof *m.a.said)) == NULL)
        return tm_program_finish(&program, tm_error_nomem(&err), &err);
    int status = parse(argc, argv, &m.a);
    if (status == 0 && !m.a.done)
        status = check(&m);
    if (status != 0 || m.a.done) {
        free(m.a.said);
        return status ? status : tm_program_finish(&program, TM_OK, &err);
    }
    m.pipeline = (struct tm_pipeline){.stages = m.stages, .count = STAGES, .signal_seen = &signal_seen};
    watch_signals(&m.pipeline.wait_mask);
    return merge(&m, argv[0]);
}

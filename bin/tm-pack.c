/* tm-pack: trace files in; one archive of them that says by its manifest how they are merged, out. */
#include "base/io.h"
#include "base/program.h"
#include "emit/out_file.h"
#include "manifest/manifest.h"
#include "pack/merge_plan.h"
#include "pack/pack.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-pack",
    .summary = "Packs trace files into one archive with a manifest that says how they are merged.",
    .usage = "-o OUT [OPTION]... FILE...\n"
             "       tm-pack --manifest-only [OPTION]... FILE...\n"
             "\n"
             "  -o, --output OUT         write OUT: .tar, .tar.gz, .tgz or .zip; - is a TAR on standard output\n"
             "      --machine NAME=FILE  all of FILE happened on the machine NAME\n"
             "      --sync FILE[:CLOCK]=REFERENCE[:CLOCK][+OFFSET|-OFFSET]\n"
             "                           where FILE's clock reads T, REFERENCE's reads T + OFFSET, such as +250ms\n"
             "                           (units ns, us, ms, s); without CLOCK, the file's own timeline\n"
             "      --trace-time CLOCK[@FILE]  the clock of the merged timeline, on the machine of FILE\n"
             "      --manifest-only      print the manifest, write no archive\n"
             "      --help               show this\n"
             "      --version            show the version\n",
};

struct said {
    int option;
    const char *text;
};

struct arguments {
    const char *out;
    bool manifest_only, done;
    struct said *said; /* owned; in the order given */
    size_t said_count;
    char **files;
    size_t file_count;
};

/* What a handler may touch: the file that must not stay behind. */
static const char *volatile unfinished;

static void on_signal(int signum)
{
    const char *temp = unfinished;
    if (temp)
        tm_out_file_remove(temp);
    (void)signal(signum, SIG_DFL);
    (void)raise(signum);
}

static void watch_signals(void)
{
    static const int handled[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old, action = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        if (sigaction(handled[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(handled[i], &action, NULL);
}

static int take_option(int option, struct arguments *a)
{
    switch (option) {
    case 'o': a->out = optarg; return 0;
    case 'm':
    case 's':
    case 't': a->said[a->said_count++] = (struct said){option, optarg}; return 0;
    case 'M': a->manifest_only = true; return 0;
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
        {"output", required_argument, NULL, 'o'},     {"machine", required_argument, NULL, 'm'},
        {"sync", required_argument, NULL, 's'},       {"trace-time", required_argument, NULL, 't'},
        {"manifest-only", no_argument, NULL, 'M'},    {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},          {NULL, 0, NULL, 0},
    };
    int option, status;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":o:", options, NULL)) != -1) {
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

static int check(const struct arguments *a)
{
    if (a->file_count == 0)
        return tm_program_usage(&program, "no FILE");
    if (a->manifest_only)
        return a->out ? tm_program_usage(&program, "--manifest-only writes no archive; leave out -o") : 0;
    if (a->out == NULL)
        return tm_program_usage(&program, "give the archive to write with -o");
    if (strcmp(a->out, "-") == 0)
        return isatty(STDOUT_FILENO) ? tm_program_usage(&program, "will not write an archive to a terminal") : 0;
    if (tm_pack_kind_of(a->out) == TM_PACK_UNKNOWN)
        return tm_program_usage(&program, "%s: ends in none of .tar, .tar.gz, .tgz, .zip", a->out);
    return 0;
}

/* What the options said of the files, in PLAN. */
static enum tm_status make_plan(const struct arguments *a, const struct tm_members *members,
                                struct tm_merge_plan *plan, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < members->count && st == TM_OK; i++) {
        const struct tm_pack_member *m = &members->members[i];
        if (m == members->manifest)
            continue;
        st = tm_merge_plan_add(plan, m->path, m->name, err);
        if (st == TM_OK)
            plan->files[plan->count - 1].is_archive = m->type.kind == TM_FILE_TAR || m->type.kind == TM_FILE_ZIP;
    }
    for (size_t i = 0; i < a->said_count && st == TM_OK; i++) {
        const char *text = a->said[i].text;
        switch (a->said[i].option) {
        case 'm': st = tm_merge_plan_machine(plan, text, err); break;
        case 's': st = tm_merge_plan_sync(plan, text, err); break;
        default: st = tm_merge_plan_trace_time(plan, text, err);
        }
    }
    return st;
}

/* The manifest among the members, checked, into TEXT. */
static enum tm_status check_manifest(const struct tm_pack_member *m, struct tm_buf *text, struct tm_error *err)
{
    struct tm_manifest manifest = {0};
    int fd = -1;
    enum tm_status st = tm_members_open(m, &fd, err);
    if (st < 0)
        return st;
    st = tm_manifest_read_fd(&manifest, fd, err);
    if (st < 0)
        tm_error_prefix(err, "%s", m->path);
    else if (tm_buf_add(text, manifest.text.data, manifest.text.len) != TM_OK)
        st = tm_error_nomem(err);
    tm_manifest_release(&manifest);
    (void)close(fd);
    return st;
}

static enum tm_status make_manifest(const struct arguments *a, const struct tm_members *members, struct tm_buf *text,
                                    struct tm_error *err)
{
    struct tm_merge_plan plan = {0};
    enum tm_status st;
    if (members->manifest && a->said_count > 0)
        return tm_error_set(err, TM_E_USAGE, "%s is a manifest; --machine, --sync and --trace-time make another",
                            members->manifest->path);
    if (members->manifest)
        return check_manifest(members->manifest, text, err);
    for (size_t i = 0; i < members->count; i++)
        if (strcmp(members->members[i].name, TM_PACK_MANIFEST_NAME) == 0)
            return tm_error_set(err, TM_E_INPUT, "%s: has the name of the manifest", members->members[i].path);
    st = make_plan(a, members, &plan, err);
    if (st == TM_OK)
        st = tm_merge_plan_manifest(&plan, text, err);
    tm_merge_plan_release(&plan);
    return st;
}

static enum tm_status write_file(const struct tm_pack *pack, const char *path, struct tm_error *err)
{
    struct tm_out_file out = {.fd = -1};
    enum tm_status st = tm_out_file_open(&out, path, NULL, err);
    unfinished = out.temp;
    if (st == TM_OK)
        st = tm_pack_write(pack, out.fd, tm_out_file_target(&out), err);
    if (st == TM_OK)
        st = tm_out_file_commit(&out, err);
    unfinished = NULL;
    tm_out_file_abandon(&out);
    return st;
}

static enum tm_status run(const struct arguments *a, struct tm_error *err)
{
    struct tm_members members = {0};
    struct tm_buf manifest = {0};
    struct tm_pack pack = {.members = &members};
    enum tm_status st = tm_members_read(&members, (const char *const *)a->files, a->file_count, err);
    if (st == TM_OK)
        st = make_manifest(a, &members, &manifest, err);
    pack.manifest = members.manifest ? NULL : &manifest;
    if (st < 0)
        goto out;
    if (a->manifest_only) {
        st = tm_io_write(STDOUT_FILENO, manifest.data, manifest.len, err);
    } else if (strcmp(a->out, "-") == 0) {
        pack.kind = TM_PACK_TAR;
        st = tm_pack_write(&pack, STDOUT_FILENO, NULL, err);
    } else {
        pack.kind = tm_pack_kind_of(a->out);
        st = write_file(&pack, a->out, err);
    }
out:
    tm_members_release(&members);
    tm_buf_release(&manifest);
    return st;
}

int main(int argc, char **argv)
{
    struct tm_error err = {0};
    struct arguments a = {.said = calloc((size_t)argc, sizeof *a.said)};
    enum tm_status st = TM_OK;
    int status;
    if (a.said == NULL) {
        st = tm_error_nomem(&err);
        return tm_program_finish(&program, st, &err);
    }
    status = parse(argc, argv, &a);
    if (status == 0 && !a.done)
        status = check(&a);
    if (status == 0 && !a.done) {
        watch_signals();
        st = run(&a, &err);
    }
    free(a.said);
    return status ? status : tm_program_finish(&program, st, &err);
}

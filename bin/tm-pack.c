/* Reads trace files and writes one archive with a manifest that says how they are merged. */
#include "os/subprocess.h"
#include "os/io.h"
#include "os/program_options.h"
#include "os/sandbox.h"
#include "os/unfinished.h"
#include "manifest/manifest.h"
#include "merge/trial.h"
#include "pack/pack.h"
#include "manifest/draft_options.h"
#include "unpack/same_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tm_program program = {
    .name = "tm-pack",
    .summary = "Packs trace files into one archive with a manifest that says how they are\n"
               "merged.",
    .usage = "-o OUT [OPTION]... FILE...\n"
             "       tm-pack --manifest-only [OPTION]... FILE...\n"
             "\n"
             "  -o, --output OUT         write OUT: .tar, .tar.gz, .tgz or .zip; - writes a\n"
             "                           TAR to standard output\n"
             "      --machine NAME=FILE  all events of FILE happened on the machine NAME\n"
             "      --sync FILE[:CLOCK]=REFERENCE[:CLOCK][+OFFSET|-OFFSET]\n"
             "                           when FILE's clock reads T, REFERENCE's reads T +\n"
             "                           OFFSET, such as +250ms (units ns, us, ms, s); without\n"
             "                           CLOCK: the file's own timeline\n"
             "      --trace-time CLOCK[@FILE]  the clock of the merged timeline, on the\n"
             "                           machine of FILE\n"
             "      --machine-from RULE  name machines by dir, file, rank, host,\n"
             "                           s/PATTERN/TEXT/ or PATTERN of the name, or none\n"
             "                           (default: by the ranks that PyTorch profiles state)\n"
             "      --manifest-only      print the manifest, write no archive\n"
             "      --strict             write OUT only if a merge of it would place all\n"
             "                           events\n"
             "      --no-sync            do not wait until OUT is on disk\n"
             "  -q, --quiet              no message about how it would be merged\n"
             "  -h, --help               show this help\n"
             "      --version            show the version\n",
};

struct arguments {
    const char *out;
    bool manifest_only, strict, quiet, no_sync;
    const char *argv0;
    struct tm_draft_options draft_options;
    char **files;
    size_t file_count;
};

static int take_option(void *context, int option, const char *value)
{
    struct arguments *a = context;
    struct tm_error err = {0};
    switch (option) {
    case 'o': a->out = value; return 0;
    case 'M': a->manifest_only = true; return 0;
    case 's': a->strict = true; return 0;
    case 'q': a->quiet = true; return 0;
    case 'y': a->no_sync = true; return 0;
    default:
        return tm_draft_options_add(&a->draft_options, (enum tm_draft_option_id)option, value, &err) == TM_OK
                   ? 0
                   : tm_program_fail(&program, &err);
    }
}

static int parse(int argc, char **argv, struct arguments *a)
{
    static const struct option longs[] = {
        {"output", required_argument, NULL, 'o'},
        {"manifest-only", no_argument, NULL, 'M'},
        {"strict", no_argument, NULL, 's'},
        {"no-sync", no_argument, NULL, 'y'},
        {"quiet", no_argument, NULL, 'q'},
        TM_DRAFT_OPTIONS,
        TM_PROGRAM_OPTIONS_END,
    };
    const struct tm_program_options options = {":o:q", longs, take_option, a};
    int status = tm_program_options(&program, &options, argc, argv);
    a->argv0 = argv[0];
    a->files = argv + optind;
    a->file_count = (size_t)(argc - optind);
    return status;
}

/* Refuses arguments that do not fit together. Returns 0 or an exit status. */
static int check(const struct arguments *a)
{
    if (a->file_count == 0)
        return tm_program_usage(&program, "no FILE");
    if (a->strict && (a->manifest_only || (a->out && strcmp(a->out, "-") == 0)))
        return tm_program_usage(&program, "--strict tries the archive before it appears; give its name with -o");
    if (a->manifest_only)
        return a->out ? tm_program_usage(&program, "--manifest-only writes no archive; leave out -o") : 0;
    if (a->out == NULL)
        return tm_program_usage(&program, "give the archive to write with -o");
    if (*a->out == '\0')
        return tm_program_usage(&program, "--output: '' is no file");
    if (strcmp(a->out, "-") == 0)
        return isatty(STDOUT_FILENO) ? tm_program_usage(&program, "will not write an archive to a terminal") : 0;
    if (tm_pack_kind_of(a->out) == TM_PACK_UNKNOWN)
        return tm_program_usage(&program, "%s: ends in none of .tar, .tar.gz, .tgz, .zip", a->out);
    return 0;
}

/* Puts what the options state about the files into DRAFT. */
static enum tm_status make_draft(const struct tm_draft_options *options, const struct tm_members *members,
                                 struct tm_draft *draft, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < members->count && st == TM_OK; i++) {
        const struct tm_pack_member *m = &members->members[i];
        if (m == members->manifest)
            continue;
        st = tm_draft_add(draft, m->path, m->name, err);
        if (st < 0)
            break;
        struct tm_draft_file *file = &draft->files[draft->count - 1];
        file->is_archive = m->is_archive;
        file->has_rank = m->rank.is_known;
        file->rank = (uint64_t)m->rank.rank;
        file->world_size = (uint64_t)m->rank.world_size;
        file->host = m->host;
        file->is_host_of_several = m->is_host_of_several;
    }
    return st == TM_OK ? tm_draft_options_apply(options, draft, err) : st;
}

/* Checks the manifest among the members and puts its text into TEXT. */
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
    struct tm_draft draft = {0};
    enum tm_status st;
    if (members->manifest && tm_draft_options_need_manifest(&a->draft_options))
        return tm_error_set(err, TM_E_USAGE, "%s is a manifest; %s makes another", members->manifest->path,
                            tm_draft_option_name(a->draft_options.all[0].id));
    if (members->manifest)
        return check_manifest(members->manifest, text, err);
    for (size_t i = 0; i < members->count; i++)
        if (strcmp(members->members[i].name, TM_PACK_MANIFEST_NAME) == 0)
            return tm_error_set(err, TM_E_INPUT, "%s: has the name of the manifest", members->members[i].path);
    st = make_draft(&a->draft_options, members, &draft, err);
    if (st == TM_OK)
        st = tm_draft_manifest(&draft, text, err);
    tm_draft_release(&draft);
    return st;
}

/* Merges the ARCHIVE just written and shows the result. With --strict, fails if tm-merge --strict would. */
static enum tm_status try_archive(const struct arguments *a, const char *archive, struct tm_error *err)
{
    struct tm_trial trial = {.archive = (char *)(uintptr_t)archive, .strict = a->strict, .quiet = a->quiet,
                             .final_name = a->out, .argv0 = a->argv0, .program = &program};
    struct tm_buf summary = {0};
    int status = 0;
    if (a->quiet && !a->strict)
        return TM_OK;
    enum tm_status st = tm_trial_run(&trial, &summary, &status, err);
    if (st == TM_OK && !a->quiet)
        tm_io_message(STDERR_FILENO, summary.data, summary.len);
    tm_buf_release(&summary);
    if (st < 0 && !a->strict) {
        tm_program_warning(&program, "%s: cannot be merged on trial: %s", a->out, err->text);
        *err = (struct tm_error){0};
        return TM_OK;
    }
    if (st < 0 || status == 0)
        return st;
    if (a->strict)
        return tm_error_set(err, status == -TM_E_STRICT ? TM_E_STRICT : TM_E_INPUT, "%s: not written, as it would not "
                            "merge without loss", a->out);
    tm_program_warning(&program, "%s: tm-merge would fail on it", a->out);
    return TM_OK;
}

/* The files to pack, and the place of the archive: a descriptor, and a name if it has one. */
struct work {
    const struct arguments *a;
    int fd;
    const char *target, *folder; /* NULL: none */
};

static enum tm_status enter_sandbox(const struct work *w, struct tm_error *err)
{
    const struct tm_sandbox sandbox = {.reads = (const char *const *)w->a->files, .read_count = w->a->file_count,
                                       .folders = {w->folder}};
    return tm_sandbox_enter(&sandbox, err);
}

/* Reads the files and writes the archive or only its manifest. The sandbox permits no more than that from the start. */
static enum tm_status pack_files(void *context, struct tm_error *err)
{
    const struct work *w = context;
    const struct arguments *a = w->a;
    struct tm_members members = {0};
    struct tm_buf manifest = {0};
    struct tm_pack pack = {.members = &members,
                           .kind = w->target ? tm_pack_kind_of(a->out) : TM_PACK_TAR,
                           .name = w->target ? a->out : NULL};
    enum tm_status st = enter_sandbox(w, err);
    if (st == TM_OK)
        st = tm_members_read(&members, (const char *const *)a->files, a->file_count, err);
    if (st == TM_OK)
        st = make_manifest(a, &members, &manifest, err);
    pack.manifest = members.manifest ? NULL : &manifest;
    if (st == TM_OK)
        st = a->manifest_only ? tm_io_write(w->fd, manifest.data, manifest.len, err)
                              : tm_pack_write(&pack, w->fd, w->target, err);
    tm_members_release(&members);
    tm_buf_release(&manifest);
    return st;
}

/* Writes the archive to a file, tries to merge it, and gives it its name. */
static enum tm_status write_file(const struct arguments *a, struct tm_error *err)
{
    struct tm_out_file out = {.fd = -1, .no_sync = a->no_sync};
    enum tm_status st = tm_unfinished_open(&out, a->out, NULL, err);
    struct work work = {a, out.fd, tm_out_file_target(&out), out.temp ? tm_out_file_folder(out.temp) : NULL};
    if (st == TM_OK)
        /* in a child process, because its sandbox would keep the trial merge from running programs */
        st = tm_subprocess_run(pack_files, &work, tm_unfinished_writer(), err);
    if (st == TM_OK && out.temp)
        st = try_archive(a, tm_out_file_target(&out), err);
    if (st == TM_OK)
        st = tm_out_file_commit(&out, err);
    tm_unfinished_abandon(&out);
    free((char *)(uintptr_t)work.folder);
    return st;
}

static enum tm_status run(const struct arguments *a, struct tm_error *err)
{
    struct work work = {.a = a, .fd = STDOUT_FILENO};
    return a->manifest_only || strcmp(a->out, "-") == 0 ? pack_files(&work, err) : write_file(a, err);
}

int main(int argc, char **argv)
{
    int status = tm_program_begin(&program);
    if (status != 0)
        return status;
    struct tm_error err = {0};
    struct arguments a = {0};
    status = parse(argc, argv, &a);
    if (status == TM_OPTIONS_GO_ON && (status = check(&a)) == 0) {
        const char *const outs[] = {a.out, NULL};
        enum tm_status st = tm_same_files_check(a.files, a.file_count, outs, NULL, &err);
        if (st == TM_OK)
            st = tm_draft_options_add_auto(&a.draft_options, &err);
        status = tm_program_finish(&program, st == TM_OK ? run(&a, &err) : st, &err);
    }
    tm_draft_options_release(&a.draft_options);
    return status;
}

#include "merge/alignment_run.h"

#include "align/alignment.h"
#include "base/name_set.h"
#include "merge/stage_messages.h"
#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALIGN_STAGES = 4, ALIGN = 3 };

/* Makes a file without a name that a stage can write through its descriptor. */
static enum tm_status make_temporary(const char *dir, int *fd, char *path, size_t size, struct tm_error *err)
{
    enum tm_status st = tm_io_temporary(dir, fd, err);
    if (st == TM_OK && fcntl(*fd, F_SETFD, 0) < 0)
        st = tm_error_errno(err, errno, "temporary file");
    snprintf(path, size, "/dev/fd/%d", *fd);
    return st;
}

/* True if tm-unpack takes LIST. It does not if a rule reads an argument whose name has only separators. */
static bool is_name_list(const char *list)
{
    struct tm_name_set set = {0};
    bool does = tm_name_set_add(&set, list) == TM_OK;
    tm_name_set_release(&set);
    return does;
}

/* Changes REQUEST to one that unpacks what tm-align reads, and nothing else. */
static void ask_for_evidence(struct tm_merge_request *request)
{
    static const struct tm_emit reader = {.name = "text", .needs_detail = true}; /* what tm-align reads */
    request->outputs = (struct tm_output_list){.rows = {{.emit = &reader}}, .count = 1};
    request->no_detail = false;
    request->join = NULL;
    request->text = NULL;
}

/* Runs the stages up to tm-align, which gets the command line WORDS. IN_FD has the unpacked stream; -1: tm-unpack runs
 * too. */
static enum tm_status run_stages(struct tm_alignment_run *run, const char *const *words, int in_fd, int *status,
                                 struct tm_error *err)
{
    struct tm_merge_commands commands = {0};
    struct tm_stage stages[TM_MERGE_STAGES] = {{.name = NULL}};
    struct tm_pipeline pipeline = {.stages = stages, .count = ALIGN_STAGES, .signal_seen = run->signal_seen};
    struct tm_merge_request request = *run->request;
    char folder[sizeof commands.commands->path], path[sizeof commands.commands->path];
    struct tm_buf names = {0};
    pipeline.wait_mask = run->wait_mask;
    pipeline.drops_warnings = request.quiet;
    request.write_manifest = NULL;
    if (in_fd < 0 && run->copy_fd >= 0)
        request.copy = run->copy_path;
    else if (in_fd < 0)
        ask_for_evidence(&request);
    enum tm_status st = tm_alignment_arg_names(run->rules, &names) == TM_OK ? TM_OK : tm_error_nomem(err);
    request.json_args = st == TM_OK && is_name_list((const char *)names.data) ? (const char *)names.data : NULL;
    if (st == TM_OK)
        st = tm_merge_commands_make(&commands, &request, run->argv0, stages, err);
    if (st == TM_OK) {
        memcpy(folder, commands.commands[0].path, sizeof folder);
        char *slash = strrchr(folder, '/');
        if (slash)
            *slash = '\0';
        st = tm_pipeline_find("tm-align", slash ? folder : NULL, path, sizeof path, err);
    }
    if (st == TM_OK) {
        stages[ALIGN] = (struct tm_stage){.name = "tm-align", .path = path, .argv = words};
        if (in_fd >= 0)
            tm_merge_skip_unpack(&pipeline, in_fd);
        st = tm_pipeline_start(&pipeline, err);
    }
    if (st == TM_OK) {
        tm_pipeline_wait(&pipeline);
        if (*run->signal_seen == 0)
            tm_stage_messages_print(run->program, &pipeline, request.quiet);
        *status = *run->signal_seen ? tm_status_exit(TM_E_SYSTEM) : tm_pipeline_exit(&pipeline);
    }
    tm_pipeline_release(&pipeline);
    tm_merge_commands_release(&commands);
    tm_buf_release(&names);
    return st;
}

/* Makes the command line of tm-align: the words OPTIONS, ended by NULL, and what RUN has for every run. */
static enum tm_status make_command(const struct tm_alignment_run *run, const char *const *options,
                                   struct tm_merge_command *command, struct tm_error *err)
{
    enum tm_status st = tm_merge_command_word(command, "tm-align");
    for (; *options && st == TM_OK; options++)
        st = tm_merge_command_word(command, *options);
    if (st == TM_OK)
        st = tm_merge_command_option(command, "-r", run->rules);
    if (st == TM_OK)
        st = tm_merge_command_option(command, "-T", run->request->temporary_directory);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

int tm_alignment_run_copy(const struct tm_alignment_run *run, uint64_t *bytes)
{
    struct stat info;
    if (run->copy_fd < 0 || fstat(run->copy_fd, &info) != 0 || info.st_size == 0 ||
        lseek(run->copy_fd, 0, SEEK_SET) != 0)
        return -1;
    *bytes = (uint64_t)info.st_size;
    return run->copy_fd;
}

static void release_copy(struct tm_alignment_run *run)
{
    if (run->copy_fd >= 0)
        (void)close(run->copy_fd);
    run->copy_fd = -1;
}

enum tm_status tm_alignment_run_find(struct tm_alignment_run *run, int *status, struct tm_error *err)
{
    const char *dir = run->request->temporary_directory;
    enum tm_status st = make_temporary(dir, &run->manifest_fd, run->manifest_path, sizeof run->manifest_path, err);
    if (st == TM_OK)
        st = make_temporary(dir, &run->report_fd, run->report_path, sizeof run->report_path, err);
    if (st == TM_OK && tm_merge_may_unpack_once(run->request))
        st = make_temporary(dir, &run->copy_fd, run->copy_path, sizeof run->copy_path, err);
    const char *const options[] = {"-o", run->report_path, "--write-manifest", run->manifest_path,
                                   "-f", run->request->json ? "json" : "text", NULL};
    struct tm_merge_command command = {0};
    if (st == TM_OK)
        st = make_command(run, options, &command, err);
    if (st == TM_OK)
        st = run_stages(run, command.argv, -1, status, err);
    tm_merge_command_release(&command);
    return st;
}

enum tm_status tm_alignment_run_check(struct tm_alignment_run *run, int *status, struct tm_error *err)
{
    const char *const options[] = {"--check", "-f", run->request->json ? "json" : "text", NULL};
    struct tm_merge_command command = {0};
    uint64_t bytes;
    int in_fd = tm_alignment_run_copy(run, &bytes);
    if (in_fd < 0)
        release_copy(run);
    enum tm_status st = make_command(run, options, &command, err);
    if (st == TM_OK)
        st = run_stages(run, command.argv, in_fd, status, err);
    tm_merge_command_release(&command);
    return st;
}

void tm_alignment_run_release(struct tm_alignment_run *run)
{
    release_copy(run);
    if (run->manifest_fd >= 0)
        (void)close(run->manifest_fd);
    if (run->report_fd >= 0)
        (void)close(run->report_fd);
    run->manifest_fd = run->report_fd = -1;
}

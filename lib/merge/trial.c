#include "merge/trial.h"

#include "os/io.h"
#include "merge/stage_commands.h"
#include "merge/stage_messages.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUMMARY_BYTES_MAX = 16 << 20 };

/* Starts the stages; the last one writes to FD. */
static enum tm_status start(struct tm_pipeline *pipeline, int fd, struct tm_error *err)
{
    int before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* no stage keeps it open */
    enum tm_status st = TM_OK;
    if (before < 0)
        return tm_error_errno(err, errno, "standard output");
    if (dup2(fd, STDOUT_FILENO) < 0)
        st = tm_error_errno(err, errno, "standard output");
    else
        st = tm_pipeline_start(pipeline, err);
    if (dup2(before, STDOUT_FILENO) < 0 && st == TM_OK) {
        st = tm_error_errno(err, errno, "standard output");
        tm_pipeline_stop(pipeline);
    }
    (void)close(before);
    return st;
}

static enum tm_status read_summary(int fd, struct tm_buf *summary, struct tm_error *err)
{
    struct stat info;
    if (fstat(fd, &info) < 0)
        return tm_error_errno(err, errno, "cannot read the summary");
    size_t len = info.st_size < SUMMARY_BYTES_MAX ? (size_t)info.st_size : SUMMARY_BYTES_MAX;
    if (tm_buf_reserve(summary, len + 1) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = len ? tm_io_pread(fd, summary->data + summary->len, len, 0, err) : TM_OK;
    summary->len += st == TM_OK ? len : 0;
    return st;
}

/* Replaces the name FROM by TO, which is not longer, in the messages of all stages. */
static void rename_in_messages(struct tm_pipeline *pipeline, const char *from, const char *to)
{
    size_t from_len = strlen(from), to_len = strlen(to);
    for (size_t i = 0; i < pipeline->count && to_len <= from_len; i++) {
        struct tm_buf *messages = &pipeline->stages[i].messages;
        size_t n = 0;
        for (size_t at = 0; at < messages->len;) {
            bool is_name = messages->len - at >= from_len && memcmp(messages->data + at, from, from_len) == 0;
            memmove(messages->data + n, is_name ? (const void *)to : messages->data + at, is_name ? to_len : 1);
            n += is_name ? to_len : 1;
            at += is_name ? from_len : 1;
        }
        messages->len = n;
    }
}

enum tm_status tm_trial_run(const struct tm_trial *trial, struct tm_buf *summary, int *status, struct tm_error *err)
{
    static const volatile sig_atomic_t no_signal = 0;
    struct tm_merge_commands commands = {0};
    struct tm_stage stages[TM_MERGE_STAGES] = {{.name = NULL}};
    struct tm_pipeline pipeline = {.stages = stages, .count = TM_MERGE_STAGES, .signal_seen = &no_signal,
                                   .drops_warnings = trial->quiet};
    const struct tm_merge_request request = {
        .outputs = {.rows = {{.emit = tm_emit_find("summary")}}, .count = 1},
        .files = &trial->archive,
        .file_count = 1,
        .strict = trial->strict};
    int fd = -1;
    (void)sigprocmask(SIG_SETMASK, NULL, &pipeline.wait_mask);
    enum tm_status st = tm_io_temporary(NULL, &fd, err);
    if (st == TM_OK)
        st = tm_merge_commands_make(&commands, &request, trial->argv0, stages, err);
    if (st == TM_OK && (st = start(&pipeline, fd, err)) == TM_OK) {
        tm_pipeline_wait(&pipeline);
        rename_in_messages(&pipeline, trial->archive, trial->final_name);
        tm_stage_messages_print(trial->program, &pipeline, trial->quiet);
        *status = tm_pipeline_exit(&pipeline);
        st = read_summary(fd, summary, err);
    }
    tm_pipeline_release(&pipeline);
    tm_merge_commands_release(&commands);
    if (fd >= 0)
        (void)close(fd);
    return st;
}

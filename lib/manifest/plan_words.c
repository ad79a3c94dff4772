#include "manifest/plan_words.h"

#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

enum tm_status tm_plan_words_add(struct tm_plan_words *words, enum tm_plan_option option, const char *text,
                                 struct tm_error *err)
{
    struct tm_plan_word *grown = realloc(words->words, (words->count + 1) * sizeof *grown);
    if (grown == NULL)
        return tm_error_nomem(err);
    words->words = grown;
    words->words[words->count++] = (struct tm_plan_word){option, text};
    return TM_OK;
}

enum tm_status tm_plan_words_apply(const struct tm_plan_words *words, struct tm_merge_plan *plan, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < words->count && st == TM_OK; i++) {
        const char *text = words->words[i].text;
        switch (words->words[i].option) {
        case TM_PLAN_MACHINE: st = tm_merge_plan_machine(plan, text, err); break;
        case TM_PLAN_SYNC: st = tm_merge_plan_sync(plan, text, err); break;
        case TM_PLAN_TRACE_TIME: st = tm_merge_plan_trace_time(plan, text, err); break;
        }
    }
    return st;
}

static enum tm_status make_manifest(const struct tm_plan_words *words, char *const *files, size_t count,
                                    struct tm_buf *manifest, struct tm_error *err)
{
    struct tm_merge_plan plan = {0};
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < count && st == TM_OK; i++)
        st = tm_merge_plan_add(&plan, files[i], files[i], err);
    if (st == TM_OK)
        st = tm_plan_words_apply(words, &plan, err);
    if (st == TM_OK)
        st = tm_merge_plan_manifest(&plan, manifest, err);
    tm_merge_plan_release(&plan);
    return st;
}

enum tm_status tm_plan_words_spool(const struct tm_plan_words *words, char *const *files, size_t count, const char *dir,
                                   int *fd, struct tm_error *err)
{
    struct tm_buf manifest = {0};
    enum tm_status st = make_manifest(words, files, count, &manifest, err);
    if (st == TM_OK)
        st = tm_io_spool(dir, fd, err);
    if (st == TM_OK)
        st = tm_io_pwrite(*fd, manifest.data, manifest.len, 0, err);
    if (st == TM_OK && fcntl(*fd, F_SETFD, 0) < 0)
        st = tm_error_errno(err, errno, "cannot pass the manifest on");
    tm_buf_release(&manifest);
    return st;
}

void tm_plan_words_release(struct tm_plan_words *words)
{
    free(words->words);
    *words = (struct tm_plan_words){0};
}

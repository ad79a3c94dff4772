#include "os/unfinished.h"

#include "os/io.h"

#include <string.h>

/* For the signal handler. The names are copies, because a commit frees those of the file. */
static struct slot {
    const struct tm_out_file *file; /* NULL: the slot is free */
    const char *const *members;
    bool made_folder;
    char temp[4096]; /* "": none */
} slots[TM_UNFINISHED_MAX];
static volatile sig_atomic_t writer;

static void on_signal(int signum)
{
    if (writer)
        (void)kill((pid_t)writer, SIGKILL);
    for (size_t i = 0; i < TM_UNFINISHED_MAX; i++)
        if (slots[i].temp[0])
            tm_out_file_remove(slots[i].temp, slots[i].members, slots[i].made_folder);
    (void)signal(signum, SIG_DFL);
    (void)raise(signum);
}

static void watch_signals(void)
{
    static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction old, action = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        if (sigaction(handled[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(handled[i], &action, NULL);
}

/* Returns the slot of FILE, or NULL. FILE NULL: a free one. */
static struct slot *find_slot(const struct tm_out_file *file)
{
    for (size_t i = 0; i < TM_UNFINISHED_MAX; i++)
        if (slots[i].file == file)
            return &slots[i];
    return NULL;
}

/* Notes FILE, which has just been opened. A name that does not fit is too long for a file. */
static void note(struct slot *slot, const struct tm_out_file *file)
{
    if (file->temp == NULL || strlen(file->temp) >= sizeof slot->temp)
        return;
    slot->file = file;
    slot->members = file->members;
    slot->made_folder = file->made_folder;
    strcpy(slot->temp, file->temp);
    watch_signals();
}

enum tm_status tm_unfinished_open(struct tm_out_file *file, const char *path, const char *part, struct tm_error *err)
{
    struct slot *slot = find_slot(NULL);
    sigset_t all, old;
    if (slot == NULL)
        return tm_error_set(err, TM_E_SYSTEM, "%s: more than %d results at a time", path, TM_UNFINISHED_MAX);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &old);
    enum tm_status st = tm_out_file_open(file, path, part, err);
    note(slot, file);
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    return st;
}

void tm_unfinished_abandon(struct tm_out_file *file)
{
    struct slot *slot = find_slot(file);
    tm_out_file_abandon(file);
    if (slot) {
        slot->temp[0] = '\0';
        slot->file = NULL;
    }
}

enum tm_status tm_unfinished_put(const char *path, const char *part, const void *data, size_t len,
                                 struct tm_error *err)
{
    struct tm_out_file out = {.fd = -1};
    enum tm_status st = tm_unfinished_open(&out, path, part, err);
    if (st == TM_OK && (st = tm_io_write(out.fd, data, len, err)) < 0)
        tm_error_prefix(err, "%s", path);
    if (st == TM_OK)
        st = tm_out_file_commit(&out, err);
    tm_unfinished_abandon(&out);
    return st;
}

volatile sig_atomic_t *tm_unfinished_writer(void)
{
    return &writer;
}

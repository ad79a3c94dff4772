/* Parsers whose files a library reads in a child process (os/subprocess.h).
 *
 * fuzz_child: the output of the child is part of the input, so the fuzzer reaches the parser of its records. An input
 * is the file, the output of the child, the length of that output (2 bytes, little-endian), a byte for the end of the
 * child, and one for the way to read the file (fuzz_parse). The output is bytes, or notes of records, whose lengths are
 * corrected: kind, buffer, cpu, tid, pid, lost (a byte each), time and cycles (8 each), event, task and args, each
 * ended by 255. fuzz_ctf_folder: the library itself reads, in a child. An input is metadata, stream and index of a
 * trace, the lengths of metadata and index (2 bytes each), a byte that states whether stream (2) and index (4) exist,
 * and one for the way to read it. */
#include "fuzz.h"

#include "base/bytes.h"
#include "format/child_event.h"
#include "os/io.h"
#include "os/subprocess.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if __has_feature(address_sanitizer) || defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#else
static void __sanitizer_set_death_callback(void (*callback)(void))
{
    (void)callback;
}
#endif

/* Subprocesses of this program are those of the library, unless an input has the output of a child. */
enum tm_status real_open(struct tm_subprocess *p, int (*run)(void *context, int fd), void *context,
                         struct tm_error *err);
enum tm_status real_close(struct tm_subprocess *p, struct tm_error *err);
#define tm_subprocess_open real_open
#define tm_subprocess_close real_close
#include "os/subprocess.c"
#undef tm_subprocess_open
#undef tm_subprocess_close

enum end { ENDS_WELL, ENDS_BADLY, FAILS_READING, END_COUNT };

static struct child {
    bool is_there; /* this input has the output of a child */
    const uint8_t *data;
    size_t len;
    enum end end;
} child;

static enum tm_status child_says(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct child *c = source;
    size_t n = c->len < len ? c->len : len;
    if (n == 0 && c->end == FAILS_READING)
        return tm_error_set(err, TM_E_INPUT, "its reader process has not answered for 60 seconds");
    if (n > 0)
        memcpy(data, c->data, n);
    c->data += n;
    c->len -= n;
    *got = n;
    return n ? TM_OK : TM_END;
}

/* A library may be busy for long with a hostile file, or die. Its process isolates that, so this is no finding. */
struct work {
    int (*run)(void *context, int fd);
    void *context;
};

static int run_bounded(void *context, int fd)
{
    static const int deaths[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGXCPU, SIGALRM};
    const struct work *work = context;
    struct rlimit seconds = {2, 2};
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++)
        (void)signal(deaths[i], SIG_DFL);
    __sanitizer_set_death_callback(NULL);
    (void)setrlimit(RLIMIT_CPU, &seconds);
    return work->run(work->context, fd);
}

enum tm_status tm_subprocess_open(struct tm_subprocess *p, int (*run)(void *context, int fd), void *context,
                                  struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = child_says};
    struct work work = {run, context};
    if (!child.is_there)
        return real_open(p, run_bounded, &work, err);
    tm_input_init(&p->out, &ops, &child);
    p->pid = -1;
    return TM_OK;
}

enum tm_status tm_subprocess_close(struct tm_subprocess *p, struct tm_error *err)
{
    if (p->pid != -1)
        return real_close(p, err);
    bool has_ended = p->out.ended;
    tm_input_release(&p->out);
    *p = (struct tm_subprocess){0};
    return has_ended && child.end == ENDS_BADLY ? tm_error_set(err, TM_E_INPUT, "killed by signal 11") : TM_OK;
}

/* Returns the text at *AT up to 255, and moves *AT after it. */
static struct tm_text note_text(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *text = *at, *stop = memchr(text, 255, (size_t)(end - text));
    size_t len = (size_t)((stop ? stop : end) - text);
    *at = stop ? stop + 1 : end;
    return tm_text_at(text, len);
}

/* Writes the records of the notes in DATA. */
static void put_notes(const uint8_t *data, size_t len, struct tm_buf *out)
{
    enum { AT_TIME = 6, AT_CYCLES = 14, HEAD = 22 };
    const uint8_t *end = data + len;
    while (end - data >= HEAD) {
        struct tm_child_event e = {.kind = (enum tm_child_event_kind)data[0], .buffer = data[1], .cpu = (int8_t)data[2],
                                   .tid = (int8_t)data[3], .pid = (int8_t)data[4],
                                   .lost = data[5] == 255 ? UINT64_MAX : data[5],
                                   .time_ns = (int64_t)tm_get_le64(data + AT_TIME),
                                   .cycles = (int64_t)tm_get_le64(data + AT_CYCLES)};
        data += HEAD;
        e.event = note_text(&data, end);
        e.task = note_text(&data, end);
        e.args = note_text(&data, end);
        fuzz_fault.calm++;
        FUZZ_CHECK(tm_child_event_put(&e, out) == TM_OK);
        fuzz_fault.calm--;
    }
}

void fuzz_child(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    enum { TAIL = 4, IS_NOTES = 128 };
    struct tm_buf notes = {0};
    if (len < TAIL)
        return;
    size_t room = len - TAIL, said = tm_get_le16(data + room);
    uint8_t end = data[len - 2];
    said = said < room ? said : room;
    child = (struct child){true, data + room - said, said, (enum end)(end % IS_NOTES % END_COUNT)};
    if (end & IS_NOTES) {
        put_notes(child.data, said, &notes);
        child.data = notes.data;
        child.len = notes.len;
    }
    fuzz_parse(target->with, data, room - said, data[len - 1], "/fuzz/metadata");
    child = (struct child){0};
    tm_buf_release(&notes);
}

static void put_file(const char *folder, const char *name, const uint8_t *data, size_t len)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz_fault.calm++;
    FUZZ_CHECK(fd >= 0 && tm_io_write(fd, data, len, NULL) == TM_OK);
    fuzz_fault.calm--;
    close(fd);
}

void fuzz_ctf_folder(const struct fuzz_target *target, const uint8_t *data, size_t len)
{
    static const char *const names[] = {"metadata", "channel0_0", "index/channel0_0.idx"};
    enum { TAIL = 6 };
    char folder[64], path[128];
    const char *root = getenv("TMPDIR");
    if (len < TAIL)
        return;
    const uint8_t *tail = data + len - TAIL;
    size_t rest = len - TAIL, metadata = tm_get_le16(tail), index = tm_get_le16(tail + 2);
    metadata = metadata < rest ? metadata : rest;
    index = index < rest - metadata ? index : rest - metadata;
    size_t lens[] = {metadata, rest - metadata - index, index};
    snprintf(folder, sizeof folder, "%.30s/tm-fuzz-%ld", root ? root : "/tmp", (long)getpid());
    snprintf(path, sizeof path, "%s/index", folder);
    FUZZ_CHECK(mkdir(folder, 0700) == 0 && mkdir(path, 0700) == 0);
    const uint8_t *at = data;
    for (size_t i = 0; i < 3; at += lens[i++])
        if (i == 0 || tail[4] >> i & 1)
            put_file(folder, names[i], at, lens[i]);
    snprintf(path, sizeof path, "%s/metadata", folder);
    fuzz_parse(target->with, data, metadata, tail[5], path);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    snprintf(path, sizeof path, "%s/index", folder);
    FUZZ_CHECK(rmdir(path) == 0 && rmdir(folder) == 0);
}

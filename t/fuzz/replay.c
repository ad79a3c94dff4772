/* Runs the corpus of the fuzzer (t/fuzz/corpus/TARGET.tar), as TAP: one test for each target. Each input runs
 * unchanged, and then damaged $TM_FUZZ_DAMAGED times (DAMAGED if not set): cut, with changed, lost or repeated bytes,
 * or continued by the input before it. The damage depends only on the input's bytes, so it is the same on all machines.
 *
 * usage: replay                     all of $TM_SRC/t/fuzz/corpus
 *        replay TARGET FILE...      these files
 *        replay --targets           names, limits and dictionaries of the targets
 *        replay --notes <STREAM     notes of a stream, as the targets of stages read them */
#include "corpus.h"
#include "fuzz.h"
#include "stream_notes.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A run with sanitizers takes four times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { DAMAGED = 2 };
#else
enum { DAMAGED = 8 };
#endif

enum { RUN_MAX = 24 /* bytes that are lost or repeated */ };

/* The running input, for the report of a death. */
static struct {
    const char *target, *path;
    unsigned damage; /* 0: none */
} now;

static void on_death(int signum)
{
    char text[PATH_MAX + 128];
    int len = snprintf(text, sizeof text, "# %s %s, damage %u\n", now.target, now.path, now.damage);
    if (len > 0)
        (void)!write(STDOUT_FILENO, text, (size_t)len);
    (void)signal(signum, SIG_DFL);
    (void)raise(signum);
}

/* Returns a number below LIMIT, which is not 0. */
static size_t draw(uint64_t *state, size_t limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(*state >> 33) % limit;
}

static void put(struct tm_buf *out, const struct tm_buf *from, size_t begin, size_t end)
{
    if (begin < end)
        FUZZ_CHECK(tm_buf_add(out, from->data + begin, end - begin) == TM_OK);
}

static void change(uint8_t *byte, uint64_t *state)
{
    static const uint8_t extremes[] = {0, 0x7f, 0x80, 0xff, '"', '-', '{', ']'};
    switch (draw(state, 3)) {
    case 0: *byte = (uint8_t)draw(state, 256); break;
    case 1: *byte ^= (uint8_t)(1 << draw(state, 8)); break;
    default: *byte = extremes[draw(state, sizeof extremes)]; break;
    }
}

/* Damages INPUT at one place. Its last byte, which decides how it is read, stays. OTHER is another input, or empty. */
static void damage(const struct tm_buf *input, const struct tm_buf *other, uint64_t *state, struct tm_buf *out)
{
    enum kind { CUT, LOSE, REPEAT, CONTINUE, CHANGE, KINDS = CHANGE + 3 };
    const size_t len = input->len - 1, at = draw(state, len + 1), end = at + draw(state, RUN_MAX);
    const size_t kind = draw(state, KINDS), stop = end < len ? end : len;
    tm_buf_clear(out);
    put(out, input, 0, kind == REPEAT ? stop : at);
    if (kind == CONTINUE && other->len > 0)
        put(out, other, draw(state, other->len), other->len - 1);
    else if (kind == LOSE)
        put(out, input, stop, len);
    else if (kind >= REPEAT)
        put(out, input, at, len);
    if (kind >= CHANGE && at < out->len)
        change(out->data + at, state);
    put(out, input, len, len + 1);
}

/* Runs TARGET over INPUT, in memory of exactly its size, so a sanitizer detects a read past it. */
static void run(const struct fuzz_target *target, const struct tm_buf *input)
{
    uint8_t *exact = malloc(input->len ? input->len : 1);
    FUZZ_CHECK(exact != NULL);
    if (input->len)
        memcpy(exact, input->data, input->len);
    target->run(target, exact, input->len);
    free(exact);
}

static void run_damaged(const struct fuzz_target *target, const struct tm_buf *input, const struct tm_buf *other)
{
    const char *given = getenv("TM_FUZZ_DAMAGED");
    const unsigned ways = given ? (unsigned)strtoul(given, NULL, 10) : DAMAGED;
    struct tm_buf damaged = {0};
    uint64_t state = input->len;
    for (size_t i = 0; i < input->len; i++)
        state = state * 31 + input->data[i];
    for (now.damage = 1; now.damage <= ways && input->len > 0; now.damage++) {
        damage(input, other, &state, &damaged);
        run(target, &damaged);
    }
    now.damage = 0;
    tm_buf_release(&damaged);
}

static bool read_file(const char *path, struct tm_buf *data)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &info) == 0 && tm_buf_reserve(data, (size_t)info.st_size) == TM_OK &&
                read(fd, data->data, (size_t)info.st_size) == info.st_size;
    if (good)
        data->len = (size_t)info.st_size;
    else
        printf("# %s: cannot read\n", path);
    if (fd >= 0)
        close(fd);
    return good;
}

/* Runs TARGET over INPUT, whose name is NAME, and over damaged copies. LAST is the input before it, and becomes INPUT.
 * */
static void replay(const struct fuzz_target *target, const char *name, struct tm_buf *input, struct tm_buf *last)
{
    now.target = target->name;
    now.path = name;
    run(target, input);
    run_damaged(target, input, last);
    tm_buf_release(last);
    *last = *input;
    *input = (struct tm_buf){0};
}

static bool replay_corpus(const struct fuzz_target *target, unsigned *count)
{
    struct corpus corpus = {0};
    struct corpus_input member;
    struct tm_buf input = {0}, last = {0};
    bool good = corpus_open(&corpus, target->name);
    while (good && corpus_next(&corpus, &member)) {
        FUZZ_CHECK(tm_buf_add(&input, member.data, member.len) == TM_OK);
        replay(target, member.name, &input, &last);
        ++*count;
    }
    good = good && corpus_is_whole(&corpus) && *count > 0;
    corpus_close(&corpus);
    tm_buf_release(&last);
    return good;
}

static int replay_all(void)
{
    int n = 0, failed = 0;
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++) {
        unsigned count = 0;
        bool good = replay_corpus(t, &count);
        printf("%sok %d - %s: %u inputs\n", good ? "" : "not ", ++n, t->name, count);
        fflush(stdout);
        failed += !good;
    }
    printf("1..%d\n", n);
    return failed > 0;
}

static int write_notes(void)
{
    struct tm_buf notes = {0};
    bool good = stream_notes_read(STDIN_FILENO, &notes) && fwrite(notes.data, 1, notes.len, stdout) == notes.len;
    tm_buf_release(&notes);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const int deaths[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++)
        (void)signal(deaths[i], on_death);
    if (argc == 1)
        return replay_all();
    if (strcmp(argv[1], "--notes") == 0)
        return write_notes();
    if (strcmp(argv[1], "--targets") == 0) {
        for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
            printf("%s %u %s\n", t->name, t->max_bytes, t->dictionary ? t->dictionary : "-");
        return 0;
    }
    const struct fuzz_target *target = fuzz_find(argv[1]);
    struct tm_buf input = {0}, last = {0};
    bool good = target != NULL;
    for (int i = 2; i < argc && good; i++)
        if ((good = read_file(argv[i], &input)) == true)
            replay(target, argv[i], &input, &last);
    tm_buf_release(&last);
    return good ? 0 : 1;
}

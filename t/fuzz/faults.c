/* Runs the corpus of the fuzzer (t/fuzz/corpus/TARGET.tar) with failing system calls, as TAP: one test for each target.
 * For each path of functions that leads to a call (its CALLERS_MAX callers) that call fails, and then that call and all
 * calls after it. The target must end with an error of the system, or as without a fault (fuzz_check_status), and
 * without a memory error.
 *
 * usage: faults                          all of $TM_SRC/t/fuzz/corpus
 *        faults TARGET [NAME [CALL]]     one target; one input of it; the one call that fails
 *
 * The linker puts the functions __wrap_NAME in place of NAME in the library, not in other libraries. */
#include "corpus.h"
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

/* A run with sanitizers takes four times as long. They find memory errors, for which every fourth path suffices. */
#ifdef __SANITIZE_ADDRESS__
enum { PATHS_A_FAULT = 4 };
#else
enum { PATHS_A_FAULT = 1 };
#endif

enum { CALLERS_MAX = 12, PATHS_MAX = 1 << 17, CALLS_MAX = 1 << 12 };

static struct {
    pid_t process;            /* children do not fail */
    unsigned long count, at;  /* of the calls so far; the one that fails, 0: none */
    bool onwards;             /* all calls after it fail too */
    bool finds;               /* this run searches for new paths */
    uint64_t paths[PATHS_MAX]; /* a hash table; 0: free */
    unsigned path_count;
    unsigned long calls[CALLS_MAX]; /* whose path is new in this input */
    unsigned call_count;
    const char *target, *input;
} faults;

struct path {
    uint64_t hash;
    int callers;
};

static _Unwind_Reason_Code add_caller(struct _Unwind_Context *context, void *arg)
{
    struct path *path = arg;
    path->hash = (path->hash ^ (uint64_t)_Unwind_GetIP(context)) * UINT64_C(0x9e3779b97f4a7c15);
    path->hash ^= path->hash >> 29;
    return ++path->callers > CALLERS_MAX ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* True if no earlier call had this path. */
static bool is_new_path(void)
{
    struct path path = {1, 0};
    (void)_Unwind_Backtrace(add_caller, &path);
    uint64_t hash = path.hash ? path.hash : 1;
    size_t at = hash % PATHS_MAX;
    while (faults.paths[at] && faults.paths[at] != hash)
        at = (at + 1) % PATHS_MAX;
    if (faults.paths[at] || faults.path_count > PATHS_MAX / 2)
        return false;
    faults.paths[at] = hash;
    faults.path_count++;
    return true;
}

/* True if this call must fail with ERRNUM. */
static bool fails(int errnum)
{
    if (fuzz_fault.calm > 0 || (!faults.finds && faults.at == 0) || getpid() != faults.process)
        return false;
    faults.count++;
    if (faults.finds) {
        fuzz_fault.calm++;
        if (faults.call_count < CALLS_MAX && is_new_path() && faults.path_count % PATHS_A_FAULT == 0)
            faults.calls[faults.call_count++] = faults.count;
        fuzz_fault.calm--;
        return false;
    }
    if (faults.count != faults.at && !(faults.onwards && faults.count > faults.at))
        return false;
    fuzz_fault.is_there = true;
    errno = errnum;
    return true;
}

#define WRAP(type, name, errnum, failure, declared, given) \
    type __real_##name declared;                           \
    type __wrap_##name declared;                           \
    type __wrap_##name declared                            \
    {                                                      \
        return fails(errnum) ? failure : __real_##name given; \
    }

WRAP(void *, malloc, ENOMEM, NULL, (size_t size), (size))
WRAP(void *, calloc, ENOMEM, NULL, (size_t count, size_t size), (count, size))
WRAP(void *, realloc, ENOMEM, NULL, (void *p, size_t size), (p, size))
WRAP(void *, aligned_alloc, ENOMEM, NULL, (size_t alignment, size_t size), (alignment, size))
WRAP(ssize_t, read, EIO, -1, (int fd, void *data, size_t len), (fd, data, len))
WRAP(ssize_t, write, ENOSPC, -1, (int fd, const void *data, size_t len), (fd, data, len))
WRAP(ssize_t, pread, EIO, -1, (int fd, void *data, size_t len, off_t at), (fd, data, len, at))
WRAP(ssize_t, pread64, EIO, -1, (int fd, void *data, size_t len, off_t at), (fd, data, len, at))
WRAP(ssize_t, pwrite, ENOSPC, -1, (int fd, const void *data, size_t len, off_t at), (fd, data, len, at))
WRAP(ssize_t, pwrite64, ENOSPC, -1, (int fd, const void *data, size_t len, off_t at), (fd, data, len, at))
WRAP(int, mkstemp, ENOSPC, -1, (char *path), (path))
WRAP(int, mkstemp64, ENOSPC, -1, (char *path), (path))

/* Prints how to repeat the run that died. */
static void on_death(int signum)
{
    char text[PATH_MAX + 128];
    int len = snprintf(text, sizeof text, "# faults %s %s %lu\n", faults.target, faults.input, faults.at);
    if (len > 0)
        (void)!__real_write(STDOUT_FILENO, text, (size_t)len);
    (void)signal(signum, SIG_DFL);
    (void)raise(signum);
}

static void run(const struct fuzz_target *target, const uint8_t *data, size_t len, bool finds, unsigned long at)
{
    const bool was_refused = fuzz_fault.was_refused;
    faults.finds = finds;
    faults.at = at;
    faults.count = 0;
    fuzz_fault = (struct fuzz_fault){.was_refused = !finds && was_refused};
    target->run(target, data, len);
    faults.finds = false;
    faults.at = 0;
}

/* Runs TARGET over INPUT with each call of a new path failing, or with call ONLY if that is not 0. */
static void try_input(const struct fuzz_target *target, const struct corpus_input *input, unsigned long only,
                      unsigned long *tried)
{
    uint8_t *data = __real_malloc(input->len ? input->len : 1); /* memory of exactly its size */
    FUZZ_CHECK(data != NULL);
    memcpy(data, input->data, input->len);
    faults.input = input->name;
    faults.call_count = 0;
    run(target, data, input->len, true, 0);
    if (only) {
        faults.calls[0] = only;
        faults.call_count = 1;
    }
    for (unsigned i = 0; i < faults.call_count; i++, ++*tried)
        for (int onwards = 0; onwards < 2; onwards++) {
            faults.onwards = onwards;
            run(target, data, input->len, false, faults.calls[i]);
        }
    free(data);
}

/* Runs TARGET over its corpus, or over the input NAME if that is not NULL. */
static bool try_corpus(const struct fuzz_target *target, const char *name, unsigned long only, unsigned long *tried)
{
    struct corpus corpus = {0};
    struct corpus_input input;
    unsigned count = 0;
    bool good = corpus_open(&corpus, target->name);
    while (good && corpus_next(&corpus, &input)) {
        if (name && strcmp(name, input.name) != 0)
            continue;
        try_input(target, &input, only, tried);
        count++;
    }
    good = good && corpus_is_whole(&corpus) && count > 0;
    corpus_close(&corpus);
    return good;
}

static int try_all(void)
{
    int n = 0, failed = 0;
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++) {
        unsigned long tried = 0;
        faults.target = t->name;
        bool good = try_corpus(t, NULL, 0, &tried) && tried > 0;
        printf("%sok %d - %s: %lu calls fail\n", good ? "" : "not ", ++n, t->name, tried);
        fflush(stdout);
        failed += !good;
    }
    printf("1..%d\n", n);
    return failed > 0;
}

int main(int argc, char **argv)
{
    static const int deaths[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    unsigned long tried = 0;
    faults.process = getpid();
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++)
        (void)signal(deaths[i], on_death);
    if (argc == 1)
        return try_all();
    const struct fuzz_target *target = fuzz_find(argv[1]);
    faults.target = argv[1];
    bool good = target &&
                try_corpus(target, argc > 2 ? argv[2] : NULL, argc > 3 ? strtoul(argv[3], NULL, 10) : 0, &tried);
    printf("%lu calls fail\n", tried);
    return good ? 0 : 1;
}

/* Runs the corpus of the fuzzer (t/fuzz/corpus/TARGET), as TAP: one test for each target.
 *
 * usage: replay                     all of $TM_SRC/t/fuzz/corpus
 *        replay TARGET FILE...      these
 *        replay --targets           names, limits and dictionaries of the targets
 *        replay --notes <STREAM     notes of a stream, as the targets of stages read them */
#include "fuzz.h"

#include "stream_notes.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs TARGET over the file; a copy of exactly its size, so that a read past it is seen. */
static bool replay(const struct fuzz_target *target, const char *path)
{
    struct stat info;
    bool good = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0)
        goto out;
    size_t len = (size_t)info.st_size;
    uint8_t *data = malloc(len ? len : 1);
    good = data && read(fd, data, len) == (ssize_t)len;
    if (good)
        target->run(target, data, len);
    free(data);
out:
    if (!good)
        printf("# %s: cannot read\n", path);
    if (fd >= 0)
        close(fd);
    return good;
}

static bool replay_folder(const struct fuzz_target *target, const char *source, unsigned *count)
{
    char path[PATH_MAX];
    bool good = true;
    snprintf(path, sizeof path, "%s/t/fuzz/corpus/%s", source, target->name);
    DIR *dir = opendir(path);
    size_t len = strlen(path);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path + len, sizeof path - len, "/%s", entry->d_name);
        good = replay(target, path) && good;
        ++*count;
    }
    if (dir)
        closedir(dir);
    return good && *count > 0;
}

static int replay_all(void)
{
    const char *source = getenv("TM_SRC");
    int n = 0, failed = 0;
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++) {
        unsigned count = 0;
        bool good = replay_folder(t, source ? source : ".", &count);
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
    bool good = target != NULL;
    for (int i = 2; i < argc && good; i++)
        good = replay(target, argv[i]);
    return good ? 0 : 1;
}

/* Unit tests of lib/os/shared_ring: two processes with random sizes, an end that has left, large pages, no memory. */
#include "os/shared_ring.h"
#include "os/compat.h"
#include "os/io.h"

#include "tap.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRANSFERS = 3000, SEED = 12345, LEAVES_AFTER = 100 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Returns a size: mostly small, now and then up to the most that is allowed. */
static size_t next_size(uint32_t *state)
{
    uint32_t kind = next_random(state) % 64;
    size_t max = kind == 0 ? TM_RING_PART_MAX : kind < 8 ? TM_RING_BYTES / 8 : 1000;
    return 1 + next_random(state) % max;
}

/* The byte of the stream at position AT. */
static uint8_t byte_at(uint64_t at)
{
    return (uint8_t)((at * 2654435761u) >> 13);
}

static bool put(struct tm_ring *ring, size_t len, bool in_place)
{
    struct tm_error err = {0};
    static uint8_t copy[TM_RING_BYTES];
    uint8_t *room = copy;
    if (in_place && tm_ring_room(ring, len, &room, &err) < 0)
        return false;
    for (size_t i = 0; i < len; i++)
        room[i] = byte_at(ring->at + i);
    if (!in_place)
        return tm_ring_write(ring, copy, len, &err) == TM_OK;
    tm_ring_add(ring, len);
    return tm_ring_hidden(ring) < 100000 || tm_ring_show(ring, &err) == TM_OK;
}

/* Writes TRANSFERS times. Returns the exit status of the process: 0, or 1 if an end that has left was noticed. */
static int write_all(int fd)
{
    struct tm_ring ring;
    struct tm_error err = {0};
    uint32_t state = SEED;
    bool good = true;
    (void)signal(SIGPIPE, SIG_IGN);
    tm_ring_attach(&ring, true, fd);
    for (int i = 0; i < TRANSFERS && good; i++) {
        size_t len = next_size(&state);
        good = put(&ring, len, i % 3 > 0);
    }
    good = good && tm_ring_show(&ring, &err) == TM_OK;
    tm_ring_detach(&ring);
    return good ? 0 : 1;
}

/* Starts a writer. Attaches RING to what it writes. */
static pid_t start(struct tm_ring *ring, int fds[2])
{
    char setting[32];
    int memory = tm_ring_make();
    if (memory < 0 || pipe(fds) != 0)
        return -1;
    snprintf(setting, sizeof setting, "%d,%d", memory, memory);
    (void)setenv(TM_RINGS_VARIABLE, setting, 1);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(fds[0]);
        _exit(write_all(fds[1]));
    }
    (void)close(fds[1]);
    tm_ring_attach(ring, false, fds[0]);
    return pid;
}

static int status_of(pid_t pid)
{
    int status = 0;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Reads with random needs until the end, or COUNT times. Returns the bytes that were read, or 0 if one was wrong. */
static uint64_t read_some(struct tm_ring *ring, int count)
{
    struct tm_error err = {0};
    uint32_t state = 99;
    for (int i = 0; i < count; i++) {
        size_t need = next_size(&state), have = 0;
        if (tm_ring_wait(ring, need, &have, &err) != TM_OK)
            return 0;
        if (have < need && !ring->has_ended)
            return 0;
        size_t n = have < need ? have : need;
        for (size_t k = 0; k < n; k++)
            if (tm_ring_unread(ring)[k] != byte_at(ring->at + k))
                return 0;
        tm_ring_consume(ring, n);
        if (n < need)
            break;
    }
    return ring->at;
}

static void test_all_bytes(void)
{
    struct tm_ring ring;
    int fds[2];
    uint64_t want = 0;
    uint32_t state = SEED;
    pid_t pid = start(&ring, fds);
    for (int i = 0; i < TRANSFERS; i++)
        want += next_size(&state);
    ok(ring.bytes != NULL);
    ok_named(want > 20 * TM_RING_BYTES, "the ring is used many times");
    ok_named(read_some(&ring, 1 << 30) == want, "the reader gets what was written, to the last byte");
    ok_named(status_of(pid) == 0, "the writer has no error");
    tm_ring_detach(&ring);
    (void)close(fds[0]);
}

static void test_reader_leaves(void)
{
    struct tm_ring ring;
    int fds[2];
    pid_t pid = start(&ring, fds);
    ok(read_some(&ring, LEAVES_AFTER) > 0);
    (void)close(fds[0]);
    ok_named(status_of(pid) == 1, "a writer whose reader has left gets an error");
    tm_ring_detach(&ring);
}

static void test_writer_killed(void)
{
    struct tm_ring ring;
    struct tm_error err = {0};
    int fds[2], status = 0;
    size_t have = 0;
    pid_t pid = start(&ring, fds);
    ok(read_some(&ring, LEAVES_AFTER) > 0);
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, &status, 0);
    while (tm_ring_wait(&ring, TM_RING_PART_MAX, &have, &err) == TM_OK && !ring.has_ended)
        tm_ring_consume(&ring, have);
    ok_named(ring.has_ended, "the reader of a writer that was killed gets the end");
    tm_ring_detach(&ring);
    (void)close(fds[0]);
}

/* Returns how many KiB of the mapping at MEM are in large pages of shared memory. */
static unsigned long large_kib(const void *mem)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool is_here = false;
    unsigned long kib = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long long start, end;
        if (sscanf(line, "%llx-%llx", &start, &end) == 2)
            is_here = start <= (uintptr_t)mem && (uintptr_t)mem < end;
        else if (is_here)
            (void)sscanf(line, "ShmemPmdMapped: %lu", &kib);
    }
    if (maps)
        fclose(maps);
    return kib;
}

/* Attaches both ends of a new ring. */
static bool attach_both(struct tm_ring *writer, struct tm_ring *reader, int fds[2])
{
    char setting[32];
    int memory = tm_ring_make(), other = dup(memory);
    if (memory < 0 || other < 0 || pipe(fds) != 0)
        return false;
    snprintf(setting, sizeof setting, "%d,%d", memory, other);
    (void)setenv(TM_RINGS_VARIABLE, setting, 1);
    tm_ring_attach(reader, false, fds[0]);
    tm_ring_attach(writer, true, fds[1]);
    return writer->bytes && reader->bytes;
}

/* Passes LEN bytes from WRITER to READER. True if they arrive. */
static bool pass(struct tm_ring *writer, struct tm_ring *reader, size_t len)
{
    struct tm_error err = {0};
    size_t have = 0;
    if (!put(writer, len, true) || tm_ring_show(writer, &err) < 0 || tm_ring_wait(reader, len, &have, &err) < 0)
        return false;
    for (size_t i = 0; i < len; i++)
        if (tm_ring_unread(reader)[i] != byte_at(reader->at + i))
            return false;
    tm_ring_consume(reader, len);
    return true;
}

static void test_large_pages(void)
{
    enum { SHORT = 100 << 10, LARGE_KIB = 2 << 10, LONG_PARTS = 60 };
    struct tm_ring writer, reader;
    int fds[2];
    bool good = attach_both(&writer, &reader, fds);
    ok_named(good && pass(&writer, &reader, SHORT), "a short stream passes");
    ok_named(large_kib(writer.bytes) == 0 && large_kib(reader.bytes) == 0, "it has small pages");
    for (int i = 0; i < LONG_PARTS && good; i++)
        good = pass(&writer, &reader, SHORT);
    ok_named(good, "all of a long one arrives");
    if (tm_compat_join_pages(writer.bytes, TM_RING_BYTES)) { /* the kernel can, and has a large page */
        ok_named(large_kib(writer.bytes) == LARGE_KIB && large_kib(writer.bytes + TM_RING_BYTES) == LARGE_KIB,
                 "both mappings of the writer of a long one have a large page");
        ok_named(large_kib(reader.bytes) == LARGE_KIB && large_kib(reader.bytes + TM_RING_BYTES) == LARGE_KIB,
                 "so have those of its reader");
    }
    tm_ring_detach(&writer);
    tm_ring_detach(&reader);
}

static void test_no_memory(void)
{
    struct tm_ring ring;
    (void)setenv(TM_RINGS_VARIABLE, "1000000,1000001", 1);
    tm_ring_attach(&ring, false, STDIN_FILENO);
    ok_named(ring.bytes == NULL, "a descriptor that is none is no ring");
    (void)setenv(TM_RINGS_VARIABLE, "-1,-1", 1);
    tm_ring_attach(&ring, true, STDOUT_FILENO);
    ok_named(ring.bytes == NULL, "-1 is no ring");
    (void)unsetenv(TM_RINGS_VARIABLE);
    tm_ring_attach(&ring, false, STDIN_FILENO);
    ok_named(ring.bytes == NULL, "without TM_RINGS there is no ring");
}

int main(void)
{
    int memory = tm_ring_make();
    if (memory >= 0) {
        (void)close(memory);
        test_all_bytes();
        test_reader_leaves();
        test_writer_killed();
        test_large_pages();
    }
    test_no_memory();
    return tap_done();
}

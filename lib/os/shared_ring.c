#include "os/shared_ring.h"

#include "base/bytes.h"
#include "os/compat.h"
#include "os/io.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    RING_PAGE_BYTES = 4096, /* after the ring's bytes */
    RING_FULL_MS = 1,       /* how often a writer looks for room, because its reader cannot wake it through the pipe */
    RING_DRAIN_BYTES = 64,
    RING_STEP_MIN = 64 << 10, /* so much memory at a time gets its pages; at first little, for short streams */
    RING_STEP_MAX = 256 << 10,
    RING_SMALL_PAGES = 256 << 10 /* with more, a stream is long enough for one large page */
};

int tm_ring_make(void)
{
    return tm_compat_shared_memory(TM_RING_BYTES + RING_PAGE_BYTES);
}

/* Reserves addresses for two rings. They begin at a multiple of a ring's size, where a large page can be. Returns
 * MAP_FAILED if there are none. */
static uint8_t *reserve(int memory)
{
    const size_t wanted = 2 * TM_RING_BYTES, spare = TM_RING_BYTES;
    uint8_t *start = mmap(NULL, wanted + spare, PROT_NONE, MAP_SHARED, memory, 0);
    if (start == MAP_FAILED)
        return MAP_FAILED;
    const size_t before = (TM_RING_BYTES - (uintptr_t)start % TM_RING_BYTES) % TM_RING_BYTES;
    if (before > 0)
        (void)munmap(start, before);
    if (before < spare)
        (void)munmap(start + before + wanted, spare - before);
    return start + before;
}

/* Maps the ring of MEMORY twice, one mapping after the other. False: that is not possible. */
static bool map(struct tm_ring *ring, int memory)
{
    void *page = mmap(NULL, RING_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, (off_t)TM_RING_BYTES);
    uint8_t *bytes = reserve(memory);
    bool is_mapped = page != MAP_FAILED && bytes != MAP_FAILED;
    for (size_t i = 0; i < 2 && is_mapped; i++)
        is_mapped = mmap(bytes + i * TM_RING_BYTES, TM_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                         memory, 0) != MAP_FAILED;
    if (is_mapped) {
        ring->page = page;
        ring->bytes = bytes;
        return true;
    }
    if (page != MAP_FAILED)
        (void)munmap(page, RING_PAGE_BYTES);
    if (bytes != MAP_FAILED)
        (void)munmap(bytes, 2 * TM_RING_BYTES);
    return false;
}

/* Returns the descriptor at PLACE, from 0 on, in TM_RINGS. -1: there is none. */
static int descriptor(int place)
{
    const char *text = getenv(TM_RINGS_VARIABLE);
    char *end;
    while (text && place-- > 0)
        text = (text = strchr(text, ',')) ? text + 1 : NULL;
    long memory = text ? strtol(text, &end, 10) : -1;
    return memory >= 0 && memory <= INT32_MAX ? (int)memory : -1;
}

void tm_ring_attach(struct tm_ring *ring, bool is_output, int fd)
{
    struct stat info;
    int memory = descriptor(is_output);
    *ring = (struct tm_ring){.fd = fd};
    bool is_taker = memory < 0 && !is_output;
    if (is_taker)
        memory = descriptor(2);
    if (memory < 0 || fstat(memory, &info) < 0 || info.st_size != (off_t)(TM_RING_BYTES + RING_PAGE_BYTES))
        return; /* there is none, or it is something else */
    bool is_mapped = map(ring, memory);
    (void)close(memory);
    ring->is_taker = is_mapped && is_taker;
    if (is_mapped && !is_output)
        atomic_store(is_taker ? &ring->page->is_taken : &ring->page->is_read, 1);
}

/* Has the kernel back the ring with one large page, in both mappings. The first end that asks gets the page, and the
 * others map it. */
static bool join_pages(const struct tm_ring *ring)
{
    return tm_compat_join_pages(ring->bytes, TM_RING_BYTES) &&
           tm_compat_join_pages(ring->bytes + TM_RING_BYTES, TM_RING_BYTES);
}

/* Has the kernel back the LEN bytes at AT with pages, in steps that double: one call takes less time than a fault for
 * each page. If it cannot, the pages come one by one. A long stream gets a large page: each end pays for each page that
 * it maps. */
static void populate(struct tm_ring *ring, const uint8_t *at, size_t len)
{
    const size_t all = 2 * TM_RING_BYTES;
    size_t end = (size_t)(at - ring->bytes) + len, from = ring->populated;
    if (end <= from)
        return;
    const size_t step = from < RING_STEP_MIN ? RING_STEP_MIN : from < RING_STEP_MAX ? from : RING_STEP_MAX;
    size_t to = from + (end - from + step - 1) / step * step;
    to = to < all ? to : all;
    if (from <= RING_SMALL_PAGES && to > RING_SMALL_PAGES && join_pages(ring))
        to = from = all;
    ring->populated = tm_compat_populate(ring->bytes + from, to - from) ? to : all;
}

static enum tm_status wake(int fd, struct tm_error *err)
{
    static const char mark = TM_RING_MARK;
    return tm_io_write(fd, &mark, 1, err);
}

bool tm_ring_is_read(const struct tm_ring *ring)
{
    return ring->bytes && atomic_load(&ring->page->is_read);
}

enum tm_status tm_ring_begin(struct tm_ring *ring, struct tm_error *err)
{
    return wake(ring->fd, err);
}

/* Waits until the pipe has a byte or has ended. If the taker leaves meanwhile, fails or ends the process as write(2)
 * does. */
static enum tm_status watch(const struct tm_ring *ring, struct tm_error *err)
{
    struct pollfd ends[] = {{.fd = ring->fd, .events = POLLIN}, {.fd = ring->next_fd}};
    while (poll(ends, 2, -1) < 0 && errno == EINTR)
        ;
    return ends[1].revents ? wake(ring->next_fd, err) : TM_OK;
}

size_t tm_ring_ready(const struct tm_ring *ring)
{
    return (size_t)(atomic_load(&ring->page->written) - ring->at);
}

enum tm_status tm_ring_wait(struct tm_ring *ring, size_t need, size_t *have, struct tm_error *err)
{
    struct tm_ring_page *page = ring->page;
    char wakes[RING_DRAIN_BYTES];
    for (;;) {
        size_t got = 0;
        bool had_ended = ring->has_ended;
        *have = tm_ring_ready(ring);
        if (*have > TM_RING_BYTES)
            return tm_error_set(err, TM_E_SYSTEM, "memory shared with the stage before is damaged");
        if (*have >= need || had_ended) {
            populate(ring, tm_ring_unread(ring), *have);
            return TM_OK;
        }
        atomic_store(&page->is_awaited, 1);
        if (tm_ring_ready(ring) != *have) {
            atomic_store(&page->is_awaited, 0);
            continue;
        }
        enum tm_status st = ring->passes ? watch(ring, err) : TM_OK;
        if (st == TM_OK)
            st = tm_io_read(ring->fd, wakes, sizeof wakes, &got, err);
        if (st < 0)
            return st;
        ring->has_ended = st == TM_END;
    }
}

void tm_ring_consume(struct tm_ring *ring, size_t len)
{
    ring->at += len;
    if (!ring->passes)
        atomic_store_explicit(&ring->page->consumed, ring->at, memory_order_release);
}

size_t tm_ring_hidden(const struct tm_ring *ring)
{
    return (size_t)(ring->at - atomic_load_explicit(&ring->page->written, memory_order_relaxed));
}

enum tm_status tm_ring_show(struct tm_ring *ring, struct tm_error *err)
{
    if (tm_ring_hidden(ring) == 0)
        return TM_OK;
    atomic_store(&ring->page->written, ring->at);
    return atomic_exchange(&ring->page->is_awaited, 0) ? wake(ring->fd, err) : TM_OK;
}

enum tm_status tm_ring_room(struct tm_ring *ring, size_t len, uint8_t **room, struct tm_error *err)
{
    *room = ring->bytes + (ring->at & (TM_RING_BYTES - 1));
    for (;;) {
        uint64_t used = ring->at - atomic_load_explicit(&ring->page->consumed, memory_order_acquire);
        struct pollfd reader = {.fd = ring->fd};
        if (used <= TM_RING_BYTES && TM_RING_BYTES - used >= len) {
            populate(ring, *room, len);
            return TM_OK;
        }
        enum tm_status st = tm_ring_show(ring, err);
        if (st == TM_OK && poll(&reader, 1, RING_FULL_MS) > 0) /* only its reader's end can be reported */
            st = wake(ring->fd, err);
        if (st < 0)
            return st;
    }
}

enum tm_status tm_ring_write(struct tm_ring *ring, const void *data, size_t len, struct tm_error *err)
{
    const uint8_t *from = data;
    while (len > 0) {
        size_t n = len < TM_RING_BYTES / 4 ? len : TM_RING_BYTES / 4;
        uint8_t *room;
        enum tm_status st = tm_ring_room(ring, n, &room, err);
        if (st < 0)
            return st;
        memcpy(room, from, n);
        tm_ring_add(ring, n);
        if ((st = tm_ring_show(ring, err)) < 0)
            return st;
        from += n;
        len -= n;
    }
    return TM_OK;
}

bool tm_ring_is_taken(const struct tm_ring *ring)
{
    return ring->bytes && atomic_load(&ring->page->is_taken);
}

void tm_ring_pass_to(struct tm_ring *ring, int fd)
{
    ring->passes = true;
    ring->next_fd = fd;
}

void tm_ring_note_put(uint8_t note[TM_RING_NOTE_BYTES], uint64_t end, uint32_t len)
{
    note[0] = TM_RING_NOTE;
    tm_put_le64(note + 1, end);
    tm_put_le32(note + 9, len);
}

enum tm_status tm_ring_take(struct tm_ring *ring, const uint8_t note[TM_RING_NOTE_BYTES], struct tm_ring_part *part,
                            struct tm_error *err)
{
    uint64_t end = tm_get_le64(note + 1);
    ring->at = atomic_load(&ring->page->consumed); /* before the first note, the stage between gave bytes back */
    *part = (struct tm_ring_part){.len = tm_get_le32(note + 9), .consumed = (size_t)(end - ring->at)};
    size_t ready = tm_ring_ready(ring);
    if (ready > TM_RING_BYTES || part->consumed > ready || part->len > part->consumed)
        return tm_error_set(err, TM_E_SYSTEM, "memory shared with the stage before is damaged");
    part->bytes = ring->bytes + ((end - part->len) & (TM_RING_BYTES - 1));
    populate(ring, part->bytes, part->len);
    return TM_OK;
}

void tm_ring_detach(struct tm_ring *ring)
{
    *ring = (struct tm_ring){.fd = -1};
}

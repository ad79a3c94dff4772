#include "os/shared_ring.h"

#include "os/compat.h"
#include "os/io.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    RING_PAGE_BYTES = 4096, /* after the ring's bytes */
    RING_FULL_MS = 1,       /* how often a writer looks for room, because its reader cannot wake it through the pipe */
    RING_DRAIN_BYTES = 64
};

int tm_ring_make(void)
{
    return tm_compat_shared_memory(TM_RING_BYTES + RING_PAGE_BYTES);
}

/* Maps the ring of MEMORY twice, one mapping after the other. False: that is not possible. */
static bool map(struct tm_ring *ring, int memory)
{
    void *page = mmap(NULL, RING_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, (off_t)TM_RING_BYTES);
    uint8_t *bytes = mmap(NULL, 2 * TM_RING_BYTES, PROT_NONE, MAP_SHARED, memory, 0); /* reserves the addresses */
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

void tm_ring_attach(struct tm_ring *ring, bool is_output, int fd)
{
    const char *text = getenv(TM_RINGS_VARIABLE);
    struct stat info;
    char *end;
    *ring = (struct tm_ring){.fd = fd};
    if (text == NULL)
        return;
    long memory = strtol(text, &end, 10);
    if (is_output)
        memory = *end == ',' ? strtol(end + 1, &end, 10) : -1;
    if (memory < 0 || memory > INT32_MAX)
        return;
    if (fstat((int)memory, &info) < 0 || info.st_size != (off_t)(TM_RING_BYTES + RING_PAGE_BYTES))
        return; /* it is something else */
    bool is_mapped = map(ring, (int)memory);
    (void)close((int)memory);
    if (is_mapped && !is_output)
        atomic_store(&ring->page->is_read, 1);
}

static enum tm_status wake(const struct tm_ring *ring, struct tm_error *err)
{
    static const char mark = TM_RING_MARK;
    return tm_io_write(ring->fd, &mark, 1, err);
}

bool tm_ring_is_read(const struct tm_ring *ring)
{
    return ring->bytes && atomic_load(&ring->page->is_read);
}

enum tm_status tm_ring_begin(struct tm_ring *ring, struct tm_error *err)
{
    return wake(ring, err);
}

enum tm_status tm_ring_wait(struct tm_ring *ring, size_t need, size_t *have, struct tm_error *err)
{
    struct tm_ring_page *page = ring->page;
    char wakes[RING_DRAIN_BYTES];
    for (;;) {
        size_t got = 0;
        bool had_ended = ring->has_ended;
        *have = (size_t)(atomic_load(&page->written) - ring->at);
        if (*have > TM_RING_BYTES)
            return tm_error_set(err, TM_E_SYSTEM, "memory shared with the stage before is damaged");
        if (*have >= need || had_ended)
            return TM_OK;
        atomic_store(&page->is_awaited, 1);
        if (atomic_load(&page->written) - ring->at != *have) {
            atomic_store(&page->is_awaited, 0);
            continue;
        }
        enum tm_status st = tm_io_read(ring->fd, wakes, sizeof wakes, &got, err);
        if (st < 0)
            return st;
        ring->has_ended = st == TM_END;
    }
}

void tm_ring_consume(struct tm_ring *ring, size_t len)
{
    ring->at += len;
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
    return atomic_exchange(&ring->page->is_awaited, 0) ? wake(ring, err) : TM_OK;
}

enum tm_status tm_ring_room(struct tm_ring *ring, size_t len, uint8_t **room, struct tm_error *err)
{
    *room = ring->bytes + (ring->at & (TM_RING_BYTES - 1));
    for (;;) {
        uint64_t used = ring->at - atomic_load_explicit(&ring->page->consumed, memory_order_acquire);
        struct pollfd reader = {.fd = ring->fd};
        if (used <= TM_RING_BYTES && TM_RING_BYTES - used >= len)
            return TM_OK;
        enum tm_status st = tm_ring_show(ring, err);
        if (st == TM_OK && poll(&reader, 1, RING_FULL_MS) > 0) /* only its reader's end can be reported */
            st = wake(ring, err);
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

void tm_ring_detach(struct tm_ring *ring)
{
    if (ring->bytes) {
        (void)munmap(ring->bytes, 2 * TM_RING_BYTES);
        (void)munmap(ring->page, RING_PAGE_BYTES);
    }
    *ring = (struct tm_ring){.fd = -1};
}

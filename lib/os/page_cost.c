#include "os/page_cost.h"

#include "os/compat.h"

#include <stddef.h>

enum {
    DECISION_BYTES = 4 << 20, /* a decision needs so many */
    LEAST_NS_PER_KIB = 40,    /* below that pages were there already */
    HIGH_NS_PER_KIB = 800,    /* more than pages cost that the host need not provide */
    SMALL_FACTOR = 2,         /* the first use of small pages takes the time of the thread that fills them */
    SMALL_PAGE = 4096,
    SMALL_BYTES = 256 << 10 /* allocated to measure small pages */
};

uint64_t tm_page_cost_of_small(void)
{
    const uint64_t start_ns = tm_compat_thread_ns();
    uint8_t *mem = tm_compat_map(SMALL_BYTES);
    if (mem == NULL)
        return 0;
    tm_compat_small_pages(mem, SMALL_BYTES);
    (void)tm_compat_populate(mem, SMALL_BYTES);
    for (size_t at = 0; at < SMALL_BYTES; at += SMALL_PAGE)
        *(volatile uint8_t *)(mem + at) = 1;
    const uint64_t ns = tm_compat_thread_ns() - start_ns;
    tm_compat_unmap(mem, SMALL_BYTES);
    return ns / (SMALL_BYTES >> 10);
}

/* True if small pages take less than large ones, which take LARGE_NS_PER_KIB. */
static bool is_small_better(struct tm_page_cost *cost, uint64_t large_ns_per_kib, uint64_t (*measure_small)(void))
{
    if (large_ns_per_kib <= HIGH_NS_PER_KIB)
        return false;
    if (cost->small_ns_per_kib == 0)
        cost->small_ns_per_kib = measure_small();
    return large_ns_per_kib > SMALL_FACTOR * cost->small_ns_per_kib;
}

void tm_page_cost_add(struct tm_page_cost *cost, uint64_t bytes, uint64_t ns, uint64_t (*measure_small)(void))
{
    if (ns < (bytes >> 10) * LEAST_NS_PER_KIB)
        return;
    cost->bytes += bytes;
    cost->ns += ns;
    if (cost->bytes < DECISION_BYTES)
        return;
    cost->is_high = cost->is_high || is_small_better(cost, cost->ns / (cost->bytes >> 10), measure_small);
    cost->bytes = cost->ns = 0;
}

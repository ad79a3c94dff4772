/* Unit test of os/page_cost, and of an arena in which large pages are costly. */
#include "os/compat.h"
#include "os/page_cost.h"
#include "sort/arena.h"

#include "tap.h"

#include <string.h>

enum { LARGE = 2 << 20 };

/* Small pages where the host does nothing for each of them, and where it does. */
static uint64_t cheap_small(void)
{
    return 500;
}

static uint64_t costly_small(void)
{
    return 2600;
}

/* Notes COUNT large pages of NS nanoseconds each. Returns what is decided. */
static bool after(struct tm_page_cost *cost, unsigned count, uint64_t ns)
{
    for (unsigned i = 0; i < count; i++)
        tm_page_cost_add(cost, LARGE, ns, cheap_small);
    return cost->is_high;
}

static unsigned measurements;

static uint64_t counted_small(void)
{
    measurements++;
    return costly_small();
}

static void test_costly_small(void)
{
    enum { UNBACKED_NS = 8000000, DEARER_NS = 12000000 };
    struct tm_page_cost cost = {0};
    for (int i = 0; i < 20; i++)
        tm_page_cost_add(&cost, LARGE, UNBACKED_NS, counted_small);
    ok_named(!cost.is_high, "costly large pages are kept where small ones save less than half");
    ok_named(measurements == 1, "small pages are measured once");
    for (int i = 0; i < 20; i++)
        tm_page_cost_add(&cost, LARGE, DEARER_NS, counted_small);
    ok_named(cost.is_high, "if large pages cost even more, small ones are better");
    uint64_t ns = tm_page_cost_of_small();
    ok_named(ns > 10 && ns < 1000000, "a KiB of small pages takes more than 10 ns and less than a millisecond");
}

static void test_decision(void)
{
    enum { BACKED_NS = 190000, UNBACKED_NS = 4000000, PRESENT_NS = 3000 };
    struct tm_page_cost backed = {0}, unbacked = {0}, later = {0}, present = {0};
    ok_named(!after(&backed, 100, BACKED_NS), "large pages of memory that the machine has are cheap");
    ok_named(!after(&unbacked, 1, UNBACKED_NS), "one page decides nothing");
    ok_named(after(&unbacked, 1, UNBACKED_NS), "pages that the host must provide are costly");
    ok_named(after(&unbacked, 100, BACKED_NS), "they stay so");
    ok_named(!after(&later, 50, BACKED_NS) && after(&later, 2, UNBACKED_NS),
             "cheap pages before do not hide costly ones");
    after(&present, 1, UNBACKED_NS);
    ok_named(!after(&present, 50, PRESENT_NS), "pages that were there do not count");
    ok_named(after(&present, 1, UNBACKED_NS), "nor do they hide the costly ones around them");
}

static void test_thread_time(void)
{
    const uint64_t before = tm_compat_thread_ns();
    volatile uint64_t sum = 0;
    for (uint64_t i = 0; i < 10000000; i++)
        sum += i;
    ok_named(sum > 0 && tm_compat_thread_ns() > before + 1000000, "the processor's time of a thread counts up");
}

/* True if the memory at MEM has FLAG in /proc/self/smaps. */
static bool has_flag(const void *mem, const char *flag)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool is_here = false, has = false;
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long long start, end;
        if (sscanf(line, "%llx-%llx", &start, &end) == 2)
            is_here = start <= (uintptr_t)mem && (uintptr_t)mem < end;
        else if (is_here && strncmp(line, "VmFlags:", 8) == 0)
            has = strstr(line, flag) != NULL;
    }
    if (maps)
        fclose(maps);
    return has;
}

enum { STEP = 1 << 20, STEPS = 40 };

/* Takes STEPS megabytes from A. Returns the last. */
static uint8_t *take_steps(struct tm_arena *a)
{
    uint8_t *last = NULL;
    bool full;
    for (int i = 0; i < STEPS; i++) {
        last = tm_arena_take(a, STEP, &full);
        if (last)
            memset(last, i, STEP);
    }
    return last;
}

/* Checks the pages of an arena before large pages prove costly, and after. The arena has no thread that measures: what
 * pages cost here decides nothing. */
static void test_arena(void)
{
    struct tm_arena a = {.limit_bytes = (size_t)STEP * 12 * STEPS, .has_prefault = true};
    const uint8_t *before = take_steps(&a);
    a.has_small_pages = true;
    const uint8_t *after = NULL;
    for (int i = 0; i < 3; i++) /* beyond the rest of the piece that was begun before */
        after = take_steps(&a);
    ok_named(before != NULL && after != NULL, "an arena has room");
    if (before && after && (has_flag(before, " hg") || has_flag(before, " nh"))) { /* the kernel says which pages */
        ok_named(has_flag(before, " hg") && !has_flag(before, " nh"), "its pages are large until these are costly");
        ok_named(has_flag(after, " nh") && !has_flag(after, " hg"), "then they are small");
    }
    tm_arena_release(&a);
}

int main(void)
{
    test_decision();
    test_costly_small();
    test_thread_time();
    test_arena();
    return tap_done();
}

/* Unit test of emit/perfetto/open_ends: ends come out in their order, whatever order they were added in. */
#include "emit/perfetto/open_ends.h"

#include "../lib/random.h"
#include "tap.h"


enum { ROUNDS = 20000, OPEN_MAX = 300, TIMES = 5000 };

/* The ends that must be there, in no order. */
static struct tm_open_end expected[OPEN_MAX];
static uint32_t expected_count;

static uint32_t roll(uint32_t limit)
{
    static uint64_t seed = 1;
    return random_below32(&seed, limit);
}

static bool is_before(const struct tm_open_end *a, const struct tm_open_end *b)
{
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->order > b->order;
}

/* Returns the index of the first of the expected ends. */
static uint32_t first_expected(void)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < expected_count; i++)
        if (is_before(&expected[i], &expected[first]))
            first = i;
    return first;
}

/* Removes the first of the expected ends. */
static struct tm_open_end take_expected(void)
{
    uint32_t first = first_expected();
    struct tm_open_end end = expected[first];
    expected[first] = expected[--expected_count];
    return end;
}

/* Returns the end of a slice that begins at NOW_NS and is open for less than SPAN; half of them are nested in all that
 * are open. */
static int64_t new_end_ns(int64_t now_ns, uint32_t span)
{
    int64_t limit_ns = now_ns + span;
    if (expected_count > 0 && roll(2))
        limit_ns = expected[first_expected()].end_ns;
    return now_ns + (limit_ns > now_ns ? roll((uint32_t)(limit_ns - now_ns)) : 0);
}

/* True if the ends that are got one by one are the expected ones: their number and sums are equal. */
static bool has_expected(const struct tm_open_ends *ends)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < expected_count; i++)
        sum += expected[i].uuid * expected[i].uuid - tm_open_ends_get(ends, i)->uuid * tm_open_ends_get(ends, i)->uuid;
    return tm_open_ends_count(ends) == expected_count && sum == 0;
}

/* Adds and removes ends. As PERCENT grows, more are open. SPAN: the longest time that one is open. */
static void test(uint32_t percent, uint32_t span)
{
    struct tm_open_ends ends = {.count = 0};
    struct tm_error err = {0};
    bool is_good = true;
    int64_t now_ns = 0;
    expected_count = 0;
    for (uint64_t i = 0; i < ROUNDS && is_good; i++) {
        if (expected_count < OPEN_MAX && roll(100) < percent) {
            const struct tm_open_end end = {.end_ns = new_end_ns(now_ns, span), .order = i, .uuid = i};
            expected[expected_count++] = end;
            is_good = tm_open_ends_push(&ends, &end, &err) == TM_OK;
        } else if (expected_count > 0) {
            const struct tm_open_end end = take_expected();
            const bool is_due = tm_open_ends_are_due(&ends, end.end_ns);
            const bool is_early = tm_open_ends_are_due(&ends, end.end_ns - 1);
            is_good = is_due && !is_early && tm_open_ends_pop(&ends)->uuid == end.uuid;
            now_ns = end.end_ns;
        }
        if (i % 64 == 0)
            is_good = is_good && has_expected(&ends);
    }
    printf("# %u percent are added, for less than %u ns\n", percent, span);
    ok(is_good);
    while (expected_count > 0 && is_good)
        is_good = tm_open_ends_pop(&ends)->uuid == take_expected().uuid;
    ok(is_good && tm_open_ends_count(&ends) == 0 && !tm_open_ends_are_due(&ends, INT64_MAX));
    tm_open_ends_release(&ends);
}

/* Adds an end at END_NS, which is the number ORDER. */
static bool add(struct tm_open_ends *ends, int64_t end_ns, uint64_t order, struct tm_error *err)
{
    const struct tm_open_end end = {.end_ns = end_ns, .order = order, .uuid = order};
    expected[expected_count++] = end;
    return tm_open_ends_push(ends, &end, err) == TM_OK;
}

/* Slices nested in each other, as many as are sorted and more, and one that ends between two of them. */
static void test_nested(void)
{
    enum { NESTED = 2 * TM_OPEN_ENDS_NEXT_MAX, STEP_NS = 10 };
    bool is_good = true;
    for (int64_t between = 0; between <= NESTED && is_good; between++)
        for (uint64_t count = TM_OPEN_ENDS_NEXT_MAX - 1; count <= NESTED && is_good; count++) {
            struct tm_open_ends ends = {.count = 0};
            struct tm_error err = {0};
            expected_count = 0;
            for (uint64_t i = 0; i < count && is_good; i++)
                is_good = add(&ends, STEP_NS * (int64_t)(NESTED - i), i, &err);
            is_good = is_good && add(&ends, STEP_NS * between + 1, count, &err);
            while (expected_count > 0 && is_good)
                is_good = tm_open_ends_pop(&ends)->uuid == take_expected().uuid;
            tm_open_ends_release(&ends);
        }
    ok_named(is_good, "an end between those of nested slices");
}

int main(void)
{
    test_nested();

    for (uint32_t percent = 40; percent <= 70; percent += 10) {
        test(percent, 1); /* all at one time */
        test(percent, 50);
        test(percent, TIMES);
        test(percent, 1000 * 1000 * 1000);
    }
    return tap_done();
}

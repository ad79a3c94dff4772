/* Unit test of tm_heap: random pushes, pops and replacements, compared with a list that is searched. */
#include "base/heap.h"

#include "../lib/random.h"
#include "tap.h"

enum { ROUNDS = 200, STEPS = 300, KEYS = 40 };

struct item {
    int64_t key;
    uint32_t number;
};

static bool is_before(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->key != y->key ? x->key < y->key : x->number < y->number;
}

static const struct tm_heap_order BY_KEY = {sizeof(struct item), is_before};

/* Returns the place of the first of ALL. */
static uint32_t first_of(const struct item *all, uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++)
        if (is_before(&all[i], &all[first]))
            first = i;
    return first;
}

static uint32_t test_random(uint64_t seed)
{
    struct tm_heap heap = {0};
    struct item all[STEPS];
    uint32_t count = 0, wrong = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        struct item new = {random_below32(&seed, KEYS), step}, popped;
        uint32_t what = random_below32(&seed, 5), first = first_of(all, count);
        if (count)
            wrong += ((const struct item *)heap.items)->number != all[first].number;
        if (what < 3 || count == 0) {
            wrong += tm_heap_push(&heap, &BY_KEY, &new, NULL) != TM_OK;
            all[count++] = new;
        } else if (what == 3) {
            tm_heap_replace(&heap, &BY_KEY, &new);
            all[first] = new;
        } else {
            tm_heap_pop(&heap, &BY_KEY, &popped);
            wrong += popped.number != all[first].number;
            all[first] = all[--count];
        }
        wrong += heap.count != count;
    }
    for (; count; all[first_of(all, count)] = all[count - 1], count--) {
        struct item popped;
        tm_heap_pop(&heap, &BY_KEY, &popped);
        wrong += popped.number != all[first_of(all, count)].number;
    }
    wrong += heap.count;
    tm_heap_release(&heap);
    return wrong;
}

int main(void)
{
    uint32_t wrong = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        wrong += test_random(seed);
    is_int(wrong, 0);
    return tap_done();
}

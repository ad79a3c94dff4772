/* Unit test of tm_pending_definitions: random definitions, times and needs, compared with a list that is searched.
 * Definitions that are written at once are always right. Those of one key keep the order in which they came. */
#include "emit/perfetto/pending_definitions.h"

#include "../lib/random.h"
#include "tap.h"

#include <string.h>

enum { ROUNDS = 300, STEPS = 400, KEYS_MAX = 600, TIMES = 50 };

struct waiting {
    int64_t time_ns;
    uint64_t position;
    struct tm_pending_needs needs;
    bool is_there;
};

/* Returns the first definition that is due at NOW, or NULL. */
static struct waiting *first_due(struct waiting *all, size_t count, int64_t now_ns)
{
    struct waiting *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (all[i].is_there && all[i].time_ns <= now_ns && (first == NULL || all[i].time_ns < first->time_ns))
            first = &all[i];
    return first;
}

/* Returns the definition found by KEY: the first that came with it, unless a pending one had the key then. */
static struct waiting *first_of(struct waiting *all, const size_t *owner, uint64_t key)
{
    return key && owner[key] && all[owner[key] - 1].is_there ? &all[owner[key] - 1] : NULL;
}

/* Returns the first definition that is there with KEY, or NULL. */
static struct waiting *first_with(struct waiting *all, size_t count, uint64_t key)
{
    for (size_t i = 0; i < count && key; i++)
        if (all[i].is_there && (all[i].needs.key == key || all[i].needs.other_key == key))
            return &all[i];
    return NULL;
}

/* Returns what comes before W because it has a key of W and came earlier, or W. */
static struct waiting *first_in_order(struct waiting *all, size_t count, struct waiting *w)
{
    struct waiting *before = w;
    while (w) {
        struct waiting *a = first_with(all, count, w->needs.key), *b = first_with(all, count, w->needs.other_key);
        before = a && a < w ? a : b && b < w ? b : w;
        if (before == w)
            break;
        w = before;
    }
    return before;
}

static void own(struct waiting *all, size_t *owner, size_t i, uint64_t key)
{
    if (key && first_of(all, owner, key) == NULL)
        owner[key] = i + 1;
}

/* Fewer KEYS: more definitions have one together. */
static void test_random(uint64_t seed, uint32_t keys)
{
    struct waiting all[STEPS] = {0};
    size_t owner[KEYS_MAX] = {0}, count = 0, wrong = 0, said = 0;
    struct tm_pending_definitions late = {0};
    for (int step = 0; step < STEPS; step++) {
        uint32_t what = random_below32(&seed, 10);
        if (what < (step < STEPS / 2 ? 4u : 1u)) {
            const uint32_t first = random_below32(&seed, keys);
            const uint32_t other = random_below32(&seed, 3) ? 0 : random_below32(&seed, keys);
            struct tm_pending_needs needs = {first, other, 0};
            struct tm_event e = {.time_ns = random_below32(&seed, TIMES),
                                 .position = count,
                                 .raw = (const uint8_t *)"raw",
                                 .raw_bytes = 3};
            wrong += tm_pending_definitions_add(&late, &e, needs, NULL) != TM_OK;
            all[count] = (struct waiting){e.time_ns, count, needs, true};
            own(all, owner, count, needs.key);
            own(all, owner, count, needs.other_key);
            count++;
            continue;
        }
        bool by_time = what < 6;
        int64_t now_ns = random_below32(&seed, TIMES);
        uint64_t key = random_below32(&seed, keys);
        bool none = by_time ? tm_pending_events_none_due(&late.events, now_ns)
                            : tm_pending_definitions_none_needed(&late, key);
        struct waiting *expected = by_time ? first_due(all, count, now_ns) : first_of(all, owner, key);
        expected = first_in_order(all, count, expected);
        said += none;
        wrong += none && expected;
        const struct tm_event *e = by_time ? tm_pending_definitions_due(&late, now_ns)
                                           : tm_pending_definitions_needed(&late, key);
        wrong += (e == NULL) != (expected == NULL);
        if (e && expected) {
            wrong += e->position != expected->position || e->raw_bytes != 3 || memcmp(e->raw, "raw", 3) != 0;
            expected->is_there = false;
        }
        wrong += !by_time && e == NULL && !tm_pending_definitions_none_needed(&late, key); /* the key is known */
    }
    ok_named(wrong == 0 && said > 0, "definitions come when they are due or needed");
    tm_pending_definitions_release(&late);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        test_random(seed, seed % 2 ? KEYS_MAX : 20);
    return tap_done();
}

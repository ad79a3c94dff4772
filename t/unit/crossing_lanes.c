/* Unit tests of lanes of crossing slices: the result is the first free lane, as a search through all lanes finds it. */
#include "model/crossing_lanes.h"
#include "../lib/random.h"
#include "tap.h"

enum { LANES = 24, DEEP = 64, SLICES = 4000 };

/* A plain implementation, which searches from the first lane to the last. */
struct plain {
    int64_t ends[LANES][DEEP];
    uint32_t counts[LANES];
};

static uint32_t plain_add(struct plain *p, int64_t start_ns, int64_t end_ns)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        int64_t *ends = p->ends[lane];
        uint32_t *count = &p->counts[lane];
        while (*count && ends[*count - 1] <= start_ns)
            --*count;
        if (*count && ends[*count - 1] < end_ns)
            continue;
        ends[(*count)++] = end_ns;
        return lane;
    }
    return LANES;
}

static void test_random(uint64_t seed, uint64_t longest)
{
    struct plain plain = {.counts = {0}};
    struct tm_crossing_lanes set = {0};
    uint64_t state = seed;
    int64_t now_ns = INT64_MIN;
    int same = 0, refused = 0;
    for (int i = 0; i < SLICES; i++) {
        now_ns += (int64_t)(random_next(&state) % 3);
        int64_t end_ns = now_ns + 1 + (int64_t)(random_next(&state) % longest);
        uint32_t lane = LANES, expected = plain_add(&plain, now_ns, end_ns);
        enum tm_status st = tm_crossing_lanes_add(&set, LANES, now_ns, end_ns, &lane);
        same += lane == expected && st == (expected < LANES ? TM_OK : TM_END);
        refused += st == TM_END;
    }
    is_int(same, SLICES);
    ok_named((refused > 0) == (longest > 100), "lanes are full when many slices are open");
    tm_crossing_lanes_release(&set);
}

/* Slices that begin and end at the last representable nanosecond. */
static void test_last(void)
{
    struct tm_crossing_lanes set = {0};
    uint32_t lane = LANES;
    ok(tm_crossing_lanes_add(&set, LANES, INT64_MAX - 2, INT64_MAX - 1, &lane) == TM_OK && lane == 0);
    ok(tm_crossing_lanes_add(&set, LANES, INT64_MAX - 2, INT64_MAX, &lane) == TM_OK && lane == 1);
    ok(tm_crossing_lanes_add(&set, LANES, INT64_MAX, INT64_MAX, &lane) == TM_OK && lane == 0);
    tm_crossing_lanes_release(&set);
}

int main(void)
{
    test_random(1, 8);
    test_random(2, 60);
    test_random(3, 500);
    test_last();
    return tap_done();
}

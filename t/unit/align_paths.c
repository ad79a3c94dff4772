/* Unit tests of shortest paths over bounds: the extremes are those of a search over all pairs of nodes (Floyd 1962,
 * Warshall 1962), and a contradiction is a cycle of negative length. */
#include "align/bound_paths.h"
#include "../lib/random.h"
#include "tap.h"

enum { NODES_MAX = 12, BOUNDS_MAX = 40 };

static uint64_t seed = 5;

struct job {
    uint32_t nodes, count;
    struct tm_bound bounds[BOUNDS_MAX];
};

/* Makes bounds of nodes whose errors are known. One bound in WRONG excludes the truth; 0: none. */
static struct job make(uint32_t wrong)
{
    struct job job = {.nodes = 2 + random_below32(&seed, NODES_MAX - 1)};
    job.count = random_below32(&seed, BOUNDS_MAX + 1);
    int64_t truth[NODES_MAX + 1];
    for (uint32_t i = 0; i < job.nodes; i++)
        truth[i] = i == 0 ? 0 : (int64_t)random_below(&seed, 2001) - 1000;
    for (uint32_t i = 0; i < job.count; i++) {
        struct tm_bound *b = &job.bounds[i];
        *b = (struct tm_bound){.first = random_below32(&seed, job.nodes), .low = -TM_BOUND_FAR, .high = TM_BOUND_FAR};
        b->second = (b->first + 1 + random_below32(&seed, job.nodes - 1)) % job.nodes;
        int64_t z = truth[b->second] - truth[b->first];
        if (wrong && random_below(&seed, wrong) == 0)
            z += (int64_t)random_below(&seed, 4001) - 2000;
        if (random_below(&seed, 5))
            b->low = z - (int64_t)random_below(&seed, 300);
        if (random_below(&seed, 5))
            b->high = z + (int64_t)random_below(&seed, 300);
    }
    return job;
}

/* Sets the greatest e(j) - e(i) of all I and J. False if the bounds contradict each other where node 0 shows it. */
static bool find_all(const struct job *job, tm_i128 most[NODES_MAX + 1][NODES_MAX + 1])
{
    for (uint32_t i = 0; i < job->nodes; i++)
        for (uint32_t j = 0; j < job->nodes; j++)
            most[i][j] = i == j ? 0 : TM_BOUND_FAR;
    for (uint32_t k = 0; k < job->count; k++) {
        const struct tm_bound *b = &job->bounds[k];
        most[b->first][b->second] = b->high < most[b->first][b->second] ? b->high : most[b->first][b->second];
        most[b->second][b->first] = -b->low < most[b->second][b->first] ? -b->low : most[b->second][b->first];
    }
    for (uint32_t k = 0; k < job->nodes; k++)
        for (uint32_t i = 0; i < job->nodes; i++)
            for (uint32_t j = 0; j < job->nodes; j++)
                if (most[i][k] < TM_BOUND_FAR && most[k][j] < TM_BOUND_FAR && most[i][k] + most[k][j] < most[i][j])
                    most[i][j] = most[i][k] + most[k][j];
    for (uint32_t i = 0; i < job->nodes; i++)
        if (most[i][i] < 0 && (most[0][i] < TM_BOUND_FAR || most[i][0] < TM_BOUND_FAR))
            return false;
    return true;
}

/* True if the cycle of PATHS is one of JOB's bounds, and the sum of its upper or of its lower bounds excludes 0. */
static bool is_negative(const struct tm_bound_paths *paths, const struct job *job)
{
    /* from each bound to the next one of the cycle: the node that they share */
    for (int start = 0; start < 2; start++) {
        tm_i128 there = 0, back = 0;
        uint32_t at = start ? job->bounds[paths->cycle[0]].first : job->bounds[paths->cycle[0]].second;
        const uint32_t began = at;
        bool is_closed = true;
        for (uint32_t i = 0; i < paths->cycle_count && is_closed; i++) {
            const struct tm_bound *b = &job->bounds[paths->cycle[i]];
            is_closed = b->first == at || b->second == at;
            there += b->first == at ? b->high : -b->low; /* greatest e(next) - e(at) */
            back += b->first == at ? -b->low : b->high;  /* greatest e(at) - e(next) */
            at = b->first == at ? b->second : b->first;
        }
        if (is_closed && at == began && (there < 0 || back < 0))
            return true;
    }
    return false;
}

static void test_random(void)
{
    static tm_i128 most[NODES_MAX + 1][NODES_MAX + 1];
    int wrong = 0, cycles = 0, bounded = 0;
    for (int n = 0; n < random_cases(20000); n++) {
        const struct job job = make(n % 2 ? 6 : 0);
        struct tm_bound_paths paths;
        if (!tm_bound_paths_init(&paths, job.nodes)) {
            wrong++;
            continue;
        }
        const bool fits = find_all(&job, most), found = tm_bound_paths_find(&paths, 0, job.bounds, job.count);
        wrong += fits != found;
        wrong += !found && !is_negative(&paths, &job);
        cycles += !found;
        for (uint32_t i = 0; found && i < job.nodes; i++) {
            wrong += paths.up[i] != most[0][i] || paths.down[i] != most[i][0];
            bounded += most[0][i] < TM_BOUND_FAR;
        }
        tm_bound_paths_release(&paths);
    }
    printf("# %d cycles, %d bounds\n", cycles, bounded);
    ok_named(wrong == 0, "extremes and contradictions are those of a search over all pairs of nodes");
    ok_named(cycles > 100 && bounded > 1000, "there are some of both");
}

int main(void)
{
    test_random();
    return tap_done();
}

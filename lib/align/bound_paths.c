#include "align/bound_paths.h"

#include <stdlib.h>
#include <string.h>

/* The search for paths in one direction: from the root to the nodes, or from them to it. */
struct search {
    struct tm_bound_paths *paths;
    const struct tm_bound *bounds;
    uint32_t count;
    tm_i128 *lengths;
    bool to_root;
};

bool tm_bound_paths_init(struct tm_bound_paths *paths, uint32_t node_count)
{
    const size_t n = (size_t)node_count + 1;
    *paths = (struct tm_bound_paths){.node_count = node_count,
                                     .up = malloc(n * sizeof *paths->up),
                                     .down = malloc(n * sizeof *paths->down),
                                     .cycle = malloc(n * sizeof *paths->cycle),
                                     .via = malloc(n * sizeof *paths->via)};
    return paths->up && paths->down && paths->cycle && paths->via;
}

/* Shortens the path to node TO by that to FROM and the bound at index VIA, which allows LENGTH. */
static bool shorten(const struct search *s, uint32_t to, uint32_t from, tm_i128 length, uint32_t via)
{
    if (s->lengths[from] >= TM_BOUND_FAR || length >= TM_BOUND_FAR || s->lengths[to] <= s->lengths[from] + length)
        return false;
    s->lengths[to] = s->lengths[from] + length;
    s->paths->via[to] = via + 1;
    return true;
}

/* Goes over all bounds once. Returns a node whose path became shorter, plus 1; 0: none did. */
static uint32_t pass(const struct search *s)
{
    uint32_t shorter = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct tm_bound *b = &s->bounds[i];
        const uint32_t from = s->to_root ? b->second : b->first, to = s->to_root ? b->first : b->second;
        if (shorten(s, to, from, b->high, i))
            shorter = to + 1;
        if (shorten(s, from, to, -b->low, i))
            shorter = from + 1;
    }
    return shorter;
}

/* Returns the node before NODE on its path, plus 1; 0: its path begins at NODE. */
static uint32_t before(const struct search *s, uint32_t node)
{
    const uint32_t via = s->paths->via[node];
    if (via == 0)
        return 0;
    const struct tm_bound *b = &s->bounds[via - 1];
    return (b->first == node ? b->second : b->first) + 1;
}

/* Sets the cycle of PATHS if the path to NODE has one. A path with a cycle proves that the cycle is negative. */
static bool find_cycle(const struct search *s, uint32_t node)
{
    struct tm_bound_paths *p = s->paths;
    for (uint32_t steps = 0; steps < p->node_count; steps++) {
        const uint32_t next = before(s, node);
        if (next == 0)
            return false;
        node = next - 1;
    }
    p->cycle_count = 0;
    uint32_t at = node;
    do {
        p->cycle[p->cycle_count++] = p->via[at] - 1;
        at = before(s, at) - 1;
    } while (at != node);
    return true;
}

static bool find(const struct search *s, uint32_t root)
{
    for (uint32_t i = 0; i < s->paths->node_count; i++)
        s->lengths[i] = i == root ? 0 : TM_BOUND_FAR;
    memset(s->paths->via, 0, s->paths->node_count * sizeof *s->paths->via);
    for (uint32_t shorter; (shorter = pass(s)) != 0;)
        if (find_cycle(s, shorter - 1))
            return false;
    return true;
}

bool tm_bound_paths_find(struct tm_bound_paths *paths, uint32_t root, const struct tm_bound *bounds, uint32_t count)
{
    const struct search up = {paths, bounds, count, paths->up, false}, down = {paths, bounds, count, paths->down, true};
    return find(&up, root) && find(&down, root);
}

void tm_bound_paths_release(struct tm_bound_paths *paths)
{
    free(paths->up);
    free(paths->down);
    free(paths->cycle);
    free(paths->via);
    *paths = (struct tm_bound_paths){0};
}

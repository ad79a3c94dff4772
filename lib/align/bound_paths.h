/* Shortest paths over difference constraints: how far a file's line can be from the truth, if the bounds of all pairs
 * hold. A cycle of negative length proves that one of its bounds does not hold (Bellman 1958, Ford 1956). */
#ifndef TM_ALIGN_BOUND_PATHS_H
#define TM_ALIGN_BOUND_PATHS_H

#include "base/cpu.h"

#include <stdbool.h>
#include <stdint.h>

/* This is beyond any possible time. */
#define TM_BOUND_FAR ((tm_i128)1 << 100)

/* What a pair states at one time. */
struct tm_bound {
    uint32_t first, second; /* nodes */
    uint32_t pair;          /* its index */
    tm_i128 low, high;      /* of e(second) - e(first), in ns; -TM_BOUND_FAR and TM_BOUND_FAR: none */
    int64_t slopes;         /* the range of slopes that the offset can have there */
};

/* Zero-initialise. */
struct tm_bound_paths {
    uint32_t node_count;
    tm_i128 *up, *down; /* by node: its greatest error, and its least one negated; TM_BOUND_FAR: not bounded */
    uint32_t *cycle;    /* indexes of the bounds of the negative cycle that was found last */
    uint32_t cycle_count;
    uint32_t *via; /* private: by node, the bound that its path ends with, plus 1; 0: none */
};

/* Allocates PATHS for NODE_COUNT nodes. False without memory. */
bool tm_bound_paths_init(struct tm_bound_paths *paths, uint32_t node_count);

/* Finds the extremes of all nodes, if the error of ROOT is 0. False if a cycle is negative: then the extremes are
 * undefined, and the cycle is set. */
bool tm_bound_paths_find(struct tm_bound_paths *paths, uint32_t root, const struct tm_bound *bounds, uint32_t count);

void tm_bound_paths_release(struct tm_bound_paths *paths);

#endif

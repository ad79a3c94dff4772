/* What the solution of a network works on: network.c finds the groups and lines, network_bounds.c the bounds,
 * network_left_out.c the pairs that are not used. */
#ifndef TM_ALIGN_NETWORK_WORK_H
#define TM_ALIGN_NETWORK_WORK_H

#include "align/bound_paths.h"
#include "align/network.h"

struct tm_network_work {
    struct tm_network *network;
    const struct tm_evidence *evidence;
    const struct tm_align_nodes *nodes;
    uint64_t *ranks;  /* the order of the files */
    uint32_t *groups; /* union-find over nodes */
    bool *reached;
    bool *is_of_tree;   /* by pair: lines are propagated along it */
    struct tm_bound_paths *paths; /* the extremes of the errors of the nodes' lines */
    struct tm_error *err;
};

/* True if too many constraints of P disagree with the others, or with those of other pairs. */
bool tm_network_is_contradictory(const struct tm_network_work *w, const struct tm_pair *p);

/* True if the offset of P has steps. */
bool tm_network_is_stepped(const struct tm_pair *p);

/* True for a pair that can determine a line. */
bool tm_network_is_usable(const struct tm_network_work *w, const struct tm_pair *p);

/* Returns the group of NODE: its first file. */
uint32_t tm_network_group(const struct tm_network_work *w, uint32_t node);

/* Returns the reading of NODE that its line converts to TAU, a time of the reference. */
int64_t tm_network_reading_at(const struct tm_network_work *w, uint32_t node, int64_t tau);

/* Returns how far from TAU the line of P's second file is when the first file reads X, if the offset of P is Z then. */
tm_i128 tm_network_error_at(const struct tm_network_work *w, const struct tm_pair *p, int64_t x, int64_t tau,
                            int64_t z);

/* Sets *FIRST and *LAST to the first and the last time of GROUP, of the reference, by the lines of its files. */
void tm_network_find_range(const struct tm_network_work *w, uint32_t group, int64_t *first, int64_t *last);

/* Bounds the offsets of the files of GROUP, whose lines are known, at their readings. False if the bounds of pairs
 * contradict each other, or, with the error set, without memory. Pairs that contradict pairs of many more constraints
 * are left out: then left_out_count has grown, and the groups must be found again without them. */
bool tm_network_bound(const struct tm_network_work *w, uint32_t group);

/* Leaves out pairs because BOUNDS, which are those of PATHS, have a negative cycle: those of it that are not credible
 * beside the others, or, if all are alike, those that the pairs of many more constraints exclude. False if there are
 * none. The order of BOUNDS changes. */
bool tm_network_leave_out(const struct tm_network_work *w, uint32_t group, struct tm_bound *bounds, uint32_t count);

/* Leaves out pairs of very few constraints if one of their files has many more that cannot be used, because they
 * contradict each other or have steps: nothing would show that the few are wrong. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_network_leave_out_few(const struct tm_network_work *w);

#endif

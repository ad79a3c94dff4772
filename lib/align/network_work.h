/* What the solution of a network works on: network.c finds the groups and lines, network_bounds.c the bounds. */
#ifndef TM_ALIGN_NETWORK_WORK_H
#define TM_ALIGN_NETWORK_WORK_H

#include "align/network.h"

/* This is beyond any possible time. */
#define TM_NETWORK_FAR ((tm_i128)1 << 100)

struct tm_network_work {
    struct tm_network *network;
    const struct tm_evidence *evidence;
    const struct tm_align_nodes *nodes;
    uint64_t *ranks;  /* the order of the files */
    uint32_t *groups; /* union-find over nodes */
    bool *reached;
    bool *is_of_tree;   /* by pair: lines are propagated along it */
    tm_i128 *up, *down; /* greatest error of each node's line, and the least one negated */
    struct tm_error *err;
};

/* True if too many constraints of P disagree with the others. */
bool tm_network_is_contradictory(const struct tm_pair *p);

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

/* Bounds the offsets of the files of GROUP, whose lines are known, at their readings. False if the bounds contradict
 * each other, or, with the error set, without memory. */
bool tm_network_bound(const struct tm_network_work *w, uint32_t group);

#endif

/* All pairs together: for each file a line to its group's reference that fits all pairs, and what the constraints of
 * all paths leave possible.
 *
 * With e(i) what file i's line is in error by at one moment, a pair says low <= e(j) - e(i) <= high: difference
 * constraints. The greatest and least values that all paths allow are shortest paths from and to the reference, and a
 * cycle whose length is negative proves that not all constraints are true (Bellman 1958, Ford 1956). The lines
 * themselves are the least squares over the estimates of the pairs, moved into these bounds where they are outside. */
#ifndef TM_ALIGN_NETWORK_H
#define TM_ALIGN_NETWORK_H

#include "align/evidence.h"
#include "align/nodes.h"

enum tm_verdict {
    TM_VERDICT_NONE,         /* nothing relates it to another file */
    TM_VERDICT_REFERENCE,    /* what the others of its group are aligned to */
    TM_VERDICT_ALIGNED,      /* a line, with bounds on both sides or of events that are near each other */
    TM_VERDICT_ONE_SIDED,    /* a bound on one side */
    TM_VERDICT_STEPPED,      /* no line fits, lines with steps between them do */
    TM_VERDICT_AMBIGUOUS,    /* more than one line fits about as well */
    TM_VERDICT_CONTRADICTORY /* no line fits */
};

struct tm_network_node {
    enum tm_verdict verdict;
    uint32_t reference;            /* a node; itself where it is none of a group */
    struct tm_line line;           /* to the reference */
    int64_t low_ns[3], high_ns[3]; /* what is possible for the offset at first_ns, at the line's at_ns, at last_ns */
    uint64_t left_out;
    const struct tm_pair *stepped; /* the pair that shows the steps */
};

/* A pair of four matches or more closes a cycle where other pairs relate its files too. Going around a cycle should add
 * nothing. */
struct tm_network_cycle {
    uint32_t first, second; /* nodes: the files of the pair */
    int64_t error_ns;       /* what going around adds: the pair's estimate less that of the path between its files */
};

/* Zero-initialise. */
struct tm_network {
    struct tm_network_node *nodes; /* as many as the evidence has */
    struct tm_network_cycle *cycles; /* one for each pair that is not of the tree that lines were spread along */
    uint32_t cycle_count;
    uint32_t cycle_cap; /* private */
};

/* NODES say which file comes first: the reference of a group. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_network_find(struct tm_network *network, const struct tm_evidence *evidence,
                               const struct tm_align_nodes *nodes, const struct tm_catalog *catalog,
                               struct tm_error *err);

void tm_network_release(struct tm_network *network);

#endif

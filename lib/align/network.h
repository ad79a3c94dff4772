/* Solves all pairs together. Each file gets a line to its group's reference that fits all pairs, and the bounds that
 * follow from the constraints of all paths.
 *
 * e(i) is the error of file i's line at one instant. A pair states low <= e(j) - e(i) <= high: difference constraints.
 * The greatest and least values that all paths permit are shortest paths from and to the reference. A cycle of negative
 * length proves that not all constraints are true (Bellman 1958, Ford 1956). If few constraints of a pair contradict
 * many of others, the pair is left out. The lines are the least squares over the estimates of the pairs, moved into
 * these bounds if they are outside. */
#ifndef TM_ALIGN_NETWORK_H
#define TM_ALIGN_NETWORK_H

#include "align/evidence.h"
#include "align/nodes.h"

enum tm_verdict {
    TM_VERDICT_NONE,         /* nothing relates it to another file */
    TM_VERDICT_REFERENCE,    /* the file to which the others of its group are aligned */
    TM_VERDICT_ALIGNED,      /* a line, bounded on both sides or found from events near each other */
    TM_VERDICT_ONE_SIDED,    /* a bound on one side */
    TM_VERDICT_STEPPED,      /* no line fits, but lines with steps between them do */
    TM_VERDICT_AMBIGUOUS,    /* several lines fit about equally well */
    TM_VERDICT_CONTRADICTORY /* no line fits */
};

enum { TM_NETWORK_READINGS = 9, TM_NETWORK_MIDDLE = TM_NETWORK_READINGS / 2 };

struct tm_network_node {
    enum tm_verdict verdict;
    uint32_t reference;            /* a node; the file itself if it has no group */
    struct tm_line line;           /* to the reference */
    /* possible offsets at readings at equal distances: from first_ns, over the line's at_ns, to last_ns */
    int64_t low_ns[TM_NETWORK_READINGS], high_ns[TM_NETWORK_READINGS];
    uint64_t left_out;             /* constraints of its pairs that disagree with others */
    const struct tm_pair *stepped; /* the pair with the steps */
    bool is_uneven;                /* its clock or that of its reference does not drift evenly */
    bool is_tested;                /* there were enough matches to test that */
};

/* A pair of at least four matches closes a cycle if other pairs relate its files too. The sum around a cycle should be
 * 0. */
struct tm_network_cycle {
    uint32_t first, second; /* nodes: the files of the pair */
    int64_t error_ns;       /* the sum around the cycle: the pair's estimate minus that of the path between its files */
};

/* Zero-initialise. */
struct tm_network {
    struct tm_network_node *nodes; /* one for each node of the evidence */
    struct tm_network_cycle *cycles; /* one for each pair outside the tree along which lines were propagated */
    uint32_t cycle_count;
    uint32_t cycle_cap; /* private */
    bool *is_left_out;  /* by pair of the evidence: its few constraints are probably wrong */
    uint32_t left_out_count; /* how many of these there are */
};

/* Solves the network. NODES give the order of files: the first of a group is its reference. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_network_find(struct tm_network *network, const struct tm_evidence *evidence,
                               const struct tm_align_nodes *nodes, const struct tm_catalog *catalog,
                               struct tm_error *err);

/* Returns reading WHICH (below TM_NETWORK_READINGS) of those at which a node has bounds. */
int64_t tm_network_reading(const struct tm_align_node *node, int which);

void tm_network_release(struct tm_network *network);

#endif

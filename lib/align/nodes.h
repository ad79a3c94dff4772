/* The files that have events: what is aligned. */
#ifndef TM_ALIGN_NODES_H
#define TM_ALIGN_NODES_H

#include "base/map.h"
#include "model/catalog.h"

struct tm_align_node {
    uint32_t file;             /* of the catalog */
    int64_t first_ns, last_ns; /* trace time of its first and last event, the ends of slices among them */
    uint64_t out_of_range;     /* events whose times are not from TM_READING_MIN to TM_READING_MAX */
    uint8_t grade;             /* the highest of its records */
    uint32_t operations;       /* bits of enum tm_operation: of all its records */
    uint32_t copies;           /* records of TM_ROLE_COPY */
    /* private */
    int64_t reading_ns, step_ns; /* the first reading noted, and what divides all others' differences from it */
    uint32_t readings;           /* noted, as far as READINGS_MIN */
};

/* Zero-initialise. Nodes are numbered in the order in which they are asked for; one without events begins after its
 * end. */
struct tm_align_nodes {
    struct tm_align_node *nodes;
    uint32_t count;
    /* private */
    uint32_t cap;
    struct tm_map of_file;
};

/* *NODE is the number of FILE. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_align_nodes_get(struct tm_align_nodes *nodes, uint32_t file, uint32_t *node, struct tm_error *err);

/* The events of NODE go at least from FIRST_NS to LAST_NS. */
void tm_align_nodes_extend(struct tm_align_nodes *nodes, uint32_t node, int64_t first_ns, int64_t last_ns);

/* NS is when a record of NODE begins. */
void tm_align_nodes_note(struct tm_align_nodes *nodes, uint32_t node, int64_t ns);

/* How coarse NODE's clock is, in ns: what all noted readings are apart by whole multiples of, up to a millisecond. A
 * recorder that counts so cuts off the rest, so that an event was less than this later than its reading. 1: no coarser
 * than can be told. */
int64_t tm_align_node_grain(const struct tm_align_node *node);

void tm_align_nodes_release(struct tm_align_nodes *nodes);

#endif

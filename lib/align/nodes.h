/* The files with events: the nodes of the alignment. */
#ifndef TM_ALIGN_NODES_H
#define TM_ALIGN_NODES_H

#include "base/map.h"
#include "model/catalog.h"

struct tm_align_node {
    uint32_t file;             /* file of the catalog */
    int64_t first_ns, last_ns; /* trace time of its first and last event, including ends of slices */
    uint64_t out_of_range;     /* number of events whose times are not from TM_READING_MIN to TM_READING_MAX */
    uint8_t grade;             /* the highest of its records */
    uint32_t operations;       /* bits of enum tm_operation of all its records */
    uint32_t marks;            /* number of records of TM_ROLE_MARK */
    int64_t jitter_ns;         /* the steps that placed the file are at most this far from a line */
    /* private */
    /* the first noted reading, and the common divisor of the differences of all others from it */
    int64_t reading_ns, step_ns;
    uint32_t readings;           /* number of noted readings, up to READINGS_MIN */
};

/* Zero-initialise. Nodes are numbered in the order in which they are made. A node without events has first_ns after
 * last_ns. */
struct tm_align_nodes {
    struct tm_align_node *nodes;
    uint32_t count;
    /* private */
    uint32_t cap;
    struct tm_map of_file;
};

/* Finds or makes the node of FILE. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_align_nodes_get(struct tm_align_nodes *nodes, uint32_t file, uint32_t *node, struct tm_error *err);

/* Extends the range of NODE's events to include FIRST_NS to LAST_NS. */
void tm_align_nodes_extend(struct tm_align_nodes *nodes, uint32_t node, int64_t first_ns, int64_t last_ns);

/* Notes that a record of NODE begins at NS. */
void tm_align_nodes_note(struct tm_align_nodes *nodes, uint32_t node, int64_t ns);

/* Returns the granularity of NODE's clock in ns: the largest number, up to a millisecond, of which all differences of
 * noted readings are multiples. Of fewer than five readings only a millisecond or a microsecond counts. Such a recorder
 * truncates, so an event was later than its reading by less than this. 1: none was detected. */
int64_t tm_align_node_grain(const struct tm_align_node *node);

void tm_align_nodes_release(struct tm_align_nodes *nodes);

#endif

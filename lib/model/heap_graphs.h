/* The graphs of Java heaps that sequences of packets state, one for each sequence at a time. */
#ifndef TM_MODEL_HEAP_GRAPHS_H
#define TM_MODEL_HEAP_GRAPHS_H

#include "base/table.h"
#include "model/heap_graph.h"
#include "model/place.h"

struct tm_sequence_graph {
    struct tm_place place;
    struct tm_heap_graph *graph; /* NULL: none is begun */
};

/* Zero-initialise. */
struct tm_heap_graphs {
    struct tm_sequence_graph *sequences;
    uint32_t count;
    /* private */
    uint32_t cap;
    struct tm_table by_sequence; /* (file, machine, sequence) */
};

/* Sets *OF to the sequence of EVENT, whose graph is begun if there is none. Valid until the next call. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_heap_graphs_of(struct tm_heap_graphs *graphs, const struct tm_event *event,
                                 struct tm_sequence_graph **of, struct tm_error *err);

/* Ends the graph of OF, which has one. */
void tm_sequence_graph_end(struct tm_sequence_graph *of);

void tm_heap_graphs_release(struct tm_heap_graphs *graphs);

#endif

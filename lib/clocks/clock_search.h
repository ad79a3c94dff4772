/* Searches for paths between any two clocks of a clock graph. This is the part of struct tm_clock_graph that asks
 * whether clocks are related at all. Callers use tm_clock_graph_reaches of clock_graph.h. */
#ifndef TM_CLOCKS_CLOCK_SEARCH_H
#define TM_CLOCKS_CLOCK_SEARCH_H

#include "clocks/clock_graph.h"

/* True if FROM is TO, or if a path of at most TM_GRAPH_HOPS_MAX hops leads there. Clocks that run backwards are on no
 * path, except as its end. */
bool tm_clock_search(struct tm_clock_graph *graph, uint32_t from, uint32_t to);

#endif

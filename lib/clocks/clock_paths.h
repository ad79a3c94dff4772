/* Paths through a clock graph to its target: updated distances, search, conversion. This is the part of struct
 * tm_clock_graph that reads edges. Callers use clock_graph.h. */
#ifndef TM_CLOCKS_CLOCK_PATHS_H
#define TM_CLOCKS_CLOCK_PATHS_H

#include "clocks/clock_graph.h"

/* Updates distances after KIND has related its clocks. */
void tm_clock_paths_link(struct tm_clock_graph *graph, uint32_t kind);

#endif

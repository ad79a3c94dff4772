/* The ways through a clock graph to its target: distances kept up to date, search, conversion. The
 * part of struct tm_clock_graph that reads its edges; the callers' interface is clock_graph.h. */
#ifndef TM_CLOCKS_CLOCK_PATHS_H
#define TM_CLOCKS_CLOCK_PATHS_H

#include "clocks/clock_graph.h"

/* Updates distances after the clocks of KIND became related. */
void tm_clock_paths_link(struct tm_clock_graph *graph, uint32_t kind);

#endif

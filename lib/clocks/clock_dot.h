/* The clock graph as a picture: text for Graphviz (https://graphviz.org/doc/info/lang.html).
 *
 * Each clock is a node; trace time has a double frame. A line leads from the first clock of each kind of snapshot to
 * each of its other clocks, with the number of snapshots. Relations of the manifest or of hints are dashed, assumed
 * ones dotted. */
#ifndef TM_CLOCKS_CLOCK_DOT_H
#define TM_CLOCKS_CLOCK_DOT_H

#include "clocks/clock_file.h"

/* Appends the text. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_dot(struct tm_buf *out, const struct tm_clock_registry *registry,
                            const struct tm_clock_files *files);

#endif

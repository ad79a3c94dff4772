/* The clock graph as a picture: text for Graphviz (https://graphviz.org/doc/info/lang.html).
 *
 * A node a clock, trace time with a double frame; a line from the first clock of each kind of
 * snapshot to its others, with the number of snapshots; dashed what the manifest or a hint says,
 * dotted what is assumed. */
#ifndef TM_CLOCKS_CLOCK_DOT_H
#define TM_CLOCKS_CLOCK_DOT_H

#include "clocks/clock_file.h"

/* Appends the text. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_dot(struct tm_buf *out, const struct tm_clock_registry *registry,
                            const struct tm_clock_files *files);

#endif

/* CPU profiles of V8 (.cpuprofile), as node --cpu-prof and Chrome's DevTools write them: a call tree, the node of each
 * sample, and the times between samples; and the older form, whose tree is one object in "head". Samples keep their
 * stacks. Times are microseconds of V8's monotonic clock, on a private timeline, as the file does not state which clock
 * of which system that is. Source: the DevTools protocol's Profiler.Profile, Node's --cpu-prof, doc/formats.md.
 *
 * The members may come in any order. So nodes are kept, and samples and times go into paged files until the document
 * ends. */
#ifndef TM_FORMAT_CPUPROFILE_CPUPROFILE_H
#define TM_FORMAT_CPUPROFILE_CPUPROFILE_H

#include "format/format.h"

extern const struct tm_format tm_format_cpuprofile;

#endif

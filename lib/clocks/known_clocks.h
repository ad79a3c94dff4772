/* Which clocks files have, so that a relation of the manifest that leads nowhere is noticed: it would place nothing,
 * and whoever wrote it believes that it does. */
#ifndef TM_CLOCKS_KNOWN_CLOCKS_H
#define TM_CLOCKS_KNOWN_CLOCKS_H

#include "clocks/clock_file.h"

/* Zero-initialise. */
struct tm_known_clocks {
    /* private */
    uint64_t *of_entry; /* by entry: a bit for each clock id below 64 that its file has */
    uint32_t entry_count;
    struct tm_map with_events; /* clocks of the graph that events are on */
};

/* Records that FILE has CLOCK, because of an event, a snapshot or a hint. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_known_clocks_add(struct tm_known_clocks *known, const struct tm_clock_files *files,
                                   const struct tm_clock_file *file, uint32_t clock, struct tm_error *err);

/* FILE's turn ends: adds the clocks that its events were on. */
enum tm_status tm_known_clocks_add_file(struct tm_known_clocks *known, const struct tm_clock_files *files,
                                        const struct tm_clock_file *file, struct tm_clock_registry *registry,
                                        struct tm_error *err);

/* All has been read. TM_E_INPUT when a relation of the manifest has a side that leads nowhere: no events are on the
 * clock, nothing else relates it, and it is not the timeline. The file is named, with the clocks that it has; files
 * without any are left out. */
enum tm_status tm_known_clocks_check(const struct tm_known_clocks *known, const struct tm_clock_files *files,
                                     struct tm_clock_registry *registry, struct tm_error *err);

void tm_known_clocks_release(struct tm_known_clocks *known);

#endif

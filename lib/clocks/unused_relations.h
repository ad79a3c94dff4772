/* Records which clocks files have, and finds relations of the manifest that have no effect. The author of such a
 * relation believes that it places events. */
#ifndef TM_CLOCKS_UNUSED_RELATIONS_H
#define TM_CLOCKS_UNUSED_RELATIONS_H

#include "clocks/clock_file.h"

/* Zero-initialise. */
struct tm_unused_relations {
    /* private */
    uint64_t *of_entry; /* by entry: a bit for each clock id below 64 that its file has */
    uint32_t entry_count;
    struct tm_map with_events; /* clocks of the graph that events are on */
};

/* Records that FILE has CLOCK, because of an event, a snapshot or a hint. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_unused_relations_add(struct tm_unused_relations *known, const struct tm_clock_files *files,
                                   const struct tm_clock_file *file, uint32_t clock, struct tm_error *err);

/* Adds the clocks of FILE's events, at the end of its turn. TM_OK, TM_E_INPUT (a limit of the graph) or TM_E_SYSTEM. */
enum tm_status tm_unused_relations_add_file(struct tm_unused_relations *known, const struct tm_clock_files *files,
                                        const struct tm_clock_file *file, struct tm_clock_registry *registry,
                                        struct tm_error *err);

/* Checks the relations at the end of the stream. TM_E_INPUT if a side of a relation leads nowhere: no events are on its
 * clock, nothing else relates the clock, and it is not the timeline. The error names the file and the clocks that it
 * has. Files without clocks are left out. */
enum tm_status tm_unused_relations_check(const struct tm_unused_relations *known, const struct tm_clock_files *files,
                                     struct tm_clock_registry *registry, struct tm_error *err);

void tm_unused_relations_release(struct tm_unused_relations *known);

#endif

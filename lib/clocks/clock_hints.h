/* Relations that files mention outside their snapshots (ClockHint frames). They become edges only if a file has no
 * other path to trace time. They are tried after snapshots and the manifest, and before the rendezvous
 * (doc/clocks.md). */
#ifndef TM_CLOCKS_CLOCK_HINTS_H
#define TM_CLOCKS_CLOCK_HINTS_H

#include "clocks/clock_registry.h"

enum { TM_HINTS_MAX = 1 << 16 }; /* later ones are left out, and counted */

/* FILE's clock FROM read from_ns when clock TO read to_ns. Clocks are indices in the graph. */
struct tm_clock_hint {
    uint32_t file;
    uint32_t from, to;
    int64_t from_ns, to_ns;
    uint32_t from_clock, to_clock; /* their ids */
    bool is_used;
    bool is_edge; /* used, and nothing else had related the two */
};

/* Hints of FILE that were not kept. */
struct tm_clock_hints_surplus {
    uint32_t file;
    uint64_t count;
};

/* Zero-initialise. */
struct tm_clock_hints {
    bool is_enabled; /* else add does nothing */
    struct tm_clock_hint *hints;
    uint32_t count;
    struct tm_clock_hints_surplus *surplus; /* files that followed each other differ */
    uint32_t surplus_count;
    /* private */
    uint32_t cap, surplus_cap;
    uint32_t used_count; /* that many first hints are used */
    struct tm_map of_pair; /* (from, to) to the first hint about them */
};

/* Keeps HINT, unless there is one already about the same two clocks, or both are the same clock. TM_OK or TM_E_SYSTEM.
 */
enum tm_status tm_clock_hints_add(struct tm_clock_hints *hints, const struct tm_clock_hint *hint,
                                  struct tm_error *err);

/* Adds edges for hints whose clocks nothing relates yet. FILE selects the hints of one file; UINT32_MAX means all.
 * Returns what tm_clock_registry_add returns. */
enum tm_status tm_clock_hints_use(struct tm_clock_hints *hints, struct tm_clock_registry *registry, uint32_t file,
                                  struct tm_error *err);

/* Writes how many hints of each file were not kept, as its facts_beyond_limits. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_hints_write_surplus(const struct tm_clock_hints *hints, struct tm_stream_writer *writer,
                                            struct tm_error *err);

void tm_clock_hints_release(struct tm_clock_hints *hints);

#endif

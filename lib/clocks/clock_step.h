/* How a time is converted to trace time: hops over the clock graph, and their sum. doc/clocks.md has the formula. */
#ifndef TM_CLOCKS_CLOCK_STEP_H
#define TM_CLOCKS_CLOCK_STEP_H

#include "clocks/clock_kind.h"

enum { TM_GRAPH_HOPS_MAX = 4 };

/* One conversion between two clocks of a kind. */
struct tm_hop {
    uint32_t kind, row;
    uint32_t from, to; /* clocks */
    bool is_line;      /* from row line_ends[0] to [1] */
    uint32_t line_ends[2];
};

/* How one time was converted. The same conversion holds for all times from first_ns to last_ns on the source clock.
 * First translation is added (modulo 2^64; it never overflows). Then each line converts the result so far, and its
 * `after` is added. */
struct tm_step {
    int64_t first_ns, last_ns;
    uint64_t translation;
    uint32_t line_count;
    struct tm_clock_line lines[TM_GRAPH_HOPS_MAX];
    uint64_t after[TM_GRAPH_HOPS_MAX];
    uint32_t hop_count; /* 0: the source is the target */
    struct tm_hop hops[TM_GRAPH_HOPS_MAX];
    bool has_anchors; /* a recorded snapshot was on the path */
    int64_t anchor_low_ns, anchor_high_ns; /* the first and the last such snapshot, on the source clock */
};

/* Converts NS by STEP. NS must be between first_ns and last_ns. */
static inline int64_t tm_step_apply(const struct tm_step *step, int64_t ns)
{
    uint64_t t = (uint64_t)ns + step->translation;
    for (uint32_t i = 0; i < step->line_count; i++)
        t = (uint64_t)tm_clock_line_apply(&step->lines[i], (int64_t)t) + step->after[i];
    return (int64_t)t;
}

/* Returns what STEP adds to NS. It is the same for all times of a step without lines. */
static inline int64_t tm_step_offset(const struct tm_step *step, int64_t ns)
{
    return (int64_t)((uint64_t)tm_step_apply(step, ns) - (uint64_t)ns);
}

#endif

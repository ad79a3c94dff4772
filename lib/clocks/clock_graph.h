/* The clock graph. Clocks are its nodes, snapshots its edges. It finds the path from a clock to the target (trace time)
 * and applies it. doc/clocks.md has the formula and a worked example.
 *
 * Each clock has its distance to the target and the next clock on the path. Both are updated as edges come, so no event
 * ever causes a search. Of equally short paths, the graph takes the one whose clocks come first in the order of
 * identities. If these are equal too, it takes the one whose kind of snapshot came first. Source: doc/rules.md section
 * 5, "Snapshots" and "Conversion". */
#ifndef TM_CLOCKS_CLOCK_GRAPH_H
#define TM_CLOCKS_CLOCK_GRAPH_H

#include "base/map.h"
#include "clocks/clock_kind.h"
#include "clocks/clock_step.h"
#include "clocks/clock_table.h"

/* Limits. Beyond them add fails with TM_E_INPUT and a text that names the limit. */
enum {
    /* readings of one relation; a recorded snapshot has at most half as many, because tm_clock_scope_snapshot may add
     * each of them once more */
    TM_GRAPH_WIDTH_MAX = 256,
    TM_GRAPH_KINDS_MAX = 1 << 18,
    TM_GRAPH_READINGS_MAX = 1 << 24     /* readings of all snapshots */
};
#define TM_GRAPH_WORK_MAX (UINT64_C(1) << 31) /* steps of all searches */

/* One clock's reading in a snapshot. */
struct tm_reading {
    uint32_t clock; /* index into the clock table */
    bool is_incremental;
    int64_t value;  /* as recorded */
    int64_t unit_ns;
};

/* A snapshot or an edge: readings of several clocks at one instant, and how they are known. */
struct tm_clock_relation {
    const struct tm_reading *readings;
    uint32_t count;
    enum tm_edge_origin origin;
};

struct tm_clock_node {
    uint32_t first_place; /* first entry in the list of kinds that it is in; UINT32_MAX: the list is empty */
    uint32_t place_count;
    uint32_t next_clock, next_kind; /* of the first hop to the target; set if hops > 0 */
    uint32_t visit;
    uint8_t hops; /* to the target; UINT8_MAX: no path known */
    bool is_queued;
};

struct tm_clock_place {
    uint32_t kind, next;
};

/* Set up by init. */
struct tm_clock_graph {
    struct tm_clock_table clocks;
    struct tm_clock_kind *kinds;
    uint32_t kind_count;
    uint32_t snapshot_count; /* number of snapshots and edges so far, refused ones included; also the next id */
    uint32_t target;         /* index of the trace-time clock */
    uint64_t version;        /* grows with every change that may change a conversion */
    bool interpolates;       /* true: a line between two snapshots converts; false (default): the earlier snapshot does
                              */
    /* private */
    struct tm_clock_node *nodes;
    uint32_t node_count, node_cap, queue_cap, kind_cap;
    struct tm_clock_place *places;
    uint32_t place_count, place_cap;
    struct tm_map kind_of; /* hash of the clocks to kind */
    uint64_t reading_count, work;
    uint32_t visit;
    uint32_t last_kind; /* of the relation added last */
    uint32_t *queue; /* room for all nodes */
    struct tm_map found; /* pairs of clocks (from << 32 | to) at most TM_GRAPH_HOPS_MAX - 1 hops apart; no value */
    bool is_stale;   /* distances must be computed again */
};

/* Why a reading was not converted. */
enum tm_convert {
    TM_CONVERT_OK,
    TM_CONVERT_UNKNOWN_SOURCE,
    TM_CONVERT_UNKNOWN_TARGET,
    TM_CONVERT_NO_PATH,
    TM_CONVERT_OUT_OF_RANGE /* a step leaves int64 */
};

void tm_clock_graph_init(struct tm_clock_graph *graph);

/* Finds or adds a clock and sets *INDEX. TM_OK, TM_E_INPUT (limit) or TM_E_SYSTEM. */
enum tm_status tm_clock_graph_clock(struct tm_clock_graph *graph, const struct tm_clock_key *key, uint32_t *index,
                                    struct tm_error *err);

/* Makes TARGET, an index, the clock that conversions lead to. */
void tm_clock_graph_set_target(struct tm_clock_graph *graph, uint32_t target);

/* Adds RELATION. Its id is snapshot_count before the call. *IS_VALID is false if it was refused by the rules of
 * doc/rules.md. In that case the clocks of the readings before the offending one are registered, but no edge is added.
 * TM_OK, TM_E_INPUT (a limit, also that of all searches so far) or TM_E_SYSTEM. */
enum tm_status tm_clock_graph_add(struct tm_clock_graph *graph, const struct tm_clock_relation *relation,
                                  bool *is_valid, struct tm_error *err);

/* Adds RELATION, a later pair of readings of two clocks, and a line to it from their last edge. With IS_STEP there is
 * no line: the second clock jumps to its reading. RELATION gets an id as a snapshot does. Returns what
 * tm_clock_graph_add returns. */
enum tm_status tm_clock_graph_add_point(struct tm_clock_graph *graph, const struct tm_clock_relation *relation,
                                        bool is_step, bool *is_valid, struct tm_error *err);

/* Notes how exact the manifest calls the relation that was added last: BOUNDED by UNCERTAINTY_NS or not, and whether a
 * rule found it. */
void tm_clock_graph_exactness(struct tm_clock_graph *graph, bool bounded, uint64_t uncertainty_ns, bool is_aligned);

/* Converts NS, nanoseconds of clock SOURCE, to the target. *STEP is set if the result is TM_CONVERT_OK. */
enum tm_convert tm_clock_graph_convert(struct tm_clock_graph *graph, uint32_t source, int64_t ns,
                                       struct tm_step *step);

/* True if FROM is TO, or if a path of at most TM_GRAPH_HOPS_MAX hops leads there. Costs a search (clock_search.h),
 * unless TO is the target. */
bool tm_clock_graph_reaches(struct tm_clock_graph *graph, uint32_t from, uint32_t to);

void tm_clock_graph_release(struct tm_clock_graph *graph);

#endif

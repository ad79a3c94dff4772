/* A kind of snapshot: all snapshots that relate the same clocks in the same order, one row each. A hop from clock A to
 * clock B of a kind uses the latest row whose reading of A is at or before the time, or the first row if there is none.
 * If that row and the next are joined, a straight line between them converts instead. The line goes on beyond its ends
 * if no other one follows. */
#ifndef TM_CLOCKS_CLOCK_KIND_H
#define TM_CLOCKS_CLOCK_KIND_H

#include "base/status.h"
#include "clocks/clock_line.h"
#include "stream/placement_rule.h"

/* The source of a relation. Later ones are weaker evidence. */
enum tm_edge_origin {
    TM_EDGE_SNAPSHOT,    /* a ClockSnapshot or RemoteClockSync packet */
    TM_EDGE_MANIFEST,
    TM_EDGE_HINT,
    TM_EDGE_SAME_DOMAIN_OF_FILE, /* an isolated clock is assumed to equal the untagged one of its domain */
    TM_EDGE_RENDEZVOUS,
    TM_EDGE_SAME_DOMAIN, /* a clock is assumed to equal the trace-time clock of its domain on another machine */
    TM_EDGE_PRIVATE
};

/* Returns the rule that Placement.rule and ClockRow.origin name for ORIGIN. */
enum tm_placement_rule tm_edge_origin_rule(enum tm_edge_origin origin);

struct tm_clock_kind {
    uint32_t width;   /* clocks */
    uint32_t *clocks; /* [width], indices into the clock table */
    uint32_t count;   /* rows, all of snapshots that were accepted */
    bool is_linked;   /* it has at least one row, so it is in the graph's edges */
    /* How exact the manifest calls the relation. If it states several, this is the least exact. */
    struct tm_clock_exactness {
        bool is_stated, is_bounded, is_aligned; /* is_aligned: a rule of tm-align found it */
        uint64_t uncertainty_ns;
    } exactness;
    /* private */
    uint32_t cap;
    int64_t *readings; /* [count * width], nanoseconds */
    uint32_t *snapshots;
    uint8_t *origins;
    bool *joins;     /* [count], a line leads from the row before to this one; NULL: none does */
    int64_t *floors; /* [count * width], the least reading of this row and all later ones; NULL: the row's own readings
                      */
    int64_t *last; /* [width], latest reading of each clock, refused snapshots included */
    bool *has_last;
    /* for paths through the graph (clock_paths.c, clock_search.c) */
    uint32_t via;     /* the clock of this kind, nearest to the target, through which the others were updated */
    uint8_t via_hops; /* its distance at that time; UINT8_MAX: none */
    uint32_t visit;
};

/* Makes a kind of WIDTH clocks. TM_OK or TM_E_SYSTEM; release is needed in both cases. */
enum tm_status tm_clock_kind_init(struct tm_clock_kind *kind, const uint32_t *clocks, uint32_t width);

/* Appends a row of READINGS, one for each clock. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_kind_add(struct tm_clock_kind *kind, const int64_t *readings, uint32_t snapshot,
                                 enum tm_edge_origin origin);

static inline int64_t tm_clock_kind_reading(const struct tm_clock_kind *kind, uint32_t row, uint32_t column)
{
    return kind->readings[(uint64_t)row * kind->width + column];
}

/* Joins the last row to the row before it by a line. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_kind_join(struct tm_clock_kind *kind);

/* Notes that the last row's readings may be less than those of earlier rows. From now on rows are found by floors.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_clock_kind_allow_decrease(struct tm_clock_kind *kind);

/* Returns the reading of COLUMN by which ROW is found. */
static inline int64_t tm_clock_kind_floor(const struct tm_clock_kind *kind, uint32_t row, uint32_t column)
{
    const int64_t *readings = kind->floors ? kind->floors : kind->readings;
    return readings[(uint64_t)row * kind->width + column];
}

/* A hop from column FROM to column TO. ROW converts the reading NS. */
struct tm_kind_hop {
    uint32_t row, from, to;
    int64_t ns;
};

/* Sets *LINE to the line that converts HOP. It leads from row ENDS[0] to row ENDS[1]. With ALL, snapshots are joined
 * too. Before the first and after the last snapshot, the line then leads to the nearest row that is at least a second
 * away, or else to the farthest. A shorter line would show how long it takes to read clocks, not how they drift. False
 * if there is no line; the row then converts. */
bool tm_clock_kind_line(const struct tm_clock_kind *kind, const struct tm_kind_hop *hop, bool all,
                        struct tm_clock_line *line, uint32_t ends[2]);

/* Returns the column of CLOCK, which must be one of the kind's clocks. */
uint32_t tm_clock_kind_column(const struct tm_clock_kind *kind, uint32_t clock);

/* Returns the row that converts reading NS of COLUMN: the last one at or before NS, or the first. The kind has rows. */
uint32_t tm_clock_kind_row(const struct tm_clock_kind *kind, uint32_t column, int64_t ns);

void tm_clock_kind_release(struct tm_clock_kind *kind);

#endif

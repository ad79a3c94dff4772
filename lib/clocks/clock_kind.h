/* A kind of snapshot: all snapshots that relate the same clocks in the same order, one row each.
 * One conversion step from clock A to clock B of a kind takes the latest row whose reading of A is
 * at or before the time, or the first row if there is none. Where that row and the next are joined a
 * straight line between them converts instead, which goes on where no other follows. */
#ifndef TM_CLOCKS_CLOCK_KIND_H
#define TM_CLOCKS_CLOCK_KIND_H

#include "base/status.h"
#include "clocks/clock_line.h"
#include "stream/placement_rule.h"

/* Where a relation comes from; later ones are weaker evidence. */
enum tm_edge_origin {
    TM_EDGE_SNAPSHOT,    /* a ClockSnapshot or RemoteClockSync packet */
    TM_EDGE_MANIFEST,
    TM_EDGE_HINT,
    TM_EDGE_SAME_DOMAIN_OF_FILE, /* an isolated clock is assumed to equal the untagged one of its domain */
    TM_EDGE_RENDEZVOUS,
    TM_EDGE_SAME_DOMAIN, /* a clock is assumed to equal the trace-time clock of its domain on another machine */
    TM_EDGE_PRIVATE
};

/* The rule that Placement.rule and ClockRow.origin name for it. */
enum tm_placement_rule tm_edge_origin_rule(enum tm_edge_origin origin);

struct tm_clock_kind {
    uint32_t width;   /* clocks */
    uint32_t *clocks; /* [width], indices into the clock table */
    uint32_t count;   /* rows, all of snapshots that were accepted */
    bool is_linked;   /* has been in the graph's edges: at least one row */
    /* How exact the manifest calls its relation; of several the least exact. */
    struct tm_clock_claim {
        bool is_said, is_bounded, is_aligned; /* is_aligned: by a rule, not by hand */
        uint64_t uncertainty_ns;
    } claim;
    /* private */
    uint32_t cap;
    int64_t *readings; /* [count * width], nanoseconds */
    uint32_t *snapshots;
    uint8_t *origins;
    bool *joins;     /* [count], a line leads from the row before to this one; NULL: none does */
    int64_t *floors; /* [count * width], the least reading of this row and all after it; NULL: those of the row */
    int64_t *last; /* [width], latest reading of each clock, refused snapshots included */
    bool *has_last;
    /* of the ways through the graph (clock_paths.c) */
    uint32_t via;     /* the clock of this kind nearest to the target that its others know of … */
    uint8_t via_hops; /* … and its distance then; UINT8_MAX: none */
    uint32_t visit;
};

/* Makes a kind of WIDTH clocks. TM_OK or TM_E_SYSTEM (release it all the same). */
enum tm_status tm_clock_kind_init(struct tm_clock_kind *kind, const uint32_t *clocks, uint32_t width);

/* Appends a row of width READINGS. */
enum tm_status tm_clock_kind_add(struct tm_clock_kind *kind, const int64_t *readings, uint32_t snapshot,
                                 enum tm_edge_origin origin);

static inline int64_t tm_clock_kind_reading(const struct tm_clock_kind *kind, uint32_t row, uint32_t column)
{
    return kind->readings[(uint64_t)row * kind->width + column];
}

/* Says that a line leads to the last row. */
enum tm_status tm_clock_kind_join(struct tm_clock_kind *kind);

/* Tells that the last row's readings may be less than those of earlier rows. From now on rows are found by floors. */
enum tm_status tm_clock_kind_fall(struct tm_clock_kind *kind);

/* The reading by which the row of COLUMN is found. */
static inline int64_t tm_clock_kind_floor(const struct tm_clock_kind *kind, uint32_t row, uint32_t column)
{
    const int64_t *readings = kind->floors ? kind->floors : kind->readings;
    return readings[(uint64_t)row * kind->width + column];
}

/* A hop from column from to column to, for reading ns, which row converts. */
struct tm_kind_hop {
    uint32_t row, from, to;
    int64_t ns;
};

/* The line that converts HOP, from row ENDS[0] to row ENDS[1]. ALL: snapshots are joined as well; outside of them the
 * line leads to the nearest that is a second away, or else the farthest, as a shorter one tells how long it takes to
 * read clocks and not how they drift. False where there is none, and the row holds. */
bool tm_clock_kind_line(const struct tm_clock_kind *kind, const struct tm_kind_hop *hop, bool all,
                        struct tm_clock_line *line, uint32_t ends[2]);

/* Column of CLOCK; it must be there. */
uint32_t tm_clock_kind_column(const struct tm_clock_kind *kind, uint32_t clock);

/* The row that converts reading NS of COLUMN: the last that is at most NS, or the first. The kind has rows. */
uint32_t tm_clock_kind_row(const struct tm_clock_kind *kind, uint32_t column, int64_t ns);

void tm_clock_kind_release(struct tm_clock_kind *kind);

#endif

/* Bounds between two clocks that hold although these do not drift evenly over the whole recording.
 *
 * A line through all constraints holds only if the clocks drift evenly. The constraints near a time bound the offset
 * there by themselves, so each part of the recording has a corridor of its own. If the events show that the drift
 * changed, a band around the estimate holds instead: it contains every offset that the constraints next to it permit,
 * before it or after it, if the clocks drift by at most the largest slope. */
#ifndef TM_ALIGN_LOCAL_BOUNDS_H
#define TM_ALIGN_LOCAL_BOUNDS_H

#include "align/consensus.h"
#include "align/corridor.h"

/* Fewer constraints of a kind make no parts, and fewer than TM_LOCAL_TESTED_MIN do not show that a drift is even. */
enum { TM_LOCAL_PARTS = 7, TM_LOCAL_CONSTRAINTS_MIN = 32, TM_LOCAL_TESTED_MIN = 96 };

struct tm_local_part {
    int64_t until; /* it holds for readings before this; the last one also after */
    struct tm_hull above, below;
    struct tm_corridor corridor;
};

/* The constraints of a pair, by x unless they are turned, and a line near them. */
struct tm_local_constraints {
    const struct tm_constraint *all;
    uint32_t count;
    const struct tm_consensus *consensus; /* that the constraints of a part agree with; NULL: all do */
    struct tm_line line;
    int64_t tolerance_ns; /* without a consensus: constraints disagree if LINE violates them by more; 0: none does */
    bool has_waits; /* of collectives: whoever is late has a strict bound, and all others loose ones */
};

/* A band around the line of the constraints. */
struct tm_band {
    int64_t low_ns, high_ns; /* to add to the line; TM_UNBOUNDED_*: no bound */
};

/* Makes TM_LOCAL_PARTS parts, each of a quarter of the constraints. Sets *PARTS to NULL if there are fewer than
 * TM_LOCAL_CONSTRAINTS_MIN of a kind; no constraints of a kind at all are no bound. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_local_parts_make(struct tm_local_part **parts, const struct tm_local_constraints *constraints);

/* Returns the corridor of PARTS at the reading X_NS. */
const struct tm_corridor *tm_local_parts_at(const struct tm_local_part *parts, int64_t x_ns);

/* Returns Z_NS, an upper or lower bound at the reading X_NS, or a stricter one that follows if clocks drift by at most
 * the largest slope: the looser one of what the constraints before X_NS and those after it permit. So it holds if the
 * clock was set between two constraints. The constraints are sorted, and the line is near them. */
int64_t tm_local_bound(const struct tm_local_constraints *constraints, bool is_lower, int64_t x_ns, int64_t z_ns);

void tm_local_parts_free(struct tm_local_part *parts);

/* Returns how many constraints disagree with the consensus or the line. */
uint32_t tm_local_disagreeing(const struct tm_local_constraints *constraints);

/* True if the constraints are enough to test whether the clocks drift evenly. */
bool tm_local_is_testable(const struct tm_local_constraints *constraints);

/* True if the constraints show that the clocks do not drift evenly: one that the consensus violates is possible beside
 * the others near it, or the bounds of both sides move together from part to part. Delays alone move the bounds of
 * both sides independently. */
bool tm_local_is_uneven(const struct tm_local_constraints *constraints);

/* True if a constraint that the consensus or the line violates is possible beside its neighbours, so no wrong match
 * explains it. */
bool tm_local_has_supported_violation(const struct tm_local_constraints *constraints);

/* Turns CONSTRAINTS to a *COPY of them by the readings of the second file. That is their true order if the clock of the
 * first was set back. The caller frees *COPY. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_local_turn(struct tm_local_constraints *constraints, struct tm_constraint **copy);

/* Returns the band for the readings from FIRST_NS to LAST_NS. Fewer than TM_LOCAL_CONSTRAINTS_MIN constraints of a kind
 * do not bound clocks that are known to be uneven. */
struct tm_band tm_local_band(const struct tm_local_constraints *constraints, int64_t first_ns, int64_t last_ns);

#endif

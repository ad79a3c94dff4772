/* A line that most of a set of constraints agree with if not all can be true, or several lines with steps between them.
 * Constraints contradict each other because of a wrong match, a recorder's error, or a clock that was set. */
#ifndef TM_ALIGN_CONSENSUS_H
#define TM_ALIGN_CONSENSUS_H

#include "align/line.h"
#include "base/status.h"

/* A constraint z(x) <= z, or, if it is a lower one, z(x) >= z. */
struct tm_constraint {
    int64_t x, z;
    bool is_lower;
};

enum { TM_CONSENSUS_STEPS_MAX = 7, TM_CONSENSUS_SIDE_MIN = 4 };

/* Lines in order of their readings: line I holds up to starts[I + 1]. */
struct tm_consensus {
    uint32_t count; /* number of lines; more than one: the offset has steps */
    struct tm_line lines[TM_CONSENSUS_STEPS_MAX + 1];
    int64_t starts[TM_CONSENSUS_STEPS_MAX + 1]; /* starts[0] is unused */
    uint64_t violated;                          /* number of constraints that disagree */
};

/* Sorts constraints by x. */
void tm_constraints_sort(struct tm_constraint *constraints, uint32_t count);

/* True if C agrees with CONSENSUS. */
bool tm_consensus_agrees(const struct tm_consensus *consensus, const struct tm_constraint *c);

/* Sorts the COUNT constraints (at least one on each side) by x and finds CONSENSUS. A step is accepted if it explains
 * nearly all disagreement, and each side of it has TM_CONSENSUS_SIDE_MIN constraints of both kinds. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_consensus_find(struct tm_consensus *consensus, struct tm_constraint *constraints, uint32_t count,
                                 struct tm_error *err);

#endif

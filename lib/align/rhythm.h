/* Finds by how many the numbers of events differ in two recordings of one sequence. The recordings may begin and end at
 * different times.
 *
 * Each interval between two events votes for every shift at which the other recording has an interval of equal length.
 * A periodic sequence fits at many shifts; then the second best has nearly as many votes as the best. */
#ifndef TM_ALIGN_RHYTHM_H
#define TM_ALIGN_RHYTHM_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct tm_beat {
    int64_t ns;
    uint64_t symbol; /* beats with different symbols are different events */
};

struct tm_beats {
    const struct tm_beat *all; /* in order of time; borrowed */
    uint32_t count;
};

/* TM_RHYTHM_WEIGHT_MIN: of a shift that is found, the square of its votes divided by the samples compared. */
enum { TM_RHYTHM_SAMPLES = 512, TM_RHYTHM_WEIGHT_MIN = 4, TM_RHYTHM_BEATS_MAX = 1 << 20 };

struct tm_rhythm {
    bool is_found;               /* a shift fits */
    bool is_ambiguous;           /* a second shift fits about as well */
    bool is_even;                /* in each eighth of A at least half as many intervals vote for it as in all of A */
    int64_t shift, second_shift; /* beat K of A is beat K + shift of B */
    bool has_second;
    uint32_t votes, compared; /* compared: samples that could vote */
    int64_t usual_ns;         /* the usual interval of A */
};

/* Finds the shift. A and B have at least two beats each. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_rhythm_find(struct tm_rhythm *rhythm, struct tm_beats a, struct tm_beats b, struct tm_error *err);

#endif

/* Two recordings of one sequence of events, which may have begun and ended at different times: by how many their
 * numbers differ.
 *
 * A shift is voted for by each interval between two events that, shifted, is as long in the other recording. A sequence
 * that is periodic fits at many shifts; then the second best has nearly as many votes as the best. */
#ifndef TM_ALIGN_RHYTHM_H
#define TM_ALIGN_RHYTHM_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct tm_beat {
    int64_t ns;
    uint64_t symbol; /* beats of different symbols are not the same event */
};

enum { TM_RHYTHM_SAMPLES = 512, TM_RHYTHM_VOTES_MIN = 4, TM_RHYTHM_BEATS_MAX = 1 << 20 };

struct tm_rhythm {
    bool is_found;               /* a shift fits */
    bool is_ambiguous;           /* and another does too */
    bool is_even;                /* and each eighth of A votes for it half as often as all of it */
    int64_t shift, second_shift; /* beat K of A is beat K + shift of B */
    bool has_second;
    uint32_t votes, second_votes, asked;
};

/* A and B are in the order of time, at least two beats each. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_rhythm_find(struct tm_rhythm *rhythm, const struct tm_beat *a, uint32_t a_count,
                              const struct tm_beat *b, uint32_t b_count, struct tm_error *err);

#endif

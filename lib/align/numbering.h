/* Gives unnumbered records numbers that mean the same in all files: the nth of a group. If files recorded different
 * parts of a group, the numbers are shifted. */
#ifndef TM_ALIGN_NUMBERING_H
#define TM_ALIGN_NUMBERING_H

#include "align/candidates.h"

/* The result for a file's group. */
struct tm_numbering_result {
    uint32_t node, other; /* the file, and the file with whose sequence it was compared */
    uint8_t rule;
    int64_t offset_ns, second_offset_ns; /* from NODE's readings to OTHER's, by the best and the second best shift */
};

/* Zero-initialise. */
struct tm_numbering {
    struct tm_numbering_result *ambiguous; /* groups with two shifts that fit about equally well; they are not used */
    uint32_t ambiguous_count;
    struct tm_numbering_result *seconds; /* groups that are used: the result of the second best shift */
    uint32_t second_count;
    /* private */
    uint32_t ambiguous_cap, second_cap;
};

/* Moves the records of CANDIDATES' ordinal store to the numbered store, and also those marks that a system trace has
 * too. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_numbering_apply(struct tm_numbering *numbering, struct tm_candidates *candidates,
                                  struct tm_error *err);

void tm_numbering_release(struct tm_numbering *numbering);

#endif

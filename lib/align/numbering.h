/* Gives unnumbered records numbers that mean the same in all files: the nth of a group, shifted where files recorded
 * different stretches of it. */
#ifndef TM_ALIGN_NUMBERING_H
#define TM_ALIGN_NUMBERING_H

#include "align/candidates.h"

/* What became of a file's group. */
struct tm_numbering_doubt {
    uint32_t node, other; /* the file, and the one whose sequence it was compared with */
    uint8_t rule;
    int64_t offset_ns, second_offset_ns; /* of NODE's readings to OTHER's, by the best shift and the second best */
};

/* Zero-initialise. */
struct tm_numbering {
    struct tm_numbering_doubt *doubts; /* groups with two shifts that fit about as well: they are not used */
    uint32_t doubt_count;
    struct tm_numbering_doubt *seconds; /* groups that are used: what the second best shift would say */
    uint32_t second_count;
    /* private */
    uint32_t doubt_cap, second_cap;
};

/* Moves the records of CANDIDATES' ordinal store to the numbered one, and those of copies that a system trace has too.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_numbering_do(struct tm_numbering *numbering, struct tm_candidates *candidates, struct tm_error *err);

void tm_numbering_release(struct tm_numbering *numbering);

#endif

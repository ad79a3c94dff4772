/* Finds which event is which in two recordings of one sequence of events, if a recording lost events or had its clock
 * set.
 *
 * A passage is a few consecutive events of one recording. Each of its intervals votes for every offset at which the
 * other recording has an interval of equal length, even if one event in between is lost. If one offset has more than
 * twice the votes of every other, the events of the passage are those that are near each other at this offset. The next
 * passage is tried at the same offset first. A periodic sequence has no such offset. */
#ifndef TM_ALIGN_PASSAGES_H
#define TM_ALIGN_PASSAGES_H

#include "align/rhythm.h"

enum { TM_PASSAGES_NONE = -1, TM_PASSAGES_BEATS_MAX = 1 << 16 };

/* Sets NUMBERS of each beat of B to the index of its beat of A, or to TM_PASSAGES_NONE. *IS_FOUND is true if two fifths
 * of the beats of A that are at times of B have one, and a fifth of the beats of the shorter recording. A and B are in
 * order of time and have at most TM_PASSAGES_BEATS_MAX each. If *IS_FOUND is false, NUMBERS are not set. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_passages_find(int32_t *numbers, bool *is_found, struct tm_beats a, struct tm_beats b,
                                struct tm_error *err);

#endif

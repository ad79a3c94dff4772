/* Two recordings of one sequence of events, of which either lost some or had its clock set: which event is which.
 *
 * A passage is a few events in a row of one recording. Each interval of it that is as long in the other recording votes
 * for an offset, also where one event between is lost. Where one offset has more than twice the votes of every other,
 * the events of the passage are those that are near at this offset. The next passage is looked for at the same offset
 * first. A sequence that is periodic has no such offset. */
#ifndef TM_ALIGN_PASSAGES_H
#define TM_ALIGN_PASSAGES_H

#include "align/rhythm.h"

enum { TM_PASSAGES_NONE = -1, TM_PASSAGES_BEATS_MAX = 1 << 16 };

/* NUMBERS gets for each beat of B which one of A it is, or TM_PASSAGES_NONE, and IS_FOUND whether two fifths of what
 * was compared is the same event. A and B are in the order of time, at least two beats each and at most
 * TM_PASSAGES_BEATS_MAX. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_passages_find(int32_t *numbers, bool *is_found, const struct tm_beat *a, uint32_t a_count,
                                const struct tm_beat *b, uint32_t b_count, struct tm_error *err);

#endif

/* Finds events that a shift numbers wrongly.
 *
 * If each of two recordings lost one event, the events between the two losses have the wrong counterparts, and all
 * others have the right ones. The same holds for those before a loss that is near the start, or after one near the end.
 * The difference of the two clocks is another one there, and each event is where another beat is expected. */
#ifndef TM_ALIGN_MISNUMBERED_H
#define TM_ALIGN_MISNUMBERED_H

#include "align/rhythm.h"

/* The longest stretch that is found. Longer ones show in the votes for the shift. */
enum { TM_MISNUMBERED_MAX = 32 };

/* Sets WRONG of each beat of B to true if SHIFT, of which beat K of A is beat K + SHIFT of B, gives it a wrong
 * counterpart. USUAL_NS is the usual interval. A and B are in order of time. */
void tm_misnumbered_find(bool *wrong, struct tm_beats a, struct tm_beats b, int64_t shift, int64_t usual_ns);

#endif

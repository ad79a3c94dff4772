/* Makes matches of records with equal keys. */
#ifndef TM_ALIGN_MATCHER_H
#define TM_ALIGN_MATCHER_H

#include "align/candidates.h"
#include "align/match_log.h"

/* Appends the matches of the numbered records of CANDIDATES to LOG. A key in only one file matches nothing. A key that
 * files have several times matches if each has it equally often. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_matcher_run(const struct tm_candidates *candidates, struct tm_match_log *log, struct tm_error *err);

#endif

/* Records with one key become matches. */
#ifndef TM_ALIGN_MATCHER_H
#define TM_ALIGN_MATCHER_H

#include "align/candidates.h"
#include "align/match_log.h"

/* Appends to LOG what the numbered records of CANDIDATES say of each other. A key that one file alone has matches
 * nothing. A key that a file has several times matches if each file has it as often. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_matcher_run(const struct tm_candidates *candidates, struct tm_match_log *log, struct tm_error *err);

#endif
